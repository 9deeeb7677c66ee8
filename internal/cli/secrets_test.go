package cli

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// leaky is a script that prints all it can see of where it runs.
const leaky = `
import glob, os, platform, sys
import tinynet
print(sorted(os.environ.items()), sys.path, sys.argv, sys.executable, sys.prefix, sys.base_prefix)
print(tinynet.__file__, os.__file__, __file__, os.getcwd(), os.path.expanduser("~"), platform.node())
for pattern in ("/home/*", "/ro" + "ot/*", "/ro" + "ot/.*", "/tmp/*", "/proc/*/environ"):
    for name in glob.glob(pattern):
        try:
            print(name, open(name, "rb").read(4096))
        except OSError as e:
            print(name, type(e).__name__)
for host in ("127.0.0.1",):
    print(os.listdir("/proc"))
`

// TestNoSecretAnywhere: canaries of the environment and the home folder, and
// the paths of this machine, appear nowhere in a run folder or a bundle.
func TestNoSecretAnywhere(t *testing.T) {
	x := newIndex(t, tinyWheels()...)
	r := newRig(t, x)
	const canary = "canary-0815-secret"
	home := r.env["HOME"]
	for _, name := range []string{".netrc", ".env", "id_rsa"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte("password "+canary), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"CANARY", "GITHUB_TOKEN", "GH_TOKEN", "AWS_SECRET_ACCESS_KEY", "PYTHONSTARTUP_", "UV_INDEX_X_PASSWORD"} {
		r.env[name] = canary
	}
	report := r.file("report.md", strings.Replace(axisReport, "import tinynet\n", leaky+"\n", 1))
	e := r.run("reproduce", "--json", "--out", "run", report)
	e.want(t, 0, positive...)
	if !strings.Contains(executionsOf(t, r.path("run"))[0].Stdout, "/env/lib") {
		t.Error("the script did not tell where it runs: nothing was tried")
	}
	secrets := []string{canary, r.dir, r.cache, x.URL}
	if realHome, err := os.UserHomeDir(); err == nil {
		secrets = append(secrets, realHome+"/")
	}
	nowhere(t, r.path("run/bundle"), secrets)
	nowhere(t, r.path("run"), secrets)
}

// ownPaths are files of the run folder that name the run folder itself: the
// result, by contract, and the events that users watch.
var ownPaths = map[string]bool{"06-result.json": true, "events.jsonl": true, "00-request.json": true}

// nowhere wants no secret in any file of dir, nor in a file's name.
func nowhere(t *testing.T, dir string, secrets []string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for i, s := range secrets {
			if i > 0 && ownPaths[filepath.Base(path)] {
				break // the first is the canary
			}
			if at := bytes.Index(data, []byte(s)); at >= 0 {
				t.Errorf("%s holds %q: ...%q...", path, s, data[max(0, at-80):min(len(data), at+80)])
			}
		}
		return nil
	})
	if err != nil || files < 10 {
		t.Errorf("only %d files looked at: %v", files, err)
	}
}
