package generate

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/agent/agenttest"
	"github.com/repgen/repgen/internal/agent/ask"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/pysyntax"
)

func TestWithoutGiven(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"nothing", "import x\nobserve('a', x.a)\n", "import x\nobserve('a', x.a)\n"},
		{"import of both", "from repgen import observe, control\nimport x\n", "import x\n"},
		{"import of one", "import x\nfrom observer import observe  # given\nx.f()\n", "import x\nx.f()\n"},
		{"import with others", "from tools import observe, helper\n", "from tools import observe, helper\n"},
		{"an alias is another name", "from tools import observe as o\n", "from tools import observe as o\n"},
		{"a function", "import x\n\ndef observe(name, value):\n    print(name, value)\n\nx.f()\n", "import x\n\n\nx.f()\n"},
		{"an assignment", "control = False\nimport x\n", "import x\n"},
		{"annotated", "control: bool = False  # set by the runner\nx = 1\n", "x = 1\n"},
		{"from the environment", "import os\ncontrol = os.environ.get('CONTROL') == '1'\nx = 1\n", "import os\nx = 1\n"},
		{"another name", "controls = False\ncontrol_run = True\n", "controls = False\ncontrol_run = True\n"},
		{"its use", "y = 1 if control else 2\nif not control:\n    y = 3\n", "y = 1 if control else 2\nif not control:\n    y = 3\n"},
		{"two in a line", "control = False; x = 1\n", " x = 1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, notes := withoutGiven(c.in)
			if strings.TrimLeft(got, "; ") != strings.TrimLeft(c.want, " ") {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if (len(notes) > 0) != (c.in != c.want) {
				t.Errorf("notes %q", notes)
			}
		})
	}
}

func TestTrigger(t *testing.T) {
	for in, want := range map[string]string{
		"# trigger: empty rows\nx = 1":                 "empty rows",
		"#!/usr/bin/env python\n#Trigger = n\nx = 1":   "n",
		"\"\"\"doc\"\"\"\n  ## TRIGGER:  a  b \nx = 1": "a b",
		"x = 1  # trigger: no line of its own":         "",
		"# the trigger is elsewhere":                   "",
		"":                                             "",
		"# trigger: \x1b[2J\u202eevil":                 `\x1b[2J\u202eevil`,
	} {
		if got := triggerOf(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestChanged(t *testing.T) {
	r := agenttest.Report(agenttest.Crash) // has 37 and 0.25
	for _, c := range []struct {
		name, theirs, ours string
		want               string
	}{
		{"kept", "f(37, 0.25)", "f(37, 0.25)", ""},
		{"kept in another form", "f(1e-3, 10_000, 0x10)", "f(0.001, 10000, 16)", ""},
		{"changed", "f(37, 0.25)", "f(38, 0.25)", "script: 37."},
		{"from the report's blocks", "", "f(1)", "script: 37, 0.25."},
		{"those of every script", "f(0, 1, 2, 1.0)", "f()", ""},
		{"many", "f(10,11,12,13,14,15,16,17,18,19,20,21,22)", "f()", "and 3 more"},
		{"no numbers", "f(x)", "f(3)", ""},
		{"strings and complex", "f('37', 3j, None, True)", "f()", ""},
		{"not Python", "f(((", "f()", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := changed(Input{Report: r, Script: c.theirs}, c.ours)
			text := ""
			for _, f := range got {
				text += f.Text
				if f.Severity != task.SeverityWarning || f.Signature == "" {
					t.Errorf("feedback %+v", f)
				}
			}
			if (text == "") != (c.want == "") || !strings.Contains(text, c.want) {
				t.Errorf("got %q, want %q", text, c.want)
			}
		})
	}
	if got := changed(Input{}, "f()"); got != nil {
		t.Errorf("of nothing: %+v", got)
	}
}

func TestUnobserved(t *testing.T) {
	in := Input{Observations: []task.Observation{{Name: "rows"}, {Name: "loss"}}}
	if got := unobserved(in, `observe("rows", 1); observe('loss', 2)`); got != nil {
		t.Errorf("got %+v", got)
	}
	if got := unobserved(in, `observe("rows", 1)`); len(got) != 1 || !strings.Contains(got[0].Text, "observe loss.") {
		t.Errorf("got %+v", got)
	}
}

func TestUnused(t *testing.T) {
	for body, want := range map[string]string{
		"x = 1\nif not control:\n    x = 2\nobserve('x', x)\n":   "",
		"x = 1\nobserve('x', x)\n":                               "never asks for control",
		"x = 1 if control else 2\n":                              "observes nothing",
		"# control, observe\nprint('control')\n":                 "never asks for control; observes nothing",
		"def f():\n    observe('x', 1 if control else 2)\nf()\n": "",
	} {
		var all []string
		for _, f := range unused(body) {
			all = append(all, f.Text)
		}
		said := strings.Join(all, "\n")
		for _, w := range strings.Split(want, "; ") {
			if !strings.Contains(said, w) || want == "" && said != "" {
				t.Errorf("%q: got %q, want %q", body, said, want)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"", "```python\nx = 1\n```", "from a import observe", "def observe(", "control = True", "# trigger: \xff", "```python\ncontrol = False\ndef observe(a):\n"} {
		f.Add(s)
	}
	in := Input{Report: agenttest.Report(agenttest.Crash), Observations: []task.Observation{{Name: "a"}}}
	f.Fuzz(func(t *testing.T, text string) {
		s := read(in, ask.Answer{Text: text, Finish: llm.FinishStop})
		if (s.Body == "") != (len(s.Feedback) > 0 && s.Feedback[0].Severity == task.SeverityError) {
			t.Errorf("a body of %d bytes with %+v", len(s.Body), s.Feedback)
		}
		if again, notes := withoutGiven(s.Body); len(notes) > 0 && len(pysyntax.Parse(s.Body).SyntaxErrors) == 0 {
			t.Errorf("taken out twice: %q, then %q", s.Body, again)
		}
	})
}
