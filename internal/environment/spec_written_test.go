package environment

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/report"
)

// TestModuleOfTheScript: what the script exports and imports again is no
// package; a known package is one whatever files are named.
func TestModuleOfTheScript(t *testing.T) {
	for _, c := range []struct{ script, module, want string }{
		{"import xgboost\nxgboost.export('my_tree.py')\nimport my_tree\n", "my_tree", "xgboost"},
		{"import xgboost\nxgboost.export(f'out/my_tree.py')\nxgboost.export('out/my_tree.py')\nimport my_tree\n", "my_tree", "xgboost"},
		{"import xgboost\nxgboost.export('my_other_tree.py')\nimport my_tree\n", "my_tree", "xgboost my-tree"},
		{"import xgboost\nprint('numpy.py')\nimport numpy\n", "numpy", "xgboost numpy"},
	} {
		in := SpecInput{Report: &report.Report{}, Candidate: &candidate.Candidate{Script: c.script, Imports: []string{"xgboost", c.module}}}
		s, u, err := inferSpec(t.Context(), specWorld(), in)
		if err != nil || u != nil || lines(s.Requirements) != c.want {
			t.Errorf("%q: %q, want %q (%v %v)", c.script, lines(s.Requirements), c.want, u, err)
		}
		if strings.Contains(c.want, "my-tree") != strings.Contains(strings.Join(s.Imports, " "), "my_tree") {
			t.Errorf("%q: imports %q", c.script, s.Imports)
		}
	}
}
