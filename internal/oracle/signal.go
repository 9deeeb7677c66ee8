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

// answered judges an exception that came where a signal was reported. A name or
// an argument that a release no longer has ends a script as well, and answers
// nothing: pandas 2 without iteritems is no repaired catboost.
func answered(e Expectation, ex sandbox.Execution, s symptom.Symptom) Judgement {
	fault, _ := environmentFault(s)
	if fault == "" && s.Kind != symptom.ImportError && fromSubject(e, s) && !goneByHand(s) && atJudgedCall(e, s) {
		j := clean("the subject raises an exception of its own instead: " + headline(s))
		j.Observed = s
		return j
	}
	return unfinished(e, ex)
}

// judgeDeaths holds a control that raises an exception in place of the signal to
// the statement at which the reported side died: one that ended further up never
// reached it. Only runs of the same text can be compared by their lines.
func judgeDeaths(_ Expectation, ev *Evidence) {
	died := 0 // the first of those lines
	for _, g := range ev.Groups {
		for _, j := range g.Judgements {
			if line := statementOf(j.Observed); g.Side == SideReported && g.Script == "" && j.Finding == Hit && line > 0 && (died == 0 || line < died) {
				died = line
			}
		}
	}
	for _, g := range ev.Groups {
		for k := range g.Judgements {
			j := &g.Judgements[k]
			if g.Side.neverControl() || g.Script != "" || j.Finding != Clean || j.Observed.Exception == "" {
				continue
			}
			if line := statementOf(j.Observed); line > 0 && line < died {
				why := fmt.Sprintf("it ended at line %d, before line %d where the reported side died: %s", line, died, headline(j.Observed))
				*j = Judgement{Finding: Inconclusive, Oracle: j.Oracle, Observed: j.Observed, Match: j.Match, Reasons: []string{why}}
			}
		}
	}
}

// statementOf is the line of the script from which the failure came, 0 when no
// frame of it is known.
func statementOf(s symptom.Symptom) int {
	for _, f := range s.Frames {
		if f.InScript() {
			return f.Line
		}
	}
	return 0
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
