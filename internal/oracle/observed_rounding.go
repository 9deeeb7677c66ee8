package oracle

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
)

// snapped are observations in which whatever rounding alone could have set
// apart was made equal: what a claim says of them, it says of the library and
// not of the order in which a release adds up.
type snapped struct {
	env map[string]any
	// bounds that were used, in words.
	bounds []string
	// unsure: two arrays too large to be written out, alike but for rounding as
	// far as their figures go.
	unsure []string
}

// figureOf is one number of an observation that can be replaced.
type figureOf struct {
	of  probe.Observation
	at  *float64
	own string // the observation's name
	// part of an array that it is: "min", "3"; "" for a number.
	part string
}

// comparable: of arrays only like parts are, or a few hundred elements would
// be compared each with each.
func (f figureOf) comparable(g figureOf) bool {
	return f.own != g.own && (f.part == g.part || f.part == "" || g.part == "")
}

// snap makes floats equal to each other and to the claim's literals where they
// differ by less than the derived tolerance.
func (c *claim) snap(ex sandbox.Execution, seen observations, env map[string]any) snapped {
	s := snapped{env: map[string]any{}}
	numbers, arrays := map[string]*float64{}, map[string]*array{}
	var figures []figureOf
	for name, v := range env {
		s.env[name] = v
	}
	for _, name := range c.used {
		o := seen.last[name]
		if _, float := eps[dtypeOf(o)]; !float && o.Kind != "sequence" {
			continue // integers, booleans and text are never rounded
		}
		switch v := env[name].(type) {
		case float64:
			numbers[name] = &v
			figures = append(figures, figureOf{of: o, at: &v, own: name})
		case array:
			v.Values = slices.Clone(v.Values)
			arrays[name] = &v
			for part, at := range map[string]*float64{"min": &v.Min, "max": &v.Max, "mean": &v.Mean} {
				figures = append(figures, figureOf{o, at, name, part})
			}
			for i := range v.Values {
				figures = append(figures, figureOf{o, &v.Values[i], name, strconv.Itoa(i)})
			}
		}
	}
	slices.SortStableFunc(figures, func(a, b figureOf) int { return cmp.Or(cmp.Compare(a.own, b.own), cmp.Compare(a.part, b.part)) })
	s.arrays(c.used, arrays, seen, ex)
	s.literals(c.literals, figures, ex)
	s.pairs(figures, ex)
	for name, v := range numbers {
		s.env[name] = *v
	}
	for name, v := range arrays {
		s.env[name] = *v
	}
	return s
}

// near says that two floats differ, and by no more than rounding.
func (s *snapped) near(a, b float64, ex sandbox.Execution, of ...probe.Observation) bool {
	if a == b || !isFinite(a) || !isFinite(b) {
		return false
	}
	t := tolerance(a, b, of, ex.Record.Arrays)
	if math.Abs(a-b) > t.value {
		return false
	}
	if text := t.String(); !slices.Contains(s.bounds, text) {
		s.bounds = append(s.bounds, text)
	}
	return true
}

// literals sets figures to the literal that they differ from by rounding only.
func (s *snapped) literals(literals []ObservedLiteral, figures []figureOf, ex sandbox.Execution) {
	for _, f := range figures {
		for _, l := range literals {
			if !l.String && !l.Tolerance && s.near(*f.at, l.Number, ex, f.of) {
				*f.at = l.Number
				break
			}
		}
	}
}

// pairs sets the later of two figures of different observations to the earlier
// one.
func (s *snapped) pairs(figures []figureOf, ex sandbox.Execution) {
	for i, f := range figures {
		for _, g := range figures[i+1:] {
			if f.comparable(g) && s.near(*f.at, *g.at, ex, f.of, g.of) {
				*g.at = *f.at
			}
		}
	}
}

// arrays makes the later of two arrays of one shape and dtype equal to the
// earlier one where each element differs by rounding only.
func (s *snapped) arrays(names []string, arrays map[string]*array, seen observations, ex sandbox.Execution) {
	for i, left := range names {
		for _, right := range names[i+1:] {
			a, b := arrays[left], arrays[right]
			if a == nil || b == nil || a.DType != b.DType || !slices.Equal(a.Shape, b.Shape) || sameArrays(*a, *b) {
				continue
			}
			of := []probe.Observation{seen.last[left], seen.last[right]}
			switch {
			case len(a.Values) != a.Size || len(b.Values) != b.Size:
				if s.alike(*a, *b, ex, of) {
					s.unsure = append(s.unsure, left+" and "+right)
				}
			case s.elementwise(a.Values, b.Values, ex, of):
				*b = *a
				b.Values = slices.Clone(a.Values)
			}
		}
	}
}

func (s *snapped) elementwise(a, b []float64, ex sandbox.Execution, of []probe.Observation) bool {
	for i := range a {
		if a[i] != b[i] && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) && !s.near(a[i], b[i], ex, of...) {
			return false
		}
	}
	return true
}

// alike: the figures of two arrays that were not written out are equal but for
// rounding.
func (s *snapped) alike(a, b array, ex sandbox.Execution, of []probe.Observation) bool {
	return a.Finite == b.Finite && s.elementwise([]float64{a.Min, a.Max, a.Mean}, []float64{b.Min, b.Max, b.Mean}, ex, of)
}

// byRounding judges again what may be rounding alone (the second rule): what is
// bad only so is within the tolerance, what misses the reporter's wish only so
// has it. ok is false when rounding makes no difference.
func (c *claim) byRounding(ex sandbox.Execution, seen observations, env map[string]any, bad bool) (j Judgement, ok bool) {
	s := c.snap(ex, seen, env)
	if bad && len(s.unsure) > 0 {
		return unclear("too large to be written out, and alike but for rounding: " + strings.Join(s.unsure, "; ") + ": observe what differs"), true
	}
	if len(s.bounds) == 0 {
		return j, false
	}
	again, errBad := answer(c.bad, s.env)
	wish, errGood := answer(c.good, s.env)
	if errBad != nil || errGood != nil || again || !bad && !wish {
		return j, false
	}
	j = unclear()
	j.Tolerance = strings.Join(s.bounds[:min(len(s.bounds), 2)], ", ")
	if bad {
		j.Finding = Within
		j.Reasons = []string{fmt.Sprintf("%s holds by rounding alone: %s, allowed %s", c.text.Bad, seen.words(c.used), j.Tolerance)}
		return j, true
	}
	j.Finding = Clean
	j.Reasons = []string{fmt.Sprintf("%s holds but for rounding: %s, allowed %s", c.text.Good, seen.words(c.used), j.Tolerance)}
	return j, true
}
