package audit

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Value is a summary of one value (observer/repgen_probe/audit_values.py).
type Value struct {
	Kind string `json:"k"`
	// Text is a scalar's literal, the beginning of a string, a name, or dtype and
	// shape of an array.
	Text string `json:"v,omitempty"`
	// Root is the import root of the package that its type is of: "" for the
	// standard library, "__main__" for the script.
	Root string `json:"t,omitempty"`
	Hash string `json:"h,omitempty"`
	// Size counts elements; of an "object" it is the question that gave it.
	Size    int      `json:"n,omitempty"`
	Elems   []Value  `json:"e,omitempty"`
	Figures []string `json:"f,omitempty"` // finite, min, max, mean, largest size
}

// public are values that a package offers by name: its functions, classes and
// modules. Which there are is a matter of the release.
func (v Value) public() bool {
	return v.Kind == "public" || v.Kind == "method" || v.Kind == "builtin" || v.Kind == "source"
}

// own says that a value is a package's, or made by it.
func (v Value) own(s Suspect) bool {
	if v.Kind == "method" || v.Kind == "builtin" {
		return len(v.Elems) > 0 && v.Elems[0].own(s)
	}
	return !v.public() && s.has(v.Root)
}

// equal compares summaries wholly; elements of objects are not part of them.
func equal(a, b Value) bool {
	if a.Kind != b.Kind || a.Text != b.Text || a.Root != b.Root || a.Hash != b.Hash || a.Size != b.Size || len(a.Elems) != len(b.Elems) {
		return false
	}
	for i := range a.Elems {
		if !equal(a.Elems[i], b.Elems[i]) {
			return false
		}
	}
	return true
}

// rounding is how far figures of arrays and floats may lie apart, relative to
// the largest, to be one question: what two releases round otherwise. A guess, ten
// units of float32.
const rounding = 1e-6

// near says that two values are numbers, or arrays of numbers, that differ by
// rounding.
func near(a, b Value) bool {
	switch {
	case a.Kind != b.Kind:
		return false
	case a.Kind == "float":
		return close(a.Text, b.Text, 0)
	case a.Kind != "array" || a.Text != b.Text || len(a.Figures) != len(b.Figures) || len(a.Figures) == 0:
		return false
	}
	scale, _ := strconv.ParseFloat(a.Figures[len(a.Figures)-1], 64) // what is no number is 0
	for i := range a.Figures {
		if !close(a.Figures[i], b.Figures[i], scale) {
			return false
		}
	}
	for i := range min(len(a.Elems), len(b.Elems)) {
		if !close(a.Elems[i].Text, b.Elems[i].Text, scale) {
			return false
		}
	}
	return true
}

func close(a, b string, scale float64) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if a == b || errX != nil || errY != nil {
		return a == b
	}
	return x == y || math.Abs(x-y) <= rounding*max(math.Abs(x), math.Abs(y), math.Abs(scale))
}

// pair is a value on the reported side and the one in its place on the control.
type pair struct{ reported, control Value }

func (p pair) key() string { return key(p.reported) + "\x00" + key(p.control) }

func key(v Value) string {
	return fmt.Sprintf("%s\x01%s\x01%s\x01%s\x01%d\x01%d", v.Kind, v.Text, v.Root, v.Hash, v.Size, deep(v))
}

// deep is a number that follows from all elements.
func deep(v Value) (sum uint64) {
	for i, e := range v.Elems {
		h := uint64(1469598103934665603)
		for _, c := range []byte(key(e)) {
			h = (h ^ uint64(c)) * 1099511628211
		}
		sum = sum*31 + h + uint64(i)
	}
	return sum
}

// alike: two containers that can be compared element by element.
func (p pair) alike() bool {
	a, b := p.reported, p.control
	return a.Kind == b.Kind && a.Size == b.Size && a.Text == b.Text && a.Root == b.Root && len(a.Elems) == len(b.Elems) && a.Kind != "array"
}

// within are all values that a pair holds at equal places, itself first.
func (p pair) within() []pair {
	out := []pair{p}
	if p.reported.Kind == "array" {
		return out
	}
	for i := range min(len(p.reported.Elems), len(p.control.Elems)) {
		out = append(out, pair{p.reported.Elems[i], p.control.Elems[i]}.within()...)
	}
	return out
}

// first is the path to the first difference and the two values there, as text.
func (p pair) first() (path, reported, control string) {
	a, b := p.reported, p.control
	if p.alike() {
		for i := range a.Elems {
			in := pair{a.Elems[i], b.Elems[i]}
			if equal(in.reported, in.control) {
				continue
			}
			step := fmt.Sprintf("[%d]", i)
			if a.Elems[i].Kind == "pair" && len(a.Elems[i].Elems) == 2 && len(b.Elems[i].Elems) == 2 {
				in = pair{a.Elems[i].Elems[1], b.Elems[i].Elems[1]}
				step = "[" + a.Elems[i].Elems[0].String() + "]"
			}
			path, reported, control = in.first()
			return step + path, reported, control
		}
	}
	return "", a.String(), b.String()
}

// maxShown is how many characters of a value are printed.
const maxShown = 80

// String is a value for people.
func (v Value) String() string {
	text := v.Text
	switch v.Kind {
	case "str":
		text = strconv.Quote(v.Text)
	case "list", "tuple", "set", "frozenset", "dict", "keys", "values", "items":
		var parts []string
		for _, e := range v.Elems[:min(len(v.Elems), 4)] {
			parts = append(parts, e.String())
		}
		if v.Size > len(parts) {
			parts = append(parts, "...")
		}
		open, end, _ := strings.Cut(cmp.Or(map[string]string{"list": "[ ]", "tuple": "( )"}[v.Kind], "{ }"), " ")
		text = open + strings.Join(parts, ", ") + end
	case "pair":
		if len(v.Elems) == 2 {
			text = v.Elems[0].String() + ": " + v.Elems[1].String()
		}
	case "array":
		if len(v.Elems) > 0 {
			var parts []string
			for _, e := range v.Elems {
				parts = append(parts, e.Text)
			}
			text += " [" + strings.Join(parts, " ") + "]"
		} else if len(v.Figures) == 5 {
			text += fmt.Sprintf(" %s..%s", v.Figures[1], v.Figures[2])
		}
	case "exception":
		if len(v.Elems) > 0 && v.Elems[0].Kind == "str" {
			text += ": " + strings.Join(strings.Fields(v.Elems[0].Text), " ")
		}
	case "object", "other":
		text = "<" + strings.TrimPrefix(v.Root+"."+v.Text, ".") + ">"
	}
	if r := []rune(text); len(r) > maxShown {
		text = string(r[:maxShown]) + "..."
	}
	return text
}
