package oracle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/symptom"
)

// judgeAssert: an assert statement of the reporter's script fails. Where it
// compares floats, what lies inside the derived tolerance is no symptom,
// whatever the statement says.
func judgeAssert(e Expectation, ex sandbox.Execution) Judgement {
	if ended(ex) {
		return clean("every assert of the script passed")
	}
	s, failed := mainFailure(ex)
	at, isAssert := assertFrame(e, s)
	if !failed || !isAssert {
		if j, ok := shapesApart(e, s, ex.Record); ok {
			return j
		}
		return unfinished(e, ex)
	}
	j := Judgement{Finding: Hit, Observed: s, Match: assertMatch(s, at)}
	c, ok := comparisonAt(e, at.Line)
	if !ok || !excusable(c.Op) {
		j.Reasons = []string{"the reporter's assert failed: " + at.Source}
		return j
	}
	result, words, tol := evaluate(c, ex.Record)
	j.Tolerance = tol
	switch result {
	case inside:
		j.Finding = Within
		j.Match.Relation = symptom.Elsewhere
		j.Reasons = []string{"the assert failed inside the tolerance of its floats: " + words + ", allowed " + tol}
	case outsideOf:
		j.Reasons = []string{"the reporter's assert failed: " + words + allowed(tol)}
	case unknown, holdsTrue:
		return unmeasured(j, result, words, ex.Record)
	}
	return j
}

// shapesApart: the assert could not even be evaluated, since its operands have
// different shapes: (a == b).all() raises then in most array libraries. Values
// of different shapes are not equal, so the assert is as false as can be.
func shapesApart(e Expectation, s symptom.Symptom, r probe.Record) (Judgement, bool) {
	last := lastScript(s.Frames)
	if last < 0 || last != len(s.Frames)-1 || !strings.HasPrefix(s.Frames[last].Source, "assert") {
		return Judgement{}, false
	}
	at := s.Frames[last]
	c, known := comparisonAt(e, at.Line)
	if !known || !slices.Contains([]string{"==", "equal", "array_equal", "allclose"}, c.Op) {
		return Judgement{}, false
	}
	left, okL := operand(c.Left, r)
	right, okR := operand(c.Right, r)
	if !okL || !okR || left.Kind != "array" || right.Kind != "array" || slices.Equal(left.Shape, right.Shape) {
		return Judgement{}, false
	}
	m := assertMatch(s, at)
	m.Fields[0] = symptom.FieldMatch{Field: "exception", Expected: "AssertionError", Observed: s.Exception, Equal: true, Why: "raised by the comparison itself"}
	return Judgement{Finding: Hit, Observed: s, Match: m, Reasons: []string{fmt.Sprintf(
		"the reporter's assert cannot hold: %s has shape %v, %s has shape %v", c.Left, left.Shape, c.Right, right.Shape)}}, true
}

// allowed: the tolerance in a reason; integers have none.
func allowed(tol string) string {
	if tol == "" {
		return " (integers: exact)"
	}
	return ", allowed " + tol
}

// unmeasured: the assert failed and its operands are not known, or changed
// afterwards. Floats anywhere in the script may then be the whole reason.
func unmeasured(j Judgement, result comparison, words string, r probe.Record) Judgement {
	if result == holdsTrue {
		words = "the recorded operands satisfy it"
	}
	for _, o := range append(append([]probe.Observation(nil), r.Arrays...), r.Names...) {
		if _, float := eps[dtypeOf(o)]; float {
			j.Finding = Inconclusive
			j.Match.Relation = symptom.Elsewhere
			j.Reasons = []string{"the assert compares floats and cannot be judged: " + words}
			return j
		}
	}
	j.Reasons = []string{"the reporter's assert failed; no float is in play (" + words + ")"}
	return j
}

// assertFrame says whether s is an AssertionError of an assert statement of the
// script itself, or of a testing helper (numpy.testing.assert_allclose) that
// the script calls, and at which frame of the script.
func assertFrame(e Expectation, s symptom.Symptom) (at symptom.Frame, ok bool) {
	if !s.IsA("AssertionError") {
		return at, false
	}
	last := lastScript(s.Frames)
	if last < 0 {
		return at, false
	}
	at = s.Frames[last]
	if last < len(s.Frames)-1 {
		// A library's own assert is its failure, not the reporter's claim.
		return at, strings.Contains(at.Source, "assert") && slices.ContainsFunc(s.Frames[last+1:], helper)
	}
	if strings.HasPrefix(at.Source, "assert") {
		return at, true
	}
	// A statement over several lines fails on a later one; a raise by hand
	// shows itself.
	_, known := comparisonAt(e, at.Line)
	return at, known && !at.RaisesByHand()
}

// lastScript: the innermost frame of the script: the statement that asserts, with
// the helper's own frames below it.
func lastScript(frames []symptom.Frame) int {
	for i := len(frames) - 1; i >= 0; i-- {
		if frames[i].InScript() {
			return i
		}
	}
	return -1
}

// helper is a function made for asserting, as testing packages name them.
func helper(f symptom.Frame) bool {
	return f.InLibrary() && strings.HasPrefix(strings.ToLower(f.Function), "assert")
}

// comparisonAt is the assert's comparison on that line; when only one assert
// compares anything, edits may have moved it by some lines.
func comparisonAt(e Expectation, line int) (Compare, bool) {
	var asserts []Compare
	for _, c := range e.Compare {
		if c.Assert && c.Line == line {
			return c, true
		}
		if c.Assert {
			asserts = append(asserts, c)
		}
	}
	if len(asserts) == 1 && near(asserts[0].Line, line) {
		return asserts[0], true
	}
	return Compare{}, false
}

// near: recorded edits of ours move a statement by a few lines at most (guess).
func near(a, b int) bool { return a-b <= 8 && b-a <= 8 }

// assertMatch: a failed assert is compared by who asserts. Its message is not: it
// holds numbers that differ from machine to machine.
func assertMatch(s symptom.Symptom, at symptom.Frame) symptom.Match {
	return symptom.Match{Relation: symptom.Same, Fields: []symptom.FieldMatch{
		{Field: "exception", Expected: "AssertionError", Observed: s.Exception, Equal: true},
		{Field: "frame", Expected: "an assert of the script", Observed: fmt.Sprintf("line %d", at.Line), Equal: true},
	}}
}

// compareFirst applies the tolerance to the comparisons that a script prints,
// before any printed claim is read. decided is false when none of them is
// false inside its tolerance.
func compareFirst(e Expectation, ex sandbox.Execution) (Judgement, bool) {
	for _, c := range e.Compare {
		if c.Assert || !excusable(c.Op) {
			continue
		}
		result, words, tol := evaluate(c, ex.Record)
		if result != inside {
			continue
		}
		return withinJudgement(e, words, tol), true
	}
	return Judgement{}, false
}
