package watch

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/sandbox"
)

func TestParseStat(t *testing.T) {
	page := int64(os.Getpagesize())
	const rest = " S 1 2 3 4 5 6 7 8 9 10 100 50 20 30 20 0 7 0 999 1234 42 18446744073709551615 1"
	tests := map[string]struct {
		line string
		want stat
		ok   bool
	}{
		"plain":           {"12 (python3)" + rest, stat{true, 2 * time.Second, 7, 42 * page}, true},
		"brackets inside": {"12 (a) R (b) x)" + rest, stat{true, 2 * time.Second, 7, 42 * page}, true},
		"dying":           {"12 (x) R 1 2 3 4 5 6 7 8 9 10 100 50 20 30 20 0 1 0 999 0 0 1", stat{false, 2 * time.Second, 1, 0}, true},
		"short":           {"12 (python3) S 1 2", stat{}, false},
		"no name":         {"12 python3" + rest, stat{}, false},
		"not a number":    {"12 (x) S 1 2 3 4 5 6 7 8 9 10 a b c d 20 0 7 0 999 1234 42", stat{}, false},
		"empty":           {"", stat{}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got, ok := parseStat(tt.line); got != tt.want || ok != tt.ok {
				t.Errorf("parseStat = %+v, %v, want %+v", got, ok, tt.want)
			}
		})
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add("1 (a) S 1 2 3 4 5 6 7 8 9 10 1 1 1 1 20 0 7 0 999 1234 42 1")
	f.Add(")")
	f.Fuzz(func(t *testing.T, line string) {
		if s, ok := parseStat(line); !ok && s != (stat{}) {
			t.Errorf("refused but filled: %+v", s)
		}
	})
}

// child starts a shell that has a child of its own.
func child(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", "sleep 60 & echo; wait")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, p := range Tree(cmd.Process.Pid).Pids {
			if proc, err := os.FindProcess(p); err == nil {
				_ = proc.Kill()
			}
		}
		_ = cmd.Wait()
	})
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

func TestTree(t *testing.T) {
	pid := child(t)
	u := Tree(pid)
	if len(u.Pids) != 2 || u.Pids[0] != pid || u.Tasks != 2 || u.RSS < 100<<10 {
		t.Errorf("tree %+v", u)
	}
	pss, ok := proportional(u.Pids, nil)
	if !ok || pss <= 0 || pss > u.RSS {
		t.Errorf("proportional %d, %v beside resident %d", pss, ok, u.RSS)
	}
	if u.Open < 6 {
		t.Errorf("%d open files of two processes with three streams each", u.Open)
	}
	// 1<<22 is the largest process number that Linux gives.
	if !alive(pid) || alive(1<<22+1) {
		t.Error("alive or not")
	}
	if u := Tree(1<<22 + 1); len(u.Pids) != 0 || u.RSS != 0 {
		t.Errorf("a tree of nobody: %+v", u)
	}
	if _, ok := proportional([]int{1<<22 + 1}, nil); ok {
		t.Error("nobody has pages")
	}
}

func TestCount(t *testing.T) {
	dir := t.TempDir()
	big := filepath.Join(t.TempDir(), "outside")
	for _, p := range []string{big, filepath.Join(dir, "a")} {
		if err := os.WriteFile(p, make([]byte, 1<<20), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"l1", "l2"} {
		if err := os.Symlink(filepath.Dir(big), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	c := count{bytes: 10 << 20, files: 10}
	c.add(dir)
	if c.blind || c.usedFiles != 4 || c.usedBytes < 1<<20 || c.usedBytes > 3<<19 {
		t.Errorf("counted %+v", c)
	}
	for _, c := range []count{{bytes: 1 << 19, files: 10}, {bytes: 10 << 20, files: 2}} {
		c.add(dir)
		if c.usedBytes <= c.bytes && c.usedFiles <= c.files {
			t.Errorf("not over: %+v", c)
		}
	}
	c = count{bytes: 1, files: 1}
	c.add(filepath.Join(dir, "absent"))
	if c.usedBytes != 0 || c.blind {
		t.Errorf("nothing uses %+v", c)
	}
}

func TestGuard(t *testing.T) {
	pid := child(t)
	work := t.TempDir()
	if err := os.WriteFile(filepath.Join(work, "a"), make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	big := sandbox.DefaultLimits()
	set := func(f func(*sandbox.Limits)) sandbox.Limits { l := big; f(&l); return l }
	tests := map[string]struct {
		guard *Guard
		want  sandbox.Outcome
	}{
		"wall":   {&Guard{Limits: set(func(l *sandbox.Limits) { l.Wall = time.Millisecond })}, sandbox.TimedOut},
		"memory": {&Guard{Limits: set(func(l *sandbox.Limits) { l.MemoryBytes = 1 }), HoldMemory: true}, sandbox.OutOfMemory},
		"tasks":  {&Guard{Limits: set(func(l *sandbox.Limits) { l.Pids = 1 - HelperTasks }), HoldTasks: true}, sandbox.PidsLimit},
		"files":  {&Guard{Limits: set(func(l *sandbox.Limits) { l.Files = 1 })}, sandbox.DiskLimit},
		"disk":   {&Guard{Limits: set(func(l *sandbox.Limits) { l.DiskBytes = 1000 })}, sandbox.DiskLimit},
		"cpu": {&Guard{Limits: set(func(l *sandbox.Limits) { l.CPU = time.Second }),
			CPU: func() time.Duration { return 2 * time.Second }}, sandbox.TimedOut},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.guard.Root, tt.guard.Folders, tt.guard.Shared = pid, []string{work}, true
			if err := tt.guard.Begin(); err != nil {
				t.Fatal(err)
			}
			var hit *Hit
			if err := tt.guard.Run(t.Context()); !errors.As(err, &hit) || hit.Outcome != tt.want || hit.Error() == "limit reached: " {
				t.Errorf("hit %+v, want %s", hit, tt.want)
			}
		})
	}
}

// TestGuardLetsGo: limits that others hold are theirs, and the context ends it.
func TestGuardLetsGo(t *testing.T) {
	l := sandbox.DefaultLimits()
	l.MemoryBytes, l.Pids = 1, 1
	g := &Guard{Root: child(t), Folders: []string{t.TempDir()}, Limits: l, Shared: true}
	if err := g.Begin(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- g.Run(ctx) }()
	for g.Sample().PeakRSS == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if hit := <-done; hit != nil {
		t.Errorf("hit %v", hit)
	}
}
