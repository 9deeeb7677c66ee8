package triage

import (
	"testing"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
)

// TestAssertedElsewhere: the script's assert is the reporter's claim unless
// another one stands under what is expected; then it shows what came.
func TestAssertedElsewhere(t *testing.T) {
	const script = "# density is nan at the edge\n\n### Steps\n\n```python\nimport numpyro.distributions as dist\nimport numpy as np\nassert np.isnan(dist.Beta(1.0, 3.0).log_prob(0.0))\n```\n\n"
	for _, c := range []struct {
		name, rest string
		claimed    bool
	}{
		{"alone", "", true},
		{"prose is expected", "### Expected behavior\n\nIt should be finite.\n", true},
		{"code without an assert is expected", "### Expected behavior\n\n```python\ndist.Beta(1.0, 3.0).log_prob(0.0)\n```\n", true},
		{"another assert is expected", "### Expected behavior\n\n```python\nassert np.isclose(dist.Beta(1.0, 3.0).log_prob(0.0), 1.0986)\n```\n", false},
	} {
		d := Decide(report.Parse([]byte(script+c.rest), report.Source{}), Options{})
		if d.Route != Attempt {
			t.Errorf("%s: route %s", c.name, d.Route)
		}
		if got := d.Expectation != nil && d.Expectation.Oracle == oracle.OracleAssert; got != c.claimed {
			t.Errorf("%s: the script's assert is claimed: %v (%+v)", c.name, got, d.Expectation)
		}
	}
}
