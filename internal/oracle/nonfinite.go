package oracle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// judgeNonFinite: a NaN or an infinity stands where a finite number is right, in
// the named value or in the printed ones. The control has the same value, or
// lines, and all of it is finite. A script that prints a NaN of its own shows it
// on every release, so that nothing is ever clean.
func judgeNonFinite(e Expectation, ex sandbox.Execution) Judgement {
	if !ended(ex) {
		return unfinished(e, ex)
	}
	want, target := class(""), ""
	if e.Value != nil {
		target = e.Value.Target
		if n, ok := parseNumber(strings.TrimSpace(e.Value.Actual)); ok {
			want = n.class
		}
	}
	if o, ok := recorded(target, ex.Record); ok {
		if f, known := finiteness(o); known {
			return f.judge(e, want, target)
		}
	}
	rows, ok := claimedLines(e, target, ex)
	if !ok {
		return absent("the value in question was neither recorded nor printed: " + orAny(target))
	}
	f := finite{}
	for _, row := range rows {
		f.read(row)
	}
	if f.total == 0 {
		return absent("no number was printed that could be finite or not")
	}
	return f.judge(e, want, orAny(target))
}

// orAny names what is looked at, for reasons.
func orAny(target string) string {
	if target == "" {
		return "any printed value"
	}
	return target
}

// finite counts the elements of what is looked at.
type finite struct {
	total, bad int
	classes    []class // of the bad ones, where it is known
	example    string
}

// finiteness reads an observation; known is false when nothing was recorded that
// tells (a tensor too large to be looked through, an object).
func finiteness(o probe.Observation) (f finite, known bool) {
	if list, ok := values(o); ok {
		for _, n := range list {
			f.add(n)
		}
		return f, len(list) > 0
	}
	_, float := eps[dtypeOf(o)]
	summed := o.Finite > 0 || o.Hash != "" // the elements were looked at
	if o.Kind != "array" || !float || !summed || o.Size == 0 {
		return f, false
	}
	f.total, f.bad = o.Size, o.Size-o.Finite
	f.example = fmt.Sprintf("%d of %d elements", f.bad, f.total)
	return f, true
}

// add counts one number.
func (f *finite) add(n number) {
	f.total++
	switch n.class {
	case classNaN, classInf, classNegInf:
		f.bad++
		f.classes = append(f.classes, n.class)
		f.example = n.text
	}
}

// Words of a line that names non-finite numbers and answers with a truth value
// or a count ("isnan: True", "any nan? False", "nan count: 3", "all finite: False").
var (
	saysBad    = lazyre.New(`(?i)^(?:.*_)?(?:is|has|any|num|n|contains)?_?(?:nans?|infs?|non_?finites?)(?:_.*)?$`)
	saysFinite = lazyre.New(`(?i)^(?:is|all|are)?_?finite$`)
	saysCount  = lazyre.New(`(?i)^(?:count|counts|number|num|total|nans|infs|num_?(?:nans?|infs?)|n_?nans?|(?:nan|inf)s?_?(?:count|num)|elements|values)$`)
)

// read takes a printed line: as the answer to a question about finiteness when
// it is one, else number by number.
func (f *finite) read(row []token) {
	if !f.answer(row) {
		for _, n := range numbers(row) {
			f.add(n)
		}
	}
}

// answer reads a line that answers a question about finite numbers; false when it
// is none. The first such word decides what the answer is about.
func (f *finite) answer(row []token) bool {
	about, counts := 0, false // +1: "finite", -1: "nan"
	for _, t := range row {
		counts = counts || saysCount.MatchString(t.text)
		switch {
		case saysFinite.MatchString(t.text) && about == 0:
			about = 1
		case saysBad.MatchString(t.text) && about == 0:
			about = -1
		case about != 0 && (t.text == "True" || t.text == "False"):
			f.tell((t.text == "True") == (about > 0), row)
			return true
		case about < 0 && counts && t.number != nil && t.number.integer:
			f.tell(t.number.value == 0, row)
			return true
		}
	}
	return false
}

// tell counts an answer as one value.
func (f *finite) tell(good bool, row []token) {
	f.total++
	if !good {
		f.bad++
		f.example = text(row)
	}
}

// judge turns the counts into a finding. Where the report names the class
// ("nan"), another one is not it, as far as the classes are known.
func (f finite) judge(e Expectation, want class, what string) Judgement {
	switch {
	case f.bad == 0:
		return clean(fmt.Sprintf("all %d numbers are finite: %s", f.total, what))
	case want != "" && want != classFinite && len(f.classes) == f.bad && !slices.Contains(f.classes, want):
		return absent(fmt.Sprintf("%d of %d numbers are not finite, none of them is %s: %s", f.bad, f.total, want, what))
	}
	observed := fmt.Sprintf("%d of %d numbers are not finite (%s)", f.bad, f.total, f.example)
	return hitOf(symptom.NonFinite, symptom.FieldMatch{Field: "value", Expected: "not finite: " + what, Observed: f.example}, e, observed)
}

// hitOf is a hit of a silent oracle: one field decided, one sentence says how.
func hitOf(kind symptom.Kind, field symptom.FieldMatch, e Expectation, why string) Judgement {
	if e.Symptom.Kind != "" && e.Symptom.Kind != symptom.Unknown {
		kind = e.Symptom.Kind
	}
	field.Equal = true
	return Judgement{
		Finding: Hit, Observed: symptom.Symptom{Kind: kind, Message: why},
		Match:   symptom.Match{Relation: symptom.Same, Fields: []symptom.FieldMatch{field}},
		Reasons: []string{why},
	}
}
