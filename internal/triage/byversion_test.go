package triage

import (
	"fmt"
	"testing"

	"github.com/repgen/repgen/internal/report"
)

// TestOutputsOfSeveralReleases: what one block shows of two releases is no
// output of one of them.
func TestOutputsOfSeveralReleases(t *testing.T) {
	const form = "# %s\n\n%s\n\n```python\nimport numpy as np\nimport xarray as xr\nprint('xarray', xr.__version__)\nprint('total:', float(xr.DataArray(np.ones(3)).sum()))\n```\n\nOutput\n```\n%s\n```\n"
	const both = "xarray 2023.1.0\ntotal: 3.0\nxarray 2023.2.0\ntotal: 4.0"
	for _, c := range []struct {
		name, title, prose, output string
		actual, expected           string
	}{
		{"one went wrong later", "regression in xarray 2023.2.0", "See both.", both, "total: 4.0", "total: 3.0"},
		{"the good one is named", "wrong total", "xarray 2023.1.0 is fine, 2023.2.0 is wrong.", both, "total: 4.0", "total: 3.0"},
		{"the older one is installed", "regression in the total", "I run xarray 2023.1.0.", both, "", ""},
		{"nobody says which is right", "wrong total", "It is the same everywhere.", both, "", ""},
		{"one release", "wrong total", "See below.", "xarray 2023.2.0\ntotal: 4.0", "total: 4.0", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := Decide(report.Parse([]byte(fmt.Sprintf(form, c.title, c.prose, c.output)), report.Source{}), Options{})
			actual, expected := "", ""
			if e := d.Expectation; e != nil && e.Printed != nil {
				for _, l := range e.Printed.Actual {
					actual += l.Text
				}
				for _, l := range e.Printed.Expected {
					expected += l.Text
				}
			}
			if actual != c.actual || expected != c.expected {
				t.Errorf("actual %q, expected %q: %+v", actual, expected, d.Expectation)
			}
		})
	}
}
