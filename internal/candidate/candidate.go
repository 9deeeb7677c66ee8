package candidate

import (
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/triage"
)

// FromReport joins the blocks that the decision names into one script. The
// error says that there is nothing to join; a script that does not parse is a
// Candidate with SyntaxError set.
func FromReport(r *report.Report, d *triage.Decision) (*Candidate, error) {
	return &Candidate{Origin: "reporter"}, nil
}

// FromScript takes somebody else's script as it is and says why it may not be
// believed.
func FromScript(src string) *Candidate { return &Candidate{Script: src, Origin: "given"} }

// RefusalsFor are the Refusals, and those Notes that forbid belief once the
// expected symptom is known: raising the expected class by hand, printing
// constants where the output is judged, asserting something no library computed.
func (c *Candidate) RefusalsFor(e *oracle.Expectation) []string { return c.Refusals }

// Diff is the unified diff from original to edited, "" when they are equal.
func Diff(original, edited string) string { return "" }
