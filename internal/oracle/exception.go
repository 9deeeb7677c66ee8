package oracle

import (
	"fmt"
	"slices"
	"strings"

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
// the script is the reporter's. Anybody else's must fail in a library, be it in
// compiled code of it, which leaves no frame.
func notTheSubjects(e Expectation, s symptom.Symptom) string {
	inner, ok := symptom.Innermost(s.Frames)
	if ok && inner.Altered && !e.ReporterScript {
		return madeUp(inner)
	}
	if ok && inner.InScript() && !e.ReporterScript && !fromCompiled(e, s, inner) {
		return fmt.Sprintf("%s was raised by the script's own code, which is not the reporter's", s.Exception)
	}
	return ""
}

// fromCompiled: the exception's class is the subject's own, nobody's line raised
// it by hand, and the reporter's traceback ends in his own line as well: it came
// out of the compiled code that the line calls (cv2.error). There is no place to
// compare, so that only another release can be a control of it.
func fromCompiled(e Expectation, s symptom.Symptom, inner symptom.Frame) bool {
	top, _, dotted := strings.Cut(s.Exception, ".")
	if !dotted || !slices.Contains(e.Modules, top) || len(e.Symptom.Frames) == 0 {
		return false
	}
	if inner.Source == "" || inner.RaisesByHand() || strings.Contains(inner.Source, "throw(") {
		return false
	}
	return !slices.ContainsFunc(append(slices.Clone(e.Symptom.Frames), s.Frames...), symptom.Frame.InLibrary)
}

// exceptionReasons says what was raised, how deep it stood in the chain, and
// where.
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
