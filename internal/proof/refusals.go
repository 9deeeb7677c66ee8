package proof

import (
	"strings"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/oracle"
)

// refusals are the reasons why a candidate may not be believed. A reporter's
// own script may patch, raise and branch as it likes (its symptom was seen by
// the reporter, and the controls run the same script); what no honest report
// does is to reach for the observer or the bundle.
func refusals(c *candidate.Candidate, e *oracle.Expectation) []string {
	if c.Origin != originReporter {
		return c.RefusalsFor(e)
	}
	var grave []string
	for _, r := range c.Refusals {
		if strings.Contains(r, "observer") || strings.Contains(r, "bundle") {
			grave = append(grave, r)
		}
	}
	return grave
}

// originReporter is candidate.Candidate.Origin of a reporter's own script.
const originReporter = "reporter"
