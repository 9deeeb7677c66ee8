package watch

import (
	"context"
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
		"plain":           {"12 (python3)" + rest, stat{2 * time.Second, 7, 42 * page}, true},
		"brackets inside": {"12 (a) R (b) x)" + rest, stat{2 * time.Second, 7, 42 * page}, true},
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
	pss, ok := Proportional(u.Pids)
	if !ok || pss <= 0 || pss > u.RSS {
		t.Errorf("proportional %d, %v beside resident %d", pss, ok, u.RSS)
	}
	// 1<<22 is the largest process number that Linux gives.
	if u := Tree(1<<22 + 1); len(u.Pids) != 0 || u.RSS != 0 {
		t.Errorf("a tree of nobody: %+v", u)
	}
	if _, ok := Proportional([]int{1<<22 + 1}); ok {
		t.Error("nobody has pages")
	}
}

func TestFolder(t *testing.T) {
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
	used, over := Folder(dir, 10<<20)
	if over || used < 1<<20 || used > 3<<19 {
		t.Errorf("used %d, over %v", used, over)
	}
	if _, over := Folder(dir, 1<<19); !over {
		t.Error("not over")
	}
	if used, over := Folder(filepath.Join(dir, "absent"), 1); used != 0 || over {
		t.Errorf("nothing uses %d", used)
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
		"tasks":  {&Guard{Limits: set(func(l *sandbox.Limits) { l.Pids = 1 }), HoldTasks: true}, sandbox.PidsLimit},
		"disk":   {&Guard{Limits: set(func(l *sandbox.Limits) { l.DiskBytes = 1000 })}, sandbox.DiskLimit},
		"cpu": {&Guard{Limits: set(func(l *sandbox.Limits) { l.CPU = time.Second }),
			CPU: func() time.Duration { return 2 * time.Second }}, sandbox.TimedOut},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.guard.Root, tt.guard.Work = pid, work
			hit := tt.guard.Run(t.Context())
			if hit == nil || hit.Outcome != tt.want || hit.Error() == "limit reached: " {
				t.Errorf("hit %+v, want %s", hit, tt.want)
			}
		})
	}
}

// TestGuardLetsGo: limits that others hold are theirs, and the context ends it.
func TestGuardLetsGo(t *testing.T) {
	l := sandbox.DefaultLimits()
	l.MemoryBytes, l.Pids = 1, 1
	g := &Guard{Root: child(t), Work: t.TempDir(), Limits: l}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan *Hit)
	go func() { done <- g.Run(ctx) }()
	for g.Sample().PeakRSS == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if hit := <-done; hit != nil {
		t.Errorf("hit %v", hit)
	}
}
