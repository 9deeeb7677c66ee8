package dense

import (
	"math"
	"unsafe"
)

// A row is kept twice: as float32, which is what is compared, and as codes of
// one byte a number, which a search reads first. From codes follows where the
// cosine lies for certain; only rows that could be among the best are then
// read as float32. The answer is that of reading all of them (proved by
// bounds below, and tested), for a quarter of the memory that goes by: 50,000
// rows of 384 are 19 MB instead of 77.
//
// With x = s*c + r (s the scale, c the codes, r what is left) and likewise
// q = t*d + e, and |x|, |q| <= u:
//
//	|q.x - s*t*(c.d)| = |e.(s*c) + q.r| <= |e| * (u + |r|) + u * |r|
//
// |r| is measured when a row is made and rounded up. The float32 sum is off by
// at most dims * 2^-24 * |q| * |x| more.
type codes struct {
	code  []int8 // codeDims(dims) of them
	scale float32
	miss  float32 // at least |r|
}

const (
	maxCode = 127
	// codeAlign is how many codes one step of the product takes; rows are filled
	// up with zeros.
	codeAlign = 32
	// unitLimit is u: toUnit leaves squared lengths up to 1 + unitSlack, and
	// rounding to float32 adds less than a tenth of the rest.
	unitLimit = 1 + unitSlack
)

// codeDims is the length of a row of codes.
func codeDims(dims int) int { return (dims + codeAlign - 1) &^ (codeAlign - 1) }

// encode makes the codes of x, into code, whose end stays zero.
func encode(x []float32, code []int8) codes {
	var most float32
	for _, f := range x {
		most = max(most, f, -f)
	}
	c := codes{code: code, scale: most / maxCode}
	if c.scale == 0 { // nothing but zeros, or next to it
		c.miss = up(norm(x))
		return c
	}
	inverse := 1 / float64(c.scale)
	var sum float64
	for i, f := range x {
		n := math.RoundToEven(float64(f) * inverse)
		n = max(-maxCode, min(maxCode, n))
		code[i] = int8(n)
		r := float64(f) - n*float64(c.scale)
		sum += r * r
	}
	c.miss = up(math.Sqrt(sum))
	return c
}

func norm(x []float32) float64 {
	var sum float64
	for _, f := range x {
		sum += float64(f) * float64(f)
	}
	return math.Sqrt(sum)
}

// up is the next float32 above x and above what rounding x may have lost.
func up(x float64) float32 {
	return math.Nextafter32(float32(x*(1+1e-12)), float32(math.Inf(1)))
}

// asked is a query as codes of two bytes, and what bounds its products.
type asked struct {
	code  []int16
	scale float64
	base  float64 // of the bound: what does not depend on the row
	slope float64 // times the row's miss
}

func newAsked(q []float32) asked {
	n := codeDims(len(q))
	// No sum of products may leave an int32.
	limit := min(math.MaxInt16, float64(math.MaxInt32/(maxCode*n)))
	var most float64
	for _, f := range q {
		most = max(most, math.Abs(float64(f)))
	}
	a := asked{code: make([]int16, n), scale: most / limit}
	var sum float64
	for i, f := range q {
		var d float64
		if a.scale > 0 {
			d = max(-limit, min(limit, math.RoundToEven(float64(f)/a.scale)))
		}
		a.code[i] = int16(d)
		e := float64(f) - d*a.scale
		sum += e * e
	}
	miss := math.Sqrt(sum) * (1 + 1e-12)
	rounding := float64(len(q)) * 0x1p-23 // twice the bound: u and the conversion
	a.base = miss*unitLimit + rounding + 1e-12
	a.slope = unitLimit + miss
	return a
}

// between gives bounds of the cosine of a row.
func (a *asked) between(code *int8, scale, miss float32) (lo, hi float64) {
	c := float64(product(a.code, code)) * a.scale * float64(scale)
	b := a.base + a.slope*float64(miss)
	// The cosine itself is clamped to [-1, 1].
	return min(c-b, 1), max(c+b, -1)
}

// productGo is the product without vector instructions.
func productGo(q []int16, code *int8) int32 {
	c := unsafe.Slice(code, len(q))
	var a, b int32
	for i := 0; i+1 < len(q); i += 2 {
		a += int32(q[i]) * int32(c[i])
		b += int32(q[i+1]) * int32(c[i+1])
	}
	return a + b
}
