package oracle

import (
	"math"
	"strconv"
	"strings"
)

// class of a number: compared before its digits.
type class string

const (
	classNaN       class = "nan"
	classInf       class = "inf"
	classNegInf    class = "-inf"
	classZero      class = "zero"
	classSubnormal class = "subnormal"
	classFinite    class = "finite"
)

// smallestNormal is the smallest normal float64; below it lie subnormals.
const smallestNormal = 2.2250738585072014e-308

// nearZero: two residuals below it are both "zero up to rounding" of ordinary
// float64 work (guess; a relative comparison of 1e-16 with 3e-16 says nothing).
const nearZero = 1e-12

// carryOver is the relative difference allowed between a printed float and
// ours: other machines add in another order. 1e-5 is what float32 sums of some
// thousand terms differ by (measured with jax: 1e-7 to 1e-6; with room).
const carryOver = 1e-5

// number is a number as it was written.
type number struct {
	text    string
	value   float64
	class   class
	integer bool    // written without point and exponent
	whole   bool    // written "1." or "2.e-05"
	ulp     float64 // one unit of the last digit that was written
	prefix  bool    // written "1.57...": only these digits are known
	cut     bool    // the line that it ends is cut there: perhaps the number too
}

// parseNumber reads a number as programs print it; ok is false for words.
func parseNumber(text string) (number, bool) {
	n := number{text: text}
	t := strings.ToLower(text)
	switch strings.TrimLeft(t, "+-") {
	case "nan":
		n.class, n.value = classNaN, math.NaN()
		return n, true
	case "inf", "infinity":
		n.class, n.value = classInf, math.Inf(1)
		if strings.HasPrefix(t, "-") {
			n.class, n.value = classNegInf, math.Inf(-1)
		}
		return n, true
	}
	v, err := strconv.ParseFloat(strings.TrimSuffix(t, "."), 64)
	if err != nil && !math.IsInf(v, 0) {
		return number{}, false
	}
	n.value, n.class = v, classOf(v)
	mantissa, exp, hasExp := strings.Cut(t, "e")
	_, decimals, point := strings.Cut(mantissa, ".")
	n.integer, n.whole = !point && !hasExp, point && decimals == ""
	e, _ := strconv.Atoi(exp) // absent: 0
	n.ulp = math.Pow(10, float64(e-len(decimals)))
	return n, true
}

// classOf: zero and subnormal are classes of their own: both are what a flushed
// or garbage result looks like, and no relative difference tells them apart.
func classOf(v float64) class {
	switch {
	case math.IsNaN(v):
		return classNaN
	case math.IsInf(v, 1):
		return classInf
	case math.IsInf(v, -1):
		return classNegInf
	case v == 0:
		return classZero
	case math.Abs(v) < smallestNormal:
		return classSubnormal
	}
	return classFinite
}

// sameNumber says whether an observed number is the stated one: same class,
// then the digits that were written. Integers are exact. Two subnormals are
// the same: what such garbage exactly is differs from run to run.
func sameNumber(stated, seen number, approximate bool) bool {
	if stated.class != seen.class {
		return false
	}
	if stated.class != classFinite || approximate {
		return true
	}
	if stated.prefix {
		return strings.HasPrefix(strings.TrimLeft(seen.text, "+"), strings.TrimLeft(stated.text, "+"))
	}
	if stated.cut && !stated.integer && strings.HasPrefix(seen.text, stated.text) {
		return true
	}
	diff := math.Abs(stated.value - seen.value)
	if stated.integer && seen.integer {
		return diff == 0
	}
	if math.Abs(stated.value) < nearZero && math.Abs(seen.value) < nearZero {
		return true
	}
	// numpy and torch end a number with its point where no digit follows: "1."
	// is one to all the digits that they print, not something that rounds to it.
	if stated.integer || stated.whole {
		return diff <= carryOver*math.Abs(stated.value)
	}
	// Rounding moves a number by half a unit of the last digit. A whole unit is
	// left to another machine's order of addition, where so many digits were
	// written that it is small ("0.5000"); 0.5 and 0.6 are two numbers.
	unit := stated.ulp / 2
	if stated.ulp <= 1e-3*math.Abs(stated.value) {
		unit = stated.ulp
	}
	return diff <= unit*1.0001 || diff <= carryOver*math.Abs(stated.value)
}
