package triage

import "github.com/repgen/repgen/internal/report"

// Decide reads a report and says what can be done with it. It is pure and
// never fails: the worst report ends as needs_info.
func Decide(r *report.Report, opts Options) *Decision {
	return &Decision{Route: NeedsInfo, Subjects: []string{}}
}
