package oracle

import (
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/symptom"
)

// segfault is an execution that died in lib.f, called at a line of the script.
func segfault(line string) sandbox.Execution {
	return sandbox.Execution{
		Outcome: sandbox.Signaled, Signal: "SIGSEGV",
		Record: probe.Record{Started: true, Fatal: "Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f0000000000 (most recent call first):\n" +
			"  File \"/env/lib/python3.8/site-packages/lib/core.py\", line 9 in f\n  File \"/box/reproduce.py\", line " + line + " in <module>\n"},
	}
}

// TestExceptionForSignal: an exception in place of a reported signal answers the
// report only where the judged call was reached and the library says no to it.
func TestExceptionForSignal(t *testing.T) {
	e := Expectation{Oracle: OracleSignal, ReporterScript: true, Subject: "lib", Modules: []string{"lib"}, Symptom: symptom.Symptom{Kind: symptom.Signal, Signal: "SIGSEGV"}}
	at := func(line int) probe.Frame { f := inScript; f.Line = line; return f }
	for _, c := range []struct {
		name    string
		control sandbox.Execution
		want    Finding
		grade   Grade
	}{
		{"a check at the judged call", raised("ValueError", "sizes differ", at(12), inLibrary), Clean, "B"},
		{"a check behind it", raised("ValueError", "sizes differ", at(14), inLibrary), Clean, "B"},
		{"a check before it", raised("ValueError", "sizes differ", at(5), inLibrary), Inconclusive, "D"},
		{"a name that is gone", raised("AttributeError", "'DataFrame' object has no attribute 'iteritems'", at(12), inLibrary), Collided, "D"},
		{"an argument that is gone", raised("TypeError", "f() got an unexpected keyword argument 'depth'", at(12), inLibrary), Collided, "D"},
		{"it runs to its end", finished("0\n"), Clean, "B"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var bad, good []sandbox.Execution
			for range 5 {
				bad, good = append(bad, segfault("12")), append(good, c.control)
			}
			ev := Evidence{Groups: []Group{
				{Side: SideReported, Subject: "lib", Version: "1.0", Executions: bad},
				{Side: SideRelease, Subject: "lib", Version: "2.0", Executions: good},
			}}
			JudgeAll(e, &ev)
			if got := ev.Groups[0].Judgements[0].Finding; got != Hit {
				t.Fatalf("the reported side: %s", got)
			}
			if got := ev.Groups[1].Judgements[0]; got.Finding != c.want {
				t.Errorf("the control: %s, want %s (%v)", got.Finding, c.want, got.Reasons)
			}
			if v := Decide(e, ev); v.Grade != c.grade {
				t.Errorf("grade %q, want %q: %v", v.Grade, c.grade, v.Reasons)
			}
		})
	}
}
