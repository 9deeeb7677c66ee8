package oracle

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/symptom"
)

// DiffResult says on which stable positions two releases differ.
type DiffResult struct {
	Differs bool `json:"differs"`
	// Known is false when a side has no execution that can be compared.
	Known     bool       `json:"known"`
	Positions []Position `json:"positions,omitempty"`
	Reasons   []string   `json:"reasons,omitempty"`
}

// Position is one place of the output where the two sides differ.
type Position struct {
	Line int      `json:"line"` // 1-based, of the non-empty lines
	Bad  []string `json:"bad"`  // what the bad side printed there, sorted
	Good []string `json:"good"`
}

// Differential compares the same script on two releases. A position that
// varies between equal executions counts only when the samples of the two
// sides do not overlap; versions, addresses, paths and timings never count.
// A difference is only that: which side is right it cannot say.
func Differential(bad, good []sandbox.Execution) DiffResult {
	b, bOK := endings(bad)
	g, gOK := endings(good)
	if !bOK || !gOK {
		return DiffResult{Reasons: []string{"a side has no execution that can be compared"}}
	}
	r := DiffResult{Known: true}
	if !slices.Equal(b.how, g.how) {
		if !overlap(b.how, g.how) {
			r.Differs = true
			r.Reasons = append(r.Reasons, fmt.Sprintf("ends with %s against %s", strings.Join(b.how, " or "), strings.Join(g.how, " or ")))
		}
		return r
	}
	r.compareLines(b, g)
	return r
}

// sample is one side: how it ended and what it printed, per execution.
type sample struct {
	how    []string // sorted, distinct
	prints [][][]token
}

// endings reduces a side to what can be compared: executions that hit a limit or
// met a fault of the environment are no sample of how it behaves.
func endings(side []sandbox.Execution) (sample, bool) {
	var s sample
	for _, ex := range side {
		if _, bad := preflight(ex); bad {
			continue
		}
		how := "success"
		if f, failed := mainFailure(ex); failed {
			if fault, _ := environmentFault(f); fault != "" {
				continue
			}
			how = f.Exception + f.Signal
		} else if !ended(ex) {
			continue
		}
		s.how = append(s.how, how)
		var lines [][]token
		out := outputLines(sandbox.Execution{Stdout: ex.Stdout})
		for i := range out.lines {
			lines = append(lines, out.tokens(i, false))
		}
		s.prints = append(s.prints, lines)
	}
	slices.Sort(s.how)
	s.how = slices.Compact(s.how)
	return s, len(s.prints) > 0
}

// overlap says whether two sides ever end alike; then the ending tells nothing.
func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool { return slices.Contains(b, x) })
}

// compareLines aligns by line number; sides whose count of lines differs are
// compared by that count alone.
func (r *DiffResult) compareLines(b, g sample) {
	nb, ng := lineCounts(b), lineCounts(g)
	if lo, hi := slices.Min(nb), slices.Max(nb); hi < slices.Min(ng) || lo > slices.Max(ng) {
		r.Differs = true
		r.Reasons = append(r.Reasons, fmt.Sprintf("prints %d lines against %d", nb[0], ng[0]))
		return
	}
	n := min(slices.Min(nb), slices.Min(ng))
	for i := range n {
		if pos, differs := compareLine(i, b, g); differs {
			r.Differs = true
			r.Positions = append(r.Positions, pos)
			r.Reasons = append(r.Reasons, fmt.Sprintf("line %d: %s against %s", i+1, clip(strings.Join(pos.Bad, " or ")), clip(strings.Join(pos.Good, " or "))))
		}
	}
}

// lineCounts: how many lines each execution printed.
func lineCounts(s sample) []int {
	out := make([]int, len(s.prints))
	for i, p := range s.prints {
		out[i] = len(p)
	}
	return out
}

// compareLine compares one line of both sides; a side whose own executions do not
// agree in its shape has no position that could be compared.
func compareLine(i int, b, g sample) (Position, bool) {
	bl, gl := column(s2(b, i)), column(s2(g, i))
	pos := Position{Line: i + 1, Bad: shown(s2(b, i)), Good: shown(s2(g, i))}
	if len(bl) != len(gl) {
		return pos, len(bl) > 0 && len(gl) > 0
	}
	for k := range bl {
		if disjoint(bl[k], gl[k]) {
			return pos, true
		}
	}
	return pos, false
}

// s2 is line i of every execution of a side.
func s2(s sample, i int) [][]token {
	out := make([][]token, len(s.prints))
	for k, p := range s.prints {
		out[k] = p[i]
	}
	return out
}

// column turns the samples of one line into the samples of its positions; nil
// when the executions of one side do not even agree in shape.
func column(rows [][]token) [][]token {
	out := make([][]token, len(rows[0]))
	for _, row := range rows {
		if len(row) != len(rows[0]) {
			return nil
		}
		for k, t := range row {
			out[k] = append(out[k], t)
		}
	}
	return out
}

// shown: what a side printed there, each variant once, for a person to see.
func shown(rows [][]token) []string {
	var out []string
	for _, row := range rows {
		words := make([]string, len(row))
		for k, t := range row {
			words[k] = t.text
		}
		out = append(out, strings.Join(words, " "))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// disjoint: no value of one side is one of the other; where numbers vary, even
// their ranges must lie apart.
func disjoint(a, b []token) bool {
	for _, x := range a {
		for _, y := range b {
			if x.same(y, false) || y.same(x, false) {
				return false
			}
		}
	}
	loA, hiA, okA := span(a)
	loB, hiB, okB := span(b)
	if okA && okB && (loA < hiA || loB < hiB) {
		return hiA < loB || hiB < loA
	}
	return true
}

// span: the range of a position; NaN is in no range.
func span(ts []token) (lo, hi float64, ok bool) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, t := range ts {
		if t.number == nil || t.number.class == classNaN {
			return 0, 0, false
		}
		lo, hi = min(lo, t.number.value), max(hi, t.number.value)
	}
	return lo, hi, len(ts) > 0
}

// judgeSingle is all that one execution can show of a differential claim.
func judgeSingle(e Expectation, ex sandbox.Execution) Judgement {
	if ended(ex) {
		return absent("the script ran to its end; a difference shows only between releases")
	}
	return unfinished(e, ex)
}

// judgeDifferential judges the groups of an evidence against each other: the
// release that the reporter names as good is the measure. Whatever behaves
// like it is clean, whatever behaves like the reported side is a hit.
func judgeDifferential(e Expectation, ev *Evidence) {
	bad, good := groupOf(*ev, SideReported), groupOf(*ev, SideNamed)
	if bad < 0 || good < 0 {
		return
	}
	if !allEnded(ev.Groups[good].Executions) {
		return // a script that dies on the good release never showed what is right
	}
	d := Differential(ev.Groups[bad].Executions, ev.Groups[good].Executions)
	if !d.Differs {
		return
	}
	for i := range ev.Groups {
		g := &ev.Groups[i]
		if g.Side == SideNeutral {
			continue
		}
		unlikeGood := Differential(g.Executions, ev.Groups[good].Executions)
		unlikeBad := Differential(g.Executions, ev.Groups[bad].Executions)
		for k := range g.Judgements {
			j := &g.Judgements[k]
			if j.Finding != Absent && j.Finding != Collided {
				continue
			}
			switch {
			case i == good || unlikeGood.Known && !unlikeGood.Differs:
				*j = clean("behaves like the release that is named as good")
			case i == bad || unlikeBad.Known && !unlikeBad.Differs:
				j.Finding = Hit
				j.Observed.Kind = e.Symptom.Kind
				j.Match = symptom.Match{Relation: symptom.Same, Fields: []symptom.FieldMatch{{
					Field: "output", Expected: "differs from the release that is named as good", Observed: strings.Join(d.Reasons, "; "), Equal: true,
				}}}
				j.Reasons = d.Reasons
			}
			j.Oracle = OracleDifferential
		}
	}
}

// allEnded says that a side ran through every time.
func allEnded(exs []sandbox.Execution) bool {
	return !slices.ContainsFunc(exs, func(ex sandbox.Execution) bool { return !ended(settled(ex)) })
}

// groupOf finds the first group of a side that has something to show.
func groupOf(ev Evidence, side Side) int {
	return slices.IndexFunc(ev.Groups, func(g Group) bool { return g.Side == side && len(g.Executions)+len(g.Judgements) > 0 })
}
