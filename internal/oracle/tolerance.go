package oracle

import (
	"fmt"
	"math"
	"strings"

	"github.com/repgen/repgen/internal/sandbox/probe"
)

// roundingFactor is C in the bound C * eps * sqrt(n) * magnitude. Errors of n
// roundings grow like sqrt(n) when they are independent (Higham, Accuracy and
// Stability of Numerical Algorithms, 2.8). TestRoundingFactor measures C: float32
// sums of 10 to a million terms lie from the float64 sum by at most
//
//	0.5  uniform terms, any order (0.7 between two orders)
//	4.0  squares added naively in order; 0.5 in lanes or pairs, as libraries do
//	1.7  terms of eight decimal orders in lanes or pairs (11 naively in order:
//	     no library adds a million numbers so)
//
// units of eps * sqrt(n) * |result|, so that 8 leaves room of 2 to 10 times for
// a handful of operations per element and inputs larger than the result. What it
// does not cover: sums of both signs that cancel (1 to 2 % of random ones lie
// outside), for which |result| says nothing of the terms; a bound that covers
// them would excuse what is no rounding. On real libraries a float32 sum
// of 16,448 products, eager against compiled by XLA on a CPU, differed by 0.0006
// of the bound; a true defect in float64 (0.1025 against 0.0975, four samples)
// exceeded it 1e13 times.
const roundingFactor = 8

// eps is the distance from 1 to the next number, by dtype.
var eps = map[string]float64{
	"float64": 2.220446049250313e-16, "float32": 1.1920928955078125e-07,
	"float16": 9.765625e-04, "bfloat16": 7.8125e-03,
	"complex128": 2.220446049250313e-16, "complex64": 1.1920928955078125e-07,
	"float": 2.220446049250313e-16, "complex": 2.220446049250313e-16,
}

// accumulator is the type in which libraries add up 16-bit floats (numpy, torch
// and XLA on a CPU all use float32); their own precision is lost once, at the
// end. With eps(bfloat16) * sqrt(n) a million elements would excuse anything.
const accumulator = "float32"

// bound is a derived tolerance with everything it was derived from.
type bound struct {
	value     float64
	dtype     string
	n         int
	magnitude float64
}

// unit is the error of one sum of n terms, relative to its result.
func (b bound) unit() float64 {
	if e := eps[b.dtype]; e <= eps[accumulator] {
		return e * math.Sqrt(float64(b.n))
	}
	return eps[b.dtype] + eps[accumulator]*math.Sqrt(float64(b.n))
}

// String shows the derivation, so that a reader can check it.
func (b bound) String() string {
	if eps[b.dtype] > eps[accumulator] {
		return fmt.Sprintf("%d * (eps(%s) + eps(%s) * sqrt(%d)) * %.4g = %.3g", roundingFactor, b.dtype, accumulator, b.n, b.magnitude, b.value)
	}
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
	b.value = roundingFactor * b.unit() * b.magnitude
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
