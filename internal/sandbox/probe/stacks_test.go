package probe

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

const dump = `Timeout (0:00:00.100002)!
Thread 0x00007f01 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 320 in wait
  File "/box/reproduce.py", line 9 in worker

Thread 0x00007f02 [MainThread] (most recent call first):
  File "/env/lib/python3.11/site-packages/lib/core.py", line 12 in step
  File ???, line ??? in ???
  ...
  File "/box/reproduce.py", line 20 in <module>
`

func TestStacks(t *testing.T) {
	child := strings.ReplaceAll(strings.ReplaceAll(dump, ".100002", ".100007"), "Thread 0x00007f02 [MainThread]", "Thread 0x00007f02")
	start := `{"k":"K","p":1,"t":"start","v":{"python":"3.11.7"}}` + "\n"
	end := `{"k":"K","p":1,"t":"end","v":{"rss":5}}` + "\n"
	// Dumps before StackAfter are dropped: the first three of each process.
	rec := Parse([]byte(start+strings.Repeat(dump, 3)+strings.Repeat(child, 4)+dump+dump+end), "K")
	if rec.Malformed != 0 || !rec.Ended || rec.Fatal != "" {
		t.Errorf("malformed %d, ended %v, fatal %q", rec.Malformed, rec.Ended, rec.Fatal)
	}
	if len(rec.Stacks) != 6 {
		t.Fatalf("%d stacks, want two threads in one child's sample and two own ones", len(rec.Stacks))
	}
	for i, want := range []struct {
		sample int
		child  bool
		thread string
		main   bool
		inner  string
	}{
		{1, true, "0x00007f01", false, "wait"}, {1, true, "0x00007f02", true, "step"},
		{1, false, "0x00007f01", false, "wait"}, {1, false, "MainThread", true, "step"},
		{2, false, "0x00007f01", false, "wait"}, {2, false, "MainThread", true, "step"},
	} {
		s := rec.Stacks[i]
		if s.Sample != want.sample || s.Child != want.child || s.Thread != want.thread || s.Main != want.main {
			t.Errorf("stack %d: %+v, want %+v", i, s, want)
		}
		if n := len(s.Frames); n == 0 || s.Frames[n-1].Function != want.inner || s.Frames[0].File != "/box/reproduce.py" {
			t.Errorf("stack %d: frames %+v, want outermost first, innermost %s", i, s.Frames, want.inner)
		}
	}
}

func TestStacksTorn(t *testing.T) {
	for cut := range len(dump) {
		rec := Parse([]byte(strings.Repeat(dump, 4)[:3*len(dump)+cut]), "K")
		if len(rec.Stacks) > 2 {
			t.Errorf("cut at %d: %d stacks", cut, len(rec.Stacks))
		}
	}
	// A frame with nothing before it, and a thread without a dump.
	rec := Parse([]byte("  File \"a\", line 1 in b\nThread 0x1 (most recent call first):\n"), "K")
	if len(rec.Stacks) != 0 || rec.Malformed != 2 {
		t.Errorf("%+v", rec)
	}
}

func TestStacksBounded(t *testing.T) {
	rec := Parse([]byte(strings.Repeat(dump, 2*maxStacks)), "K")
	if len(rec.Stacks) > maxStacks {
		t.Errorf("%d stacks kept", len(rec.Stacks))
	}
}

// TestRealStacks wants a hang's samples from every interpreter: own threads,
// and the forked child.
func TestRealStacks(t *testing.T) {
	real(t)
	for _, python := range interpreters(t) {
		t.Run(filepath.Base(filepath.Dir(filepath.Dir(python))), func(t *testing.T) {
			// Both processes write their samples in pieces to one channel: where two
			// come at the same moment they mix.
			for try := 1; ; try++ {
				o := runner{python: python, opts: Options{StackAfter: 0.6}}.run(t, "hang.py")
				if o.exit != 0 || o.stdout != "done\n" || !o.rec.Ended {
					t.Fatalf("exit %d, %q, ended %v, %s", o.exit, o.stdout, o.rec.Ended, o.stderr)
				}
				why := lacksStacks(o.rec)
				if why == "" {
					return
				}
				if try == 5 {
					t.Fatalf("%s in %+v", why, o.rec.Stacks)
				}
			}
		})
	}
}

// lacksStacks says what a record of hang.py lacks.
func lacksStacks(rec Record) string {
	var main, thread, child bool
	for _, s := range rec.Stacks {
		switch n := len(s.Frames); {
		case n == 0:
		case s.Child:
			child = child || s.Frames[n-1].Function == "child_waits"
		case s.Main:
			main = main || s.Frames[0].File[strings.LastIndex(s.Frames[0].File, "/")+1:] == "reproduce.py"
		default:
			thread = thread || s.Frames[n-1].Function == "stuck"
		}
	}
	// Forks inherit no watching thread before 3.7 (os.register_at_fork).
	if old := strings.HasPrefix(rec.Python, "3.6"); !main || !thread || !child && !old || rec.Malformed > 0 {
		return fmt.Sprintf("main %v, thread %v, child %v, %d lines malformed", main, thread, child, rec.Malformed)
	}
	return ""
}

// TestRealPinned wants the same draws with a pinned seed and others without.
func TestRealPinned(t *testing.T) {
	real(t)
	seed := 3
	for _, python := range interpreters(t) {
		t.Run(filepath.Base(filepath.Dir(filepath.Dir(python))), func(t *testing.T) {
			pinned := runner{python: python, opts: Options{Seed: &seed}}
			a, b := pinned.run(t, "draws.py"), pinned.run(t, "draws.py")
			free := runner{python: python}.run(t, "draws.py")
			if a.exit != 0 || a.stdout != b.stdout || a.stdout == free.stdout {
				t.Errorf("pinned %q and %q, free %q, %s", a.stdout, b.stdout, free.stdout, a.stderr)
			}
			if a.rec.Seeds["pinned"] != "3" || free.rec.Seeds["pinned"] != "" {
				t.Errorf("seeds %v and %v", a.rec.Seeds, free.rec.Seeds)
			}
		})
	}
}
