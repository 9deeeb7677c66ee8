package proof

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/symptom"
)

func paths(uses []use) []string {
	var out []string
	for _, u := range uses {
		out = append(out, strings.Join(append([]string{u.Path}, u.Keywords...), " "))
	}
	return out
}

func TestSwallowedNames(t *testing.T) {
	for _, c := range []struct {
		script string
		want   string
	}{
		{"import lib\nlib.old(1)\n", ""},
		{"import lib\ntry:\n    lib.old(1)\nexcept ValueError:\n    pass\n", ""},
		{"import lib\ntry:\n    lib.old(1)\nexcept Exception:\n    raise\n", ""},
		{"import lib\ntry:\n    lib.old(1)\nexcept Exception:\n    print('no')\n", "lib.old"},
		{"import lib as l\ntry:\n    l.sub.old(1, mode=2)\nexcept:\n    pass\n", "lib.sub.old,lib.sub.old mode"},
		{"from lib.sub import old\ntry:\n    old(1)\nexcept TypeError:\n    pass\n", "lib.sub.old"},
		{"import lib, numpy\nx = object()\ntry:\n    x.old(), numpy.ones(1)\nexcept AttributeError:\n    pass\n", ""},
	} {
		if got := strings.Join(paths(swallowed(c.script, []string{"lib"})), ","); got != c.want {
			t.Errorf("%q: %q, want %q", c.script, got, c.want)
		}
	}
}

func TestReadLacks(t *testing.T) {
	uses := []use{{Path: "lib.old"}, {Path: "lib.new"}}
	out := "hello\nlacks lib.old\nlacks lib.old\nlacks something else\n lacks lib.new\n"
	if got := readLacks(out, uses); !slices.Equal(got, []string{"lib.old"}) {
		t.Errorf("%q", got)
	}
}

// TestLacksScript runs the question against a made-up library.
func TestLacksScript(t *testing.T) {
	if os.Getenv("REPGEN_REAL") == "" {
		t.Skip("set REPGEN_REAL=1 to ask a real interpreter")
	}
	dir := t.TempDir()
	lib := "def kw(x): pass\ndef any(**k): pass\nclass C:\n    def __init__(self, n=1): pass\n"
	if err := os.WriteFile(filepath.Join(dir, "lib.py"), []byte(lib), 0o600); err != nil {
		t.Fatal(err)
	}
	uses := `[{"path":"lib.kw","keywords":null},{"path":"lib.old","keywords":null},{"path":"lib.kw","keywords":["mode"]},` +
		`{"path":"lib.any","keywords":["mode"]},{"path":"lib.C","keywords":["n"]},{"path":"lib.C","keywords":["size"]},{"path":"nolib.x","keywords":null}]`
	cmd := exec.CommandContext(t.Context(), "python3", "-c", fmt.Sprintf(lacksScript, uses))
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "lacks lib.old\nlacks lib.kw\nlacks lib.C\n" {
		t.Errorf("%v: %s", err, out)
	}
}

// TestSwallowedAbsenceIsNoFix: the newest release has not what the script
// calls, and the script prints what the reporter wishes for.
func TestSwallowedAbsenceIsNoFix(t *testing.T) {
	line := func(s string, replaces int) []oracle.Line { return []oracle.Line{{Text: s, Replaces: replaces}} }
	for newest, want := range map[string]oracle.Headline{"old: rejected\nlacks lib.old\n": oracle.Lead, "old: rejected\n": oracle.Fixed} {
		w := &world{base: map[string]string{"lib": "1.2.0"}, releases: map[string][]string{"lib": {"1.2.0", "2.0.0"}}}
		w.behave = func(v map[string]string) sandbox.Execution {
			if v["lib"] == "1.2.0" {
				return printed("old: accepted\n")
			}
			return printed(newest) // the same world answers the question
		}
		in := typeErrorReport()
		in.Candidate.Script = "import lib\ntry:\n    lib.old(1)\n    print('old: accepted')\nexcept Exception:\n    print('old: rejected')\n"
		in.Decision.Expectation = &oracle.Expectation{
			Oracle: oracle.OraclePrinted, Subject: "lib", Modules: []string{"lib"}, Symptom: symptom.Symptom{Kind: symptom.WrongValue},
			Printed: &oracle.Printed{Actual: line("old: accepted", -1), Expected: line("old: rejected", 0)},
		}
		o := w.prove(t, in, NoJournal{})
		if o.Verdict.Headline != want {
			t.Errorf("%q: %s %s: %v", newest, o.Verdict.Headline, o.Verdict.Grade, o.Verdict.Reasons)
		}
		if want == oracle.Lead && o.Verdict.OnNewest != "inconclusive" {
			t.Errorf("on the newest: %s", o.Verdict.OnNewest)
		}
	}
}

// TestJudgedCalls: which lines of a script a missing exception must come from.
func TestJudgedCalls(t *testing.T) {
	const fence = "```python\n"
	for _, c := range []struct{ title, prose, script, want string }{
		{"kw accepts -1", "", "import lib\nlib.kw(-1)\nlib.strict('a')\n", "kw"},
		{"no error", "", "import lib\nlib.kw(-1)\nlib.strict('a')\n", ""},
		{"kw and strict", "", "import lib\nlib.kw(-1)\nlib.strict('a')\n", ""},
		{"silent", "`Norm` takes any shape", "import lib\nx = lib.ones(3)\nn = lib.Norm(8)\nm = n\nprint(m(x))\n", "Norm n m"},
	} {
		text := c.prose + "\n" + fence + c.script
		start := len(c.prose) + 1 + len(fence)
		r := &report.Report{Title: c.title, Text: text, Blocks: []report.Block{{Span: report.Span{Start: start, End: len(text)}}}}
		if got := strings.Join(judgedCalls(r, c.script), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.title, got, c.want)
		}
	}
}
