package sandboxtest

import (
	"testing"
	"time"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
)

// memoryCurve: a script that grows is seen to grow, one that does not is not.
func memoryCurve(t *testing.T, s sandbox.Sandbox) {
	grows := run(t, s, script(`
import time
x = []
for i in range(20):
    x.append(b"x" * (4 << 20)); time.sleep(0.1)`), limits())
	// Its second half: on a busy machine the interpreter starts for a while.
	flat := run(t, s, script("import time; time.sleep(4)"), limits())
	flat.Memory = flat.Memory[len(flat.Memory)/3:]
	rise := func(ex sandbox.Execution) int64 {
		n := len(ex.Memory)
		if n < 8 {
			t.Fatalf("%d points of memory", n)
		}
		return ex.Memory[n-1].Bytes - ex.Memory[n/4].Bytes
	}
	if r := rise(grows); r < 30<<20 {
		t.Errorf("80 MiB more in two seconds seen as %d", r)
	}
	if r := rise(flat); r > 5<<20 {
		t.Errorf("nothing more seen as %d", r)
	}
	if short := run(t, s, script("pass"), limits()); short.Memory != nil && short.WallSeconds < 0.5 { // else it was not short
		t.Errorf("%d points of a short run", len(short.Memory))
	}
}

// stackSamples: a run that the wall limit ends leaves what it was doing.
func stackSamples(t *testing.T, s sandbox.Sandbox) {
	c := script(`
import threading
lock = threading.Lock()
lock.acquire()
def stuck():
    lock.acquire()
stuck()`)
	c.Probe = &probe.Options{StackAfter: 1}
	l := limits()
	l.Wall = 8 * time.Second // of a busy machine: starting takes some of it
	ex := run(t, s, c, l)
	wantOutcome(t, ex, sandbox.TimedOut)
	n := len(ex.Record.Stacks)
	if n < 2 || ex.Record.Stacks[n-1].Sample < 2 {
		t.Fatalf("stacks %+v", ex.Record.Stacks)
	}
	for _, st := range ex.Record.Stacks {
		if k := len(st.Frames); k == 0 || st.Frames[k-1].Function != "stuck" || !st.Main {
			t.Errorf("stack %+v", st)
		}
	}
}
