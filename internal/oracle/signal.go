package oracle

import (
	"fmt"
	"slices"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/symptom"
)

// judgeSignal looks for death by the reported signal, with the reported fatal
// log line when there is one. A subject that raises an exception of its own
// instead has been repaired: that is a clean control.
func judgeSignal(e Expectation, ex sandbox.Execution) Judgement {
	s, failed := mainFailure(ex)
	if !failed {
		if ended(ex) {
			return clean("the script ran to its end")
		}
		return unfinished(e, ex)
	}
	if s.Kind != symptom.Signal {
		return answered(e, ex, s)
	}
	m := symptom.Compare(e.Symptom, s)
	if m.Relation != symptom.Same {
		return Judgement{Finding: Collided, Observed: s, Match: m, Reasons: []string{"it died otherwise: " + headline(s)}}
	}
	if why := killedByHand(e, s); why != "" {
		m.Relation = symptom.Elsewhere
		return Judgement{Finding: Collided, Observed: s, Match: m, Reasons: []string{why}}
	}
	return Judgement{Finding: Hit, Observed: s, Match: m, Reasons: []string{"the process died of " + headline(s)}}
}

// answered judges an exception that came where a signal was reported.
func answered(e Expectation, ex sandbox.Execution, s symptom.Symptom) Judgement {
	fault, _ := environmentFault(s)
	if fault == "" && s.Kind != symptom.ImportError && fromSubject(e, s) {
		j := clean("the subject raises an exception of its own instead: " + headline(s))
		j.Observed = s
		return j
	}
	return unfinished(e, ex)
}

// killedByHand: the kernel and the shell send SIGKILL and SIGTERM, the subject
// never does; and a script of somebody else must die inside a library.
func killedByHand(e Expectation, s symptom.Symptom) string {
	if s.Signal == "SIGKILL" || s.Signal == "SIGTERM" {
		return fmt.Sprintf("%s was sent by something outside the code, which is no symptom of it", s.Signal)
	}
	inner, ok := symptom.Innermost(s.Frames)
	if !e.ReporterScript && (!ok || inner.InScript()) {
		return "it died in the script's own code, which is not the reporter's"
	}
	if e.ReporterScript && !ok {
		return ""
	}
	want := slices.ContainsFunc(e.Symptom.Frames, symptom.Frame.InLibrary)
	if want && inner.InScript() && !slices.ContainsFunc(s.Frames, symptom.Frame.InLibrary) {
		return "the reporter shows a library's frame, it died in the script's own"
	}
	return ""
}
