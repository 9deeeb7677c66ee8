package oracle

import (
	"fmt"
	"slices"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/symptom"
)

// judgeException looks for the reported exception among what ended the main
// thread, what ended other threads, and the causes of these: a later release
// may wrap the same failure. Traceback text that a script prints is nothing.
func judgeException(e Expectation, ex sandbox.Execution) Judgement {
	var best symptom.Match
	for _, s := range failures(ex) {
		for depth, c := range append([]symptom.Symptom{s}, s.Chain...) {
			m := symptom.Compare(e.Symptom, c)
			if m.Relation != symptom.Same {
				if best.Relation == "" {
					best = m
				}
				continue
			}
			if why := notTheSubjects(e, c); why != "" {
				return Judgement{
					Finding: Collided, Observed: c, Reasons: []string{why},
					Match: symptom.Match{Relation: symptom.Elsewhere, Fields: m.Fields},
				}
			}
			return Judgement{Finding: Hit, Observed: c, Match: m, Reasons: exceptionReasons(c, m, depth)}
		}
	}
	if ended(ex) {
		return clean("the script ran to its end without the exception")
	}
	if j, ok := otherWanted(e, ex); ok {
		return j
	}
	j := unfinished(e, ex)
	if best.Relation == symptom.Elsewhere && j.Finding == Collided {
		j.Match = best
	}
	return j
}

// otherWanted: "raises ValueError instead of KeyError". A side that raises the
// class which the report asks for by name does what it should. Not by the hand of
// the script, which would only say so of itself.
func otherWanted(e Expectation, ex sandbox.Execution) (Judgement, bool) {
	s, failed := mainFailure(ex)
	if !failed || e.Wanted == "" || s.Kind == symptom.Signal || s.IsA(e.Symptom.Exception) || !s.IsA(e.Wanted) {
		return Judgement{}, false
	}
	if inner, ok := symptom.Innermost(s.Frames); !ok || inner.InScript() && inner.RaisesByHand() {
		return Judgement{}, false
	}
	j := clean("it raises what the report asks for: " + headline(s))
	j.Observed = s
	return j, true
}

// notTheSubjects: a failure in the script's own line says something only when
// the script is the reporter's. Anybody else's must fail in a library.
func notTheSubjects(e Expectation, s symptom.Symptom) string {
	inner, ok := symptom.Innermost(s.Frames)
	if ok && inner.InScript() && !e.ReporterScript {
		return fmt.Sprintf("%s was raised by the script's own code, which is not the reporter's", s.Exception)
	}
	return ""
}

func exceptionReasons(s symptom.Symptom, m symptom.Match, depth int) []string {
	out := []string{"raised " + headline(s)}
	if depth > 0 {
		out = append(out, "it is the cause of the exception that ended the script")
	}
	i := slices.IndexFunc(m.Fields, func(f symptom.FieldMatch) bool { return f.Field == "frame" })
	if i >= 0 && m.Fields[i].Observed != "" {
		out = append(out, "in "+m.Fields[i].Observed)
	}
	return out
}
