package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/service/mcp"
	"github.com/repgen/repgen/internal/system"
)

const strangerReport = `# stranger.f raises

stranger 1.0

%[1]spython
import stranger

stranger.f()
%[1]s

%[1]s
Traceback (most recent call last):
  File "a.py", line 3, in <module>
    stranger.f()
  File "/site-packages/stranger/__init__.py", line 3, in f
    raise ValueError("boom")
ValueError: boom
%[1]s
`

// strangerBackend is a project's own build backend: it leaves a wheel of files,
// and gives one size too much in its RECORD.
const strangerBackend = `import base64, hashlib, os, zipfile
FILES = %s
def build_wheel(folder, config=None, metadata=None):
    name, info = "stranger-1.0-py3-none-any.whl", "stranger-1.0.dist-info/"
    files = dict(FILES)
    files[info + "METADATA"] = "Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n"
    files[info + "WHEEL"] = "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = ""
    with zipfile.ZipFile(os.path.join(folder, name), "w") as z:
        for path, text in files.items():
            data = text.encode()
            z.writestr(path, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += "%%s,sha256=%%s,%%d\n" %% (path, digest, len(data) + (path == "other.py"))
        z.writestr(info + "RECORD", record + info + "RECORD,,\n")
    return name
`

// A package whose wheel is damaged by its own word, and that runs when an
// interpreter starts beside it, does so in the sandbox only: its environment is
// installed a second time, by whatever command.
func TestStrangersPackageStaysInside(t *testing.T) {
	canary := filepath.Join(t.TempDir(), "canary")
	line := fmt.Sprintf("import os; os.path.isdir('/box') or open(%q, 'a').write('ran as %%d ' %% os.getuid())\n", canary)
	// What is known to be recorded wrongly is not fetched again: each test has a
	// file that nobody has seen.
	files := map[string]string{
		"stranger/__init__.py": "\ndef f():\n    raise ValueError(\"boom\")\n", "stranger.pth": line, "sitecustomize.py": line,
		"other.py": "# " + time.Now().String() + "\n",
	}
	x := newIndex(t, wheel{name: "stranger", version: "1.0", uploaded: "2024-01-10T00:00:00Z", files: files, misrecorded: "other.py"})
	r := newRig(t, x)
	quiet := func(way string) {
		t.Helper()
		if text, err := os.ReadFile(canary); err == nil {
			t.Errorf("%s: it ran on the host: %s", way, text)
			_ = os.Remove(canary)
		}
	}
	// A cache of its own has nothing but uv: what one way has installed, the next
	// would find.
	fresh := func() {
		dir := t.TempDir()
		t.Cleanup(func() { _ = system.RemoveAll(dir) })
		if err := os.Symlink(filepath.Join(r.cache, "tools"), filepath.Join(dir, "tools")); err != nil {
			t.Fatal(err)
		}
		r.env["REPGEN_CACHE_DIR"] = dir
	}
	report := r.file("report.md", fmt.Sprintf(strangerReport, "```"))

	fresh()
	e := r.run("reproduce", report, "--out", "from-index")
	if !strings.Contains(e.out+e.err, "5 of 5 show it") || !strings.Contains(e.out+e.err, "index of UV_DEFAULT_INDEX") {
		t.Errorf("the environment's line does not name its index:\n%s%s", e.out, e.err)
	}
	quiet("reproduce")

	fresh()
	if e := r.run("env", report); !strings.Contains(e.out, "UV_DEFAULT_INDEX") {
		t.Errorf("env does not name its index:\n%s%s", e.out, e.err)
	}
	quiet("env")

	fresh()
	a := r.coder()
	rep := mustCall[mcp.ReadOut](a, "read_report", toolInput{"path": "report.md"})
	env := mustCall[mcp.SolveOut](a, "solve_environment", toolInput{"report_id": rep.ReportID, "wait_s": 120}).Environment
	if env == nil || !env.Certified || env.Index != "UV_DEFAULT_INDEX" {
		t.Errorf("environment %+v\n%s", env, a.stderr)
	}
	a.leave()
	quiet("mcp")

	fresh()
	project := filepath.Join(r.dir, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	r.file("project/pyproject.toml", "[build-system]\nrequires = []\nbuild-backend = \"backend\"\nbackend-path = [\".\"]\n[project]\nname = \"stranger\"\nversion = \"1.0\"\n")
	var dict strings.Builder
	for name, text := range files {
		fmt.Fprintf(&dict, "%q: %q, ", name, text)
	}
	r.file("project/backend.py", fmt.Sprintf(strangerBackend, "{"+dict.String()+"}"))
	if e := r.run("reproduce", report, "--project", project, "--out", "from-project"); !strings.Contains(e.out+e.err, "5 of 5 show it") {
		t.Errorf("the project's bug is not seen:\n%s%s", e.out, e.err)
	}
	quiet("reproduce --project")

	for _, bundle := range []string{"from-index", "from-project"} {
		fresh()
		if e := r.run("verify", filepath.Join(bundle, "bundle")); !strings.Contains(e.out, "same") {
			t.Errorf("verify of %s:\n%s%s", bundle, e.out, e.err)
		}
		quiet("verify of " + bundle)
	}
}
