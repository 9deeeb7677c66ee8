package proof

import (
	"fmt"
	"slices"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
)

// Unearned lists what of the reported side is not the reporter's own word. A
// release that was chosen by the day, loosened until it could be installed, or
// given by nobody may be one that never had the bug; so may a script that was
// changed in a way that could hide it.
func Unearned(o *Outcome, c *candidate.Candidate) []oracle.Open {
	var open []oracle.Open
	if s := o.Subject; s.Name != "" && !reporterNamed(o, s.Name) {
		open = append(open, oracle.Open{
			Kind:    "release",
			Text:    fmt.Sprintf("%s %s ran, which the report does not name: another release may show it", s.Name, s.Version),
			Settles: fmt.Sprintf("which release of %s shows it?", s.Name),
		})
	}
	if c.Origin == originReporter {
		for _, why := range c.RiskyFor(o.Expectation) {
			open = append(open, oracle.Open{Kind: "script", Text: "the script was changed in a way that could hide it: " + why, Settles: "the script exactly as it was run"})
		}
	}
	return open
}

// reporterNamed says that the release of a package is what the report, or the
// user, said it is.
func reporterNamed(o *Outcome, name string) bool {
	stated := func(list []environment.Requirement) bool {
		return slices.ContainsFunc(list, func(r environment.Requirement) bool {
			if r.Name != name {
				return false
			}
			return r.Word == environment.WordProject || r.Spec != "" && (r.Word == environment.WordReporter || r.Word == environment.WordFlag)
		})
	}
	// Those in force when it was solved: a word that had to be loosened is gone.
	if l := o.Lock; l != nil && len(l.Requirements)+len(l.Constraints) > 0 {
		return stated(l.Requirements) || stated(l.Constraints)
	}
	return stated(o.Spec.Requirements) || stated(o.Spec.Constraints)
}
