package proof

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pydist"
)

// repairControl gives a control back what moving the subject took from it. A
// release may import what it does not declare; the reported side had that
// distribution only because the other release declares it. It comes back at the
// version of the reported side, so that less has moved than before.
func (p *proof) repairControl(ctx context.Context, s *side) error {
	for range maxRepairs {
		dist := p.lostByMove(s)
		if dist == "" {
			return nil
		}
		version := p.reported.lock.Version(dist)
		p.progress("control", "%s misses %s: adding %s %s", labelOf(&s.group), dist, dist, version)
		spec := s.spec
		spec.Constraints = slices.Insert(slices.Clone(spec.Constraints), 0, environment.Requirement{
			Name: dist, Spec: "==" + version, Word: environment.WordUndeclared, Why: "as on the reported side",
		})
		spec, lock, un, err := p.Solver.Add(ctx, spec, s.lock, dist)
		if err != nil {
			return fmt.Errorf("add %s to the control %s: %w", dist, labelOf(&s.group), err)
		}
		if un != nil || lock.Version(s.group.Subject) != s.lock.Version(s.group.Subject) {
			return nil // it stays a control that proves nothing
		}
		repaired, un, err := p.open(ctx, spec, lock)
		if err != nil {
			return err
		}
		if un != nil {
			return nil
		}
		p.note("%s %s imports %s without declaring it: kept at %s", s.group.Subject, s.group.Version, dist, version)
		repaired.group = s.group
		repaired.group.Executions = nil
		repaired.group.Moved = withoutMove(s.group.Moved, dist, version == lock.Version(dist))
		repaired.group.MovedNamed = withoutMove(s.group.MovedNamed, dist, version == lock.Version(dist))
		*s = *repaired
		if err := p.repeat(ctx, s, 1); err != nil {
			return err
		}
	}
	return nil
}

// lostByMove is the distribution whose absence stops the control, when the
// reported side has it; "" otherwise.
func (p *proof) lostByMove(s *side) string {
	executions := slices.Clone(s.group.Executions)
	if !s.cert.OK {
		executions = append(executions, s.cert.Execution)
	}
	for _, ex := range executions {
		j := oracle.Judge(p.exp, ex)
		if j.Fault != faultMissingModule {
			continue
		}
		dist := lockName(p.reported.lock, pydist.Normalize(distOf(j.Detail)))
		if dist != "" && s.lock.Version(dist) == "" {
			return dist
		}
	}
	return ""
}

// withoutMove drops the entry of a distribution that is back where it was.
func withoutMove(moved []string, dist string, back bool) []string {
	if !back {
		return moved
	}
	return slices.DeleteFunc(slices.Clone(moved), func(m string) bool { return strings.HasPrefix(m, dist+" ") })
}
