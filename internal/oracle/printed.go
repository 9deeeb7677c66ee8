package oracle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/symptom"
)

// judgePrinted: every line that the reporter calls actual comes, in order, and
// what he calls expected does not hold as well; a claim that is true of both
// says nothing. The control must satisfy what is expected, not merely differ.
func judgePrinted(e Expectation, ex sandbox.Execution) Judgement {
	if !ended(ex) {
		return unfinished(e, ex)
	}
	if j, decided := compareFirst(e, ex); decided {
		return j
	}
	p := e.Printed
	if p == nil || len(p.Actual) == 0 && len(p.Expected) == 0 {
		return absent("the report states no output")
	}
	out := outputLines(ex)
	if j, close := nearlyEqual(e, ex, out); close {
		return j
	}
	good, known, why := satisfied(*p, out)
	found, missing := findLines(p.Actual, out)
	came := missing < 0
	if came && len(p.Actual) == 0 {
		// Only the expected side is stated: the symptom is that it fails.
		came = known && !good
	}
	drawn := p.relatesDrawn()
	if drawn && !came {
		came, found = known && !good, out.head()
	}
	j := Judgement{Match: symptom.Match{Relation: symptom.None}, Lines: found}
	j.Observed = symptom.Symptom{Kind: e.Symptom.Kind, Message: strings.Join(found, "\n")}
	switch {
	case came && good && known && !(p.Relation != "" && onlyLabels(p.Actual)):
		// The right value may well be another line's, which is right on every
		// release: what came is what the report shows, so this denies nothing.
		j.Finding, j.Part = Absent, true
		j.Reasons = []string{"what is stated as actual and what is stated as expected both hold: the claim does not tell them apart"}
	case came && !good:
		j.Finding = Hit
		j.Match = printedMatch(*p, found)
		j.Reasons = hitReasons(*p, found, known, why)
		if drawn && missing >= 0 {
			j.Reasons[0] = "lines like the stated ones came, with numbers of their own: " + clip(strings.Join(found, " / "))
		}
	case good && known:
		j.Finding = Clean
		j.Lines = out.head()
		j.Reasons = []string{"what the reporter expects holds: " + why}
	default:
		j.Finding = Absent
		j.Lines = out.head()
		j.Reasons = []string{absentReason(*p, missing, why)}
		if j.Part = !came && wrongLineCame(*p, out); j.Part {
			j.Reasons[0] = "a line that the report calls wrong came, and not all that it states: " + j.Reasons[0]
		}
	}
	return j
}

// relatesDrawn: the script draws its numbers anew, and the claim is on how they
// stand to each other in one output: then the lines that play the part of the
// stated ones are judged. A series of drawn numbers may rise and fall by chance.
func (p *Printed) relatesDrawn() bool {
	switch p.Relation {
	case relEqual, relSame, relAllFinite, relAllNaN:
		return p.Chance && len(p.Expected) == 0 && len(p.Actual) > 0
	}
	return false
}

// wrongLineCame: one of the lines that the report corrects came as it was.
func wrongLineCame(p Printed, out *output) bool {
	for _, x := range p.Expected {
		if x.Replaces < 0 || x.Replaces >= len(p.Actual) {
			continue
		}
		if _, missing := findLines(p.Actual[x.Replaces:x.Replaces+1], out); missing < 0 {
			return true
		}
	}
	return false
}

// Satisfiable says whether any execution could show what the reporter wants. A
// printed claim that states only what came cannot be satisfied: a release that
// prints something else proves nothing, however many are asked.
func (e Expectation) Satisfiable() bool {
	return e.Oracle != OraclePrinted || e.Printed == nil || len(e.Printed.Expected) > 0 || e.Printed.Relation != ""
}

// onlyLabels: the stated lines name what is compared ("eager", "compiled") and
// no value of it, so that they come on every release and the relation decides.
func onlyLabels(stated []Line) bool {
	return !slices.ContainsFunc(stated, func(l Line) bool { return len(numbers(tokens(l.Text, false))) > 0 })
}

// printedMatch: one field carries a printed claim: the lines themselves.
func printedMatch(p Printed, found []string) symptom.Match {
	f := symptom.FieldMatch{Field: "output", Expected: texts(p.Actual), Observed: strings.Join(found, "\n"), Equal: true}
	if len(p.Actual) == 0 {
		f.Expected, f.Why = "not: "+texts(p.Expected), "only what should come was stated, and it did not come"
	}
	return symptom.Match{Relation: symptom.Same, Fields: []symptom.FieldMatch{f}}
}

// texts are the stated lines as one text.
func texts(lines []Line) string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l.Text
	}
	return strings.Join(out, "\n")
}

// hitReasons says which lines came, and why that is wrong.
func hitReasons(p Printed, found []string, known bool, why string) []string {
	what := "the stated line came"
	if n := len(p.Actual); n > 1 {
		what = fmt.Sprintf("all %d stated lines came", n)
	}
	out := []string{what + ": " + clip(strings.Join(found, " / "))}
	if len(p.Actual) == 0 {
		out = nil
	}
	if known {
		out = append(out, "what is expected does not hold: "+why)
	}
	return out
}

// absentReason says what was looked for and not found.
func absentReason(p Printed, missing int, why string) string {
	if missing >= 0 && missing < len(p.Actual) {
		return fmt.Sprintf("the stated line %q did not come, and %s", clip(p.Actual[missing].Text), why)
	}
	return "neither what is stated as actual nor what is expected can be seen: " + why
}

// satisfied says whether what the reporter expects holds: every expected line
// and the relation. known is false when nothing was stated, or when a relation
// cannot be evaluated on this output.
func satisfied(p Printed, out *output) (good, known bool, why string) {
	var words []string
	good = true
	if len(p.Expected) > 0 {
		known = true
		ok, w := expectedCome(p, out)
		good = good && ok
		words = append(words, w)
	}
	if p.Relation != "" && len(p.Actual) > 0 {
		ok, k, w := holds(p.Relation, p.Actual, out)
		good, known = good && ok && k, known || k
		words = append(words, w)
	}
	if len(words) == 0 {
		return false, false, "the report does not say what should come"
	}
	return good && known, known, strings.Join(words, "; ")
}

// expectedCome builds the output that the reporter would call right (his
// actual lines with the corrected ones replaced) and looks for it; expected
// lines that replace nothing are looked for on their own.
func expectedCome(p Printed, out *output) (bool, string) {
	right := append([]Line(nil), p.Actual...)
	var alone []Line
	replaced := false
	for _, x := range p.Expected {
		if x.Replaces >= 0 && x.Replaces < len(right) {
			right[x.Replaces] = correct(p.Actual[x.Replaces], x)
			replaced = true
			continue
		}
		alone = append(alone, x)
	}
	if replaced {
		if _, missing := findLines(right, out); missing >= 0 {
			return false, fmt.Sprintf("the expected %q did not come", clip(right[missing].Text))
		}
	}
	if _, missing := findLines(alone, out); missing >= 0 {
		return false, fmt.Sprintf("the expected %q did not come", clip(alone[missing].Text))
	}
	return true, fmt.Sprintf("the expected %q came", clip(texts(p.Expected)))
}

// correct puts an expected value into the line that it corrects: "should be 2"
// said of "argmax: 1" means "argmax: 2". A whole line replaces a whole line.
func correct(actual, expected Line) Line {
	want, have := tokens(expected.Text, true), tokens(actual.Text, true)
	if len(want) != 1 || len(have) < 2 {
		return expected
	}
	at := strings.LastIndex(actual.Text, have[lastValue(have)].text)
	if at < 0 {
		return expected
	}
	right := actual
	right.Text = actual.Text[:at] + expected.Text + actual.Text[at+len(have[lastValue(have)].text):]
	return right
}

// lastValue is the last number of a line, else its last token.
func lastValue(ts []token) int {
	for i := len(ts) - 1; i >= 0; i-- {
		if ts[i].number != nil {
			return i
		}
	}
	return len(ts) - 1
}
