package oracle

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// judgeShape: a shape, dtype or type is the stated actual one and not the
// expected one. Where printed values are looked at, the actual one must be among
// them; the expected one holds when it is among them and the actual one is not.
func judgeShape(e Expectation, ex sandbox.Execution) Judgement {
	if !ended(ex) {
		return unfinished(e, ex)
	}
	v := e.Value
	if v == nil || v.Actual == "" && v.Expected == "" {
		return absent("the report states neither the actual nor the expected property")
	}
	actual, expected := canonical(v.Property, v.Actual), canonical(v.Property, v.Expected)
	if v.Actual != "" && actual == "" || v.Expected != "" && expected == "" || actual == expected {
		return absent(fmt.Sprintf("%q and %q cannot be told apart as %s", v.Actual, v.Expected, v.Property))
	}
	all, where := properties(e, ex)
	seen := distinct(all)
	if len(seen) == 0 {
		return absent(fmt.Sprintf("no %s of %s was recorded or printed", v.Property, orAny(v.Target)))
	}
	has := func(want string) bool {
		return want != "" && slices.ContainsFunc(seen, func(s string) bool { return sameProperty(v.Property, want, s) })
	}
	// What should have come may stand beside what came: a script prints the
	// dtype of its input as well. As long as the actual one is there, it is wrong.
	words := fmt.Sprintf("the %s of %s is %s", v.Property, where, strings.Join(seen, " and "))
	bad, good := has(actual), has(expected)
	switch {
	case bad, v.Actual == "" && !good:
		return hitOf(kindOfProperty(v.Property), symptom.FieldMatch{
			Field: v.Property, Expected: v.Actual, Observed: strings.Join(seen, ", "), Why: notThat(v.Expected),
		}, e, words+notThat(v.Expected))
	case good:
		return clean(words + ", as the report expects")
	}
	return absent(words + ", which is neither the stated actual nor the expected one")
}

// notThat adds what should have stood there.
func notThat(expected string) string {
	if expected == "" {
		return ""
	}
	return ", not " + expected
}

// kindOfProperty is the field's word for a wrong property.
func kindOfProperty(property string) symptom.Kind {
	switch property {
	case "shape":
		return symptom.Shape
	case "dtype":
		return symptom.DType
	}
	return symptom.WrongValue
}

// judgeShapes holds a control to the places where the reported side has the
// actual value: the expected one must stand there. That it stands somewhere (the
// dtype of the input) is not enough.
func judgeShapes(e Expectation, ev *Evidence) {
	if e.Value == nil || e.Value.Actual == "" {
		return
	}
	want, actual := []string(nil), canonical(e.Value.Property, e.Value.Actual)
	for _, g := range ev.Groups {
		for k, j := range g.Judgements {
			if g.Side == SideReported && j.Finding == Hit && k < len(g.Executions) && want == nil {
				want, _ = properties(e, g.Executions[k])
			}
		}
	}
	for _, g := range ev.Groups {
		for k := range g.Judgements {
			j := &g.Judgements[k]
			if want == nil || g.Side.neverControl() || j.Finding != Clean || k >= len(g.Executions) {
				continue
			}
			have, _ := properties(e, g.Executions[k])
			if !corrected(e, want, have, actual) {
				*j = absent(fmt.Sprintf("where %s stands on the reported side, %s does not stand here: %s", actual, e.Value.Expected, strings.Join(have, ", ")))
				j.Oracle = e.Oracle
			}
		}
	}
}

// corrected: have is want with the expected value in place of every actual one.
func corrected(e Expectation, want, have []string, actual string) bool {
	if len(want) != len(have) {
		return false
	}
	expected := canonical(e.Value.Property, e.Value.Expected)
	for i, w := range want {
		if sameProperty(e.Value.Property, actual, w) && !sameProperty(e.Value.Property, expected, have[i]) {
			return false
		}
	}
	return true
}

// distinct keeps the first of equal texts.
func distinct(all []string) []string {
	var out []string
	for _, s := range all {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// properties are the canonical values of the claimed property in the order in
// which they were printed, and where they were seen.
func properties(e Expectation, ex sandbox.Execution) (seen []string, where string) {
	v := e.Value
	if o, ok := recorded(v.Target, ex.Record); ok {
		if p := propertyOf(v.Property, o); p != "" {
			return []string{p}, v.Target
		}
	}
	var texts []string
	if e.Printed != nil && len(e.Printed.Actual) > 0 {
		texts, _ = findLines(labelsOf(e.Printed.Actual), outputLines(ex))
	} else {
		texts = labelled(stdoutLines(ex).lines, v.Target)
	}
	brackets := strings.HasPrefix(strings.TrimSpace(v.Actual+v.Expected), "[")
	for _, t := range texts {
		seen = append(seen, printedProperties(v.Property, t, brackets)...)
	}
	return seen, "what is printed"
}

// labelsOf asks for lines of the stated shape whatever their values are.
func labelsOf(stated []Line) []Line {
	out := slices.Clone(stated)
	for i := range out {
		out[i].Approximate = true
	}
	return out
}

// labelled keeps the lines that have the name as a word; all without a name, and
// all when the name is an expression that no line repeats.
func labelled(list []string, name string) []string {
	if name == "" {
		return list
	}
	label := tokens(name, true)
	var out []string
	for _, l := range list {
		if afterLabel(tokens(l, true), label) != nil {
			out = append(out, l)
		}
	}
	if len(out) == 0 {
		return list
	}
	return out
}

// propertyOf is the property of a recorded value, "" when it was not recorded.
func propertyOf(property string, o probe.Observation) string {
	switch property {
	case "shape":
		if o.Kind != "array" && o.Kind != "sequence" {
			return ""
		}
		dims := make([]string, len(o.Shape))
		for i, n := range o.Shape {
			dims[i] = strconv.Itoa(n)
			if n < 0 {
				dims[i] = "None" // a dimension that is not fixed
			}
		}
		return "(" + strings.Join(dims, ", ") + ")"
	case "dtype":
		return canonical("dtype", o.DType)
	case "type":
		return o.Type
	}
	return ""
}

// Forms in which programs print these properties.
var (
	shapeText   = lazyre.New(`(?:torch\.Size|TensorShape)\(\s*\[([^\]]*)\]\s*\)|\(\s*((?:(?:\d+|None)\s*,\s*)+(?:(?:\d+|None)\s*)?|)\)|\b(?:f|bf|i|u|s)(?:8|16|32|64)\[((?:\d+,?)*)\]`)
	bracketText = lazyre.New(`\[\s*((?:\d+\s*,\s*)*\d+)\s*\]`)
	dtypeText   = lazyre.New(`(?:\b(?:torch|tf|np|numpy|jnp|mx|mindspore)\.)?\b(?:bfloat16|float(?:16|32|64|128|8_\w+)|u?int(?:8|16|32|64)|complex(?:64|128)|bool_?|object)\b|\b(?:torch|tf)\.(?:half|float|double|long|int|short|bfloat16|bool)\b|\b(?:bf16|f16|f32|f64|[iu](?:8|16|32|64)|s(?:32|64)|c64|c128)\b(?:\[)?`)
	typeText    = lazyre.New(`<class '([\w.]+)'>|<type '([\w.]+)'>`)
	dimension   = lazyre.New(`\d+|None|-1|\?`)
)

// dtypeNames are other names of a dtype: torch's, XLA's and the usual short ones.
var dtypeNames = map[string]string{
	"torch.half": "float16", "torch.float": "float32", "torch.double": "float64", "torch.long": "int64",
	"torch.int": "int32", "torch.short": "int16", "tf.half": "float16", "tf.double": "float64",
	"half": "float16", "double": "float64", "fp16": "float16", "fp32": "float32", "fp64": "float64",
	"bf16": "bfloat16", "f16": "float16", "f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128",
	"i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "s32": "int32", "s64": "int64",
	"u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "bool_": "bool",
}

// printedProperties finds the values of a property in one printed line. Plain
// brackets are data unless the report itself writes a shape so.
func printedProperties(property, line string, brackets bool) []string {
	var out []string
	switch property {
	case "shape":
		for _, m := range shapeText.FindAllStringSubmatch(line, -1) {
			out = append(out, canonicalShape(m[1]+m[2]+m[3]))
		}
		if brackets {
			for _, m := range bracketText.FindAllStringSubmatch(line, -1) {
				out = append(out, canonicalShape(m[1]))
			}
		}
	case "dtype":
		for _, m := range dtypeText.FindAllString(line, -1) {
			out = append(out, canonical("dtype", m))
		}
	case "type":
		for _, m := range typeText.FindAllStringSubmatch(line, -1) {
			out = append(out, m[1]+m[2])
		}
	}
	return out
}

// canonical gives equal forms of a property one text, "" for what is none.
func canonical(property, s string) string {
	s = strings.TrimSpace(strings.Trim(strings.TrimSpace(s), "`'\""))
	if s == "" {
		return ""
	}
	switch property {
	case "shape":
		if all := printedProperties("shape", s, true); len(all) > 0 {
			return all[0]
		}
		if dimension.MatchString(s) && strings.Trim(s, "0123456789, xX×None-") == "" {
			return canonicalShape(s) // "3, 4", "3x4"
		}
		return ""
	case "dtype":
		return canonicalDType(s)
	case "type":
		if m := typeText.FindStringSubmatch(s); m != nil {
			return m[1] + m[2]
		}
		return s
	}
	return ""
}

// canonicalShape keeps the dimensions, whatever stands between them.
func canonicalShape(dims string) string {
	return "(" + strings.Join(dimension.FindAllString(dims, -1), ", ") + ")"
}

// canonicalDType peels off how libraries write a dtype, longest wrapping first,
// and resolves names that only some of them use. torch.float is float32 and
// Python's float is float64, so that the prefix goes last.
func canonicalDType(s string) string {
	s = strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(s, "dtype="), "["), ",")
	if m := typeText.FindStringSubmatch(s); m != nil {
		s = m[1] + m[2]
	}
	for _, wrap := range []string{"<dtype: ", "dtype("} {
		s = strings.TrimPrefix(s, wrap)
	}
	s = strings.Trim(s, "<>()'\" ")
	if name, ok := dtypeNames[s]; ok {
		return name
	}
	if i := strings.LastIndexByte(s, '.'); i >= 0 {
		s = s[i+1:]
	}
	if name, ok := dtypeNames[s]; ok {
		return name
	}
	return s
}

// sameProperty compares canonical texts. A type that is written without its
// module is any of that name.
func sameProperty(property, want, seen string) bool {
	if want == seen || property != "type" {
		return want == seen
	}
	return strings.HasSuffix(seen, "."+want) || strings.HasSuffix(want, "."+seen)
}
