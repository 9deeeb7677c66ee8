package store

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// roleVar makes the test binary a second process that writes indexes.
const roleVar = "REPGEN_TEST_STORE"

// writer opens the store in dir for ever, with a project that changes.
func writer(dir string) int {
	for n := 0; ; n++ {
		s, c, err := Open(context.Background(), dir, changing(n), options())
		if err != nil || c.Unsaved+c.Rebuilt != "" {
			fmt.Println("failed:", err, c)
			return 1
		}
		if s.Len() == 0 {
			fmt.Println("failed: no chunks")
			return 1
		}
		if err := s.Close(); err != nil {
			return 1
		}
	}
}

// changing is the n-th state of a project big enough for a write to take time.
func changing(n int) *project {
	texts := small()
	for i := range 200 {
		texts[fmt.Sprintf("pkg/m%d.py", i)] = strings.Repeat(fmt.Sprintf("def f%d(x):\n  loss%d\n", i, i), 20)
	}
	texts["pkg/m7.py"] = fmt.Sprintf("def f():\n  state_%d\n", n)
	return newProject(texts)
}

func spawn(t *testing.T, dir string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := &bytes.Buffer{}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), roleVar+"="+dir)
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// TestKilledWriters: kill -9 at any moment leaves a whole index, no lock, and
// nothing that the next writer does not clear away. Two write at once, and a
// third reads meanwhile.
func TestKilledWriters(t *testing.T) {
	dir := t.TempDir()
	for range 6 {
		a, outA := spawn(t, dir)
		b, outB := spawn(t, dir)
		time.Sleep(time.Duration(50+rand.IntN(100)) * time.Millisecond)
		s, c, err := Open(t.Context(), dir, changing(-1), options())
		if err != nil || c.Rebuilt != "" || s.Len() == 0 {
			t.Errorf("a reader beside two writers: %v, %+v", err, c)
		} else if err := s.Close(); err != nil {
			t.Error(err)
		}
		for _, cmd := range []*exec.Cmd{a, b} {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // "signal: killed"
		}
		if said := outA.String() + outB.String(); said != "" {
			t.Fatal(said)
		}
	}
	leftover := filepath.Join(dir, "."+fileName+".tmp-1")
	if err := os.WriteFile(leftover, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	tree := changing(-2)
	s, c := mustOpen(t, dir, tree, options())
	if c.Rebuilt+c.Unsaved != "" || s.Len() == 0 {
		t.Errorf("after the last kill: %+v", c)
	}
	if !bytes.Equal(indexBytes(t, dir), rebuilt(t, tree, options())) {
		t.Error("not the index that is made from nothing")
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestManyAtOnce: of several that find no index one makes it.
func TestManyAtOnce(t *testing.T) {
	dir := t.TempDir()
	tree := changing(0)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			s, c, err := Open(t.Context(), dir, tree, options())
			if err != nil || c.Unsaved+c.Rebuilt != "" {
				t.Errorf("Open: %v, %+v", err, c)
				return
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := int(tree.reads.Load()); n != len(tree.texts) {
		t.Errorf("%d reads of %d files", n, len(tree.texts))
	}
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	tree := changing(0)
	tree.before = func(string) { cancel() } // the lock is held while reading
	_, _, err := Open(ctx, dir, tree, options())
	if err == nil || !strings.Contains(err.Error(), "context canceled") {
		t.Errorf("Open = %v", err)
	}
	if _, c := mustOpen(t, dir, changing(0), options()); c.Unsaved != "" {
		t.Errorf("the lock is still there: %+v", c)
	}
}

// TestCycles: 100 times index and close keep memory, mappings and files flat.
func TestCycles(t *testing.T) {
	dir := t.TempDir()
	cycle := func(n int) {
		s, _, err := Open(t.Context(), dir, changing(n), options())
		if err != nil {
			t.Fatal(err)
		}
		s.Named("f1")
		if _, err := s.Text(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	measure := func() (heap uint64, maps, fds int) {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		data, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Fatal(err)
		}
		open, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return m.HeapAlloc, bytes.Count(data, []byte(fileName)), len(open)
	}
	for n := range 5 {
		cycle(n)
	}
	heap, maps, fds := measure()
	for n := range 100 {
		cycle(n / 2) // every second one is unchanged
	}
	heap2, maps2, fds2 := measure()
	if heap2 > heap+2<<20 || maps2 != maps || fds2 > fds {
		t.Errorf("heap %d -> %d, mappings %d -> %d, files %d -> %d", heap, heap2, maps, maps2, fds, fds2)
	}
}
