package oracle

import (
	"fmt"
	"math"
	"strings"

	"github.com/repgen/repgen/internal/sandbox/probe"
)

// roundingFactor is C in the bound C * eps * sqrt(n) * magnitude. Errors of n
// roundings grow like sqrt(n) when they are independent (Higham, Accuracy and
// Stability of Numerical Algorithms, 2.8); C = 8 is a guess that covers the
// roundings of a handful of operations per element and inputs that are larger
// than the result. Measured: a float32 sum of 16,448 products, eager against
// compiled by XLA on a CPU, differed by 0.0006 of the bound; a true defect in
// float64 (0.1025 against 0.0975, four samples) exceeded it 1e13 times.
const roundingFactor = 8

// eps is the distance from 1 to the next number, by dtype.
var eps = map[string]float64{
	"float64": 2.220446049250313e-16, "float32": 1.1920928955078125e-07,
	"float16": 9.765625e-04, "bfloat16": 7.8125e-03,
	"complex128": 2.220446049250313e-16, "complex64": 1.1920928955078125e-07,
	"float": 2.220446049250313e-16, "complex": 2.220446049250313e-16,
}

// bound is a derived tolerance with everything it was derived from.
type bound struct {
	value     float64
	dtype     string
	n         int
	magnitude float64
}

func (b bound) String() string {
	return fmt.Sprintf("%d * eps(%s) * sqrt(%d) * %.4g = %.3g", roundingFactor, b.dtype, b.n, b.magnitude, b.value)
}

// tolerance derives how far two values may differ by rounding alone: from the
// least precise float in play (the operands, and every float array of the
// script: a Python float may come out of a float32 sum), the largest size in
// play, and the operands' magnitude. Near zero the magnitude is that of what
// was added up, which is taken as 1 when it is not known.
func tolerance(left, right float64, operands []probe.Observation, arrays []probe.Observation) bound {
	b := bound{dtype: "float64", n: 1}
	scale := 0.0
	for _, o := range append(append([]probe.Observation(nil), operands...), arrays...) {
		name := dtypeOf(o)
		if e, ok := eps[name]; ok && e > eps[b.dtype] {
			b.dtype = name
		}
		if _, ok := eps[name]; ok || o.Kind == "array" {
			b.n = max(b.n, o.Size)
		}
		scale = max(scale, largest(o))
	}
	b.magnitude = max(math.Abs(left), math.Abs(right))
	if scale == 0 {
		scale = 1
	}
	if b.magnitude < math.Sqrt(eps[b.dtype])*scale {
		b.magnitude = scale
	}
	b.value = roundingFactor * eps[b.dtype] * math.Sqrt(float64(b.n)) * b.magnitude
	return b
}

// dtypeOf is the dtype of an array, or the kind of a scalar that says it.
func dtypeOf(o probe.Observation) string {
	if o.DType != "" {
		return strings.TrimPrefix(strings.TrimPrefix(o.DType, "torch."), "tf.")
	}
	if o.Kind == "float" || o.Kind == "complex" {
		t := strings.TrimPrefix(o.Type[strings.LastIndexByte(o.Type, '.')+1:], "builtins.")
		if _, ok := eps[t]; ok {
			return t
		}
		return o.Kind
	}
	return ""
}

// largest is the largest magnitude in an array, 0 when it was not recorded.
func largest(o probe.Observation) float64 {
	m := 0.0
	for _, t := range []string{o.Min, o.Max} {
		if n, ok := parseNumber(t); ok && n.class == classFinite {
			m = max(m, math.Abs(n.value))
		}
	}
	return m
}
