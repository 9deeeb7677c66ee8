package proof

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/symptom"
)

// stuckIn is an execution that our limit ended while the main thread was in a
// file of the library.
func stuckIn(file string) sandbox.Execution {
	ex := sandbox.Execution{Outcome: sandbox.TimedOut, LimitHit: "wall 60s", WallSeconds: 60, Record: probe.Record{Started: true, Python: "3.11.7"}}
	for i := 1; i <= 4; i++ {
		ex.Record.Stacks = append(ex.Record.Stacks, probe.Stack{Sample: i, Main: true, Thread: "0x1", Frames: []probe.Frame{
			{File: "/box/reproduce.py", Line: 3, Function: "<module>"},
			{File: "/env/lib/python3.11/site-packages/" + file, Line: 10, Function: "wait"},
		}})
	}
	return ex
}

func hangs() Input {
	in := typeErrorReport()
	in.Candidate.Script = "import lib\n\nlib.load(num_workers=2)\n"
	in.Decision.Expectation = &oracle.Expectation{
		Oracle: oracle.OracleHang, Subject: "lib", Modules: []string{"lib"}, ReporterScript: true,
		Symptom: symptom.Symptom{Kind: symptom.Hang}, Cost: &oracle.Cost{},
	}
	return in
}

// A hang has a minute, its stacks are sampled, four executions suffice, and no
// worker process is its generic control.
func TestHang(t *testing.T) {
	var after atomic.Value
	w := oldWorld(func(script string, c sandbox.Command, _ map[string]string) sandbox.Execution {
		after.Store(c.Probe.StackAfter)
		if strings.Contains(script, "num_workers=0") {
			return printed("fine\n")
		}
		return stuckIn("lib/core.py")
	})
	o := w.prove(t, hangs(), &kept{})
	if o.Verdict.Headline != oracle.Reproduced || o.Verdict.Grade != "C" {
		t.Fatalf("got %s %s: %v", o.Verdict.Headline, o.Verdict.Grade, o.Verdict.Reasons)
	}
	if n := len(groupOf(o, oracle.SideReported).Executions); n != hangRuns {
		t.Errorf("%d executions that hang", n)
	}
	if after.Load() != hangWall.Seconds()/2 {
		t.Errorf("stacks after %v s", after.Load())
	}
	for _, l := range w.limits {
		if l.Wall != hangWall {
			t.Errorf("an execution had %v", l.Wall)
		}
	}
	if o.Limits.Wall != hangWall {
		t.Errorf("the outcome says %v: a verification would wait that long", o.Limits.Wall)
	}
	if g := groupOf(o, oracle.SideRemoval); g == nil || g.Change != "with num_workers=0" {
		t.Errorf("the control is %+v", g)
	}
}

func TestUsersTimeoutHoldsForAHangToo(t *testing.T) {
	in := hangs()
	in.Limits.Wall = 20 * time.Second
	w := oldWorld(func(string, sandbox.Command, map[string]string) sandbox.Execution { return stuckIn("lib/core.py") })
	w.prove(t, in, &kept{})
	for _, l := range w.limits {
		if l.Wall != 20*time.Second {
			t.Errorf("an execution had %v", l.Wall)
		}
	}
}

// Whoever sleeps in the script itself does not hang in the library.
func TestScriptThatSleepsIsNoHang(t *testing.T) {
	ex := stuckIn("lib/core.py")
	for i := range ex.Record.Stacks {
		ex.Record.Stacks[i].Frames = ex.Record.Stacks[i].Frames[:1]
	}
	w := oldWorld(func(string, sandbox.Command, map[string]string) sandbox.Execution { return ex })
	if o := w.prove(t, hangs(), &kept{}); Positive(o.Verdict.Headline) {
		t.Fatalf("got %s: %v", o.Verdict.Headline, o.Verdict.Reasons)
	}
}

// busy counts how many executions run at once.
type busy struct {
	*world
	now, most atomic.Int32
}

func (b *busy) run(wall float64) sandbox.Execution {
	n := b.now.Add(1)
	defer b.now.Add(-1)
	for {
		m := b.most.Load()
		if n <= m || b.most.CompareAndSwap(m, n) {
			break
		}
	}
	ex := printed("done\n")
	ex.WallSeconds, ex.CPUSeconds = wall, wall
	return ex
}

// "Three times slower than 1.1": only both samples together say so, and nothing
// runs beside what is timed.
func TestSlowIsComparedWithAControl(t *testing.T) {
	in := typeErrorReport()
	in.Decision.Expectation = &oracle.Expectation{
		Oracle: oracle.OracleSlow, Subject: "lib", Modules: []string{"lib"}, ReporterScript: true,
		Symptom: symptom.Symptom{Kind: symptom.Slow}, Cost: &oracle.Cost{Ratio: 3},
	}
	b := &busy{}
	b.world = oldWorld(func(_ string, _ sandbox.Command, v map[string]string) sandbox.Execution {
		if v["lib"] == "1.2" {
			return b.run(9)
		}
		return b.run(2)
	})
	p := &Prover{Solver: b, Builder: b, Sandbox: b, Journal: &kept{}, WorkRoot: t.TempDir(), Parallel: 4}
	o, err := p.Prove(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if !Positive(o.Verdict.Headline) || o.Verdict.Grade != "B" {
		t.Fatalf("got %s %s: %v", o.Verdict.Headline, o.Verdict.Grade, o.Verdict.Reasons)
	}
	if b.most.Load() != 1 {
		t.Errorf("%d executions at once while times were taken", b.most.Load())
	}
}

func TestSlowWithoutADifferenceClaimsNothing(t *testing.T) {
	in := typeErrorReport()
	in.Decision.Expectation = &oracle.Expectation{
		Oracle: oracle.OracleSlow, Subject: "lib", Modules: []string{"lib"}, ReporterScript: true,
		Symptom: symptom.Symptom{Kind: symptom.Slow}, Cost: &oracle.Cost{Ratio: 3},
	}
	b := &busy{}
	b.world = oldWorld(func(string, sandbox.Command, map[string]string) sandbox.Execution { return b.run(2) })
	if o := b.prove(t, in, &kept{}); Positive(o.Verdict.Headline) {
		t.Fatalf("got %s: %v", o.Verdict.Headline, o.Verdict.Reasons)
	}
}

// TestEndless: a script that our limit ends without a word is run twice, and on
// no other release; one that only came late the first time is run as always.
func TestEndless(t *testing.T) {
	in := typeErrorReport()
	out := sandbox.Execution{Outcome: sandbox.TimedOut, LimitHit: "wall 5m0s", WallSeconds: 300, Record: probe.Record{Started: true, Python: "3.11.7"}}
	w := oldWorld(func(string, sandbox.Command, map[string]string) sandbox.Execution { return out })
	o := w.prove(t, in, &kept{})
	if n := len(groupOf(o, oracle.SideReported).Executions); n != 2 {
		t.Errorf("%d executions", n)
	}
	if n := w.ran("newest") + w.ran("release") + w.ran("named"); n > 0 {
		t.Errorf("%d on other releases", n)
	}
	if o.Verdict.Headline != oracle.Exhausted {
		t.Errorf("%s: %v", o.Verdict.Headline, o.Verdict.Reasons)
	}
	var late atomic.Bool
	w = oldWorld(func(string, sandbox.Command, map[string]string) sandbox.Execution {
		if late.CompareAndSwap(false, true) {
			return out
		}
		return printed("fine\n")
	})
	o = w.prove(t, in, &kept{})
	if n := len(groupOf(o, oracle.SideReported).Executions); n != defaultRuns {
		t.Errorf("%d executions after a late one", n)
	}
}
