package triage

import (
	"reflect"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
)

func TestCorrected(t *testing.T) {
	cases := []struct{ line, value, want string }{
		{"argmax: 1", "2", "argmax: 2"},
		{"keras 3.6.0 argmin = 0", "2", "keras 3.6.0 argmin = 2"},
		{"float16 -> float32", "float16", "float16 -> float16"},
		{"0.1 0.2 False", "True", "0.1 0.2 True"},
		{"jitted: 5.56e-310", "nan", "jitted: nan"},
		{"loss nan", "0.5", "loss 0.5"},
		{"shape (1, 3, 2)", "(1, 4, 2)", "shape (1, 4, 2)"},
		{"torch.Size([2, 3])", "torch.Size([3, 2])", "torch.Size([3, 2])"},
		{"-1", "1", "1"},
		{"x1 is fine", "3", ""},
		{"no value", "True", ""},
		{"words", "other words", ""},
		{"", "2", ""},
	}
	for _, c := range cases {
		got, ok := corrected(c.line, c.value)
		if ok != (c.want != "") || ok && got != c.want {
			t.Errorf("corrected(%q, %q) = %q, %v, want %q", c.line, c.value, got, ok, c.want)
		}
	}
}

func TestClassOf(t *testing.T) {
	cases := map[string]valueClass{
		"2": classNumber, "-1.5e-3": classNumber, "nan": classNumber, "-inf": classNumber, ".5": classNumber,
		"True": classBool, "float32": classDType, "torch.int64": classDType, "bfloat16": classDType,
		"(3, 8)": classShape, "(None,)": classShape, "torch.Size([1, 2])": classShape, "()": classShape,
		"relu": classOther, "": classOther, "a float": classOther, "3 apples": classOther,
	}
	for text, want := range cases {
		if got := classOf(text); got != want {
			t.Errorf("classOf(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestPrintedLines(t *testing.T) {
	cases := []struct {
		name, text string
		want       []string
	}{
		{"plain", "eager : nan\njitted: 5.56e-310\n", []string{"eager : nan", "jitted: 5.56e-310"}},
		{"warning", ".../sklearn/base.py:420: UserWarning: X does not have valid feature names\n  warnings.warn(\nfitted 2", []string{"fitted 2"}},
		{"traceback", "start\nTraceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    f()\nTypeError: bad\n", []string{"start"}},
		{"versions", "Linux-6.6-x86_64-with-glibc2.39\nPython 3.11.9\nnumpy version: 1.26.4\nscore: 87.0", []string{"score: 87.0"}},
		{"logging", "2024-01-01 10:00:00,1 INFO start\nINFO: x\n[I 2024-05-07 10:00:00,123] trial\n 50%|█████     | 5/10 [00:01<00:01,  4.5it/s]\ndone 1", []string{"done 1"}},
		{"abort", "before\nF tensorflow/core/framework/tensor_shape.cc:357] Check failed: d < dims() (3 vs. 3)\nAborted (core dumped)", []string{"before"}},
		{"array", "[[1 2]\n [3 4]]", []string{"[[1 2]", " [3 4]]"}},
		{"nothing", "\n  \n", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := printedLines(c.text); !reflect.DeepEqual(got, c.want) {
				t.Errorf("printedLines = %q, want %q", got, c.want)
			}
		})
	}
}

func TestPrintedLinesAreBounded(t *testing.T) {
	text := ""
	for i := 0; i < 3*maxLines; i++ {
		text += "line of words\n"
	}
	if got := len(printedLines(text)); got != maxLines {
		t.Errorf("%d lines kept, want %d", got, maxLines)
	}
}

func TestLabel(t *testing.T) {
	for line, want := range map[string]string{
		"argmax: 1": "argmax:", "x = 3, y = 4": "x = y =", "1 2 3": "", "eager : nan": "eager :", "ok True": "ok",
	} {
		if got := label(line); got != want {
			t.Errorf("label(%q) = %q, want %q", line, got, want)
		}
	}
}

// TestExpectedBlock: a block with a counterpart for each line corrects these, one
// of which only the heading has one is looked for as it stands.
func TestExpectedBlock(t *testing.T) {
	actual := []oracle.Line{newLine("name value", false), newLine("0 0.0", false), newLine("1 0.0", false), newLine("done in steps", false)}
	for _, c := range []struct {
		name, text string
		want       []int
	}{
		{"as long", "name value\n0 0.5\n1 0.7\ndone in steps", []int{0, 1, 2, 3}},
		{"a table of another length", "name value\n0 0.5\n1 0.7", []int{-1, -1, -1}},
		{"lines with words of their own", "done in steps\nname value", []int{3, 0}},
		{"one line", "name value", []int{0}},
		{"one that is nowhere", "1 0.7", []int{-1}},
	} {
		p := &oracle.Printed{Actual: actual}
		addExpectedBlock(p, report.Statement{Text: c.text})
		var got []int
		for _, l := range p.Expected {
			got = append(got, l.Replaces)
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: replaces %v, want %v", c.name, got, c.want)
		}
	}
}

// TestExpectedTable: the lines of one pasted block are read together.
func TestExpectedTable(t *testing.T) {
	table := func(rows ...string) string { return "```\nname value\n" + strings.Join(rows, "\n") + "\n```\n\n" }
	text := "# fit prints zeros\n\n```python\nimport lib\nprint(lib.fit(3))\n```\n\n### Actual output\n\n" +
		table("0 0.0", "1 0.0", "2 0.0") + "### Expected output\n\n" + table("0 0.25", "1 0.75", "2 0.5")
	e := Decide(report.Parse([]byte(text), report.Source{}), Options{}).Expectation
	if e == nil || e.Printed == nil || len(e.Printed.Expected) != 4 || len(e.Printed.Actual) != 4 {
		t.Fatalf("%+v", e)
	}
	for i, l := range e.Printed.Expected {
		if l.Replaces != i {
			t.Errorf("%q replaces line %d, want %d", l.Text, l.Replaces, i)
		}
	}
}
