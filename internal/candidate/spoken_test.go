package candidate

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/triage"
)

// marks are what people paste around code, and what code is cut at.
var marks = []string{
	"Traceback (most recent call last):", "ValueError: no", "  File \"a.py\", line 3, in <module>", "The above exception was the direct cause", ">>> tinynet.add(1, 2)", "... x", "In [3]: tinynet.add(1, 2)", "Out[3]: 4",
	"Output:", "# Output:", "Result: 3", "Returns:", "Expected output: 7", "$ python a.py", "me@host:~/x$ ls", "python -c 'import x; print(1)'", "!pip install evil", "%matplotlib inline", "%%time", "pip install numpy==1.2", "numpy==1.26.4",
	"----------------------------------------", "===", "a.py:3: UserWarning: no", "2024-01-01 10:00:00 INFO x", "100%|####| 3/3", "```python", "~~~", "<pre>", "</details>", "<!-- x", "-->", "## Heading", "# Heading", "diff --git a b", "@@ -1,2 +1,2 @@", "> quoted", "- item", "1. Define the data", "import evil", "...", "    indented", "",
}

// sayers say such a mark in a script, where it is no mark.
var sayers = map[string]string{
	"argument": "print(%Q)", "comment": "# %s", "remark": "w = 1  # %s", "string": "s = \"\"\"\n%s\nmore\n\"\"\"", "docstring": "def f():\n    \"\"\"%s\n\n    %s\n    \"\"\"\n    return 1", "broken line": "tinynet.log(\n    1,\n    %Q,\n)",
}

// wraps are how a script stands in a report.
var wraps = map[string]func(string) string{
	"python fence": func(s string) string { return "```python\n" + s + "```\n" },
	"fence":        func(s string) string { return "```\n" + s + "```\n" },
	"pre":          func(s string) string { return "<pre>\n" + s + "</pre>\n" },
	"indented":     func(s string) string { return "    " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n    ") + "\n" },
	"bare":         func(s string) string { return s + "\n" },
}

// TestMarksInStringsAndComments: a script that Python reads arrives whole, whatever
// its strings and comments say.
func TestMarksInStringsAndComments(t *testing.T) {
	for _, mark := range append([]string{"```"}, marks...) {
		for sayer, form := range sayers {
			piece := held(form, mark)
			if mark == "```" && sayer == "string" {
				continue // this ends the fence for Markdown as well
			}
			for wrap, in := range wraps {
				for place, script := range map[string]string{"first": piece + "\nimport tinynet\n" + scriptEnd, "below": "import tinynet\n" + piece + "\n" + scriptEnd} {
					if place == "first" && (sayer == "broken line" || wrap == "bare") {
						continue // what nothing marks as code begins with its import
					}
					if (wrap == "pre" || wrap == "indented") && sayer != "string" && sayer != "docstring" {
						continue // read as the fences are
					}
					if why := mangled(script, in); why != "" {
						t.Errorf("%q as %s, %s, in %s: %s", mark, sayer, place, wrap, why)
					}
				}
			}
		}
	}
}

// TestManyMarks: the same of several in one script.
func TestManyMarks(t *testing.T) {
	var forms []string
	for _, form := range sayers {
		forms = append(forms, form)
	}
	rapid.Check(t, func(t *rapid.T) {
		script := "import tinynet\n"
		for range rapid.IntRange(1, 5).Draw(t, "pieces") {
			script += held(rapid.SampledFrom(forms).Draw(t, "form"), rapid.SampledFrom(marks).Draw(t, "mark")) + "\n"
		}
		if why := mangled(script+scriptEnd, wraps["python fence"]); why != "" {
			t.Fatalf("%s:\n%s", why, script)
		}
	})
}

const scriptEnd = "y = tinynet.add(1, 2)\nif y != 3:\n    tinynet.boom(y)\n"

func held(form, mark string) string {
	return strings.ReplaceAll(strings.ReplaceAll(form, "%Q", pysyntax.Quote(mark)), "%s", mark)
}

// mangled says what became of a script on its way, "" when it arrived.
func mangled(script string, wrap func(string) string) string {
	if len(pysyntax.Parse(script).SyntaxErrors) > 0 {
		return ""
	}
	r := report.Parse([]byte("# tinynet.add is wrong\n\nWith tinynet 1.2 I run\n\n"+wrap(script)+"\nand it raises ValueError: no\n"), report.Source{Kind: "file", Name: "r.md"})
	d := triage.Decide(r, triage.Options{})
	c, err := FromReport(r, d)
	switch {
	case err != nil:
		return fmt.Sprintf("no script: %d blocks, %s, %s", len(r.Blocks), d.Route, d.Summary)
	case strings.TrimSpace(c.Script) != strings.TrimSpace(script):
		return fmt.Sprintf("%d blocks, %+v, it became\n%s", len(r.Blocks), c.Edits, c.Script)
	case !strings.HasPrefix(d.Summary, "complete script"):
		return d.Summary
	}
	return ""
}

// TestCutScriptIsNotComplete: what was pasted below a script is left out with a
// word; where that may be code, the script is not whole.
func TestCutScriptIsNotComplete(t *testing.T) {
	const trace = "Traceback (most recent call last):\n  File \"a.py\", line 2, in <module>\n    tinynet.boom(3)\nValueError: no\n"
	for name, c := range map[string]struct {
		body, script, summary string
	}{
		"its traceback":          {"import tinynet\ntinynet.boom(3)\n" + trace, "import tinynet\ntinynet.boom(3)", "script cut above what was pasted below it, 2 lines"},
		"its output":             {"import tinynet\nprint(tinynet.add(1, 2))\nOutput:\n4 of 5\n", "import tinynet\nprint(tinynet.add(1, 2))", "script cut above what was pasted below it, 2 lines"},
		"code below a traceback": {"import tinynet\ntinynet.boom(3)\n" + trace + "import os\nos._exit(1)\n", "import tinynet\ntinynet.boom(3)", "partial script, 2 lines (code below its traceback)"},
		"one spoken of before":   {"import tinynet\ns = \"\"\"\nTraceback (most recent call last):\n\"\"\"\ntinynet.boom(s)\n" + trace, "import tinynet\ns = \"\"\"\nTraceback (most recent call last):\n\"\"\"\ntinynet.boom(s)", "script cut above what was pasted below it, 5 lines"},
	} {
		r := report.Parse([]byte("# tinynet.boom raises\n\n```python\n"+c.body+"```\n"), report.Source{Kind: "file", Name: "r.md"})
		d := triage.Decide(r, triage.Options{})
		if d.Summary != c.summary {
			t.Errorf("%s: %q, want %q", name, d.Summary, c.summary)
		}
		got, err := FromReport(r, &triage.Decision{Blocks: []int{0}})
		if err != nil || strings.TrimSpace(got.Script) != c.script || len(got.Edits) == 0 || got.Edits[0].Kind != "cut" {
			t.Errorf("%s: %v, %+v", name, err, got)
		}
	}
}
