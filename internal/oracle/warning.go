package oracle

import (
	"fmt"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/symptom"
)

// judgeWarning looks for the reported warning among those that the observer
// saw. A warning that only stands on stderr (of a worker process, of a logger)
// counts in the reporter's own script alone: anybody can print one.
func judgeWarning(e Expectation, ex sandbox.Execution) Judgement {
	for _, s := range symptom.FromExecution(ex) {
		if s.Kind != symptom.Warning {
			continue
		}
		m := symptom.Compare(e.Symptom, s)
		if m.Relation != symptom.Same {
			continue
		}
		if inner, ok := symptom.Innermost(callers(s.Frames)); ok && inner.InScript() && inner.RaisesByHand() {
			return absent("the warning came, but the script issues it itself")
		}
		return Judgement{Finding: Hit, Observed: s, Match: m, Reasons: warningReasons(e, s)}
	}
	if e.ReporterScript {
		for _, s := range symptom.FromText(ex.Stderr) {
			if m := symptom.Compare(e.Symptom, s); s.Kind == symptom.Warning && m.Relation == symptom.Same {
				return Judgement{Finding: Hit, Observed: s, Match: m, Reasons: []string{
					"the warning is on stderr, from outside the observed interpreter: " + headline(s),
				}}
			}
		}
	}
	if ended(ex) {
		return clean("the script ran to its end without the warning")
	}
	return unfinished(e, ex)
}

// callers leaves out the warnings module's own frame.
func callers(frames []symptom.Frame) []symptom.Frame {
	for len(frames) > 0 && frames[len(frames)-1].File == "warnings.py" {
		frames = frames[:len(frames)-1]
	}
	return frames
}

// warningReasons says what was warned, and whether the call that the report
// blames was under way.
func warningReasons(e Expectation, s symptom.Symptom) []string {
	out := []string{"warned " + headline(s)}
	for _, want := range e.Symptom.Frames {
		for _, f := range s.Frames {
			if want.Function != "" && f.Function == want.Function {
				out = append(out, fmt.Sprintf("during %s, as reported", want.Function))
				return out
			}
		}
	}
	return out
}
