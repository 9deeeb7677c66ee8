package oracle

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// verdict of one comparison of the script, evaluated outside of it.
type comparison int

const (
	unknown   comparison = iota // an operand was not recorded or is no number
	holdsTrue                   // it is true as written
	inside                      // false as written, true within the tolerance
	outsideOf                   // false, and by more than the tolerance
)

// evaluate computes a comparison from the recorded operands. words say what
// was compared with what; tol is the tolerance in words, "" when exact.
func evaluate(c Compare, r probe.Record) (result comparison, words, tol string) {
	l, okL := operand(c.Left, r)
	rt, okR := operand(c.Right, r)
	if !okL || !okR {
		return unknown, fmt.Sprintf("the values of %s %s %s were not recorded", c.Left, c.Op, c.Right), ""
	}
	ls, okL := values(l)
	rs, okR := values(rt)
	if len(ls) != len(rs) && len(rs) == 1 {
		rs = slices.Repeat(rs, len(ls))
	}
	if len(ls) != len(rs) && len(ls) == 1 {
		ls = slices.Repeat(ls, len(rs))
	}
	if !okL || !okR || len(ls) == 0 || len(ls) != len(rs) {
		return unknown, fmt.Sprintf("%s and %s are no numbers that can be compared here", c.Left, c.Right), ""
	}
	if isExact(l) && isExact(rt) {
		return exactly(c, ls, rs)
	}
	result, words, tol = within(c, ls, rs, []probe.Observation{l, rt}, r.Arrays)
	return byReference(c, r, l, rt, result, words, tol)
}

// referenceName is how scripts name the value that they hold for right.
var referenceName = lazyre.New(`(?i)(?:^|_)(?:ref|reference|exact|expected|truth|true|gold|f64|fp64|float64|double)(?:$|_|\d)`)

// reference is a recorded value of float64 with a name of that kind and as many
// elements as the operands, which are both less precise.
func reference(r probe.Record, l, rt probe.Observation) (probe.Observation, []number, bool) {
	precise := eps["float64"]
	if eps[dtypeOf(l)] <= precise || eps[dtypeOf(rt)] <= precise {
		return probe.Observation{}, nil, false
	}
	for _, o := range append(slices.Clone(r.Names), r.Observations...) {
		if o.Name == l.Name || o.Name == rt.Name || eps[dtypeOf(o)] != precise || !referenceName.MatchString(o.Name) {
			continue
		}
		if list, ok := values(o); ok && len(list) > 0 {
			return o, list, true
		}
	}
	return probe.Observation{}, nil, false
}

// byReference looks at a difference of two float32 values by a third one that the
// script computes in float64: two errors may add up to more than the bound of
// one, and an operand that is far from the reference is the wrong one.
func byReference(c Compare, r probe.Record, l, rt probe.Observation, result comparison, words, tol string) (comparison, string, string) {
	ref, exact, ok := reference(r, l, rt)
	if !ok || result != outsideOf || !excusable(c.Op) {
		return result, words, tol
	}
	off := []string{}
	for _, o := range []probe.Observation{l, rt} {
		list, ok := values(o)
		if !ok || len(list) != len(exact) {
			return result, words, tol
		}
		op := Compare{Left: o.Name, Right: ref.Name, Op: "=="}
		if near, _, _ := within(op, list, exact, []probe.Observation{o, ref}, r.Arrays); near == outsideOf {
			off = append(off, o.Name)
		}
	}
	if len(off) == 0 {
		return inside, words + ", both within the bound of " + ref.Name + " (float64)", tol
	}
	return outsideOf, words + "; far from " + ref.Name + " (float64): " + strings.Join(off, ", "), tol
}

// operand is the recorded value of an expression, or a literal.
func operand(expr string, r probe.Record) (probe.Observation, bool) {
	expr = strings.TrimSpace(expr)
	for _, o := range r.Names {
		if o.Name == expr {
			return o, true
		}
	}
	if n, ok := parseNumber(expr); ok && !strings.ContainsAny(expr[:1], "in") {
		kind := "float"
		if n.integer {
			kind = "int"
		}
		return probe.Observation{Name: expr, Kind: kind, Text: expr}, true
	}
	return probe.Observation{}, false
}

// values are the numbers of an observation: one of a scalar, all of a small
// array that was recorded whole.
func values(o probe.Observation) ([]number, bool) {
	list := o.Values
	if o.Kind == "bool" {
		return nil, false
	}
	if len(list) == 0 {
		list = []string{o.Text}
	} else if o.Size > len(list) {
		return nil, false
	}
	out := make([]number, 0, len(list))
	for _, t := range list {
		n, ok := parseNumber(strings.TrimSpace(unwrapScalars(t)))
		if !ok {
			return nil, false
		}
		out = append(out, n)
	}
	return out, true
}

// isExact: integers have no rounding.
func isExact(o probe.Observation) bool {
	return o.Kind == "int" || strings.HasPrefix(o.DType, "int") || strings.HasPrefix(o.DType, "uint")
}

// exactly compares integers, which have no rounding: any difference is one.
func exactly(c Compare, ls, rs []number) (comparison, string, string) {
	for i := range ls {
		if !asWritten(c.Op, ls[i].value, rs[i].value) {
			return outsideOf, fmt.Sprintf("%s = %s, %s = %s", c.Left, ls[i].text, c.Right, rs[i].text), ""
		}
	}
	return holdsTrue, fmt.Sprintf("%s %s %s is true", c.Left, c.Op, c.Right), ""
}

// within compares floats element by element; the worst one decides.
func within(c Compare, ls, rs []number, ops, arrays []probe.Observation) (comparison, string, string) {
	result, words, tol := holdsTrue, fmt.Sprintf("%s %s %s is true", c.Left, c.Op, c.Right), ""
	for i := range ls {
		a, b := ls[i].value, rs[i].value
		if asWritten(c.Op, a, b) {
			continue
		}
		t := tolerance(a, b, ops, arrays)
		diff := math.Abs(a - b)
		words = fmt.Sprintf("%s = %s, %s = %s, difference %.3g", c.Left, ls[i].text, c.Right, rs[i].text, diff)
		tol = t.String()
		if ls[i].class == rs[i].class && !math.IsNaN(diff) && diff <= t.value || isTinyPair(ls[i], rs[i], t) {
			result = inside
			continue
		}
		return outsideOf, words, tol
	}
	return result, words, tol
}

// isTinyPair: zero beside rounding dust is a difference of class in name only.
func isTinyPair(a, b number, t bound) bool {
	plain := func(n number) bool {
		return n.class == classZero || n.class == classFinite || n.class == classSubnormal
	}
	return plain(a) && plain(b) && math.Abs(a.value-b.value) <= t.value
}

// asWritten evaluates the operator exactly. An operator that carries its own
// tolerance (allclose) or means the opposite (!=) is never excused by ours.
func asWritten(op string, a, b float64) bool {
	switch op {
	case "==", "is", "equal", "array_equal":
		return a == b
	case "<=":
		return a <= b
	case ">=":
		return a >= b
	case "<":
		return a < b
	case ">":
		return a > b
	case "!=":
		return a != b
	}
	return false
}

// excusable says whether rounding may excuse a failed comparison by op.
func excusable(op string) bool {
	return slices.Contains([]string{"==", "<=", ">=", "<", ">", "is", "equal", "array_equal"}, op)
}
