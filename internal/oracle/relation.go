package oracle

import (
	"fmt"
	"math"
	"slices"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/symptom"
)

// Relations that may hold between the numbers of the stated lines.
const (
	relAllNaN    = "all_nan"
	relAllFinite = "all_finite"
	relEqual     = "equal"
	relSame      = "same"
	// The series of the stated lines: the last number of each ("1 tensor(0.5)":
	// what stands before is the line's label), or all numbers of a single line.
	relNotFalling = "not_falling"
	relNotRising  = "not_rising"
)

// equalTolerance is the relative difference up to which printed numbers that
// should be equal are equal; printing itself rounds (guess: float32's digits).
const equalTolerance = 1e-5

// holds evaluates a relation on the printed lines that play the part of the
// stated ones. known is false when the relation has no meaning here.
func holds(relation string, stated []Line, out *output) (ok, known bool, why string) {
	if (relation == relEqual || relation == relSame) && sameHalves(stated, out) {
		return true, true, "the output is the same text twice"
	}
	rows := corresponding(stated, out)
	if len(rows) < len(stated) || len(rows) == 0 {
		return false, false, "not every stated line has its counterpart in the output"
	}
	switch relation {
	case relAllNaN:
		return all(rows, func(c class) bool { return c == classNaN }, "nan")
	case relAllFinite:
		return all(rows, func(c class) bool { return c != classNaN && c != classInf && c != classNegInf }, "finite")
	case relEqual, relSame:
		return allEqual(rows, statedNumbers(stated))
	case relNotFalling:
		return monotone(rows, +1, "falls")
	case relNotRising:
		return monotone(rows, -1, "rises")
	}
	return false, false, fmt.Sprintf("the relation %q is not known", relation)
}

// all asks that every number of the lines is of one class.
func all(rows [][]token, is func(class) bool, name string) (ok, known bool, why string) {
	yes, total := 0, 0
	for _, r := range rows {
		for _, n := range numbers(r) {
			total++
			if is(n.class) {
				yes++
			}
		}
	}
	if total == 0 {
		return false, false, "the lines hold no number"
	}
	return yes == total, true, fmt.Sprintf("%d of %d numbers are %s", yes, total, name)
}

// monotone asks that no number lies below (sign +1) or above (sign -1) the one
// before it by more than printing rounds. A NaN is in no order with anything.
func monotone(rows [][]token, sign float64, breach string) (ok, known bool, why string) {
	series := lastNumbers(rows)
	if len(series) < 2 || len(rows) > 1 && len(series) < len(rows) {
		return false, false, "a single number has no direction"
	}
	for i, n := range series[1:] {
		before := series[i]
		if before.class == classNaN || n.class == classNaN {
			return false, true, fmt.Sprintf("the series holds a NaN (%s, %s)", before.text, n.text)
		}
		allowed := max(lastDigit(before), equalTolerance*math.Abs(before.value))
		if math.IsInf(before.value, 0) || math.IsInf(n.value, 0) {
			allowed = 0
		}
		if sign*(before.value-n.value) > allowed {
			return false, true, fmt.Sprintf("the series %s from %s to %s", breach, before.text, n.text)
		}
	}
	return true, true, fmt.Sprintf("none of the %d steps %s", len(series)-1, breach)
}

// lastDigit is what the last printed digit may differ by: one unit of it, unless
// so few digits were printed that a unit is a difference of its own (0.5, 0.4).
func lastDigit(n number) float64 {
	if n.integer || n.ulp > 1e-3*math.Abs(n.value) {
		return 0
	}
	return n.ulp
}

// lastNumbers is the last number of each line, or every number of a single one.
func lastNumbers(rows [][]token) []number {
	if len(rows) == 1 {
		return numbers(rows[0])
	}
	return lastOfEach(rows)
}

// statedNumbers are the numbers as the report states them, line by line.
func statedNumbers(stated []Line) [][]number {
	out := make([][]number, len(stated))
	for i, l := range stated {
		out[i] = numbers(tokens(l.Text, false))
	}
	return out
}

// allEqual compares lines number by number; the numbers of a single line with
// each other. Where the lines count something ("batch 1: 0.5", "batch 2: 0.5"),
// that column says of every release the same as the report does, and is left
// out as long as another column remains.
func allEqual(rows [][]token, stated [][]number) (ok, known bool, why string) {
	cols, why := comparable(rows, stated)
	if len(cols) == 0 {
		return false, false, why
	}
	worst := 0.0
	for _, col := range cols {
		worst = max(worst, spread(col))
	}
	return worst <= equalTolerance, true, fmt.Sprintf("largest relative difference %.3g, allowed %.0e", worst, equalTolerance)
}

// comparable are the columns of numbers that should be equal within themselves,
// or why there are none.
func comparable(rows [][]token, stated [][]number) (cols [][]number, why string) {
	if len(rows) == 1 {
		ns := numbers(rows[0])
		if len(ns) < 2 {
			return nil, "one number alone is equal to nothing"
		}
		return [][]number{ns}, ""
	}
	for i := range numbers(rows[0]) {
		var col []number
		for _, r := range rows {
			if ns := numbers(r); i < len(ns) {
				col = append(col, ns[i])
			}
		}
		cols = append(cols, col)
	}
	if len(cols) == 0 {
		return nil, "the lines hold no number"
	}
	return withoutCounters(cols, stated), ""
}

// nearlyEqual applies the tolerance before a claim of equality is read: numbers
// that should be equal, are not as printed, and differ by rounding alone. decided
// is false for any other claim, and when the numbers are equal or far apart.
func nearlyEqual(e Expectation, ex sandbox.Execution, out *output) (j Judgement, decided bool) {
	p := e.Printed
	if p.Relation != relEqual && p.Relation != relSame || len(p.Expected) > 0 || len(p.Actual) == 0 {
		return j, false
	}
	rows := corresponding(p.Actual, out)
	if len(rows) == 0 || len(rows) < len(p.Actual) {
		return j, false
	}
	cols, _ := comparable(rows, statedNumbers(p.Actual))
	words, tol := "", ""
	for _, col := range cols {
		for _, n := range col[1:] {
			switch result, t := compareNumbers(col[0], n, ex.Record); result {
			case outsideOf:
				return j, false
			case inside:
				words, tol = col[0].text+" and "+n.text, t
			}
		}
	}
	if words == "" {
		return j, false
	}
	return withinJudgement(e, words, tol), true
}

// compareNumbers compares two printed numbers that should be equal: by class,
// exactly, then within the tolerance derived from the floats of the script, where
// these are known, or from what float32 prints, where they are not.
func compareNumbers(a, b number, r probe.Record) (comparison, string) {
	switch {
	case a.class == b.class && (a.class != classFinite || a.value == b.value):
		return holdsTrue, ""
	case a.integer && b.integer:
		return outsideOf, ""
	}
	plain := func(n number) bool { return !math.IsNaN(n.value) && !math.IsInf(n.value, 0) }
	if !plain(a) || !plain(b) {
		return outsideOf, ""
	}
	t := tolerance(a.value, b.value, nil, append(append([]probe.Observation(nil), r.Arrays...), r.Names...))
	allowed, words := t.value, t.String()
	if printed := equalTolerance * max(math.Abs(a.value), math.Abs(b.value)); printed > allowed {
		allowed, words = printed, fmt.Sprintf("%.0e of the value, what printed float32 numbers carry", equalTolerance)
	}
	if diff := math.Abs(a.value - b.value); diff <= allowed {
		return inside, words
	}
	return outsideOf, words
}

// withinJudgement is what a difference inside the tolerance of its floats is.
func withinJudgement(e Expectation, words, tol string) Judgement {
	return Judgement{
		Finding: Within, Tolerance: tol, Match: symptom.Match{Relation: symptom.Elsewhere},
		Observed: symptom.Symptom{Kind: e.Symptom.Kind, Message: words},
		Reasons:  []string{"the difference lies inside the tolerance of its floats: " + words + ", allowed " + tol},
	}
}

// withoutCounters drops the columns that differ from line to line and are as the
// report states them. Where all that would be left is as stated too, the output
// is the reported one and all of it counts: of (1, 2, 8) and (1, 3, 8) the second
// numbers are what differs, and count nothing.
func withoutCounters(cols [][]number, stated [][]number) [][]number {
	var rest [][]number
	changed := false
	for i, col := range cols {
		same := asStated(i, col, stated)
		if spread(col) <= equalTolerance || !same {
			rest = append(rest, col)
			changed = changed || !same
		}
	}
	if !changed {
		return cols
	}
	return rest
}

// asStated: each number of column i is the one of its stated line.
func asStated(i int, col []number, stated [][]number) bool {
	if len(col) != len(stated) {
		return false
	}
	for k, n := range col {
		if i >= len(stated[k]) || spread([]number{stated[k][i], n}) > equalTolerance {
			return false
		}
	}
	return true
}

// spread is the largest relative difference to the first number; different
// classes are infinitely far apart, equal ones that are not finite not at all.
func spread(col []number) float64 {
	worst := 0.0
	for _, n := range col[1:] {
		a := col[0]
		if a.class != n.class && !(isTiny(a) && isTiny(n)) {
			return math.Inf(1)
		}
		if a.class != classFinite {
			continue
		}
		scale := max(math.Abs(a.value), math.Abs(n.value))
		worst = max(worst, math.Abs(a.value-n.value)/scale)
		if a.integer && n.integer && a.value != n.value {
			worst = max(worst, 2*equalTolerance) // large counts are exact too
		}
	}
	return worst
}

// isTiny says that a number is zero up to the rounding of ordinary work.
func isTiny(n number) bool {
	return slices.Contains([]class{classZero, classFinite, classSubnormal}, n.class) && math.Abs(n.value) < nearZero
}
