package environment

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// sizedIndex lists one wheel a project with a size in MiB; others are unknown.
func sizedIndex(t *testing.T, sizes map[string]int64) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := filepath.Base(strings.TrimSuffix(r.URL.Path, "/"))
		mib, ok := sizes[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/vnd.pypi.simple.v1+json")
		_, _ = fmt.Fprintf(w, `{"meta":{"api-version":"1.1"},"name":%q,"files":[{"filename":"%s-1.0-py3-none-any.whl","url":"x.whl","hashes":{},"size":%d}]}`, name, name, mib<<20)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestOnDisk(t *testing.T) {
	// torch 2.2.1: 1,498 MB from 755 MB; jaxlib 0.4.31: 313 from 69; numpy 1.26.4: 62 from 18.
	for _, tt := range []struct{ wheel, real int64 }{{755, 1498}, {69, 305}, {18, 62}, {13, 40}} {
		if got := onDisk(tt.wheel << 20); got < tt.real<<20 || got > tt.real<<20*3/2 {
			t.Errorf("%d MB: %d MB, really %d", tt.wheel, got>>20, tt.real)
		}
	}
}

func TestCheckSpace(t *testing.T) {
	const gib = int64(1) << 30
	sizes := map[string]int64{"torch": 755, "numpy": 18, "triton": 170}
	tests := []struct {
		name string
		free int64
		pins string
		left []string
		why  []string // nil: it is built
	}{
		{"roomy: the index is not asked", 17 * gib, "unlisted==1.0", nil, nil},
		{"enough", 4 * gib, "torch==1.0 numpy==1.0", nil, nil},
		{"too little", 2 * gib, "torch==1.0 numpy==1.0", nil, []string{"2.0 GiB free at ", "2.6 GiB wanted (2 packages to download, the largest torch 1.0 with 1.5 GiB)"}},
		{"what is left out needs nothing", 2 * gib, "numpy==1.0 triton==1.0", []string{"triton"}, nil},
		{"what is unpacked needs nothing", 3 * gib / 2, "cached==1.0", nil, nil},
		{"the index does not say", 2 * gib, "unlisted==1.0", nil, []string{"3.0 GiB wanted"}},
		{"nothing to install", gib + 1, "", nil, nil},
		{"nothing is free", 100 << 20, "", nil, []string{"100 MiB free", "1.0 GiB wanted"}},
	}
	for _, tt := range tests {
		w := newWorkshop(t, sizedIndex(t, sizes))
		if err := os.MkdirAll(filepath.Join(w.opts.CacheDir, "uv/wheels-v8/index/f00d/cached/1.0-py3-none-any"), 0o755); err != nil {
			t.Fatal(err)
		}
		w.free = func(string) (int64, error) { return tt.free, nil }
		lock := lockOf("3.11.7", strings.Fields(tt.pins)...)
		lock.LeftOut = tt.left
		err := w.checkSpace(t.Context(), "/cache/envs/k.tmp-1", &Environment{Lock: *lock, Python: w.python})
		if tt.why == nil {
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		var store *StoreError
		if !errors.As(err, &store) || !errors.Is(err, unix.ENOSPC) {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		for _, want := range append(tt.why, "/cache/envs") {
			if !strings.Contains(store.Why, want) {
				t.Errorf("%s: %q lacks %q", tt.name, store.Why, want)
			}
		}
		if !strings.Contains(store.Next, "REPGEN_CACHE_DIR") || !strings.HasPrefix(store.Next, "free ") {
			t.Errorf("%s: next %q", tt.name, store.Next)
		}
	}
	w := newWorkshop(t, "")
	if err := w.checkSpace(t.Context(), "/no/such/folder", &Environment{Python: w.python}); err != nil {
		t.Errorf("a file system that cannot say is tried: %v", err)
	}
}

// A build that does not fit leaves the store as it was, but for environments
// that nobody has used for a while.
func TestShortOfSpace(t *testing.T) {
	w := newWorkshop(t, sizedIndex(t, map[string]int64{"numpy": 18, "torch": 755}))
	old, used := w.built(t, lockOf("3.11.7", "six==1.0")), w.built(t, lockOf("3.11.7", "attrs==1.0"))
	old.Release()
	used.Release()
	long := time.Now().Add(-2 * idle)
	lockFile := filepath.Join(w.opts.CacheDir, envStore, old.Key+".lock")
	if err := os.Chtimes(lockFile, long, long); err != nil {
		t.Fatal(err)
	}
	w.free = func(string) (int64, error) { return 1 << 30, nil }
	_, no, err := w.Build(t.Context(), lockOf("3.11.7", "torch==1.0"))
	var store *StoreError
	if no != nil || !errors.As(err, &store) {
		t.Fatalf("%+v %v", no, err)
	}
	if strings.Contains(read(t, w.log), "pip install --no-deps --no-build --require-hashes --no-sources --python "+filepath.Join(w.opts.CacheDir, envStore, "torch")) {
		t.Error("it was installed all the same")
	}
	if _, err := os.Stat(filepath.Dir(used.Dir)); err != nil {
		t.Errorf("an environment in use is gone: %v", err)
	}
	if _, err := os.Stat(filepath.Dir(old.Dir)); !os.IsNotExist(err) {
		t.Errorf("an idle one stayed: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(w.opts.CacheDir, envStore, "*.tmp-*")); err != nil || len(left) > 0 {
		t.Errorf("left %v %v", left, err)
	}
	// With room again, it is built.
	w.free = func(string) (int64, error) { return roomy, nil }
	w.built(t, lockOf("3.11.7", "numpy==1.0"))
}
