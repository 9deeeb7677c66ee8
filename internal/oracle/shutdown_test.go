package oracle

import (
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/symptom"
)

// fatalAtExit is what faulthandler writes when no Python frame is left.
const fatalAtExit = "Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f00 (most recent call first):\n"

// diedAfterEnd ran through, printed, and died while the interpreter went.
func diedAfterEnd(stdout string) sandbox.Execution {
	ex := finished(stdout)
	ex.Outcome, ex.ExitCode, ex.Signal = sandbox.Signaled, -11, "SIGSEGV"
	ex.Record.Fatal, ex.Stderr = fatalAtExit, "a warning\n"+fatalAtExit
	return ex
}

// TestDeathAfterTheEnd takes nothing from what the script showed before.
func TestDeathAfterTheEnd(t *testing.T) {
	printed := Expectation{
		Oracle: OraclePrinted, Symptom: symptom.Symptom{Kind: symptom.WrongValue},
		Printed: &Printed{Actual: []Line{{Text: "0.25", Replaces: -1}}},
	}
	if j := Judge(printed, diedAfterEnd("0.25\n")); j.Finding != Hit {
		t.Errorf("the stated value was printed: %s %v", j.Finding, j.Reasons)
	}
	if j := Judge(printed, diedAfterEnd("0.75\n")); j.Finding == Hit || j.Finding == Collided {
		t.Errorf("another value was printed: %s %v", j.Finding, j.Reasons)
	}
	if !allEnded([]sandbox.Execution{diedAfterEnd("")}) || ended(diedAfterEnd("")) {
		t.Error("the script ran through, the process did not")
	}
}

// TestDeathIsJudged where it was reported, and where the script was not over.
func TestDeathIsJudged(t *testing.T) {
	signal := Expectation{Oracle: OracleSignal, Symptom: symptom.Symptom{Kind: symptom.Signal, Signal: "SIGSEGV"}}
	if j := Judge(signal, diedAfterEnd("")); j.Observed.Kind != symptom.Signal {
		t.Errorf("a reported signal: %s %+v", j.Finding, j.Observed)
	}
	for name, change := range map[string]func(*sandbox.Execution){
		"a frame runs":       func(ex *sandbox.Execution) { ex.Record.Fatal += "  File \"/box/reproduce.py\", line 3 in <module>\n" },
		"no word of it":      func(ex *sandbox.Execution) { ex.Record.Fatal = "" },
		"the record breaks":  func(ex *sandbox.Execution) { ex.Record.Ended = false },
		"never started":      func(ex *sandbox.Execution) { ex.Record.Started = false },
		"forged":             func(ex *sandbox.Execution) { ex.Record.Forged = true },
		"out of memory":      func(ex *sandbox.Execution) { ex.OOMKills = 1 },
		"it exits by itself": func(ex *sandbox.Execution) { ex.Record.SystemExit = "1" },
		"an exception":       func(ex *sandbox.Execution) { ex.Record.Exceptions = []probe.Exception{{Type: "ValueError"}} },
	} {
		t.Run(name, func(t *testing.T) {
			ex := diedAfterEnd("0.25\n")
			change(&ex)
			if got := settled(ex); got.Outcome != sandbox.Signaled || got.Signal != "SIGSEGV" {
				t.Errorf("settled: %s", got.Outcome)
			}
			if ended(ex) {
				t.Error("it is said to have ended")
			}
		})
	}
	if ex := diedAfterEnd(""); settled(ex).Stderr != "a warning\n" || ex.Record.Fatal == "" {
		t.Errorf("stderr %q; the caller's record %q", settled(ex).Stderr, ex.Record.Fatal)
	}
}
