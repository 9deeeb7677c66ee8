package probe

import (
	"path/filepath"
	"reflect"
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

// childSample is what a child with two threads sends, frames innermost first.
const childSample = `{"k":"K","p":2,"t":"stacks","v":{"threads":[` +
	`{"thread":"0x07","main":true,"frames":[{"file":"/env/lib/python3.11/site-packages/lib/core.py","line":12,"function":"step"},{"file":"/box/reproduce.py","line":20,"function":"<module>"}]},` +
	`{"thread":"0x08","main":false,"frames":[{"file":"/usr/lib/python3.11/threading.py","line":320,"function":"wait"},{"file":"/box/reproduce.py","line":9,"function":"worker"}]}]}}` + "\n"

func TestStacks(t *testing.T) {
	start := `{"k":"K","p":1,"t":"start","v":{"python":"3.11.7"}}` + "\n"
	end := `{"k":"K","p":1,"t":"end","v":{"rss":5}}` + "\n"
	// Samples before StackAfter are dropped: the first three of each side.
	rec := Parse([]byte(start+strings.Repeat(dump, 3)+strings.Repeat(childSample, 4)+dump+dump+end), "K")
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
		{1, true, "0x07", true, "step"}, {1, true, "0x08", false, "wait"},
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

// TestStacksMixed: a dump is written in pieces, and records may come between
// any two of them, twice at one place as well. Nothing of either is lost.
func TestStacksMixed(t *testing.T) {
	start := `{"k":"K","p":1,"t":"start","v":{"python":"3.11.7"}}` + "\n"
	own := strings.Repeat(dump, 5)
	observed := `{"k":"K","p":1,"t":"obs","v":{"name":"a","kind":"int","value":"1"}}` + "\n"
	beside := Parse([]byte(start+strings.Repeat(childSample, 4)+observed+own), "K")
	if len(beside.Stacks) != 6 || len(beside.Observations) != 1 || beside.Malformed != 0 {
		t.Fatalf("without mixing: %+v", beside)
	}
	children := func(rec Record, want bool) (out []Stack) {
		for _, s := range rec.Stacks {
			if s.Child == want {
				out = append(out, s)
			}
		}
		return out
	}
	for cut := range len(own) {
		rec := Parse([]byte(start+strings.Repeat(childSample, 2)+own[:cut]+childSample+observed+childSample+own[cut:]), "K")
		if rec.Malformed != 0 || rec.Forged || len(rec.Observations) != 1 ||
			!reflect.DeepEqual(children(rec, true), children(beside, true)) || !reflect.DeepEqual(children(rec, false), children(beside, false)) {
			t.Fatalf("cut at %d: %+v\nwant %+v", cut, rec, beside)
		}
	}
}

// TestStacksOfStrangers: a child's sample that is none, and one that is too long.
func TestStacksOfStrangers(t *testing.T) {
	start := `{"k":"K","p":1,"t":"start","v":{"python":"3.11.7"}}` + "\n"
	for line, malformed := range map[string]int{
		`{"k":"K","p":2,"t":"stacks","v":[1]}`:                        1,
		`{"k":"K","p":1,"t":"stacks","v":{"threads":[]}}`:             1, // the script's own are dumps
		`{"k":"K","p":2,"t":"stacks","v":{}}`:                         0,
		strings.Replace(childSample, `"k":"K"`, `"k":"L"`, 1):         1,
		`x` + strings.Replace(childSample, `"k":"K"`, `"k":"L"`, 1):   1,
		`{"k":"K","p":2,"t":"obs","v":{"na` + childSample + `me":1}}`: 1,
	} {
		rec := Parse([]byte(start+line+"\n"), "K")
		if rec.Malformed != malformed || len(rec.Stacks) != 0 {
			t.Errorf("%s: malformed %d, %d stacks", line, rec.Malformed, len(rec.Stacks))
		}
	}
	rec := Parse([]byte(start+strings.Repeat(childSample, maxStacks)), "K")
	if n := len(rec.Stacks); n > maxStacks || n < maxStacks-2*quarters {
		t.Errorf("%d stacks kept", n)
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
	// Many threads: what is left out early takes no place, and where the end of
	// a dump is cut off nobody is called its main thread.
	wide := "Timeout (0:00:01)!\n" + strings.Repeat("Thread 0x01 (most recent call first):\n  File \"a.py\", line 1 in work\n", 99) +
		"Thread 0x02 (most recent call first):\n  File \"b.py\", line 2 in main\n"
	var mains []Stack
	for _, s := range Parse([]byte(strings.Repeat(wide, 2*quarters)), "K").Stacks {
		if s.Main {
			mains = append(mains, s)
		}
	}
	if len(mains) != 2 || mains[0].Sample != 1 || mains[1].Sample != 2 || mains[1].Thread != "0x02" || mains[1].Frames[0].Function != "main" {
		t.Errorf("main threads of a hundred: %+v", mains)
	}
}

// TestRealStacks wants a hang's samples from every interpreter: own threads,
// and the forked child.
func TestRealStacks(t *testing.T) {
	real(t)
	for _, python := range interpreters(t) {
		t.Run(filepath.Base(filepath.Dir(filepath.Dir(python))), func(t *testing.T) {
			o := runner{python: python, opts: Options{StackAfter: 0.6}}.run(t, "hang.py")
			if o.exit != 0 || o.stdout != "done\n" {
				t.Fatalf("exit %d, %q, %s, %s", o.exit, o.stdout, o.stderr, o.rec.Fatal)
			}
			var main, thread, child bool
			for _, s := range o.rec.Stacks {
				switch n := len(s.Frames); {
				case n == 0:
				case s.Child:
					child = child || s.Frames[n-1].Function == "child_waits" && s.Main
				case s.Main:
					main = main || s.Frames[0].File[strings.LastIndex(s.Frames[0].File, "/")+1:] == "reproduce.py"
				default:
					thread = thread || s.Frames[n-1].Function == "stuck"
				}
			}
			// Forks inherit no watching thread before 3.7 (os.register_at_fork).
			if old := strings.HasPrefix(o.rec.Python, "3.6"); !main || !thread || !child && !old {
				t.Errorf("main %v, thread %v, child %v in %+v", main, thread, child, o.rec.Stacks)
			}
			if o.rec.Malformed > 0 || !o.rec.Ended {
				t.Errorf("malformed %d, ended %v", o.rec.Malformed, o.rec.Ended)
			}
		})
	}
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
