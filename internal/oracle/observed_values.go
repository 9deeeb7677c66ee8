package oracle

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
)

// array is an observed array as expressions see it. NaN stands where the
// observer gave no figure (the mean of nothing finite).
type array struct {
	Shape     []int     `expr:"shape"`
	DType     string    `expr:"dtype"`
	Size      int       `expr:"size"`
	Finite    int       `expr:"finite"`
	NonFinite int       `expr:"nonfinite"`
	Min       float64   `expr:"min"`
	Max       float64   `expr:"max"`
	Mean      float64   `expr:"mean"`
	Values    []float64 `expr:"values"` // whole and flattened, at most 64
	Hash      string    `expr:"hash"`
}

// observedTypes are the types of observations with a value of each.
var observedTypes = map[string]any{"number": 0.0, "bool": false, "string": "", "array": array{}}

var arrayFields = map[string]bool{
	"shape": true, "dtype": true, "size": true, "finite": true, "nonfinite": true,
	"min": true, "max": true, "mean": true, "values": true, "hash": true,
}

// described are the fields that need no element of the array to be read.
var described = map[string]bool{"shape": true, "dtype": true, "size": true}

var functionNames = []string{"abs", "isnan", "isinf", "isfinite", "close", "same"}

func isFunction(name string) bool { return slices.Contains(functionNames, name) }

// observedFunctions are the helpers. None of them loops over more than the 64
// elements that the observer writes out.
func observedFunctions() []expr.Option {
	one := func(name string, f func(float64) any, kind any) expr.Option {
		return expr.Function(name, func(args ...any) (any, error) { return f(asFloat(args[0])), nil }, kind)
	}
	return []expr.Option{
		one("abs", func(x float64) any { return math.Abs(x) }, new(func(float64) float64)),
		one("isnan", func(x float64) any { return math.IsNaN(x) }, new(func(float64) bool)),
		one("isinf", func(x float64) any { return math.IsInf(x, 0) }, new(func(float64) bool)),
		one("isfinite", func(x float64) any { return isFinite(x) }, new(func(float64) bool)),
		expr.Function("close", func(args ...any) (any, error) {
			return closeTo(asFloat(args[0]), asFloat(args[1]), asFloat(args[2])), nil
		}, new(func(float64, float64, float64) bool)),
		expr.Function("same", func(args ...any) (any, error) {
			a, okA := args[0].(array)
			b, okB := args[1].(array)
			return okA && okB && sameArrays(a, b), nil
		}, new(func(array, array) bool)),
	}
}

func asFloat(v any) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case int:
		return float64(v)
	}
	return math.NaN()
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// closeTo: |a - b| <= rtol * max(|a|, |b|); equal infinities are close, NaN is close to
// nothing.
func closeTo(a, b, rtol float64) bool {
	return a == b || isFinite(a) && isFinite(b) && math.Abs(a-b) <= rtol*max(math.Abs(a), math.Abs(b))
}

// sameArrays: the same elements in the same shape; NaN is the same as NaN.
func sameArrays(a, b array) bool {
	if a.DType != b.DType || !slices.Equal(a.Shape, b.Shape) {
		return false
	}
	if a.Hash != "" && b.Hash != "" {
		return a.Hash == b.Hash
	}
	return len(a.Values) == a.Size && slices.EqualFunc(a.Values, b.Values, func(x, y float64) bool {
		return x == y || math.IsNaN(x) && math.IsNaN(y)
	})
}

// observations are the last ones under each name, with how often each came.
type observations struct {
	last  map[string]probe.Observation
	times map[string]int
}

func lastOf(c *claim, ex sandbox.Execution) observations {
	s := observations{map[string]probe.Observation{}, map[string]int{}}
	for _, o := range ex.Record.Observations {
		if c.types[o.Name] != "" {
			s.last[o.Name] = o
			s.times[o.Name]++
		}
	}
	return s
}

func (c *claim) missing(s observations) []string {
	return slices.DeleteFunc(slices.Clone(c.used), func(name string) bool { return s.times[name] > 0 })
}

// environment gives the observations their declared types.
func (c *claim) environment(s observations) (env map[string]any, why []string) {
	env = map[string]any{}
	for name, kind := range c.types {
		env[name] = observedTypes[kind]
	}
	for _, name := range c.used {
		v, err := typed(s.last[name], c.types[name])
		if err == nil && c.types[name] == "array" {
			err = c.readable(s.last[name], v.(array))
		}
		if err != nil {
			why = append(why, fmt.Sprintf("the observation %s %v", name, err))
			continue
		}
		env[name] = v
	}
	return env, why
}

// readable says whether the fields that the claim reads were recorded: large
// arrays are described and not read.
func (c *claim) readable(o probe.Observation, a array) error {
	unread := o.Hash == "" && len(o.Values) < o.Size
	for _, f := range slices.Sorted(maps.Keys(c.fields)) {
		switch {
		case described[f] || f == "hash" && o.Hash != "":
		case unread:
			return fmt.Errorf("was too large or too odd to be read, and the claim asks for its %s", f)
		case f == "values" && len(a.Values) != a.Size && o.Hash == "":
			return fmt.Errorf("has elements that are no numbers")
		}
	}
	return nil
}

// typed is an observation as a value of a type; a mismatch is an error.
func typed(o probe.Observation, kind string) (any, error) {
	mismatch := fmt.Errorf("is a %s (%s), not the %s that the claim calls it", o.Kind, clip(o.Type), kind)
	switch {
	case kind == "string" && o.Kind == "str":
		return o.Text, nil
	case kind == "bool" && o.Kind == "bool":
		return o.Text == "True", nil
	case kind == "bool" && o.Kind == "array" && o.Size == 1 && len(o.Values) == 1 && (o.Values[0] == "True" || o.Values[0] == "False"):
		return o.Values[0] == "True", nil
	case kind == "number" && (o.Kind == "int" || o.Kind == "float"):
		return parsed(o.Text, mismatch)
	case kind == "number" && o.Kind == "array" && o.Size == 1 && len(o.Values) == 1:
		return parsed(o.Values[0], mismatch)
	case kind == "array" && (o.Kind == "array" || o.Kind == "sequence"):
		return arrayOf(o), nil
	}
	return nil, mismatch
}

func parsed(text string, mismatch error) (any, error) {
	x, ok := number64(text)
	if !ok {
		return nil, mismatch
	}
	return x, nil
}

// number64 reads a number as the observer writes it.
func number64(text string) (float64, bool) {
	switch text {
	case "True":
		return 1, true
	case "False":
		return 0, true
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil && (len(text) == 0 || !math.IsInf(x, 0)) {
		return 0, false
	}
	return x, true
}

func arrayOf(o probe.Observation) array {
	a := array{Shape: slices.Clone(o.Shape), DType: o.DType, Size: o.Size, Hash: o.Hash}
	if o.Kind == "sequence" {
		a.DType = "list"
	}
	for _, v := range o.Values {
		x, ok := number64(v)
		if !ok {
			a.Values = nil
			break
		}
		a.Values = append(a.Values, x)
	}
	a.Min, a.Max, a.Mean = figure(o.Min), figure(o.Max), figure(o.Mean)
	a.Finite = a.Size // of integers and booleans
	switch {
	case len(a.Values) == a.Size:
		a.Finite = 0
		for _, x := range a.Values {
			if isFinite(x) {
				a.Finite++
			}
		}
	case strings.Contains(o.DType, "float") || strings.Contains(o.DType, "complex"):
		a.Finite = o.Finite
	}
	a.NonFinite = a.Size - a.Finite
	if o.Min == "" && a.Finite > 0 && len(a.Values) == a.Size {
		a.statistics()
	}
	return a
}

// statistics of the finite elements, for sequences, of which the observer gives
// none.
func (a *array) statistics() {
	sum, n := 0.0, 0
	a.Min, a.Max = math.Inf(1), math.Inf(-1)
	for _, x := range a.Values {
		if isFinite(x) {
			a.Min, a.Max, sum, n = min(a.Min, x), max(a.Max, x), sum+x, n+1
		}
	}
	a.Mean = sum / float64(n)
}

func figure(text string) float64 {
	if x, ok := number64(text); ok {
		return x
	}
	return math.NaN()
}

// words are the observations in one line, for reasons.
func (s observations) words(names []string) string {
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = name + " = " + observedText(s.last[name])
	}
	return clip(strings.Join(parts, ", "))
}

func observedText(o probe.Observation) string {
	if o.Kind != "array" && o.Kind != "sequence" {
		return strconv.Quote(clip(o.Text))[1:max(1, len(strconv.Quote(clip(o.Text)))-1)]
	}
	text := fmt.Sprintf("%s%v", o.DType, o.Shape)
	if o.Size <= 8 && len(o.Values) == o.Size {
		return text + " [" + strings.Join(o.Values, " ") + "]"
	}
	return fmt.Sprintf("%s min %s max %s", text, o.Min, o.Max)
}

// again says which names were observed more than once: the last value counts.
func (s observations) again(names []string) (out []string) {
	for _, name := range names {
		if n := s.times[name]; n > 1 {
			out = append(out, fmt.Sprintf("%s was observed %d times, the last value counts", name, n))
		}
	}
	return out
}
