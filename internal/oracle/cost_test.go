package oracle

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/symptom"
)

// frames of a hang, outermost first.
var (
	atScript = probe.Frame{File: "/box/reproduce.py", Line: 7, Function: "<module>"}
	atSleep  = probe.Frame{File: "/box/reproduce.py", Line: 9, Function: "wait"}
	atLib    = probe.Frame{File: "/env/lib/python3.11/site-packages/lib/core.py", Line: 30, Function: "join"}
	atOther  = probe.Frame{File: "/env/lib/python3.11/site-packages/other/x.py", Line: 3, Function: "poll"}
	atStd    = probe.Frame{File: "/py/lib/python3.11/threading.py", Line: 320, Function: "wait"}
	atRun    = probe.Frame{File: "/py/lib/python3.11/subprocess.py", Line: 1264, Function: "wait"}
	atSocket = probe.Frame{File: "/py/lib/python3.11/socket.py", Line: 700, Function: "create_connection"}
	atImport = probe.Frame{File: "<frozen importlib._bootstrap>", Line: 1000, Function: "_find_and_load"}
)

func stack(sample int, frames ...probe.Frame) probe.Stack {
	return probe.Stack{Sample: sample, Main: true, Thread: "0x1", Frames: frames}
}

func child(sample int, frames ...probe.Frame) probe.Stack {
	s := stack(sample, frames...)
	s.Child = true
	return s
}

func hung(stacks ...probe.Stack) sandbox.Execution {
	return sandbox.Execution{Outcome: sandbox.TimedOut, LimitHit: "wall 60s", WallSeconds: 60, Record: probe.Record{Started: true, Stacks: stacks}}
}

func TestHang(t *testing.T) {
	e := Expectation{Oracle: OracleHang, Subject: "lib", Modules: []string{"lib"}, Symptom: symptom.Symptom{Kind: symptom.Hang}}
	at, imports, reported := e, e, e
	at.Cost = &Cost{Line: 7}
	imports.Symptom.Message = "import lib hangs forever"
	reported.Symptom.Frames = []symptom.Frame{{File: "lib/core.py", Package: "lib", Where: "library", Function: "join"}}
	moved := at
	moved.Cost = &Cost{Line: 70}
	otherFrames := e
	otherFrames.Symptom.Frames = []symptom.Frame{{File: "lib/core.py", Package: "lib", Where: "library", Function: "collect"}}
	early := hung(stack(1, atScript, atLib), stack(2, atScript, atLib))
	early.LimitHit, early.WallSeconds = "cpu 10m0s", 4
	oom := early
	oom.Outcome = sandbox.OutOfMemory
	forged := hung(stack(1, atScript, atLib), stack(2, atScript, atLib))
	forged.Record.Forged = true
	for _, c := range []single{
		{"in the subject twice", e, hung(stack(1, atScript, atLib), stack(2, atScript, atLib)), Hit},
		{"below the subject, in a lock", e, hung(stack(1, atScript, atLib, atStd), stack(2, atScript, atLib, atStd)), Hit},
		{"below the subject, in another library", e, hung(stack(1, atScript, atLib, atOther), stack(2, atScript, atLib)), Hit},
		{"at the stated line", at, hung(stack(1, atScript, atLib), stack(2, atScript, atLib)), Hit},
		{"far from the stated line", moved, hung(stack(1, atScript, atLib), stack(2, atScript, atLib)), Collided},
		{"in the reporter's function", reported, hung(stack(1, atScript, atLib), stack(2, atScript, atLib)), Hit},
		{"in none of the reporter's functions", otherFrames, hung(stack(1, atScript, atLib), stack(2, atScript, atLib)), Collided},
		{"no sample", e, hung(), Inconclusive},
		{"one sample is a moment", e, hung(stack(1, atScript, atLib)), Inconclusive},
		{"the script's own sleep", e, hung(stack(1, atScript, atSleep), stack(2, atScript, atSleep)), Inconclusive},
		{"the script's own loop at the top", e, hung(stack(1, atScript), stack(2, atScript)), Inconclusive},
		{"called back into the script", e, hung(stack(1, atScript, atLib, atSleep), stack(2, atScript, atLib, atSleep)), Inconclusive},
		{"only once in the subject", e, hung(stack(1, atScript, atLib), stack(2, atScript, atSleep)), Inconclusive},
		{"in another library", e, hung(stack(1, atScript, atOther), stack(2, atScript, atOther)), Inconclusive},
		{"while importing", e, hung(stack(1, atScript, atImport, atLib), stack(2, atScript, atImport, atLib)), Inconclusive},
		{"while importing, as reported", imports, hung(stack(1, atScript, atImport, atLib), stack(2, atScript, atImport, atLib)), Hit},
		{"a child hangs, the script waits", e, hung(stack(1, atScript, atRun), stack(2, atScript, atRun), child(1, atScript, atLib), child(2, atScript, atLib)), Hit},
		{"a child hangs, the script does not wait", e, hung(stack(1, atScript, atSleep), stack(2, atScript, atSleep), child(1, atScript, atLib), child(2, atScript, atLib)), Inconclusive},
		{"a child sleeps by itself", e, hung(stack(1, atScript, atRun), stack(2, atScript, atRun), child(1, atScript, atSleep), child(2, atScript, atSleep)), Inconclusive},
		{"waiting for the network", e, hung(stack(1, atScript, atLib, atSocket), stack(2, atScript, atLib, atSocket)), Inconclusive},
		{"only a thread beside it", e, hung(probe.Stack{Sample: 1, Frames: []probe.Frame{atLib}}, probe.Stack{Sample: 2, Frames: []probe.Frame{atLib}}), Inconclusive},
		{"ended too early by the CPU limit", e, early, Inconclusive},
		{"another limit", e, oom, Inconclusive},
		{"a forged record", e, forged, Inconclusive},
		{"it ended", e, finished("done\n"), Clean},
		{"the subject raises instead", e, raised("ValueError", "workers", inScript, probe.Frame{File: atLib.File, Line: 3, Function: "join", Module: "lib.core", Source: "raise ValueError('workers')"}), Clean},
		{"the subject says that it is offline", e, raised("ConnectionError", "Max retries exceeded", inScript, probe.Frame{File: atLib.File, Line: 3, Function: "join", Module: "lib.core", Source: "raise ConnectionError(x)"}), Inconclusive},
		{"it fails otherwise", e, raised("ValueError", "x", inScript), Collided},
	} {
		c.check(t)
	}
	stuckNow := func(int) sandbox.Execution {
		return hung(stack(1, atScript, atLib), stack(2, atScript, atLib))
	}
	for _, c := range []wholeWay{
		{"a later release ends", e, stuckNow, always("done\n"), Fixed, "B"},
		{"every release hangs", e, stuckNow, stuckNow, Lead, "D"},
		{"the control ran into the limit", e, stuckNow, func(int) sandbox.Execution { return hung() }, Lead, "D"},
		{"it sleeps by itself", e, func(int) sandbox.Execution { return hung(stack(1, atScript, atSleep), stack(2, atScript, atSleep)) }, always("done\n"), Exhausted, ""},
	} {
		c.check(t)
	}
}

// took is an execution of so many seconds, all of them computed unless cpu says
// otherwise.
func took(wall, cpu float64, stdout string) sandbox.Execution {
	ex := finished(stdout)
	ex.WallSeconds, ex.CPUSeconds = wall, cpu
	return ex
}

func TestSlow(t *testing.T) {
	whole := Expectation{Oracle: OracleSlow, Symptom: symptom.Symptom{Kind: symptom.Slow}}
	stated, one, two := whole, whole, whole
	stated.Cost = &Cost{Ratio: 10}
	one.Cost = &Cost{Labels: []string{"fit took"}}
	two.Cost = &Cost{Labels: []string{"new:", "old:"}, Ratio: 4}
	for _, c := range []single{
		{"two labels, slow", two, finished("new: 3.0 s\nold: 1.0 s\n"), Hit},
		{"two labels, units", two, finished("new: 900 ms\nold: 0.2 sec\n"), Hit},
		{"two labels, equal", two, finished("new: 1.1 s\nold: 1.0 s\n"), Clean},
		{"two labels, in between", two, finished("new: 1.8 s\nold: 1.0 s\n"), Absent},
		{"two labels, too short to say", two, finished("new: 4 ms\nold: 1 ms\n"), Absent},
		{"two labels, one is missing", two, finished("new: 4 s\n"), Absent},
		{"two labels, bare numbers are seconds", two, finished("new: 4.5\nold: 1.0\n"), Hit},
		{"alone it says nothing", whole, took(100, 100, ""), Absent},
		{"it failed", two, raised("ValueError", "x", inScript), Collided},
	} {
		c.check(t)
	}
	at := func(wall, cpu float64) func(int) sandbox.Execution {
		return func(i int) sandbox.Execution { return took(wall+float64(i)/50, cpu, "done\n") }
	}
	printing := func(text string, cpu float64) func(int) sandbox.Execution {
		return func(int) sandbox.Execution { return took(9, cpu, text) }
	}
	for _, c := range []wholeWay{
		{"twice as slow, computing", whole, at(4, 4), at(2, 2), Fixed, "B"},
		{"a little slower", whole, at(2.6, 2.6), at(2, 2), Undecided, ""},
		{"twice as slow by waiting: a busy machine", whole, at(4, 2), at(2, 2), Undecided, ""},
		{"ten times as slow by waiting", whole, at(20, 2), at(2, 2), Fixed, "B"},
		{"below the noise floor", whole, at(0.04, 0.04), at(0.01, 0.01), NotReproduced, ""},
		{"the stated ratio is far from met", stated, at(6, 6), at(2, 2), NotReproduced, ""},
		{"half of the stated ratio", stated, at(12, 12), at(2, 2), Fixed, "B"},
		{"one printed time", one, printing("fit took 4.0 s\n", 8), printing("fit took 1.0 s\n", 2), Fixed, "B"},
		{"one printed time, the same", one, printing("fit took 4.0 s\n", 8), printing("fit took 4.1 s\n", 8), NotReproduced, ""},
		{"two printed times", two, printing("new: 4.0 s\nold: 1.0 s\n", 8), printing("new: 1.0 s\nold: 1.0 s\n", 2), Fixed, "B"},
		{"the control does not come as far", whole, at(4, 4), func(int) sandbox.Execution { return took(1, 1, "skipped\n") }, Lead, "D"},
		{"ten times as slow, waiting for the network", whole, func(int) sandbox.Execution {
			ex := took(20, 2, "done\n")
			ex.Record.Attempts = []probe.Attempt{{Kind: "connect", Detail: "('example.org', 443)"}}
			return ex
		}, at(2, 2), Undecided, ""},
		{"slow on both sides", whole, at(4, 4), at(4, 4), NotReproduced, ""},
	} {
		c.check(t)
	}
}

// TestNothingToCompareWith: zero hits of a claim about a ratio, a spread or a
// slope are no denial when nothing was compared.
func TestNothingToCompareWith(t *testing.T) {
	slow := Expectation{Oracle: OracleSlow, ReporterScript: true}
	spread := Expectation{Oracle: OracleSpread, Spread: &Spread{}, ReporterScript: true}
	memory := Expectation{Oracle: OracleMemory, ReporterScript: true}
	for _, c := range []struct {
		name   string
		e      Expectation
		groups []Group
		want   Headline
		reason string
	}{
		{"slow, no control", slow, []Group{repeat(SideReported, "2.0", 5, took(9, 9, "x\n"))}, Lead, "nothing that could be compared"},
		{"slow, a control that died", slow, []Group{repeat(SideReported, "2.0", 5, took(9, 9, "x\n")), repeat(SideNewest, "3.0", 3, raised("ValueError", "x", inScript))}, Lead, "nothing that could be compared"},
		{"slow, a control as slow", slow, []Group{repeat(SideReported, "2.0", 5, took(9, 9, "x\n")), repeat(SideNewest, "3.0", 3, took(9, 9, "x\n"))}, NotReproduced, "ratio of 1.00"},
		{"a spread of one execution", spread, []Group{repeat(SideReported, "2.0", 1, finished("x 1\n"))}, Lead, "nothing that could be compared"},
		{"a spread of five", spread, []Group{repeat(SideReported, "2.0", 5, finished("x 1\n"))}, NotReproduced, "all 5 executions agree"},
		{"memory that was not measured", memory, []Group{repeat(SideReported, "2.0", 5, finished("x\n"))}, Lead, "too seldom"},
		{"it failed otherwise", slow, []Group{repeat(SideReported, "2.0", 5, raised("ValueError", "x", inScript))}, DifferentFailure, "5 of 5 executions fail otherwise"},
	} {
		ev := Evidence{Certified: true, Groups: c.groups}
		v := Decide(JudgeAll(c.e, &ev), ev)
		if words := strings.Join(v.Reasons, "\n"); v.Headline != c.want || !strings.Contains(words, c.reason) {
			t.Errorf("%s: %s, want %s with %q:\n%s", c.name, v.Headline, c.want, c.reason, words)
		}
	}
}

// TestRoundingOfAnotherReading: that executions differ by rounding is no reason
// to drop a claim that was proved.
func TestRoundingOfAnotherReading(t *testing.T) {
	spread := Expectation{Oracle: OracleSpread, Spread: &Spread{}}
	main := Expectation{Oracle: OraclePrinted, ReporterScript: true, Also: []Expectation{spread}, Printed: &Printed{
		Actual: fragments("argmax 1"), Expected: []Line{{Text: "argmax 2", Fragment: true, Replaces: 0}},
	}}
	bad := inTurn("argmax 1\nloss 0.3000001\n", "argmax 1\nloss 0.3000002\n")
	if v, _ := proved(main, bad, always("argmax 2\nloss 0.3\n")); v.Headline != Fixed {
		t.Errorf("%s: %v", v.Headline, v.Reasons)
	}
	spread.ReporterScript = true
	if v, _ := proved(spread, bad, always("argmax 2\nloss 0.3\n")); v.Headline != NotABug {
		t.Errorf("as the only reading: %s: %v", v.Headline, v.Reasons)
	}
}

// TestSlowWithoutControl: alone the reported side is never slow.
func TestSlowWithoutControl(t *testing.T) {
	e := Expectation{Oracle: OracleSlow, ReporterScript: true}
	if !NeedsControl(e.Oracle) || !ByGroup(e.Oracle) {
		t.Error("a ratio needs a control")
	}
	for _, j := range JudgeSide(e, []sandbox.Execution{took(90, 90, ""), took(91, 91, ""), took(90, 90, "")}) {
		if j.Finding != Absent {
			t.Errorf("%s: %v", j.Finding, j.Reasons)
		}
	}
	v, _ := proved(e, func(int) sandbox.Execution { return took(9, 9, "x\n") }, func(i int) sandbox.Execution {
		if i > 1 {
			return hung()
		}
		return took(1, 1, "x\n")
	})
	if positive(v.Headline) {
		t.Errorf("two timed executions of the control are too few: %s", v.Headline)
	}
}

// TestLessIsAlwaysQuicker: a script without a part of it is no measure of time.
func TestLessIsAlwaysQuicker(t *testing.T) {
	e := Expectation{Oracle: OracleSlow, ReporterScript: true}
	ev := Evidence{Certified: true, Groups: []Group{repeat(SideReported, "2.0", 5, took(9, 9, "x\n")), repeat(SideRemoval, "2.0", 3, took(1, 1, "x\n"))}}
	if v := Decide(JudgeAll(e, &ev), ev); positive(v.Headline) {
		t.Errorf("%s: %v", v.Headline, v.Reasons)
	}
	ev.Groups[1].Side, ev.Groups[1].Change = SideContrast, "num_workers=0"
	if v := Decide(JudgeAll(e, &ev), ev); v.Headline != Reproduced || v.Grade != "C" {
		t.Errorf("a contrast that the reporter names: %s: %v", v.Headline, v.Reasons)
	}
}

// TestSlowLeavesOutTheStart: imports that every side has alike hide a ratio.
func TestSlowLeavesOutTheStart(t *testing.T) {
	e := Expectation{Oracle: OracleSlow, ReporterScript: true}
	ev := Evidence{Certified: true, Groups: []Group{
		repeat(SideReported, "2.0", 5, took(9, 9, "x\n")), repeat(SideNewest, "3.0", 3, took(7, 7, "x\n")),
		repeat(SideNeutral, "", 1, took(6, 6, "")),
	}}
	if v := Decide(JudgeAll(e, &ev), ev); v.Headline != Fixed {
		t.Errorf("3 s against 1 s beside 6 s of imports: %s %v", v.Headline, v.Reasons)
	}
	ev.Groups[2] = repeat(SideNeutral, "", 1, took(8.9, 8.9, ""))
	if v := Decide(JudgeAll(e, &ev), ev); positive(v.Headline) {
		t.Errorf("the remainder is noise: %s %v", v.Headline, v.Reasons)
	}
}

// grows is an execution whose memory (MiB) is what f says at each second.
func grows(f func(at float64) float64) sandbox.Execution {
	ex := finished("done\n")
	for i := range 100 {
		at := float64(i) / 5
		ex.Memory = append(ex.Memory, sandbox.MemoryPoint{At: at, Bytes: int64(f(at) * mebibyte)})
	}
	ex.WallSeconds = 20
	return ex
}

func TestMemory(t *testing.T) {
	e := Expectation{Oracle: OracleMemory, Symptom: symptom.Symptom{Kind: symptom.Memory}}
	printed := e
	printed.Cost = &Cost{Labels: []string{"rss"}}
	r := rand.New(rand.NewPCG(5, 6))
	leak := func(at float64) float64 { return 200 + 4*at }
	flat := func(at float64) float64 { return 200 + r.Float64() }
	killed := grows(func(at float64) float64 { return 200 + 300*at })
	killed.Outcome, killed.OOMKills = sandbox.OutOfMemory, 1
	atOnce := grows(flat)
	atOnce.Outcome, atOnce.LimitHit = sandbox.OutOfMemory, "memory 8 GiB"
	forever := grows(leak)
	forever.Outcome, forever.LimitHit = sandbox.TimedOut, "wall 60s"
	foreverFlat := grows(flat)
	foreverFlat.Outcome, foreverFlat.LimitHit = sandbox.TimedOut, "wall 60s"
	child := grows(leak)
	child.OOMKills = 1
	for _, c := range []single{
		{"a steady leak", e, grows(leak), Hit},
		{"a noisy leak", e, grows(func(at float64) float64 { return 200 + 6*at + r.Float64() }), Hit},
		{"in stairs", e, grows(func(at float64) float64 { return 200 + 10*float64(int(at)) }), Hit},
		{"flat", e, grows(flat), Clean},
		{"it grows first and is flat then", e, grows(func(at float64) float64 { return 200 + min(at, 8)*30 }), Clean},
		{"one late allocation", e, grows(func(at float64) float64 {
			if at > 15 {
				return 600
			}
			return 200
		}), Absent},
		{"up and down", e, grows(func(at float64) float64 { return 200 + 50*float64(int(at*5)%2) }), Clean},
		// Each call takes some and gives it back; importing was flat before.
		{"teeth after a flat start", e, grows(func(at float64) float64 {
			if at < 15 {
				return 123 + at/10
			}
			return 124 + 30*float64(int(at*5)%5)
		}), Clean},
		{"teeth of another height", e, grows(func(at float64) float64 {
			if at < 12 {
				return 122 + at/10
			}
			return 124 + []float64{1, 46, 88, 127, 18, 49, 114, 21, 66, 102}[int(at*5)%10]
		}), Clean},
		{"a leak with teeth", e, grows(func(at float64) float64 { return 200 + 20*at + 10*float64(int(at*5)%5) }), Hit},
		{"a leak, and the process goes", e, grows(func(at float64) float64 {
			if at > 19.7 {
				return 25
			}
			return 200 + 20*at
		}), Hit},
		{"it shrinks", e, grows(func(at float64) float64 { return 400 - 4*at }), Clean},
		{"half as fast as a leak", e, grows(func(at float64) float64 { return 200 + 0.7*at }), Absent},
		{"not measured", e, finished("done\n"), Inconclusive},
		{"killed by our limit, growing", e, killed, Hit},
		{"killed by our limit, at once", e, atOnce, Inconclusive},
		{"it goes on and grows", e, forever, Hit},
		{"it goes on, flat: it never ended", e, foreverFlat, Inconclusive},
		{"a killed child", e, child, Inconclusive},
		{"printed", printed, finished("rss 100\nrss 130\nrss 160\nrss 190\nrss 220\n"), Hit},
		{"printed, flat", printed, finished("rss 100\nrss 101\nrss 100\nrss 101\nrss 100\n"), Clean},
		{"it failed", e, raised("ValueError", "x", inScript), Collided},
	} {
		c.check(t)
	}
	at := func(f func(float64) float64) func(int) sandbox.Execution {
		return func(int) sandbox.Execution { return grows(f) }
	}
	for _, c := range []wholeWay{
		{"a later release is flat", e, at(leak), at(flat), Fixed, "B"},
		{"every release grows", e, at(leak), at(leak), Lead, "D"},
		{"a later release leaks alike and ends sooner", e, at(leak), func(int) sandbox.Execution {
			ex := grows(leak)
			for i := range ex.Memory {
				ex.Memory[i].At /= 20
				ex.Memory[i].Bytes = 200*mebibyte + int64(4*ex.Memory[i].At*mebibyte)
			}
			return ex
		}, Lead, "D"},
		{"a later release grows more slowly", e, at(leak), at(func(at float64) float64 { return 200 + 0.7*at }), Lead, "D"},
		{"killed on the reported side", e, func(int) sandbox.Execution { return killed }, at(flat), Fixed, "B"},
		{"killed at once says nothing", e, func(int) sandbox.Execution { return atOnce }, at(flat), Exhausted, ""},
	} {
		c.check(t)
	}
}

func TestSpread(t *testing.T) {
	within := func(left, right string, labels ...string) Expectation {
		return Expectation{Oracle: OracleSpread, Spread: &Spread{Within: true, Left: left, Right: right, Labels: labels}}
	}
	between := Expectation{Oracle: OracleSpread, Spread: &Spread{}, Symptom: symptom.Symptom{Kind: symptom.Nondeterminism}}
	labelled, byName := between, between
	labelled.Spread, byName.Spread = &Spread{Labels: []string{"loss"}}, &Spread{Left: "out"}
	twoNames := named(scalar("a", 0.5), scalar("b", 0.7))
	large := func(name, hash, mean string) probe.Observation {
		return probe.Observation{Name: name, Kind: "array", DType: "float32", Size: 5000, Finite: 5000, Hash: hash, Min: "0.0", Max: "1.0", Mean: mean}
	}
	for _, c := range []single{
		{"large arrays, the same bytes", within("a", "b"), named(large("a", "ff", "0.5"), large("b", "ff", "0.5")), Clean},
		{"large arrays, another mean", within("a", "b"), named(large("a", "ff", "0.5"), large("b", "ee", "0.6")), Hit},
		{"large arrays, other bytes only", within("a", "b"), named(large("a", "ff", "0.5"), large("b", "ee", "0.5")), Absent},
		{"two names differ", within("a", "b"), twoNames, Hit},
		{"two names are equal", within("a", "b"), named(scalar("a", 0.5), scalar("b", 0.5)), Clean},
		{"two names differ by rounding", within("a", "b"), named(scalar("a", 0.30000000000000004), scalar("b", 0.3)), Within},
		{"two printed labels differ", within("first", "second"), finished("first 0.5\nsecond 0.6\n"), Hit},
		{"two printed labels are equal", within("first", "second"), finished("first 0.5\nsecond 0.5\n"), Clean},
		{"one label is missing", within("first", "second"), finished("first 0.5\n"), Absent},
		{"lines of one family", within("", ""), finished("run 1: 0.5\nrun 2: 0.6\n"), Hit},
		{"lines of one family, equal", within("", ""), finished("run 1: 0.5\nrun 2: 0.5\n"), Clean},
		{"lines with a label", within("", "", "loss"), finished("loss 0.5\nacc 1\nloss 0.6\n"), Hit},
		{"one line", within("", ""), finished("run 1: 0.5\n"), Absent},
		{"other counts", within("first", "second"), finished("first 0.5 0.6\nsecond 0.5\n"), Absent},
		{"between executions one says nothing", between, finished("loss 0.5\n"), Absent},
		{"no claim", Expectation{Oracle: OracleSpread}, finished("loss 0.5\n"), Absent},
		{"it failed", between, raised("ValueError", "x", inScript), Collided},
	} {
		c.check(t)
	}
	values := func(vs ...float64) func(int) sandbox.Execution {
		return func(i int) sandbox.Execution { return named(scalar("out", vs[i%len(vs)])) }
	}
	for _, c := range []wholeWay{
		{"a later release is deterministic", between, inTurn("loss 0.1\n", "loss 0.2\n", "loss 0.3\n", "loss 0.4\n", "loss 0.5\n"), always("loss 0.1\n"), Fixed, "B"},
		{"two outputs", between, inTurn("loss 0.1\n", "loss 0.2\n", "loss 0.3\n", "loss 0.2\n", "loss 0.5\n"), always("loss 0.1\n"), Lead, "D"},
		{"all the same", between, always("loss 0.1\n"), always("loss 0.1\n"), NotReproduced, ""},
		{"random everywhere", between, inTurn("loss 0.1\n", "loss 0.2\n", "loss 0.3\n", "loss 0.4\n", "loss 0.5\n"), inTurn("loss 0.1\n", "loss 0.2\n", "loss 0.3\n", "loss 0.4\n", "loss 0.5\n"), Lead, "D"},
		{"rounding", between, inTurn("loss 0.3000001\n", "loss 0.3000002\n"), always("loss 0.3\n"), NotABug, ""},
		{"only what is claimed counts", labelled, inTurn("id 1\nloss 0.5\n", "id 2\nloss 0.5\n"), always("id 7\nloss 0.5\n"), NotReproduced, ""},
		{"addresses, times and process numbers", between, inTurn("pid 4711 <A at 0x7f0011223344> took 3.1 s\n", "pid 4712 <A at 0x7f0011223388> took 3.2 s\n"), always("done\n"), NotReproduced, ""},
		{"the control prints something else", between, inTurn("loss 0.1\n", "loss 0.2\n", "loss 0.3\n", "loss 0.4\n", "loss 0.5\n"), always("acc 1\n"), Lead, "D"},
		{"the order of a set", between, inTurn("{'a', 'b', 'c'}\n", "{'b', 'a', 'c'}\n", "{'c', 'a', 'b'}\n", "{'a', 'c', 'b'}\n", "{'b', 'c', 'a'}\n"), always("{'a', 'b', 'c'}\n"), Fixed, "B"},
		{"a recorded name", byName, values(0.1, 0.2, 0.3, 0.4, 0.5), values(0.1), Fixed, "B"},
		{"a recorded name that stays", byName, values(0.1), values(0.1), NotReproduced, ""},
	} {
		c.check(t)
	}
}

// TestSpreadCounts: the hits are what differs from the output seen most often.
func TestSpreadCounts(t *testing.T) {
	e := Expectation{Oracle: OracleSpread, Spread: &Spread{}}
	var exs []sandbox.Execution
	for _, s := range []string{"x 1", "x 2", "x 2", "x 2", "x 3"} {
		exs = append(exs, finished(s))
	}
	var got []string
	for _, j := range JudgeSide(e, exs) {
		got = append(got, string(j.Finding))
	}
	if strings.Join(got, " ") != "hit absent absent absent hit" {
		t.Errorf("%v", got)
	}
	if js := JudgeSide(e, exs[:1]); js[0].Finding != Absent {
		t.Errorf("one execution alone: %s", js[0].Finding)
	}
}
