package proof

import (
	"slices"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/oracle"
)

// Refusals are the reasons why a candidate may not be believed. A script that
// branches on the version, patches the library or signals itself makes its own
// difference between two releases, whoever wrote it: none of the measured
// reports does so. What a reporter's script raises, prints or asserts by itself
// is part of what was reported, and is left to the controls.
func Refusals(c *candidate.Candidate, e *oracle.Expectation) []string {
	if c.Origin != originReporter {
		return append(c.RefusalsFor(e), c.OnlyVersions(e)...)
	}
	return append(slices.Clone(c.Refusals), c.OnlyVersions(e)...)
}

// originReporter is candidate.Candidate.Origin of a reporter's own script.
const originReporter = "reporter"

// originAgent is that of a language model's.
const originAgent = "agent"
