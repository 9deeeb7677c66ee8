package oracle

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
)

// TestMadeUpFrames: class, message and place of a crash can be written by the
// script itself. What the observer or the order of the frames gives away is no
// explicit crash, and from somebody else's script no hit.
func TestMadeUpFrames(t *testing.T) {
	altered := inLibrary
	altered.Altered = true
	raises := inScript
	raises.Source = "raise IndexError('index 3 is out of bounds').with_traceback(tb)"
	again := inScript
	again.Source = "raise e"
	for _, c := range []struct {
		name   string
		frames []probe.Frame
		want   Headline
		given  Finding
	}{
		{"as it was raised", []probe.Frame{inScript, inLibrary}, Reproduced, Hit},
		{"raised again", []probe.Frame{again, inScript, inLibrary}, Reproduced, Hit},
		{"code that the file does not hold", []probe.Frame{inScript, altered}, Lead, Collided},
		{"another exception's traceback", []probe.Frame{raises, inLibrary}, Lead, Hit},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, ev := explicitCrash("IndexError", "index 3 is out of bounds", c.frames...)
			ex := ev.Groups[0].Executions[0]
			e = JudgeAll(e, &ev)
			if v := Decide(e, ev); v.Headline != c.want {
				t.Errorf("%s %s, want %s: %s", v.Headline, v.Grade, c.want, strings.Join(v.Reasons, "\n"))
			}
			e.ReporterScript = false
			if j := Judge(e, ex); j.Finding != c.given {
				t.Errorf("somebody else's: %s, want %s: %v", j.Finding, c.given, j.Reasons)
			}
		})
	}
}

// TestSentSignals: a signal with the line that goes with it is an explicit crash
// where the process was in a library, and nobody else could have sent it.
func TestSentSignals(t *testing.T) {
	const lib, own = `  File "/env/lib/python3.11/site-packages/lib/core.py", line 9 in run` + "\n", `  File "/box/reproduce.py", line 3 in <module>` + "\n"
	const std = `  File "/py/lib/python3.11/subprocess.py", line 550 in run` + "\n"
	const head = "Fatal Python error: Aborted\n\nCurrent thread 0x00007f (most recent call first):\n"
	for _, c := range []struct {
		name, fatal string
		child       bool
		want        Headline
	}{
		{"in the library", head + lib + own, false, Reproduced},
		{"in no Python at all", "Fatal Python error: Aborted\n\n", false, Reproduced},
		{"in the script", head + own, false, Lead},
		{"in the standard library", head + std + own, false, Lead},
		{"unseen", "", false, Lead},
		{"beside a child", head + lib + own, true, Lead},
	} {
		t.Run(c.name, func(t *testing.T) {
			ex := finished("")
			ex.Outcome, ex.Signal, ex.Stderr = sandbox.Signaled, "SIGABRT", "free(): invalid pointer\n"
			ex.Record.Fatal, ex.Record.Ended = c.fatal, false
			if c.child {
				ex.Record.Attempts = []probe.Attempt{{Kind: "subprocess", Script: true}}
			}
			e := Expectation{Oracle: OracleSignal, ReporterScript: true, Symptom: crash(t, "free(): invalid pointer\nAborted (core dumped)\n")}
			ev := Evidence{Certified: true, Groups: []Group{
				repeat(SideReported, "1.2.0", 5, ex), repeat(SideNewest, "1.3.0", 1, ex), repeat(SideNeutral, "", 1, finished("")),
			}}
			e = JudgeAll(e, &ev)
			if v := Decide(e, ev); v.Headline != c.want {
				t.Errorf("%s %s, want %s: %s", v.Headline, v.Grade, c.want, strings.Join(v.Reasons, "\n"))
			}
		})
	}
}
