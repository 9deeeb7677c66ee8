package environment

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/report"
)

// TestPlaceholders: an install line that asks for a name without code means the
// package behind it, in the version that is stated elsewhere.
func TestPlaceholders(t *testing.T) {
	for _, c := range []struct {
		line, stated, want string
		told               bool
	}{
		{"sklearn", "", "numpy scikit-learn", true},
		{"sklearn==0.0", "", "numpy scikit-learn", true},
		{"sklearn==0.0.post12", "1.5.0", "numpy scikit-learn==1.5.0", true},
		{"sklearn==1.5.0", "", "numpy scikit-learn==1.5.0", true},
		{"scikit-learn", "1.5.0", "numpy scikit-learn==1.5.0", false},
		{"scikit-learn==1.6.0", "1.5.0", "numpy scikit-learn==1.6.0", false},
		{"sklearn-pandas", "", "numpy sklearn-pandas", false},
	} {
		in := SpecInput{Report: &report.Report{}, Candidate: &candidate.Candidate{
			Script: "import numpy as np\nprint(np.ones(3))", Imports: []string{"numpy"}, Requirements: []string{c.line},
		}}
		if c.stated != "" {
			in.Report.Versions = []report.Version{{Name: "scikit-learn", Dist: "scikit-learn", Spec: c.stated, Kind: report.VersionExact, Where: "prose"}}
		}
		s, u, err := inferSpec(t.Context(), specWorld(), in)
		if err != nil || u != nil || lines(s.Requirements) != c.want {
			t.Errorf("%s: %q, want %q (%v %v)", c.line, lines(s.Requirements), c.want, u, err)
		}
		if told := strings.Contains(strings.Join(s.Edits, "\n"), "only a name that points to"); told != c.told {
			t.Errorf("%s: edits %q", c.line, s.Edits)
		}
	}
}
