package uv

import (
	"os"
	"path/filepath"
	"testing"
)

// Wheels that an environment shares keep their names, others lose them.
func TestUnlink(t *testing.T) {
	cache := t.TempDir()
	tool := &Tool{o: Options{CacheDir: cache}}
	wheel := func(index, name, archive string, metadata bool) string {
		dir := filepath.Join(cache, "uv", "archive-v0", archive)
		info := filepath.Join(dir, name+"-1.0.dist-info")
		for _, d := range []string{info, filepath.Join(dir, name), filepath.Join(cache, "uv", "wheels-v8", index, name)} {
			if err := os.MkdirAll(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		files := map[string]string{filepath.Join(dir, name, "METADATA"): "not this one"}
		if metadata {
			files[filepath.Join(info, "METADATA")] = "Name: " + name
		}
		link := filepath.Join(cache, "uv", "wheels-v8", index, name, "1.0-py3-none-any")
		files[link+".http"], files[link+".msgpack"], files[link+".rev"] = "pointer", "metadata", "pointer"
		for path, text := range files {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		target, err := filepath.Rel(filepath.Dir(link), dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
		return link
	}
	used, unused := wheel("pypi", "used", "a1", true), wheel("pypi", "unused", "a2", true)
	other, odd := wheel("index/f00d", "other", "a3", true), wheel("pypi", "odd", "a4", false)
	if err := os.Link(filepath.Join(cache, "uv/archive-v0/a1/used-1.0.dist-info/METADATA"), filepath.Join(cache, "environment")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := tool.Unlink(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for path, kept := range map[string]bool{
		used: true, used + ".http": true, odd: true, odd + ".http": true,
		unused: false, unused + ".http": false, other: false, unused + ".msgpack": true,
		other + ".rev": false, unused + ".rev": false, used + ".rev": true,
	} {
		if _, err := os.Lstat(path); (err == nil) != kept {
			t.Errorf("%s: kept %t, want %t", filepath.Base(filepath.Dir(path))+"/"+filepath.Base(path), err == nil, kept)
		}
	}
	// The unpacked files themselves are left to uv.
	if _, err := os.Stat(filepath.Join(cache, "uv/archive-v0/a2/unused/METADATA")); err != nil {
		t.Error(err)
	}
	if err := (&Tool{o: Options{CacheDir: filepath.Join(cache, "absent")}}).Unlink(t.Context()); err != nil {
		t.Errorf("no cache: %v", err)
	}
}

// TestMend: a pointer without its name makes uv blame the package; only then is
// it forgotten, and no other.
func TestMend(t *testing.T) {
	cache := t.TempDir()
	tool := &Tool{o: Options{CacheDir: cache}}
	dir := filepath.Join(cache, "uv", "wheels-v8", "index", "f00d", "lib")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"1.0-py3-none-any.rev", "1.1-py3-none-any.rev", "1.1-py3-none-any", "1.0-py3-none-any.lock"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const lost = "error: No solution found\nhint: The structure of `lib` (v1.0) was invalid:\n  failed to read directory `/c/uv/archive-v0/Cccg`: No such file or directory (os error 2)\n"
	for _, c := range []struct {
		stderr string
		want   bool
	}{{"error: No solution found", false}, {lost, true}, {lost, false}} {
		if got, err := tool.mend(c.stderr); got != c.want || err != nil {
			t.Errorf("mended %t, want %t: %v", got, c.want, err)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 3 {
		t.Errorf("left %v: %v", left, err)
	}
}
