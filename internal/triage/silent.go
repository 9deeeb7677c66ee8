package triage

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// fromPrinted: the reporter says what is printed or what should be.
func fromPrinted(rd *reading, c claims) *oracle.Expectation {
	p := printedClaim(rd, c)
	if p == nil {
		return nil
	}
	e := &oracle.Expectation{
		Oracle:  oracle.OraclePrinted,
		Symptom: symptom.Symptom{Kind: printedKind(rd, p)},
		Printed: p,
	}
	if p.Relation == "" && len(p.Expected) == 0 {
		p.Relation = impliedRelation(rd, e.Symptom.Kind, p)
	}
	if aboutTruth(p) {
		e.Compare = comparisons(rd.script.file, false)
	}
	return e
}

var (
	speaksOfNaN = lazyre.New(`(?i)\b(?:nans?|infs?|infinit\w*|non-?finite)\b`)
	writesNaN   = lazyre.New(`\b(?:nan|NaN|NAN|inf|Inf|NINF|PINF|infty)\b`)
	// twoDiffer names two things that give different results. Two releases or two
	// runs are something else: other oracles compare those.
	twoDiffer   = lazyre.New(`(?i)\b(?:(?:different|inconsistent|mismatch\w*|conflicting)(?: \w+){0,2} (?:with|from|than|to|between|compared|vs\.?|and)|differs? (?:from|between)|disagrees? with|(?:does not|doesn't|do not|don't) (?:match|agree with)|inconsistent with)\s`)
	twoVersions = lazyre.New(`(?i)\b(?:versions?|releases?|upgrad\w*|runs?|seeds?|v?\d+\.\d+)\b`)
)

// usesNaN: the code computes with one; a comment only tells of it.
func usesNaN(f *pysyntax.File) bool {
	code := []byte(f.Source)
	for _, c := range f.Comments {
		blank(code, c.Span.Start, c.Span.End)
	}
	return writesNaN.MatchString(string(code))
}

// impliedRelation is what should hold by the complaint itself: calling a NaN the
// bug says that a finite number is right (unless the script computes with NaN
// on purpose), and "A gives different results from B" that they should be equal.
func impliedRelation(rd *reading, kind symptom.Kind, p *oracle.Printed) string {
	title := rd.r.Title
	switch {
	case kind == symptom.NonFinite && (speaksOfNaN.MatchString(title) || speaksOfNaN.MatchString(rd.prose)) && !usesNaN(rd.script.file):
		return "all_finite"
	case twoDiffer.MatchString(title) && !twoVersions.MatchString(title) && kindInWords(rd) != symptom.Nondeterminism && evaluable("equal", p.Actual):
		return "equal"
	}
	return ""
}

// aboutTruth: the claim is that a printed comparison is true or false.
func aboutTruth(p *oracle.Printed) bool {
	return p.Relation == "equal" || holds(p.Actual, "True") || holds(p.Expected, "True")
}

// comparisons are those of the script's asserts, or those it prints, whose
// operands are global names.
func comparisons(f *pysyntax.File, asserts bool) []oracle.Compare {
	var found []oracle.Compare
	for _, c := range f.Compares {
		if c.Scope == "" && !(asserts && namesRelease(c.Left+" "+c.Right)) && (asserts && c.InAssert || !asserts && c.InPrint) {
			found = append(found, oracle.Compare{Left: c.Left, Op: c.Op, Right: c.Right, Line: c.Line, Assert: asserts})
		}
	}
	return found
}

// printedKind is the field's word for a printed pair: by what differs between
// the lines, else by what the title says.
func printedKind(rd *reading, p *oracle.Printed) symptom.Kind {
	for _, e := range p.Expected {
		if e.Replaces < 0 || e.Replaces >= len(p.Actual) {
			continue
		}
		if k := differs(p.Actual[e.Replaces].Text, e.Text); k != symptom.Unknown {
			return k
		}
	}
	if !anyNonFinite(p.Expected) && anyNonFinite(p.Actual) && p.Relation != "all_nan" {
		return symptom.NonFinite
	}
	inWords := kindInWords(rd)
	switch inWords {
	case symptom.DType:
		if holds(p.Actual, "float32") {
			return symptom.DType
		}
	case symptom.Shape:
		if holds(p.Actual, "()") {
			return symptom.Shape
		}
	case symptom.Nondeterminism:
		return symptom.Nondeterminism
	}
	return symptom.WrongValue
}

// holds says whether a line has a value of the class of the example.
func holds(lines []oracle.Line, example string) bool {
	for _, l := range lines {
		if _, ok := corrected(l.Text, example); ok {
			return true
		}
	}
	return false
}

// differs is the kind of the first pair of tokens that differ.
func differs(actual, expected string) symptom.Kind {
	a, b := strings.Fields(actual), strings.Fields(expected)
	if isTuple(actual) && isTuple(expected) {
		return symptom.Shape
	}
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] == b[i] {
			continue
		}
		was, should := strings.Trim(a[i], "[],:;"), strings.Trim(b[i], "[],:;")
		switch {
		case classOf(was) == classDType && classOf(should) == classDType:
			return symptom.DType
		case nonFinite(was) && !nonFinite(should):
			return symptom.NonFinite
		}
		return symptom.Unknown
	}
	return symptom.Unknown
}

// isTuple tells a printed shape from a printed list of numbers.
func isTuple(text string) bool {
	return classOf(text) == classShape && !strings.HasPrefix(strings.TrimSpace(text), "[")
}

func nonFinite(token string) bool {
	switch strings.ToLower(strings.Trim(token, "+-[](),")) {
	case "nan", "inf", "infinity":
		return true
	}
	return false
}

func anyNonFinite(lines []oracle.Line) bool {
	for _, l := range lines {
		for _, w := range strings.FieldsFunc(l.Text, func(c rune) bool { return strings.ContainsRune(" \t,()[]=", c) }) {
			if nonFinite(w) {
				return true
			}
		}
	}
	return false
}

// fromAssert: the script holds the reporter's own assert, and nothing that was
// pasted shows that the script got past it.
func fromAssert(rd *reading, printed *oracle.Expectation) *oracle.Expectation {
	last := lastAssert(rd.script.file)
	if last == 0 || printed != nil && len(printed.Printed.Actual) > 0 && printsAfter(rd.script.file, last) {
		return nil
	}
	if assertedElsewhere(rd.r) {
		return nil
	}
	return assertExpectation(rd)
}

// assertedElsewhere: an assert stands under the heading of what is expected.
// Those of the script then say what came ("assert isnan(x)"): that they hold is
// the symptom, and their passing denies nothing.
func assertedElsewhere(r *report.Report) bool {
	for _, b := range r.Blocks {
		if b.Role == report.RoleExpected && b.Kind == report.BlockPython && lastAssert(pysyntax.Parse(b.Text)) > 0 {
			return true
		}
	}
	return false
}

func assertExpectation(rd *reading) *oracle.Expectation {
	e := &oracle.Expectation{
		Oracle:  oracle.OracleAssert,
		Symptom: symptom.Symptom{Kind: symptom.WrongValue, Exception: "AssertionError"},
	}
	for _, c := range append(comparisons(rd.script.file, true), assertCalls(rd.script.file)...) {
		if !slices.Contains(e.Compare, c) {
			e.Compare = append(e.Compare, c)
		}
	}
	for _, c := range e.Compare {
		switch operands := c.Left + " " + c.Right; {
		case strings.Contains(operands, ".dtype"):
			e.Symptom.Kind = symptom.DType
		case strings.Contains(operands, ".shape"):
			e.Symptom.Kind = symptom.Shape
		}
	}
	return e
}

// assertTraceback: the AssertionError of the report comes from the script's own
// assert, not from inside a library.
func assertTraceback(rd *reading, s symptom.Symptom) *oracle.Expectation {
	if lastAssert(rd.script.file) == 0 {
		return nil
	}
	if n := len(s.Frames); n > 0 && s.Frames[n-1].Where == "library" && !strings.Contains(s.Frames[n-1].File, "testing") {
		return nil
	}
	e := assertExpectation(rd)
	e.Symptom.Message, e.Symptom.Frames = s.Message, s.Frames
	e.Symptom.Start, e.Symptom.End = s.Start, s.End
	return e
}

// lastAssert is the line of the last assert at module scope, 0 for none.
func lastAssert(f *pysyntax.File) int {
	line := 0
	for _, a := range f.Asserts {
		if !namesRelease(a.Test) {
			line = max(line, a.Line)
		}
	}
	for _, c := range assertCalls(f) {
		line = max(line, c.Line)
	}
	return line
}

// assertCalls are np.testing.assert_allclose(a, b) and its like.
func assertCalls(f *pysyntax.File) []oracle.Compare {
	var found []oracle.Compare
	for _, c := range f.Calls {
		op := assertOps[c.Method]
		if op == "" {
			op = assertOps[bareClass(c.Func)]
		}
		if op == "" || len(c.Args) < 2 || c.Scope != "" {
			continue
		}
		found = append(found, oracle.Compare{Left: c.Args[0], Op: op, Right: c.Args[1], Line: c.Line, Assert: true})
	}
	return found
}

var assertOps = map[string]string{
	"assert_allclose": "allclose", "assert_close": "allclose", "assert_almost_equal": "allclose",
	"assert_array_almost_equal": "allclose", "assert_array_equal": "array_equal",
	"assert_equal": "array_equal", "assertAllClose": "allclose", "assert_trees_all_close": "allclose",
}

func printsAfter(f *pysyntax.File, line int) bool {
	for _, p := range f.Prints {
		if p.Line > line {
			return true
		}
	}
	return false
}

// namesRelease: an assert on what is installed, which is no claim.
func namesRelease(test string) bool { return strings.Contains(test, "__version__") }
