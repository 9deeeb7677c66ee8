package interp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// binary writes a file that starts like a program but is none.
func binary(t *testing.T, path string) string {
	t.Helper()
	return put(t, path, "\x7fELF broken")
}

func put(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

func TestCandidates(t *testing.T) {
	home, root := t.TempDir(), t.TempDir()
	want := []candidate{
		{binary(t, filepath.Join(home, ".pyenv/versions/3.11.7/bin/python3.11")), "pyenv"},
		{binary(t, filepath.Join(home, ".pyenv/versions/3.9.18/bin/python3.9")), "pyenv"},
		{binary(t, filepath.Join(home, ".local/share/uv/python/cpython-3.12/bin/python3.12")), "uv"},
		{binary(t, filepath.Join(root, "opt/python/cp310/bin/python3.10")), "opt"},
		{binary(t, filepath.Join(home, "miniconda3/envs/old/bin/python3.8")), "conda"},
		{binary(t, filepath.Join(home, "listed/bin/python3.7")), "conda"},
		{binary(t, filepath.Join(home, "bin/python3.13")), "path"},
		{binary(t, filepath.Join(root, "usr/bin/python3.11")), "system"},
	}
	// Names of the same file, shims, other programs, dead links.
	link(t, "python3.11", filepath.Join(home, ".pyenv/versions/3.11.7/bin/python3"))
	link(t, "python3", filepath.Join(home, ".pyenv/versions/3.11.7/bin/python"))
	link(t, want[0].path, filepath.Join(home, "bin/python3"))
	put(t, filepath.Join(home, "shims/python3.11"), "#!/bin/sh\nexec pyenv")
	binary(t, filepath.Join(home, "bin/python2.7"))
	binary(t, filepath.Join(home, "bin/python3-config"))
	binary(t, filepath.Join(home, "bin/pythonw"))
	link(t, "/nowhere", filepath.Join(home, "bin/python3.6"))
	put(t, filepath.Join(home, ".conda/environments.txt"), "relative\n"+filepath.Join(home, "listed")+"\n")
	if err := os.Chmod(binary(t, filepath.Join(home, "bin/python3.5")), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(home, "shims") + ":" + filepath.Join(home, "bin") + ":relative:"
	places := places{Home: home, Root: root, Getenv: func(name string) string { return map[string]string{"PATH": path}[name] }}
	if got := places.candidates(); !slices.Equal(got, want) {
		t.Errorf("\n got %v\nwant %v", got, want)
	}
}

func TestCandidatesOfVariables(t *testing.T) {
	dir := t.TempDir()
	pyenv := binary(t, filepath.Join(dir, "pyenv/versions/3.11.7/bin/python3.11"))
	managed := binary(t, filepath.Join(dir, "managed/cpython-3.12/bin/python3.12"))
	places := places{Root: filepath.Join(dir, "none"), Getenv: func(name string) string {
		return map[string]string{"PYENV_ROOT": filepath.Join(dir, "pyenv"), "UV_PYTHON_INSTALL_DIR": filepath.Join(dir, "managed")}[name]
	}}
	want := []candidate{{pyenv, "pyenv"}, {managed, "uv"}}
	if got := places.candidates(); !slices.Equal(got, want) {
		t.Errorf("\n got %v\nwant %v", got, want)
	}
}

func said(t *testing.T, prefix string, change func(*answer)) answer {
	t.Helper()
	a := answer{
		Implementation: "cpython", Version: "3.11.7", Minor: "3.11", BasePrefix: prefix, Prefix: prefix,
		SOABI: "cpython-311-x86_64-linux-gnu", Bits: 64, Machine: "x86_64", Glibc: "2.36", Shared: true, Libdir: prefix + "/lib",
	}
	if change != nil {
		change(&a)
	}
	return a
}

func TestAnswer(t *testing.T) {
	prefix := t.TempDir()
	c := candidate{filepath.Join(prefix, "bin/python3.11"), "pyenv"}
	got, err := said(t, prefix, nil).interpreter(c)
	want := Interpreter{
		Path: c.path, Prefix: prefix, Version: "3.11.7", Minor: "3.11", Tag: "cp311", ABI: "cp311",
		Arch: "x86_64", Glibc: "2.36", Shared: true, Source: "pyenv",
	}
	gotText, wantText := text(t, got), text(t, want)
	if err != nil || gotText != wantText {
		t.Errorf("\n got %s %v\nwant %s", gotText, err, wantText)
	}
	old, err := said(t, prefix, func(a *answer) { a.Minor, a.SOABI = "3.7", "cpython-37m-x86_64-linux-gnu" }).interpreter(c)
	if err != nil || old.ABI != "cp37m" || old.Tag != "cp37" {
		t.Errorf("%+v %v", old, err)
	}
	bare, err := said(t, prefix, func(a *answer) { a.SOABI, a.Libdir = "", "/elsewhere" }).interpreter(c)
	if err != nil || bare.ABI != "cp311" || bare.Shared {
		t.Errorf("%+v %v", bare, err)
	}
	for name, change := range map[string]func(*answer){
		"pypy":          func(a *answer) { a.Implementation = "pypy" },
		"free-threaded": func(a *answer) { a.FreeThreaded = true },
		"debug":         func(a *answer) { a.Debug = true },
		"32 bit":        func(a *answer) { a.Bits = 32 },
		"venv":          func(a *answer) { a.Prefix = "/venv" },
		"python 2":      func(a *answer) { a.Minor = "2.7" },
		"lost prefix":   func(a *answer) { a.BasePrefix, a.Prefix = "/no/such", "/no/such" },
	} {
		if got, err := said(t, prefix, change).interpreter(c); err == nil {
			t.Errorf("%s is accepted: %+v", name, got)
		}
	}
}

func TestAnswerFromOutsideItsPrefix(t *testing.T) {
	c := candidate{"/elsewhere/bin/python3", "path"}
	if got, err := said(t, t.TempDir(), nil).interpreter(c); err == nil {
		t.Errorf("accepted: %+v", got)
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestGuest(t *testing.T) {
	for _, c := range []struct{ path, prefix, want string }{
		{"/home/u/.pyenv/versions/3.11.7/bin/python3.11", "/home/u/.pyenv/versions/3.11.7", "/py/bin/python3.11"},
		{"/usr/bin/python3.11", "/usr", "/usr/bin/python3.11"},
		{"/usr/local/bin/python3.12", "/usr/local", "/usr/local/bin/python3.12"},
		{"/opt/p/bin/python3", "/opt/p", "/py/bin/python3"},
		{"/usrx/bin/python3", "/usrx", "/py/bin/python3"},
	} {
		i := Interpreter{Path: c.path, Prefix: c.prefix}
		if got := i.Guest("/py"); got != c.want {
			t.Errorf("%s in %s: %s, want %s", c.path, c.prefix, got, c.want)
		}
	}
}

func TestOrder(t *testing.T) {
	list := []Interpreter{
		{Version: "3.9.18", Source: "pyenv", Path: "e"},
		{Version: "3.11.2", Source: "system", Path: "c"},
		{Version: "3.11.9", Source: "pyenv", Lacks: []string{"_ssl"}, Path: "d"},
		{Version: "3.11.7", Source: "pyenv", Path: "b"},
		{Version: "3.14.0rc1", Source: "pyenv", Path: "x"},
		{Version: "3.14.0", Source: "system", Path: "a"},
	}
	slices.SortFunc(list, better)
	var got []string
	for _, i := range list {
		got = append(got, i.Path)
	}
	if s := strings.Join(got, " "); s != "a x b c d e" {
		t.Errorf("order %q", s)
	}
}

func TestOrderIsStrict(t *testing.T) {
	gen := rapid.Custom(func(t *rapid.T) Interpreter {
		return Interpreter{
			Version: rapid.SampledFrom([]string{"3.11.7", "3.11.2", "3.12.0rc1", "3.9.18", "odd"}).Draw(t, "version"),
			Source:  rapid.SampledFrom([]string{"pyenv", "system", "conda"}).Draw(t, "source"),
			Path:    rapid.StringMatching("[a-c]").Draw(t, "path"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := gen.Draw(t, "a"), gen.Draw(t, "b")
		if better(a, b) != -better(b, a) {
			t.Fatalf("%+v and %+v: %d and %d", a, b, better(a, b), better(b, a))
		}
	})
}

func TestFindLeavesOutWhatCannotBeAsked(t *testing.T) {
	home, cache := t.TempDir(), t.TempDir()
	path := binary(t, filepath.Join(home, "bin/python3.11"))
	where := places{Home: home, Root: home, Getenv: func(name string) string {
		if name == "PATH" {
			return filepath.Dir(path)
		}
		return ""
	}}
	for range 2 {
		list, err := find(t.Context(), cache, where)
		if err != nil || len(list) != 0 {
			t.Fatalf("%+v %v", list, err)
		}
	}
	old := loadKnown(filepath.Join(cache, cacheName))
	if k, ok := old[path]; !ok || k.Python != nil || k.Why == "" {
		t.Errorf("what cannot be asked is not remembered: %+v", old)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := find(ctx, t.TempDir(), where); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// A cached answer is believed as long as the file is the same.
func TestFindUsesTheCache(t *testing.T) {
	home, cache := t.TempDir(), t.TempDir()
	path := binary(t, filepath.Join(home, "bin/python3.11"))
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	k := known{Size: st.Size(), Mtime: st.ModTime().UnixNano(), Python: &Interpreter{Path: path, Prefix: home, Version: "3.11.7", Minor: "3.11"}}
	put(t, filepath.Join(cache, cacheName), text(t, map[string]known{path: k}))
	where := places{Root: home, Getenv: func(name string) string {
		if name == "PATH" {
			return filepath.Dir(path)
		}
		return ""
	}}
	list, err := find(t.Context(), cache, where)
	if err != nil || len(list) != 1 || list[0].Version != "3.11.7" {
		t.Fatalf("%+v %v", list, err)
	}
	put(t, path, "\x7fELF changed and longer")
	if list, err = find(t.Context(), cache, where); err != nil || len(list) != 0 {
		t.Errorf("a changed file is believed: %+v %v", list, err)
	}
	put(t, filepath.Join(cache, cacheName), "damaged")
	if _, err := find(t.Context(), cache, where); err != nil {
		t.Errorf("a damaged cache: %v", err)
	}
}

// TestFindMixes: some are known and some are asked meanwhile.
func TestFindMixes(t *testing.T) {
	home, cache := t.TempDir(), t.TempDir()
	old := map[string]known{}
	var path string
	for i := range 40 {
		path = binary(t, filepath.Join(home, fmt.Sprint("bin", i), "python3.11"))
		st, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			old[path] = known{Size: st.Size(), Mtime: st.ModTime().UnixNano(), Python: &Interpreter{Path: path, Prefix: home, Version: "3.11.7", Minor: "3.11"}}
		}
	}
	put(t, filepath.Join(cache, cacheName), text(t, old))
	where := places{Root: home, Getenv: func(name string) string {
		if name != "PATH" {
			return ""
		}
		dirs, _ := filepath.Glob(filepath.Join(home, "bin*")) // the pattern is valid
		return strings.Join(dirs, string(os.PathListSeparator))
	}}
	if list, err := find(t.Context(), cache, where); err != nil || len(list) != 20 {
		t.Errorf("%d interpreters, %v", len(list), err)
	}
	if kept := loadKnown(filepath.Join(cache, cacheName)); len(kept) != 40 {
		t.Errorf("%d answers are kept", len(kept))
	}
}
