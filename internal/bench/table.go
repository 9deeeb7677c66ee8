package bench

import (
	"cmp"
	"maps"
	"slices"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
)

// SchemaVersion of Table; it grows by one when a field changes its meaning.
const SchemaVersion = 1

// Table is everything that is counted, and the outcomes it was counted from.
type Table struct {
	Schema   int    `json:"schema"`
	Identity string `json:"identity"` // what was measured
	Cases    int    `json:"cases"`
	// FalseClaims are cases whose bug was claimed as reproduced (reproduced,
	// fixed, regression, or flaky with grade A to C) though it should not be.
	FalseClaims []string `json:"false_claims"`
	// FalseDenials are bugs that were denied: not_reproduced, not_a_bug or
	// different_failure.
	FalseDenials []string `json:"false_denials"`
	// Confusion counts got by expected: Confusion[expected][got].
	Confusion map[oracle.Headline]map[oracle.Headline]int `json:"confusion"`
	// Reachable are the positives that need no language model.
	Reachable Recall `json:"reachable_positives"`
	// Model are the positives that need one; without it they are no misses.
	Model Recall `json:"model_positives"`
	// Negatives without a model: Exact have the expected headline or one that
	// the case accepts.
	Negatives Exact `json:"negatives"`
	// ModelNegatives are those that may need one.
	ModelNegatives Exact                `json:"model_negatives"`
	Grades         map[oracle.Grade]int `json:"grades"`
	Rungs          map[int]int          `json:"rungs"` // 0: no environment was solved
	Times          Times                `json:"times"`
	Spent          Spent                `json:"spent"` // by language models
	Outcomes       []Outcome            `json:"outcomes"`
}

// Recall of positives.
type Recall struct {
	Of     int `json:"of"`
	GradeC int `json:"grade_c_or_better"`
	GradeB int `json:"grade_b_or_better"`
	// Missed were not claimed; a lead that the case accepts is no miss.
	Accepted int      `json:"accepted"`
	Missed   []string `json:"missed"`
}

// Exact names of negatives.
type Exact struct {
	Of    int      `json:"of"`
	Exact int      `json:"exact"`
	Wrong []string `json:"wrong"`
}

// Times are medians in seconds over the cases that were run (not kept), by
// part; Total is the sum of all cases' wall seconds, more than the benchmark
// took when several ran at once.
type Times struct {
	Median  float64            `json:"median_s"`
	Sandbox float64            `json:"median_sandbox_s"`
	Stages  map[string]float64 `json:"median_stages_s"`
	Total   float64            `json:"total_s"`
	Of      int                `json:"of"`
}

// claims says that a bug was called reproduced with evidence.
func claims(o Outcome) bool {
	return proof.Positive(o.Headline) && o.Grade != "" && o.Grade <= "C"
}

func positive(o Outcome) bool { return proof.Positive(o.Expected) }

// right says that the headline is the expected one or one the case accepts;
// for a bug that is there any claim is right.
func right(o Outcome) bool {
	return o.Headline == o.Expected || slices.Contains(o.Accept, o.Headline) || positive(o) && claims(o)
}

// Summarise counts. It is pure: the same outcomes give the same table.
func Summarise(identity string, outcomes []Outcome) *Table {
	t := &Table{
		Schema: SchemaVersion, Identity: identity, Cases: len(outcomes), Outcomes: outcomes,
		FalseClaims: []string{}, FalseDenials: []string{}, Confusion: map[oracle.Headline]map[oracle.Headline]int{},
		Grades: map[oracle.Grade]int{}, Rungs: map[int]int{},
		Reachable: Recall{Missed: []string{}}, Model: Recall{Missed: []string{}},
		Negatives: Exact{Wrong: []string{}}, ModelNegatives: Exact{Wrong: []string{}},
	}
	for _, o := range outcomes {
		t.count(o)
	}
	t.Times = timesOf(outcomes)
	t.Spent = spent(outcomes)
	return t
}

var denials = map[oracle.Headline]bool{oracle.NotReproduced: true, oracle.NotABug: true, oracle.DifferentFailure: true}

func (t *Table) count(o Outcome) {
	row := t.Confusion[o.Expected]
	if row == nil {
		row = map[oracle.Headline]int{}
		t.Confusion[o.Expected] = row
	}
	row[o.Headline]++
	t.Grades[o.Grade]++
	t.Rungs[o.Rung]++
	if claims(o) && !positive(o) && !slices.Contains(o.Accept, o.Headline) {
		t.FalseClaims = append(t.FalseClaims, o.ID)
	}
	if positive(o) && denials[o.Headline] && !slices.Contains(o.Accept, o.Headline) {
		t.FalseDenials = append(t.FalseDenials, o.ID)
	}
	switch {
	case positive(o) && o.NeedsLLM:
		t.Model.count(o)
	case positive(o):
		t.Reachable.count(o)
	case o.NeedsLLM:
		t.ModelNegatives.count(o)
	default:
		t.Negatives.count(o)
	}
}

func (r *Recall) count(o Outcome) {
	r.Of++
	switch {
	case claims(o):
		r.GradeC++
		if o.Grade <= "B" {
			r.GradeB++
		}
	case right(o):
		r.Accepted++
	default:
		r.Missed = append(r.Missed, o.ID)
	}
}

func (e *Exact) count(o Outcome) {
	e.Of++
	if right(o) {
		e.Exact++
		return
	}
	e.Wrong = append(e.Wrong, o.ID)
}

func timesOf(outcomes []Outcome) Times {
	t := Times{Stages: map[string]float64{}}
	var all, sandbox []float64
	stages := map[string][]float64{}
	for _, o := range outcomes {
		t.Total += o.Seconds
		// Kept ones were measured in an earlier call, with other neighbours;
		// what ended at triage ran nothing whose time could matter.
		if o.Kept || o.Runs == 0 {
			continue
		}
		t.Of++
		all, sandbox = append(all, o.Seconds), append(sandbox, o.Sandbox)
		for name, s := range o.Stages {
			stages[name] = append(stages[name], s)
		}
	}
	t.Median, t.Sandbox = median(all), median(sandbox)
	for name, list := range stages {
		t.Stages[name] = median(list)
	}
	return t
}

func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(list))
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}

// seen are the headlines that occur, in the order of the tables.
func (t *Table) seen(expected bool) []oracle.Headline {
	has := map[oracle.Headline]bool{}
	for e, row := range t.Confusion {
		if expected {
			has[e] = true
			continue
		}
		for got := range row {
			has[got] = true
		}
	}
	order := map[oracle.Headline]int{}
	for i, h := range headlines {
		order[h] = i
	}
	return slices.SortedFunc(maps.Keys(has), func(a, b oracle.Headline) int { return cmp.Compare(order[a], order[b]) })
}
