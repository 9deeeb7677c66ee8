package codebase

import (
	"os"
	"runtime"
	"testing"

	"go.uber.org/goleak"

	"github.com/repgen/repgen/internal/codebase/source"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestNoLeak opens, searches and closes a hundred times: neither memory nor
// open files grow.
func TestNoLeak(t *testing.T) {
	dir, m := t.TempDir(), &bag{name: "m"}
	cycle := func() {
		x, err := Open(t.Context(), source.Memory(pond), Options{Dir: dir, Embedder: m, Static: &bag{name: "s"}})
		if err != nil {
			t.Fatal(err)
		}
		find(t, x, lastBatch, SearchOptions{})
		gather(t, x, lastBatch, ContextOptions{})
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		cycle() // caches fill
	}
	files, heap := openFiles(t), heapBytes()
	for range 100 {
		cycle()
	}
	if now := openFiles(t); now > files {
		t.Errorf("%d open files, %d before", now, files)
	}
	// One cycle holds far more than the slack of 1 MiB over a hundred of them.
	if now := heapBytes(); now > heap+1<<20 {
		t.Errorf("the heap grew from %d to %d bytes", heap, now)
	}
}

func openFiles(t testing.TB) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("reads Linux's /proc")
	}
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

func heapBytes() uint64 {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}
