package environment

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/repgen/repgen/internal/environment/interp"
	"github.com/repgen/repgen/internal/environment/pypi"
	"github.com/repgen/repgen/internal/environment/uv"
	"github.com/repgen/repgen/internal/sandbox"
)

// moduleText is every module that the fake uv installs.
const moduleText = "x = 1\n"

// fakeUV is a script in uv's place. It installs each pin as one module with
// its metadata and RECORD, and logs its arguments.
const fakeUV = `#!/bin/sh
echo "$*" >> "@LOG@"
case "$*" in
*--version*) echo "uv 0.13.9";;
*--emit-index-url*) echo "--index-url http://index.invalid/simple";;
*"pip compile"*)
  if grep -q nowheel requirements.in; then echo "error: No solution
  cause: Because nowheel has no usable wheels and you require nowheel" >&2; exit 1; fi
  sed -n 's/^\([a-z]*\).*/\1==1.0 \\\n    --hash=sha256:@HASH@/p' requirements.in > lock.txt;;
*"pip install"*)
  if grep -q '^diskfull' lock.txt; then echo "error: No space left on device (os error 28)" >&2; exit 2; fi
  if grep -q '^netdown' lock.txt; then echo "error: Failed to fetch: http://u:hunter2@x/ dns error" >&2; exit 2; fi
  if grep -q '^nowheel' lock.txt; then echo "error: nowheel==1.0 has no usable wheels" >&2; exit 1; fi
  module='x = 1\n'
  case "$*" in *"--refresh-package damaged"*) ;; *) grep -q '^damaged' lock.txt && module='x = 1, changed\n';; esac
  while [ "$1" != --python ]; do shift; done
  grep -q "relocatable = true" "${2%/bin/python}/pyvenv.cfg" || exit 8
  while [ "$1" != --prefix ]; do shift; done
  env="$2"
  if find "$env" ! -type d | grep -q .; then echo "error: something is installed there" >&2; exit 9; fi
  for site in "$env"/lib/python*/site-packages; do
    sed -n 's/^\([^=]*\)==\([^ ]*\).*/\1 \2/p' lock.txt | while read -r name version; do
      info="$site/$name-$version.dist-info"; mkdir -p "$info"
      printf 'Metadata-Version: 2.1\nName: %s\nVersion: %s\n\nName: no\n' "$name" "$version" > "$info/METADATA"
      printf "$module" > "$site/$name.py"
      case "$name" in stripped) printf 'x\n' > "$site/$name.py";; worse) cp @LOG@ "$site/$name.py";; esac
      printf '%s.py,sha256=@DIGEST@,6\n%s-%s.dist-info/RECORD,,\n' "$name" "$name" "$version" > "$info/RECORD"
    done
  done;;
esac
`

// fakeSandbox runs nothing: run decides what happened.
type fakeSandbox struct {
	mu   sync.Mutex
	seen []sandbox.Command
	run  func(c sandbox.Command) sandbox.Execution
}

func (f *fakeSandbox) Run(_ context.Context, c sandbox.Command, _ sandbox.Limits) (sandbox.Execution, error) {
	f.mu.Lock()
	f.seen = append(f.seen, c)
	f.mu.Unlock()
	x := sandbox.Execution{Label: c.Label, Outcome: sandbox.Exited}
	if f.run != nil {
		x = f.run(c)
		x.Label = c.Label
	}
	return x, nil
}

func (f *fakeSandbox) Layers(context.Context) ([]sandbox.Layer, error) {
	return []sandbox.Layer{{Name: "network", Active: true}}, nil
}

// workshop is a Manager with a fake uv, a fake sandbox and one Python.
type workshop struct {
	*Manager
	box    *fakeSandbox
	python interp.Interpreter
	log    string
}

// newWorkshop makes one; index may be "".
func newWorkshop(t *testing.T, index string) *workshop {
	t.Helper()
	dir := t.TempDir()
	w := &workshop{box: &fakeSandbox{}, log: filepath.Join(dir, "uv.log")}
	digest := sha256.Sum256([]byte(moduleText))
	script := strings.NewReplacer(
		"@LOG@", w.log, "@HASH@", strings.Repeat("a", 64),
		"@DIGEST@", base64.RawURLEncoding.EncodeToString(digest[:]),
	).Replace(fakeUV)
	bin := filepath.Join(dir, "bin")
	write(t, filepath.Join(bin, "uv"), script, 0o755)
	prefix := filepath.Join(dir, "python")
	w.python = interp.Interpreter{
		Path: filepath.Join(prefix, "bin", "python3.11"), Prefix: prefix, Version: "3.11.7", Minor: "3.11",
		Tag: "cp311", ABI: "cp311", Arch: "x86_64", Shared: true,
	}
	write(t, w.python.Path, "", 0o755)
	cache := filepath.Join(dir, "cache")
	m, err := Open(t.Context(), Options{CacheDir: cache, Sandbox: w.box})
	if err != nil {
		t.Fatal(err)
	}
	w.Manager = m
	tool, err := uv.Find(t.Context(), uv.Options{CacheDir: cache, Environ: []string{"PATH=" + bin + ":/usr/bin:/bin"}})
	if err != nil {
		t.Fatal(err)
	}
	m.tools.uv, m.tools.pythons, m.tools.found = tool, []interp.Interpreter{w.python}, true
	m.tools.client = pypi.New(pypi.Options{Indexes: []string{index + "/simple"}})
	t.Cleanup(func() { makeWritable(t, cache) })
	return w
}

func write(t testing.TB, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
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
	if err != nil && !os.IsNotExist(err) {
		t.Error(err)
	}
}

// lockOf makes a lock of "name==version" entries.
func lockOf(python string, pins ...string) *Lock {
	l := &Lock{Python: python}
	for _, p := range pins {
		name, version, _ := strings.Cut(p, "==")
		l.Packages = append(l.Packages, Package{Name: name, Version: version, Hashes: []string{"sha256:" + strings.Repeat("a", 64)}})
	}
	return l
}

// built is Build where it has to work.
func (w *workshop) built(t *testing.T, l *Lock) *Environment {
	t.Helper()
	e, no, err := w.Build(t.Context(), l)
	if err != nil || no != nil {
		t.Fatalf("build: %+v, %v", no, err)
	}
	t.Cleanup(e.Release)
	return e
}
