package embed

import "math"

// Normalize brings a vector to unit length in place. It is false, and the
// vector unchanged, when that cannot be done: a number that is not finite, or
// no length at all.
func Normalize(v []float32) bool {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return false
	}
	scale := 1 / math.Sqrt(sum)
	for i := range v {
		v[i] = float32(float64(v[i]) * scale)
	}
	return true
}
