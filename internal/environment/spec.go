package environment

import (
	"context"
	"errors"
	"time"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/triage"
)

// SpecInput is all that an environment is inferred from. Report may be nil (a
// bare script) and Decision may be nil (nothing was triaged); Candidate may be
// nil only when Subject or With names something to install.
type SpecInput struct {
	Report    *report.Report
	Decision  *triage.Decision
	Candidate *candidate.Candidate
	// Date is a full UTC instant, zero when the user gave none.
	Date time.Time
	// Python is "3.11" or "3.11.7", "" when the user gave none.
	Python  string
	Subject string
	// With are requirements in pip's form, one each.
	With []string
	// Now is the clock, zero for time.Now.
	Now time.Time
}

// Spec infers what the environment of a report should hold.
func (m *Manager) Spec(ctx context.Context, in SpecInput) (Spec, *Unavailable, error) {
	return Spec{}, nil, errors.New("not yet")
}
