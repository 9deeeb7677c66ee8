package bundle

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/audit"
	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/triage"
)

const (
	agentBody   = "import lib\n\naxis = (0,) if control else 3\nout = lib.call(axis)\nobserve('out', out)\n"
	agentReport = "# lib.call fails\n\nWith axis=3 the call fails.\n"
)

// withAuthored is a model's script whose only control is its own.
func withAuthored(t *testing.T) Content {
	t.Helper()
	c := sample(t)
	c.Report = report.Parse([]byte(agentReport), report.Source{})
	c.Candidate = candidate.FromAgent(agentBody, "axis 3")
	line := 4 + candidate.ShimLines
	hit := sandbox.Execution{
		Outcome: sandbox.Exited, ExitCode: 1, Stderr: "Traceback (most recent call last):\nTypeError: bad axis\n",
		Record: probe.Record{Started: true, Ended: true, Exceptions: []probe.Exception{{
			Type: "TypeError", MRO: []string{"TypeError", "Exception"}, Message: "bad axis", Frames: []probe.Frame{
				{File: "/box/reproduce.py", Line: line, Function: "<module>", Module: "__main__", Source: "out = lib.call(axis)"},
				{File: "/env/lib/python3.11/site-packages/lib/core.py", Line: 9, Function: "call", Module: "lib.core", Source: "fail()"},
			}}}},
	}
	clean := sandbox.Execution{Outcome: sandbox.Exited, Record: probe.Record{
		Started: true, Ended: true, Observations: []probe.Observation{{Name: "out", Kind: "int", Text: "7"}},
	}}
	o := c.Outcome
	o.Expectation = &oracle.Expectation{
		Oracle: oracle.OracleException, Subject: "lib", Modules: []string{"lib"},
		Symptom: symptom.Symptom{Kind: symptom.Exception, Exception: "TypeError", Message: "bad axis",
			Frames: []symptom.Frame{{File: "lib/core.py", Package: "lib", Where: "library", Function: "call", Source: "fail()"}}},
	}
	c.Decision = &triage.Decision{Route: triage.Attempt, Expectation: o.Expectation, Subjects: []string{"lib"}}
	o.Evidence.Groups = []oracle.Group{
		{Side: oracle.SideReported, Subject: "lib", Version: "1.2", Executions: []sandbox.Execution{hit, hit, hit, hit, hit}},
		{Side: oracle.SideAuthored, Subject: "lib", Version: "1.2", Change: "without axis 3", Executions: []sandbox.Execution{clean, clean, clean}},
	}
	o.Locks = append(o.Locks[:1:1], o.Lock)
	c.rejudge(t)
	return c
}

func TestAuthoredControlComesBack(t *testing.T) {
	c := withAuthored(t)
	if c.Outcome.Verdict.Headline != oracle.Reproduced || c.Outcome.Verdict.Grade != "C" {
		t.Fatalf("the sample is %s %s: %v", c.Outcome.Verdict.Headline, c.Outcome.Verdict.Grade, c.Outcome.Verdict.Reasons)
	}
	dir := writeContent(t, c)
	b, tampered, err := Read(dir)
	if err != nil || len(tampered) > 0 {
		t.Fatal(tampered, err)
	}
	if b.Candidate.Origin != "agent" || !b.Candidate.HasControl || b.Candidate.Script != c.Candidate.Script || b.Candidate.Trigger != "axis 3" {
		t.Errorf("it came back as %+v", b.Candidate)
	}
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil || !strings.Contains(string(readme), "uv run reproduce.py --control   # the same, without axis 3") {
		t.Errorf("the README does not speak of the control: %v\n%s", err, readme)
	}
}

// TestForgedAuthored: what would make of a lead a grade C.
func TestForgedAuthored(t *testing.T) {
	for name, forge := range map[string]func(c *Content){
		"no control in the script": func(c *Content) {
			c.Candidate = candidate.FromAgent("import lib\n\naxis = 3\nout = lib.call(axis)\nobserve('out', out)\n", "axis 3")
			c.Candidate.HasControl = true
		},
		"another script": func(c *Content) { c.Outcome.Evidence.Groups[1].Script = "print(1)\n" },
		"a variable":     func(c *Content) { c.Outcome.Evidence.Groups[1].Env = map[string]string{"LIB_MODE": "1"} },
		"another lock": func(c *Content) {
			other := *c.Outcome.Lock
			other.Text = "lib==1.2 --hash=sha256:11\n"
			c.Outcome.Locks[1] = &other
		},
		"the reporter's own": func(c *Content) { c.Outcome.Expectation.ReporterScript = true },
		"the reporter's own, by origin too": func(c *Content) {
			c.Outcome.Expectation.ReporterScript, c.Candidate.Origin = true, "reporter"
		},
		"a trigger that the report has not": func(c *Content) {
			c.Candidate = candidate.FromAgent(strings.Replace(agentBody, "else 3", "else 42", 1), "axis")
		},
		"a report without the trigger": func(c *Content) { c.Report = report.Parse([]byte("# It fails\n"), report.Source{}) },
		"a control that passes by": func(c *Content) {
			c.Candidate = candidate.FromAgent("import lib\nif not control:\n    axis = 3\n    out = lib.call(axis)\nobserve('out', 1)\n", "axis 3")
		},
		"a control that observes nothing": func(c *Content) {
			for i := range c.Outcome.Evidence.Groups[1].Executions {
				c.Outcome.Evidence.Groups[1].Executions[i].Record.Observations = nil
			}
		},
		"another shim": func(c *Content) {
			c.Candidate.Script = strings.Replace(c.Candidate.Script, `"--control" in`, `"--x" not in`, 1)
		},
		"a refused script": func(c *Content) { c.Candidate.Script += "lib.call = None\n" },
	} {
		t.Run(name, func(t *testing.T) {
			c := withAuthored(t)
			forge(&c)
			c.rejudge(t)
			if _, tampered, err := Read(writeContent(t, c)); err != nil || len(tampered) == 0 {
				t.Fatalf("believed: %v, %v", tampered, err)
			}
		})
	}
}

// TestForgedAnchors: a claim is compared with the report again.
func TestForgedAnchors(t *testing.T) {
	content := func(t *testing.T, goodQuote string) Content {
		c := withAuthored(t)
		c.Report = report.Parse([]byte("# call\n\n`lib.call` gives 9.5 for axis=3.\n\nIt should be the number 7 as before.\n"), report.Source{})
		run := func(text string) sandbox.Execution {
			return sandbox.Execution{Outcome: sandbox.Exited, Record: probe.Record{
				Started: true, Ended: true, Observations: []probe.Observation{{Name: "out", Kind: "float", Text: text}}}}
		}
		o := c.Outcome
		o.Expectation = &oracle.Expectation{Oracle: oracle.OracleObserved, Subject: "lib", Modules: []string{"lib"}, Observed: &oracle.Observed{
			Names: []oracle.ObservedName{{Name: "out", Type: "number"}}, Bad: "out == 9.5", Good: "out == 7",
			BadQuote: "gives 9.5 for axis=3", GoodQuote: goodQuote,
		}}
		other := *o.Lock
		other.Text, other.Hash = pinText("lib", "1.3"), "h1.3"
		other.Packages = append(other.Packages[:0:0], other.Packages...)
		other.Packages[0].Version = "1.3"
		o.Locks[1] = &other
		o.Evidence.Groups = []oracle.Group{
			{Side: oracle.SideReported, Subject: "lib", Version: "1.2", Executions: []sandbox.Execution{run("9.5"), run("9.5"), run("9.5"), run("9.5"), run("9.5")}},
			{Side: oracle.SideNewest, Subject: "lib", Version: "1.3", Executions: []sandbox.Execution{run("7"), run("7"), run("7")}},
		}
		o.Evidence.Audit = &oracle.Audit{Control: 1, Executions: []sandbox.Execution{audited(run("9.5"), "9.5"), audited(run("7"), "7")}, Finding: audit.Finding{
			Consequence: audit.Counts, Divergence: &audit.Divergence{
				Call: "lib.call(...)", Place: "line 1, column 1", Reported: "9.5", Control: "7", ArgumentsEqual: true},
		}}
		c.rejudge(t)
		if c.Outcome.Verdict.Grade != "B" {
			t.Fatalf("the sample is %s %s: %v", c.Outcome.Verdict.Headline, c.Outcome.Verdict.Grade, c.Outcome.Verdict.Reasons)
		}
		return c
	}
	if _, tampered, err := Read(writeContent(t, content(t, "should be the number 7"))); err != nil || len(tampered) > 0 {
		t.Errorf("%v %v", tampered, err)
	}
	if _, tampered, err := Read(writeContent(t, content(t, "it must be exactly 7"))); err != nil || len(tampered) == 0 {
		t.Errorf("an invented quote was believed: %v", err)
	}
	for name, forge := range map[string]func(o *proof.Outcome){
		"no audit":                        func(o *proof.Outcome) { o.Evidence.Audit = nil },
		"an audit without its executions": func(o *proof.Outcome) { o.Evidence.Audit.Executions = nil },
		"of another control":              func(o *proof.Outcome) { o.Evidence.Audit.Control = 0 },
		"a log of a script that asks for the release": func(o *proof.Outcome) {
			ex := &o.Evidence.Audit.Executions[1]
			ex.Record.Audit = []json.RawMessage{bytes.Replace(ex.Record.Audit[0], []byte(`"none"`), []byte(`"int"`), 1)}
		},
		"a damaged log": func(o *proof.Outcome) {
			o.Evidence.Audit.Executions[0].Record.Audit = []json.RawMessage{[]byte(`[["q", 7]]`)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := content(t, "should be the number 7")
			forge(c.Outcome)
			if _, tampered, err := Read(writeContent(t, c)); err != nil || len(tampered) == 0 {
				t.Errorf("believed: %v, %v", tampered, err)
			}
		})
	}
}

// audited is an execution with the log of one call and its observation.
func audited(ex sandbox.Execution, answer string) sandbox.Execution {
	ex.Record.Audit = []json.RawMessage{fmt.Appendf(nil, `[["s",0,"call",1,0,"lib.call"],["q",0,0,"lib",[{"k":"none","v":"None"}]],`+
		`["r",0,{"k":"float","v":%q}],["s",1,"call",2,0,"observe"],["q",1,1,"",[{"k":"float","v":%q}]],["end"]]`, answer, answer)}
	return ex
}

// TestAgentScriptRunsAlone runs the bundle's script as a stranger would, both
// ways: by uv, which reads its header, and by plain Python.
func TestAgentScriptRunsAlone(t *testing.T) {
	uv, python, version := stranger(t)
	c := withAuthored(t)
	c.Candidate = candidate.FromAgent("from __future__ import annotations\nimport math\nx = 4 if control else 9\nobserve('root', math.sqrt(x))\n", "nine")
	c.Outcome.Lock.Packages, c.Outcome.Lock.Python, c.Outcome.Spec.Env = nil, version, nil
	dir := writeContent(t, c)
	for _, tt := range []struct {
		command []string
		want    string
	}{
		{[]string{uv, "run", "--offline", "--python", python, "reproduce.py"}, "root = 3.0\n"},
		{[]string{uv, "run", "--offline", "--python", python, "reproduce.py", "--control"}, "root = 2.0\n"},
		{[]string{python, "reproduce.py"}, "root = 3.0\n"},
		{[]string{python, "reproduce.py", "--control"}, "root = 2.0\n"},
	} {
		cmd := exec.Command(tt.command[0], tt.command[1:]...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil || string(out) != tt.want {
			t.Errorf("%v: %q, %v", tt.command[1:], out, err)
		}
	}
}

// stranger is what somebody who was sent a bundle has: uv, and a Python with its
// version.
func stranger(t *testing.T) (uv, python, version string) {
	t.Helper()
	if os.Getenv("REPGEN_REAL") == "" {
		t.Skip("set REPGEN_REAL=1 to run uv")
	}
	// Not repgen's own, which another package's tests may be fetching just now.
	uv = cmp.Or(os.Getenv("REPGEN_TEST_UV"), "uv")
	if _, err := exec.LookPath(uv); err != nil {
		t.Fatalf("no uv to run the script as a stranger would: %v (scripts/test-real.sh sets REPGEN_TEST_UV)", err)
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])").Output()
	if err != nil {
		t.Fatal(err)
	}
	return uv, python, strings.TrimSpace(string(out))
}
