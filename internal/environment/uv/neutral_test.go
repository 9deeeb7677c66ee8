package uv

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/environment/interp"
)

// checkout is a stranger's folder with all that could be taken for somebody's
// word, and the file that would show that some of it ran.
func checkout(t *testing.T) (dir, canary string) {
	t.Helper()
	dir, canary = t.TempDir(), filepath.Join(t.TempDir(), "canary")
	write := "import os\nopen('" + canary + "', 'a').write(os.getcwd() + chr(10))\n"
	for name, text := range map[string]string{
		"uv.toml":                     "index-url = \"http://127.0.0.1:9/uvtoml\"\n",
		"pyproject.toml":              "[tool.uv]\nindex-url = \"http://127.0.0.1:9/pyproject\"\nconstraint-dependencies = [\"six<1.10\"]\n",
		"pip.conf":                    "[global]\nindex-url = http://127.0.0.1:9/pip\n",
		".config/uv/uv.toml":          "index-url = \"http://127.0.0.1:9/config\"\n",
		".config/pip/pip.conf":        "[global]\nindex-url = http://127.0.0.1:9/config\n",
		".pip/pip.conf":               "[global]\nindex-url = http://127.0.0.1:9/home\n",
		"pip/pip.conf":                "[global]\nindex-url = http://127.0.0.1:9/dirs\n",
		".env":                        "UV_DEFAULT_INDEX=http://127.0.0.1:9/env\n",
		".python-version":             "2.7\n",
		"setup.cfg":                   "[install]\nprefix = /nowhere\n",
		"pip/__init__.py":             "",
		"pip/__main__.py":             write,
		"venv.py":                     write,
		"json.py":                     write,
		"ensurepip.py":                write,
		".venv/pyvenv.cfg":            "home = /nowhere\n",
		"relative/bin/uv":             "#!/bin/sh\necho ran >> " + canary + "\n",
		"uv":                          "#!/bin/sh\necho ran >> " + canary + "\n",
		".venv/bin/python":            "#!/bin/sh\necho ran >> " + canary + "\n",
		".venv/lib/x/site-packages/x": "",
	} {
		put(t, filepath.Join(dir, name), text, 0o755)
	}
	return dir, canary
}

// TestCurrentFolderIsNotRead: neither uv nor pip is started in the folder that
// the program was started in, and no relative name leads there.
func TestCurrentFolderIsNotRead(t *testing.T) {
	dir, canary := checkout(t)
	places := filepath.Join(t.TempDir(), "places")
	// As long as it has no uv, a Python with pip is asked for it.
	python := filepath.Join(t.TempDir(), "python3")
	put(t, python, `#!/bin/sh
pwd >> `+places+`
case "$*" in *--version*) exit 0;; esac
while [ "$1" != --target ]; do shift; done
mkdir -p "$2/bin"
cat > "$2/bin/uv" <<'END'
#!/bin/sh
pwd >> `+places+`
case "$*" in
*--version*) echo "uv 0.13.9";;
*--emit-index-url*) echo "--index-url https://pypi.org/simple";;
*compile*) : > lock.txt;;
esac
END
chmod 755 "$2/bin/uv"
`, 0o755)
	t.Chdir(dir)
	cache := t.TempDir()
	t.Cleanup(func() { makeWritable(t, cache) })
	tool, err := Find(t.Context(), Options{CacheDir: cache, Pythons: []string{python}, Environ: []string{
		"PATH=.:relative/bin::/usr/bin:/bin", "HOME=.", "XDG_CONFIG_HOME=.config", "XDG_CONFIG_DIRS=.", "VIRTUAL_ENV=.",
	}})
	if err != nil {
		t.Fatal(err)
	}
	if i, err := tool.Index(t.Context()); err != nil || i.Default != "https://pypi.org/simple" || len(i.Extra) > 0 {
		t.Errorf("index %+v %v", i, err)
	}
	if _, err := tool.Compile(t.Context(), CompileInput{Python: python, Requirements: []string{"six"}}); err != nil {
		t.Error(err)
	}
	if _, err := tool.Install(t.Context(), InstallInput{Python: python, Prefix: t.TempDir(), Text: "six==1.0\n"}); err != nil {
		t.Error(err)
	}
	if err := tool.Prune(t.Context()); err != nil {
		t.Error(err)
	}
	seen, err := os.ReadFile(places)
	if err != nil || strings.Count(string(seen), "\n") < 6 || strings.Contains(string(seen), dir) {
		t.Errorf("started in %q (%v)", seen, err)
	}
	if text, err := os.ReadFile(canary); err == nil {
		t.Errorf("it ran: %q", text)
	}
	for _, entry := range tool.env(Index{}, pipConfig{}) {
		name, value, _ := strings.Cut(entry, "=")
		if name == "PATH" && value != "/usr/bin:/bin" || name == "HOME" || strings.HasPrefix(name, "XDG_") {
			t.Errorf("handed on: %s", entry)
		}
	}
}

// TestRealCurrentFolder is the same with the real pip and uv: what a user wrote
// for uv still counts.
func TestRealCurrentFolder(t *testing.T) {
	if os.Getenv("REPGEN_REAL") == "" {
		t.Skip("set REPGEN_REAL=1 to use the real index, uv and interpreters")
	}
	cache, home := t.TempDir(), t.TempDir()
	t.Cleanup(func() { makeWritable(t, cache) })
	list, err := interp.Find(t.Context(), cache)
	if err != nil || len(list) == 0 {
		t.Fatalf("no interpreter on this machine: %v", err)
	}
	dir, canary := checkout(t)
	t.Chdir(dir)
	environ := []string{"PATH=/usr/bin:/bin", "HOME=" + home}
	for _, name := range []string{"PIP_CERT", "SSL_CERT_FILE", "HTTPS_PROXY", "PIP_INDEX_URL", "UV_DEFAULT_INDEX", "PIP_FIND_LINKS"} {
		if v := os.Getenv(name); v != "" {
			environ = append(environ, name+"="+v)
		}
	}
	o := Options{CacheDir: cache, Environ: environ}
	for _, p := range list {
		o.Pythons = append(o.Pythons, p.Path)
	}
	tool, err := Find(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	i, err := tool.Index(t.Context())
	if err != nil || strings.Contains(i.String(), "127.0.0.1:9") {
		t.Errorf("index %s %v", i, err)
	}
	r, err := tool.Compile(t.Context(), CompileInput{Python: list[0].Path, Requirements: []string{"six>=1.15"}})
	if err != nil || !r.OK {
		t.Errorf("%+v %v", r, err)
	}
	if text, err := os.ReadFile(canary); err == nil {
		t.Errorf("it ran: %q", text)
	}
	const own = "https://own.invalid/simple"
	put(t, filepath.Join(home, ".config", "uv", "uv.toml"), "index-url = \""+own+"\"\n", 0o644)
	o.Environ = []string{"PATH=/usr/bin:/bin", "HOME=" + home}
	again := &Tool{Path: tool.Path, Version: tool.Version, o: o.fill()}
	if i, err := again.Index(t.Context()); err != nil || i.Default != own {
		t.Errorf("the user's own index is not asked: %s %v", i, err)
	}
}

// makeWritable lets the test's folder be removed by any user.
func makeWritable(t *testing.T, root string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
