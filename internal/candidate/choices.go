package candidate

import (
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/triage"
)

// Alternatives builds one candidate for each choice of blocks: Decision.Blocks
// first, then Decision.Alternatives, each script once. Choices that cannot be
// built are left out.
func Alternatives(r *report.Report, d *triage.Decision) []*Candidate {
	var found []*Candidate
	seen := map[string]bool{}
	for _, blocks := range append([][]int{d.Blocks}, d.Alternatives...) {
		choice := *d
		choice.Blocks = blocks
		c, err := FromReport(r, &choice)
		if err != nil || seen[c.Script] {
			continue
		}
		seen[c.Script] = true
		found = append(found, c)
	}
	return found
}
