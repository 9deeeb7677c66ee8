package oracle

import (
	"fmt"
	"math"
	"slices"
)

// Relations that may hold between the numbers of the stated lines.
const (
	relAllNaN    = "all_nan"
	relAllFinite = "all_finite"
	relEqual     = "equal"
	relSame      = "same"
)

// equalTolerance is the relative difference up to which printed numbers that
// should be equal are equal; printing itself rounds (guess: float32's digits).
const equalTolerance = 1e-5

// holds evaluates a relation on the printed lines that play the part of the
// stated ones. known is false when the relation has no meaning here.
func holds(relation string, stated []Line, out *output) (ok, known bool, why string) {
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
	}
	return false, false, fmt.Sprintf("the relation %q is not known", relation)
}

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
	var cols [][]number
	if len(rows) == 1 {
		ns := numbers(rows[0])
		if len(ns) < 2 {
			return false, false, "one number alone is equal to nothing"
		}
		cols = [][]number{ns}
	} else {
		for i := range numbers(rows[0]) {
			var col []number
			for _, r := range rows {
				if ns := numbers(r); i < len(ns) {
					col = append(col, ns[i])
				}
			}
			cols = append(cols, col)
		}
		cols = withoutCounters(cols, stated)
	}
	if len(cols) == 0 {
		return false, false, "the lines hold no number"
	}
	worst := 0.0
	for _, col := range cols {
		worst = max(worst, spread(col))
	}
	return worst <= equalTolerance, true, fmt.Sprintf("largest relative difference %.3g, allowed %.0e", worst, equalTolerance)
}

// withoutCounters drops the columns that differ from line to line and are as the
// report states them. Where that would leave none, the output is the reported one
// and all of it counts.
func withoutCounters(cols [][]number, stated [][]number) [][]number {
	var rest [][]number
	for i, col := range cols {
		if spread(col) <= equalTolerance || !asStated(i, col, stated) {
			rest = append(rest, col)
		}
	}
	if len(rest) == 0 {
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
	}
	return worst
}

func isTiny(n number) bool {
	return slices.Contains([]class{classZero, classFinite, classSubnormal}, n.class) && math.Abs(n.value) < nearZero
}
