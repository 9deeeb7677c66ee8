package proof

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/sandbox"
)

// repairControl gives a control what its release imports and does not declare.
// What moving the subject took away, since only the other release declares it,
// comes back at the version of the reported side, so that less has moved than
// before. What the reported side never had is a dependency like those that the
// release does declare, and stands among what moved with it.
func (p *proof) repairControl(ctx context.Context, s *side) error {
	for range maxRepairs {
		dist := p.lostByMove(s)
		if dist == "" {
			return nil
		}
		version := p.reported.lock.Version(dist)
		p.progress("control", "%s misses %s: adding %s %s", labelOf(&s.group), dist, dist, version)
		spec := s.spec
		if version != "" {
			spec.Constraints = slices.Insert(slices.Clone(spec.Constraints), 0, environment.Requirement{
				Name: dist, Spec: "==" + version, Word: environment.WordUndeclared, Why: "as on the reported side",
			})
		}
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
		repaired.group = s.group
		repaired.group.Executions = nil
		if version == "" {
			p.note("%s %s imports %s without declaring it: %s %s added", s.group.Subject, s.group.Version, dist, dist, lock.Version(dist))
			all, named := Moved(p.in.Report, cameWith(s.lock, lock), lock, s.group.Subject)
			repaired.group.Moved = slices.Concat(s.group.Moved, all)
			repaired.group.MovedNamed = slices.Concat(s.group.MovedNamed, named)
		} else {
			p.note("%s %s imports %s without declaring it: kept at %s", s.group.Subject, s.group.Version, dist, version)
			repaired.group.Moved = withoutMove(s.group.Moved, dist, version == lock.Version(dist))
			repaired.group.MovedNamed = withoutMove(s.group.MovedNamed, dist, version == lock.Version(dist))
		}
		*s = *repaired
		if err := p.repeat(ctx, s, 1); err != nil {
			return err
		}
	}
	return nil
}

// lostByMove is the distribution whose absence stops the control, "" for none.
// What the script itself imports was on the reported side, or it would have
// failed there.
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
		name := pydist.Normalize(distOf(j.Detail))
		dist := lockName(p.reported.lock, name)
		if dist == "" && importedBy(ex) == s.group.Subject {
			dist = name
		}
		if dist != "" && s.lock.Version(dist) == "" {
			return dist
		}
	}
	return ""
}

// importedBy is the distribution whose line the last exception came from.
func importedBy(ex sandbox.Execution) string {
	all := ex.Record.Exceptions
	if len(all) == 0 || len(all[len(all)-1].Frames) == 0 {
		return ""
	}
	frames := all[len(all)-1].Frames
	dist, _ := pydist.FromModule(frames[len(frames)-1].Module)
	return pydist.Normalize(dist)
}

// cameWith is what a lock has that another one has not, or at another version.
func cameWith(before, after *environment.Lock) []environment.Move {
	var moves []environment.Move
	for _, pk := range after.Packages {
		if from := before.Version(pk.Name); from != pk.Version {
			moves = append(moves, environment.Move{Name: pk.Name, From: from, To: pk.Version})
		}
	}
	return moves
}

// withoutMove drops the entry of a distribution that is back where it was.
func withoutMove(moved []string, dist string, back bool) []string {
	if !back {
		return moved
	}
	return slices.DeleteFunc(slices.Clone(moved), func(m string) bool { return strings.HasPrefix(m, dist+" ") })
}
