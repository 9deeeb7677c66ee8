package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// commentKeys are the statements of a script's comments, as "line role kind: text".
func commentKeys(r *Report) []string {
	var out []string
	for _, s := range r.Statements {
		if s.Where != "comment" {
			continue
		}
		key := fmt.Sprintf("%d %s %s: %s", s.Line, s.Role, s.Kind, s.Text)
		if s.Approximate {
			key += " (approximate)"
		}
		out = append(out, key)
	}
	return out
}

// TestTrailingComments reads what a comment says of its own line of code.
func TestTrailingComments(t *testing.T) {
	for comment, want := range map[string]string{
		"should be 4":                     "expected value: 4",
		"should be about 1.0":             "expected value: 1.0 (approximate)",
		"-> nan":                          "actual output: nan",
		"=> 3":                            "actual output: 3",
		"-> nan, should be 0":             "actual output: nan|expected value: 0",
		"expected 3":                      "expected value: 3",
		"expected: 3, got: 4":             "expected value: 3|actual value: 4",
		"True expected":                   "expected value: True",
		"[[1. 2.], [3. 4.]], expected":    "expected value: [[1. 2.], [3. 4.]]",
		"4 (expected)":                    "expected value: 4",
		"[[1., 2., 3.]], incorrect":       "actual value: [[1., 2., 3.]]",
		"nan  --> wrong!":                 "actual value: nan",
		"False (this is a bug)":           "actual value: False",
		"4, not expected":                 "actual value: 4",
		"a seed, bad":                     "",
		"ValueError expected":             "expected exception: ValueError",
		"nan is wrong":                    "",
		"prints 3, should be 4":           "actual output: 3|expected value: 4",
		"outputs: 0.0 (expected: 1.4826)": "actual output: 0.0|expected value: 1.4826",
		"raises here":                     "actual exception: error",
		"<-- raises ValueError":           "actual exception: ValueError",
		"-> raises ValueError":            "actual exception: ValueError",
		"BUG: gives -1":                   "actual output: -1",
		"BUG: off by one":                 "",
		"WRONG! prints nan":               "actual output: nan",
		"incorrect: gives -1":             "actual output: -1",
		"<- float32 but expected float64": "actual value: float32|expected value: float64",
		"float32":                         "",
		"should be `[1, 2]`":              "expected value: [1, 2]",
		"should be [[1, 2], [3, 4]]":      "expected value: [[1, 2], [3, 4]]",
		"must be (3, 8)":                  "expected value: (3, 8)",
		"correct: 2":                      "expected value: 2",
		"ought to be True":                "expected value: True",
		"is 4 instead of 3":               "actual output: 4|expected value: 3",
		"4 instead of 3":                  "actual value: 4|expected value: 3",
		"is wrong":                        "",
		"does not raise":                  "",
		"should not fail":                 "",
		"works":                           "",
		"OK":                              "",
		"a seed":                          "",
		"应该是 2.0":                         "expected value: 2.0",
		"应为 True":                         "expected value: True",
		"期望输出: [1, 2]":                    "expected value: [1, 2]",
		"预期结果是 3，实际是 4":                   "expected value: 3|actual value: 4",
		"输出：nan":                          "actual output: nan",
		"实际输出是 4":                         "actual output: 4",
		"这里报错":                            "actual exception: error",
		"期待値: 3":                          "expected value: 3",
		"prints something like 0.3":       "actual output: something like 0.3 (approximate)",
	} {
		r := Parse([]byte("# wrong\n\n```python\nimport tinynet\nx = tinynet.f()  # "+comment+"\n```\n"), Source{})
		var got []string
		for _, k := range commentKeys(r) {
			got = append(got, strings.TrimPrefix(k, "2 "))
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q: got %q, want %q", comment, got, want)
		}
		check(t, r)
	}
}

// TestPastedComments reads output that was pasted below the code that prints it.
func TestPastedComments(t *testing.T) {
	for _, c := range []struct {
		name, code string
		want       []string
	}{
		{"labels", "print(f())\n# Output:\n# [1, 5]\n# Expected:\n# [3, 3]",
			[]string{"1 actual output: [1, 5]", "1 expected output: [3, 3]"}},
		{"values only", "print(1)\nprint(2)\n# -0.0\n# 0.0 3.0", []string{"1 actual output: -0.0", "2 actual output: 0.0 3.0"}},
		{"two groups", "print(1)\n# nan\nprint(2)\n# tensor([1., 2.])", []string{"1 actual output: nan", "3 actual output: tensor([1., 2.])"}},
		{"another count", "print(1)\n# 1\n# 2", []string{"2 actual output: 1", "3 actual output: 2"}},
		{"arrows", "print(d)\n# >>> 2020-01-01 00:00:00", []string{"1 actual output: 2020-01-01 00:00:00"}},
		{"arrows without a hash sign", "print(f(2))  -> 0.5\nprint(f(3))  --> nan\nf(4) => ValueError", []string{"1 actual output: 0.5", "2 actual value: nan", "3 actual exception: ValueError"}},
		{"arrows that are code", "def f(x,\n      y) -> int:\n    return '-> 3'", nil},
		{"prose below a print", "print(1)\n# 3 is what I would like\nx = 1", nil},
		{"prose after a value", "print(1)\n# 3\n# and so on", nil},
		{"no print above", "x = 1\n# 3", nil},
		{"empty label", "print(1)\n# Output:\nx = 1", nil},
		{"label with a value", "print(1)\n# Output: 3", []string{"2 actual output: 3"}},
		{"Chinese labels", "print(1)\n# 输出：\n# 3\n# 期望：\n# 4", []string{"1 actual output: 3", "1 expected output: 4"}},
		{"a dead line of code", "print(1)\n# x = f(1)", nil},
	} {
		r := Parse([]byte("# wrong\n\n```python\n"+c.code+"\nimport tinynet\n```\n"), Source{})
		if got := commentKeys(r); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		check(t, r)
	}
}

func TestUnbalanced(t *testing.T) {
	for text, want := range map[string]bool{"": false, "1)": true, "(1)": false, "[1]": false, "1]": true, "f(1) ]": true, "x": false} {
		if got := unbalanced(text); got != want {
			t.Errorf("unbalanced(%q) = %v", text, got)
		}
	}
}

// FuzzComments looks for a script whose comments break the parser's promises.
func FuzzComments(f *testing.F) {
	f.Add("print(1)\n# Output:\n# 3\n# Expected:\n# 4\n")
	f.Add("x = '#' # -> nan, should be `3`\n\"\"\"\n# no\n\"\"\" # 应该是 2\n")
	f.Add("# torch==2.1\nimport numpy as np # 1.2.3\n")
	f.Fuzz(func(t *testing.T, code string) {
		check(t, Parse([]byte("# wrong\n\n```python\nimport tinynet\n"+code+"\n```\n"), Source{}))
	})
}
