package uv

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParsePip(t *testing.T) {
	c := parsePip(`# comment
[global]
index-url = https://a.invalid/simple
extra_index_url =
    https://b.invalid/simple
    https://c.invalid/simple
; another
[install]
index-url: https://d.invalid/simple
trusted-host = d.invalid
cert=/etc/certs.pem
[download]
index-url = https://no.invalid
`)
	if c.index != "https://d.invalid/simple" || c.cert != "/etc/certs.pem" || c.trusted != "d.invalid" ||
		!slices.Equal(c.extra, []string{"https://b.invalid/simple", "https://c.invalid/simple"}) {
		t.Errorf("%+v", c)
	}
}

func FuzzParsePip(f *testing.F) {
	f.Add("[global]\nindex-url = x\n  y\n")
	f.Add("[\n=\n]\n = \n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, e := range parsePip(text).extra {
			if strings.ContainsAny(e, " \n") {
				t.Fatalf("%q", e)
			}
		}
	})
}

func TestReadPip(t *testing.T) {
	home, venv := t.TempDir(), t.TempDir()
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(home, ".config", "pip", "pip.conf"), "[global]\nindex-url = https://user.invalid\n")
	write(filepath.Join(venv, "pip.conf"), "[global]\nextra-index-url = https://venv.invalid\n")
	env := map[string]string{"HOME": home, "VIRTUAL_ENV": venv, "XDG_CONFIG_DIRS": home}
	c := readPip(env)
	if c.index != "https://user.invalid" || !slices.Equal(c.extra, []string{"https://venv.invalid"}) {
		t.Errorf("%+v", c)
	}
	env["PIP_CONFIG_FILE"] = os.DevNull
	if c := readPip(env); c.index != "" {
		t.Errorf("pip's configuration is switched off: %+v", c)
	}
}

// fakeUV is a shell script in uv's place; it says which index "its
// configuration" names, and logs its environment.
func fakeUV(t *testing.T, script string) *Tool {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "uv")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return &Tool{Path: path, Version: "0.13.9", o: Options{
		CacheDir: dir, Environ: []string{"PATH=/usr/bin:/bin", "HOME=" + dir, "XDG_CONFIG_DIRS=" + dir},
	}.fill()}
}

const twoIndexes = `if [ -n "$UV_NO_CONFIG" ]; then echo "--index-url https://default.invalid/simple"
else echo "--index-url https://corp.invalid/simple"; echo "--extra-index-url https://more.invalid/simple"; fi`

func TestIndex(t *testing.T) {
	const same = `echo "--index-url https://default.invalid/simple"`
	for _, c := range []struct {
		name, script, flag, pip string
		env                     []string
		want, source            string
	}{
		{name: "uv alone", script: same, want: "https://default.invalid/simple", source: "uv"},
		{name: "flag", script: same, flag: "https://flag.invalid", env: []string{"UV_DEFAULT_INDEX=https://no.invalid"}, want: "https://flag.invalid", source: "flag"},
		{name: "uv's variable", script: same, env: []string{"UV_DEFAULT_INDEX=corp=https://v.invalid", "PIP_INDEX_URL=https://no.invalid"}, want: "https://v.invalid", source: "UV_DEFAULT_INDEX"},
		{name: "pip's variable", script: same, env: []string{"PIP_INDEX_URL=https://u:s3cret@p.invalid"}, pip: "[global]\nindex-url=https://no.invalid\n", want: "https://***@p.invalid", source: "PIP_INDEX_URL"},
		{name: "pip's file", script: same, pip: "[global]\nindex-url=https://file.invalid\n", want: "https://file.invalid", source: "pip's configuration"},
		{name: "pip's extra", script: same, pip: "[global]\nextra-index-url=https://x.invalid\n", want: "https://x.invalid https://default.invalid/simple", source: "pip's configuration"},
		{name: "uv's files beat pip's", script: twoIndexes, pip: "[global]\nindex-url=https://no.invalid\n", want: "https://more.invalid/simple https://corp.invalid/simple", source: "uv's configuration"},
		{name: "broken configuration", script: `[ -n "$UV_NO_CONFIG" ] || exit 2; ` + same, want: "https://default.invalid/simple", source: "uv"},
	} {
		tool := fakeUV(t, c.script)
		tool.o.Index = c.flag
		tool.o.Environ = append(tool.o.Environ, c.env...)
		if c.pip != "" {
			if err := os.MkdirAll(filepath.Join(tool.o.CacheDir, ".pip"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(tool.o.CacheDir, ".pip", "pip.conf"), []byte(c.pip), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		i, err := tool.Index(t.Context())
		if err != nil || i.String() != c.want || i.Source != c.source {
			t.Errorf("%s: %q from %q, %v; want %q from %q", c.name, i.String(), i.Source, err, c.want, c.source)
		}
	}
}

func TestIndexUnknown(t *testing.T) {
	if i, err := fakeUV(t, "exit 0").Index(t.Context()); err == nil {
		t.Errorf("uv named none, got %+v", i)
	}
}

func TestShownIndex(t *testing.T) {
	const other = "https://user:s3cret@corp.invalid/simple"
	for _, c := range []struct {
		index Index
		want  string
	}{
		{Index{Default: usual, Source: "uv"}, ""},
		{Index{Default: usual + "/", Source: "PIP_INDEX_URL"}, ""},
		{Index{Default: other, Source: "flag"}, "--index"},
		{Index{Default: other, Source: "pip's configuration"}, "pip's configuration"},
		{Index{Default: usual, Extra: []string{other}, Source: "uv"}, "an extra index"},
		{Index{Default: other, Extra: []string{usual}, Source: "UV_INDEX_URL"}, "UV_INDEX_URL"},
	} {
		if got := c.index.Shown(); got != c.want {
			t.Errorf("%v: %q, want %q", c.index.Order(), got, c.want)
		}
	}
}

func TestEnvironmentIsAllowListed(t *testing.T) {
	tool := fakeUV(t, "")
	tool.o.Environ = append(tool.o.Environ, "AWS_SECRET_ACCESS_KEY=canary", "VIRTUAL_ENV=/x", "https_proxy=http://proxy.invalid",
		"PIP_CERT=/certs.pem", "UV_INDEX_CORP_PASSWORD=pw", "PYTHONPATH=/y", "PIP_TRUSTED_HOST=h.invalid")
	e := environ(tool.env(Index{Default: "https://d.invalid", Extra: []string{"https://e.invalid"}}, pipConfig{}))
	for name, want := range map[string]string{
		"AWS_SECRET_ACCESS_KEY": "", "VIRTUAL_ENV": "", "PYTHONPATH": "",
		"https_proxy": "http://proxy.invalid", "SSL_CERT_FILE": "/certs.pem", "UV_INDEX_CORP_PASSWORD": "pw",
		"UV_INSECURE_HOST": "h.invalid", "UV_DEFAULT_INDEX": "https://d.invalid", "UV_INDEX": "https://e.invalid",
		"UV_NO_CONFIG": "1", "UV_PYTHON_DOWNLOADS": "never", "UV_CACHE_DIR": filepath.Join(tool.o.CacheDir, "uv"),
	} {
		if e[name] != want {
			t.Errorf("%s is %q, want %q", name, e[name], want)
		}
	}
}

func TestRedact(t *testing.T) {
	for in, want := range map[string]string{
		"get https://user:pw@host/simple and http://tok@h/": "get https://***@host/simple and http://***@h/",
		"no url a@b": "no url a@b", "https://host/a@b": "https://host/a@b",
	} {
		if got := Redact(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func TestCompileArguments(t *testing.T) {
	dir := t.TempDir()
	args, err := compileArgs(dir, CompileInput{
		Python: "/p", Requirements: []string{"a==1", "b"}, Constraints: []string{"c<2"}, Overrides: []string{"d==1"},
		Excludes: []string{"e"}, Exempt: []string{"jaxlib"}, FindLinks: []string{"/wh"}, Existing: "a==1\n",
		ExcludeNewer: time.Date(2022, 2, 10, 23, 59, 59, 0, time.FixedZone("x", 3600)), Offline: true, Prerelease: "allow", Resolution: "lowest-direct",
	})
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Join(args, " ")
	for _, want := range []string{
		"--python /p", "requirements.in", "--constraints constraints.txt", "--overrides overrides.txt", "--excludes excludes.txt",
		"--output-file lock.txt", "--no-build", "--exclude-newer 2022-02-10T22:59:59Z", "--exclude-newer-package jaxlib=false",
		"--find-links /wh", "--offline", "--prerelease allow", "--resolution lowest-direct", "--generate-hashes",
	} {
		if !strings.Contains(line, want) {
			t.Errorf("no %q in %q", want, line)
		}
	}
	for name, want := range map[string]string{"requirements.in": "a==1\nb\n", "lock.txt": "a==1\n"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(got) != want {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
	for _, bad := range []string{"-r /etc/passwd", " --index-url=x", "a==1\n-r x", "a @ file:///x", "https://h.invalid/a.whl"} {
		if _, err := compileArgs(t.TempDir(), CompileInput{Python: "/p", Constraints: []string{bad}}); err == nil {
			t.Errorf("%q was handed to uv", bad)
		}
	}
	plain, err := compileArgs(t.TempDir(), CompileInput{Python: "/p"})
	if err != nil || slices.Contains(plain, "--constraints") || slices.Contains(plain, "--exclude-newer") {
		t.Errorf("%v %v", plain, err)
	}
}

func TestCompileAndInstallWithFake(t *testing.T) {
	tool := fakeUV(t, `case "$*" in
*--emit-index-url*) echo "--index-url https://d.invalid/simple";;
*"pip compile"*) grep -q boom requirements.in && { echo "error: x
  cause: Because boom was not found in the package registry and you require boom" >&2; exit 1; }
  echo " + six==1.16.0" >&2; echo " Downloading https://u:pw@h/six (1MiB)" >&2; printf 'Six==1.16.0 \\\n    --hash=sha256:`+strings.Repeat("a", 64)+`\n    # via -r requirements.in\n' > lock.txt;;
*"pip install"*) grep -q six== lock.txt || exit 7;;
*prune*) exit 0;;
esac`)
	var said []string
	tool.o.Progress = func(line string) { said = append(said, line) }
	r, err := tool.Compile(t.Context(), CompileInput{Python: "/p", Requirements: []string{"six"}})
	if err != nil || !r.OK || len(r.Packages) != 1 || !strings.HasPrefix(r.Text, "six==1.16.0 \\\n") {
		t.Errorf("%+v %v", r, err)
	}
	if !slices.Equal(said, []string{"Downloading https://***@h/six (1MiB)"}) {
		t.Errorf("progress %q", said)
	}
	bad, err := tool.Compile(t.Context(), CompileInput{Python: "/p", Requirements: []string{"boom"}})
	if err != nil || bad.OK || bad.Failure.Class != PackageMissing || bad.Failure.Name != "boom" {
		t.Errorf("%+v %v", bad, err)
	}
	in, err := tool.Install(t.Context(), InstallInput{Python: "/p", Prefix: t.TempDir(), Text: r.Text, FindLinks: []string{"/wh"}})
	if err != nil || !in.OK {
		t.Errorf("%+v %v", in, err)
	}
	no, err := tool.Install(t.Context(), InstallInput{Python: "/p", Prefix: t.TempDir(), Text: "x"})
	if err != nil || no.OK || no.Failure.Code != 7 {
		t.Errorf("%+v %v", no, err)
	}
	if err := tool.Prune(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestFind(t *testing.T) {
	newTool := fakeUV(t, `echo "uv 0.14.2 (x86_64)"`)
	dir := filepath.Dir(newTool.Path)
	got, err := Find(t.Context(), Options{CacheDir: t.TempDir(), Environ: []string{"PATH=relative:" + dir}})
	if err != nil || got.Path != newTool.Path || got.Version != "0.14.2" {
		t.Errorf("%+v %v", got, err)
	}
	old := fakeUV(t, `echo "uv 0.4.0"`)
	_, err = Find(t.Context(), Options{CacheDir: t.TempDir(), Environ: []string{"PATH=" + filepath.Dir(old.Path)}})
	if err == nil || !strings.Contains(err.Error(), Minimum) || !strings.Contains(err.Error(), "no Python at hand") {
		t.Errorf("an old uv and no Python: %v", err)
	}
}

func TestInstallUV(t *testing.T) {
	// A Python whose pip works, after one that has none and cannot get it.
	dir := t.TempDir()
	script := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	bad := script("bad", "exit 1")
	good := script("good", `case "$*" in *--version*) exit 0;; esac
case "$*" in *"--require-hashes --only-binary :all: --target "*) ;; *) exit 9;; esac
while [ "$1" != --target ]; do shift; done
mkdir -p "$2/bin"; printf '#!/bin/sh\necho "uv 0.13.9"\n' > "$2/bin/uv"; chmod 755 "$2/bin/uv"`)
	cache := t.TempDir()
	t.Cleanup(func() { makeWritable(t, cache) })
	o := Options{CacheDir: cache, Pythons: []string{bad, good}, Environ: []string{"PATH=/usr/bin:/bin", "PIP_INDEX_URL=https://x.invalid"}}
	for range 2 {
		tool, err := Find(t.Context(), o)
		if err != nil || tool.Version != "0.13.9" || !strings.HasPrefix(tool.Path, cache) {
			t.Fatalf("%+v %v", tool, err)
		}
	}
	o.CacheDir, o.Pythons = t.TempDir(), []string{bad}
	if _, err := Find(t.Context(), o); err == nil || !strings.Contains(err.Error(), "neither pip") {
		t.Errorf("no way to install: %v", err)
	}
}

// TestResolvingWaitsLess: a hanging index ends a resolution soon; a download of
// a large wheel keeps its time.
func TestResolvingWaitsLess(t *testing.T) {
	got := strings.Join(withMore([]string{"A=1", "UV_HTTP_TIMEOUT=60", "UV_HTTP_RETRIES=3"}, []string{"UV_HTTP_TIMEOUT=" + askTimeout, "NEW=2"}), " ")
	if want := "A=1 UV_HTTP_RETRIES=3 UV_HTTP_TIMEOUT=" + askTimeout + " NEW=2"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestInstallAsksOnePython: an index that has nothing for the best Python has
// nothing for the others, and each would wait as long.
func TestInstallAsksOnePython(t *testing.T) {
	dir := t.TempDir()
	asked := filepath.Join(dir, "asked")
	python := filepath.Join(dir, "python")
	text := "#!/bin/sh\ncase \"$*\" in *--version*) exit 0;; esac\necho x >> " + asked + "\necho 'ERROR: no such requirement (from versions: none)' >&2\nexit 1\n"
	if err := os.WriteFile(python, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	o := Options{CacheDir: t.TempDir(), Pythons: []string{python, python, python}, Environ: []string{"PATH=/usr/bin:/bin"}}
	_, err := Find(t.Context(), o)
	var none *NoToolError
	if !errors.As(err, &none) || len(none.Tried) != 1 {
		t.Errorf("%v", err)
	}
	said, err := os.ReadFile(asked)
	if err != nil || strings.Count(string(said), "x") != 2 { // quick trouble is tried once more
		t.Errorf("asked %q %v", said, err)
	}
}
