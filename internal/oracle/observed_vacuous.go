package oracle

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// A claim is tried over values of our own before anything runs: one that cannot
// say yes, or cannot say no, is worth nothing whatever a run shows.

const (
	// maxTrials bounds the assignments that are tried; beyond it they are drawn.
	// 8,192 take some 10 ms (measured).
	maxTrials = 8192
	// clash is the share of the assignments with one answer in which the other
	// one holds too, from which on the two contradict each other. A guess: "not
	// 5" beside "finite" is far above it, thresholds with a shared end far below.
	clash = 0.5
	// maxDimension keeps made-up shapes small.
	maxDimension = 1 << 20
)

// vacuous says why the claim can never decide anything; empty: it can.
func (c *claim) vacuous() []string {
	n := struct{ bad, good, hit, clean, both, tried int }{}
	for env := range c.assignments {
		bad, err1 := answer(c.bad, env)
		good, err2 := answer(c.good, env)
		if err1 != nil || err2 != nil {
			continue // an index that this array has not
		}
		n.tried++
		n.bad, n.good = n.bad+one(bad), n.good+one(good)
		n.hit, n.clean, n.both = n.hit+one(bad && !good), n.clean+one(good && !bad), n.both+one(bad && good)
	}
	var why []string
	say := func(condition bool, format string, args ...any) {
		if condition {
			why = append(why, fmt.Sprintf(format, args...))
		}
	}
	say(n.tried == 0, "the expressions could be evaluated over none of the values that were tried")
	if n.tried == 0 {
		return why
	}
	say(n.bad == 0, "what is bad can never be: %q holds for none of %d values", c.text.Bad, n.tried)
	say(n.bad == n.tried, "what is bad always is: %q holds for all of %d values", c.text.Bad, n.tried)
	say(n.good == 0, "what is good can never be: %q holds for none of %d values", c.text.Good, n.tried)
	say(n.good == n.tried, "what is good always is: %q holds for all of %d values", c.text.Good, n.tried)
	if len(why) > 0 {
		return why
	}
	say(n.hit == 0, "nothing is bad without being good as well")
	say(n.clean == 0, "nothing is good without being bad as well")
	say(float64(n.both) > clash*float64(min(n.bad, n.good)), "what is bad and what is good hold at once for %d of %d values", n.both, n.tried)
	return why
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// assignments yields environments: all combinations where they are few, else the
// equal ones and a fixed sample.
func (c *claim) assignments(yield func(map[string]any) bool) {
	choices, total, longest := make([][]any, len(c.used)), 1, 0
	for i, name := range c.used {
		choices[i] = c.values(c.types[name])
		longest = max(longest, len(choices[i]))
		total = min(total*len(choices[i]), maxTrials+1)
	}
	env := map[string]any{}
	for name, kind := range c.types {
		env[name] = observedTypes[kind]
	}
	set := func(pick func(i, n int) int) bool {
		for i, name := range c.used {
			env[name] = choices[i][pick(i, len(choices[i]))]
		}
		return yield(env)
	}
	if total <= maxTrials {
		for k := range total {
			if !set(func(_, n int) int { at := k % n; k /= n; return at }) {
				return
			}
		}
		return
	}
	for k := range longest { // equal values of all names
		if !set(func(_, n int) int { return k % n }) {
			return
		}
	}
	rng := rand.New(rand.NewPCG(1, 2)) // fixed: an answer must not change from run to run
	for range maxTrials - longest {
		if !set(func(_, n int) int { return rng.IntN(n) }) {
			return
		}
	}
}

// values of a type that are tried: odd ones, and those near the literals.
func (c *claim) values(kind string) []any {
	switch kind {
	case "bool":
		return []any{true, false}
	case "string":
		out := []any{"", "other"}
		for _, l := range c.literals {
			if l.String && !slices.Contains(out, any(l.Text)) {
				out = append(out, l.Text)
			}
		}
		return out
	case "number":
		var out []any
		for _, x := range c.numbers() {
			out = append(out, x)
		}
		return out
	}
	var out []any
	for _, a := range c.arrays() {
		out = append(out, a)
	}
	return out
}

// numbers: 0, 1, -1, what is no number, a large one, and every literal with its
// neighbours.
func (c *claim) numbers() []float64 {
	out := []float64{0, 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), 1e6}
	for _, l := range c.literals {
		if l.String {
			continue
		}
		for _, x := range []float64{l.Number, -l.Number, l.Number + 1, l.Number - 1, l.Number * (1 + 1e-9), l.Number * 1.05, l.Number * 0.95, l.Number / 2} {
			if !slices.Contains(out, x) {
				out = append(out, x)
			}
		}
	}
	return out[:min(len(out), 64)]
}

// arrays: small and odd ones, with the shapes, dtypes and values of the literals.
func (c *claim) arrays() []array {
	dtypes, shapes := []string{"float32", "int64"}, [][]int{{}, {0}, {1}, {2}, {3}, {2, 2}, {2, 3}, {1, 2, 3}}
	fills := []float64{0, 1, math.NaN(), math.Inf(1)}
	for _, l := range c.literals {
		switch {
		case l.String:
			dtypes = append(dtypes, l.Text)
		default:
			fills = append(fills, l.Number, l.Number*1.05+1e-9)
			if n := int(l.Number); float64(n) == l.Number && n >= 0 && n < maxDimension {
				shapes = append(shapes, []int{n}, []int{2, n}, []int{n, 2}, []int{2, 2, n})
			}
		}
	}
	shapes = append(shapes, c.shapes...)
	var out []array
	for i, s := range shapes[:min(len(shapes), 24)] {
		for k, fill := range fills[:min(len(fills), 12)] {
			out = append(out, filled(dtypes[(i+k)%len(dtypes)], s, fill, k%2 == 0))
		}
	}
	for _, d := range dtypes {
		out = append(out, filled(d, []int{2}, 1, true))
	}
	return out
}

// filled is an array of one value, with another in the first place where mixed.
func filled(dtype string, shape []int, fill float64, mixed bool) array {
	a := array{Shape: shape, DType: dtype, Size: 1, Min: math.NaN(), Max: math.NaN(), Mean: math.NaN()}
	for _, n := range shape {
		a.Size = min(a.Size*max(min(n, maxDimension), 0), maxDimension)
	}
	if a.Size <= 64 {
		a.Values = make([]float64, a.Size)
		for i := range a.Values {
			a.Values[i] = fill
		}
		if mixed && a.Size > 1 {
			a.Values[0] = 0.5
		}
		for _, x := range a.Values {
			a.Finite += one(isFinite(x))
		}
		if a.Finite > 0 {
			a.statistics()
		}
	} else if isFinite(fill) {
		a.Finite, a.Min, a.Max, a.Mean = a.Size, fill, fill, fill
	}
	a.NonFinite = a.Size - a.Finite
	a.Hash = fmt.Sprintf("%s %v %v %v", dtype, shape, fill, mixed)
	return a
}
