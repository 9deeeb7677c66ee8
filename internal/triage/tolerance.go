package triage

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// precisions are the distance of 1 to the next number of each type (IEEE 754;
// bfloat16 has 8 bits of precision).
var precisions = map[string]float64{
	"float16": 0x1p-10, "bfloat16": 0x1p-7, "float32": 0x1p-23, "float64": 0x1p-52,
}

// allowedUnits is how many units in the last place two correct results of one
// formula may be apart when nothing is known of its length: each side rounds at
// least twice (the operation and the result). A guess on the cautious side: a
// longer reduction allows more, and then a run with its measured tolerance decides.
const allowedUnits = 4

var (
	// differing is a complaint about two numbers that are nearly the same.
	differing = lazyre.New(`(?i)\b(?:not equal|unequal|differ\w*|mismatch\w*|inconsistent|precision|inexact|allclose|not (?:exactly )?(?:the same|identical)|rounding|slight\w*|off by|close to)\b|!=|==`)
	// twoNumbers are two numbers that a sentence sets against each other.
	twoNumbers = lazyre.New(`(?i)([-+]?\d+\.\d{4,}(?:e[-+]?\d+)?)` + "[`'\"]*" + `\s*(?:,|vs\.?|versus|and|but|instead of|rather than|!=|where|while)\s[^\d\n.]{0,50}?` + "[`'\"]*" + `([-+]?\d+\.\d+(?:e[-+]?\d+)?|[-+]?\d+)\b`)
	floatNamed = lazyre.New(`\b(b?float(?:16|32|64))\b`)
)

// withinRounding computes the bound where the report gives both numbers and the
// type: nil when it does not, or when the numbers are further apart.
func withinRounding(rd *reading) *Reason {
	if !differing.MatchString(rd.r.Title) && !differing.MatchString(rd.prose) {
		return nil
	}
	for _, m := range twoNumbers.FindAllStringSubmatchIndex(rd.prose, 8) {
		a, b := rd.prose[m[2]:m[3]], rd.prose[m[4]:m[5]]
		x, err1 := strconv.ParseFloat(a, 64)
		y, err2 := strconv.ParseFloat(b, 64)
		dtype := typeOfNumbers(rd, a, b)
		eps, known := precisions[dtype]
		if err1 != nil || err2 != nil || !known || x == y || x == 0 || y == 0 {
			continue
		}
		apart := math.Abs(x-y) / math.Max(math.Abs(x), math.Abs(y))
		if bound := allowedUnits * eps; apart <= bound {
			return &Reason{
				Text: fmt.Sprintf("the stated numbers %s and %s differ by %.2g relative, and rounding alone allows %d units of %s, %.2g", a, b, apart, allowedUnits, dtype, bound),
				Span: &report.Span{Start: m[2], End: m[5]},
			}
		}
	}
	return nil
}

// doubleDigits is from how many significant digits on a number can only come
// from a 64-bit type (2^53 has 16 digits).
const doubleDigits = 16

// typeOfNumbers is the only floating-point type that the report names, or the
// one that the digits of a number need; "" when it is not given.
func typeOfNumbers(rd *reading, numbers ...string) string {
	for _, n := range numbers {
		mantissa, _, _ := strings.Cut(strings.ToLower(n), "e")
		if digits := strings.TrimLeft(strings.NewReplacer(".", "", "-", "", "+", "").Replace(mantissa), "0"); len(digits) >= doubleDigits {
			return "float64"
		}
	}
	found := ""
	for _, text := range []string{rd.prose, rd.script.source} {
		for _, m := range floatNamed.FindAllStringSubmatch(text, 16) {
			if found != "" && found != m[1] {
				return ""
			}
			found = m[1]
		}
	}
	return found
}
