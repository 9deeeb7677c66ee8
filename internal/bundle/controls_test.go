package bundle

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/sandbox"
)

// withContrast is a run whose only control is the script with one argument out.
func withContrast(t *testing.T) Content {
	t.Helper()
	c := sample(t)
	c.Candidate.Script = "import lib\n\nr = lib.add(2, 5, skip=True)\nprint(\"sum:\", r)\n"
	o := c.Outcome
	clean := o.Evidence.Groups[1].Executions
	o.Evidence.Groups = []oracle.Group{o.Evidence.Groups[0], {
		Side: oracle.SideContrast, Subject: "lib", Version: "1.2", Executions: slices.Clone(clean),
		Script: "import lib\n\nr = lib.add(2, 5)\nprint(\"sum:\", r)\n", Change: "without skip=True",
		Env: map[string]string{"LIB_MODE": "", "LIB_FAST": "1"},
	}}
	o.Locks = o.Locks[:1]
	o.Locks = append(o.Locks, o.Lock)
	c.rejudge(t)
	return c
}

func (c *Content) rejudge(t *testing.T) {
	t.Helper()
	c.Outcome.Verdict = proof.Rejudge(*c.Outcome.Expectation, c.Outcome.Evidence)
	c.Result = proof.View(c.Decision, c.Candidate, c.Outcome)
}

func writeContent(t *testing.T, c Content) string {
	t.Helper()
	dir, err := Write(filepath.Join(t.TempDir(), "bundle"), c)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestVariantComesBackFromItsFile(t *testing.T) {
	c := withContrast(t)
	if c.Outcome.Verdict.Headline != oracle.Reproduced || c.Outcome.Verdict.Grade != "C" {
		t.Fatalf("the sample is %s %s: %v", c.Outcome.Verdict.Headline, c.Outcome.Verdict.Grade, c.Outcome.Verdict.Reasons)
	}
	dir := writeContent(t, c)
	text, err := os.ReadFile(filepath.Join(dir, "controls", "02-contrast.py"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# /// script\n", `"lib==1.2"`, "# The script without skip=True.\n", `"LIB_FAST", "1"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "LIB_MODE") {
		t.Error("the variant leaves a variable unset, and its file sets it")
	}
	b, tampered, err := Read(dir)
	if err != nil || len(tampered) > 0 {
		t.Fatal(tampered, err)
	}
	if got := b.Outcome.Evidence.Groups[1]; got.Script != c.Outcome.Evidence.Groups[1].Script || got.Env["LIB_FAST"] != "1" {
		t.Errorf("it came back as %+v", got)
	}
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil || !strings.Contains(string(readme), "without skip=True") || !strings.Contains(string(readme), "controls/") {
		t.Errorf("the README does not speak of it: %v\n%s", err, readme)
	}
	if c.Outcome.Evidence.Groups[1].Script == "" {
		t.Error("writing took the script out of the run's own evidence")
	}
}

// What a forger writes as a control must be the bundle's script with one
// change, on its lock.
func TestForgedVariants(t *testing.T) {
	for name, forge := range map[string]func(g *oracle.Group, o *proof.Outcome){
		"another script":       func(g *oracle.Group, _ *proof.Outcome) { g.Script = "print(\"sum: 7\")\nx = 1\ny = 2\nz = 3\n" },
		"no change":            func(g *oracle.Group, _ *proof.Outcome) { g.Script, g.Env = "", nil },
		"a release with it":    func(g *oracle.Group, _ *proof.Outcome) { g.Side = oracle.SideRelease },
		"a forbidden variable": func(g *oracle.Group, _ *proof.Outcome) { g.Env = map[string]string{"LD_PRELOAD": "/box/x.so"} },
		"a patched library": func(g *oracle.Group, _ *proof.Outcome) {
			g.Script = strings.Replace(g.Script, "import lib\n", "import lib\nlib.add = lambda *a: 7\n", 1)
		},
		"another lock": func(_ *oracle.Group, o *proof.Outcome) {
			other := *o.Lock
			other.Text = "lib==1.2 --hash=sha256:11\n"
			o.Locks[1] = &other
		},
		"no syntax": func(g *oracle.Group, _ *proof.Outcome) { g.Script = strings.Replace(g.Script, "5)", "5", 1) },
	} {
		t.Run(name, func(t *testing.T) {
			c := withContrast(t)
			forge(&c.Outcome.Evidence.Groups[1], c.Outcome)
			c.rejudge(t)
			_, tampered, err := Read(writeContent(t, c))
			if err != nil || len(tampered) == 0 {
				t.Fatalf("believed: %v, %v", tampered, err)
			}
		})
	}
}

// The reported side with other seeds is the bundle's script but for its seeds.
func TestReseededSide(t *testing.T) {
	script := "import lib\n\nlib.seed(3)\nr = lib.add(2, 5)\nprint(\"sum:\", r)\n"
	for name, tt := range map[string]struct {
		with string
		ok   bool
	}{
		"another seed":        {"lib.seed(104)", true},
		"a seed of one's own": {"lib.seed(5)", false},
		"something else":      {"lib.seed(104); lib.add = None", false},
	} {
		t.Run(name, func(t *testing.T) {
			c := sample(t)
			c.Candidate.Script = script
			o := c.Outcome
			o.Evidence.Groups = append(o.Evidence.Groups, oracle.Group{
				Side: oracle.SideReseeded, Subject: "lib", Version: "1.2", Executions: slices.Clone(o.Evidence.Groups[0].Executions),
				Script: strings.Replace(script, "lib.seed(3)", tt.with, 1), Change: "with 101 added to the seeds",
			})
			o.Locks = append(o.Locks, o.Lock)
			c.rejudge(t)
			_, tampered, err := Read(writeContent(t, c))
			if err != nil || (len(tampered) == 0) != tt.ok {
				t.Errorf("tampered %v, %v", tampered, err)
			}
		})
	}
}

// A script hidden in the evidence does not come back: only a file counts.
func TestScriptOutsideItsFileIsNotRun(t *testing.T) {
	b := &Bundle{Outcome: &proof.Outcome{Evidence: oracle.Evidence{Groups: []oracle.Group{
		{Side: oracle.SideReported, Script: "import os\n", Executions: []sandbox.Execution{{}}},
	}}}}
	if err := b.takeControls(nil, nil); err != nil || b.Outcome.Evidence.Groups[0].Script != "" {
		t.Fatalf("%v, %q", err, b.Outcome.Evidence.Groups[0].Script)
	}
	for name, files := range map[string]map[string][]byte{
		"controls/x.py":   {},
		"reproduce.py":    {"reproduce.py": []byte(endOfChange + "x\n")},
		"controls/two.py": {"controls/two.py": []byte("no mark")},
	} {
		if err := b.takeControls([]string{name}, files); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}
