package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/repgen/repgen/internal/codebase"
)

// searchedCases are reports with the file of the installed package that each
// is about. The place in the ranking is generous: it is a check of the whole way
// (environment, source, index, search), no measure of quality.
var searchedCases = []struct {
	report string
	file   string
	within int
}{
	{"keras-logsumexp-symbolic", "keras/src/ops/math.py", 1},
	{"optuna-grid-enqueue", "optuna/samplers/_grid.py", 3},
	{"pot-circle-rotation", "ot/lp/solver_1d.py", 3},
	{"gymnasium-vector-normalize-reward", "gymnasium/wrappers/vector/stateful_reward.py", 3},
}

// TestRealSearchInstalled searches the subject's own source with nothing but
// the report.
func TestRealSearchInstalled(t *testing.T) {
	r := newRig(t, nil)
	for _, c := range searchedCases {
		t.Run(c.report, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", "cases", c.report+".md"))
			if err != nil {
				t.Fatal(err)
			}
			report := r.file(c.report+".md", string(text))
			e := r.run("search", "--report", report, "--lexical", "--json")
			e.want(t, exitOK)
			var got codebase.Result
			if err := json.Unmarshal([]byte(e.out), &got); err != nil {
				t.Fatalf("%v\n%s", err, e.out)
			}
			for i, f := range got.Files {
				if f.Path == c.file && i < c.within {
					return
				}
			}
			t.Errorf("%s is not among the first %d: %+v", c.file, c.within, got.Files)
		})
	}
}

// TestRealSearchContext gathers code that holds the function of the report.
func TestRealSearchContext(t *testing.T) {
	r := newRig(t, nil)
	text, err := os.ReadFile(filepath.Join("testdata", "cases", "keras-logsumexp-symbolic.md"))
	if err != nil {
		t.Fatal(err)
	}
	report := r.file("report.md", string(text))
	e := r.run("search", "--report", report, "--lexical", "--context", "--json")
	e.want(t, exitOK)
	var got codebase.CodeContext
	if err := json.Unmarshal([]byte(e.out), &got); err != nil {
		t.Fatalf("%v\n%s", err, e.out)
	}
	if len(got.Modules) == 0 || got.Modules[0].Path != "keras/src/ops/math.py" || got.Tokens > got.Budget || got.Project != "keras 3.10.0 as installed" {
		t.Errorf("context of %s: %+v", got.Project, got.Modules)
	}
}

// TestRealSearchNowhere: a package that is on no index is nothing to search.
func TestRealSearchNowhere(t *testing.T) {
	r := newRig(t, newIndex(t, tinyWheels()...))
	report := r.file("report.md", "# absentpkg 9.9 crashes\n\n```python\nimport absentpkg\nabsentpkg.go()\n```\n\nabsentpkg 9.9\n")
	e := r.run("search", "--report", report, "--lexical")
	e.want(t, exitNothing)
	e.says(t, "cannot be had", "--project DIR")
}
