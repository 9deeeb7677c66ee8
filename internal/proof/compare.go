package proof

import (
	"context"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/oracle"
)

// compareProbes bounds how many releases beside the named and the newest ones
// are compared: each of them costs as many executions as the reported side.
const compareProbes = 3

// compare is the way for oracles that find nothing on one side alone (a
// difference, a ratio of times): contrasts and releases run as often as the
// reported side until the two samples together say yes. A difference is judged
// against the releases that the report names, since only those are said to be
// right.
func (p *proof) compare(ctx context.Context) error {
	named := p.exp.Oracle == oracle.OracleDifferential
	if !named {
		if err := p.contrastsOften(ctx); err != nil || p.countHits(p.reported) > 0 {
			return err
		}
	}
	for _, pl := range p.firstPlans(ctx) {
		if pl.side == oracle.SideNewest && named || p.late() {
			continue
		}
		if done, err := p.compareWith(ctx, pl); err != nil || done && !named {
			return err
		}
	}
	for range compareProbes {
		version := nextProbe(p.list(ctx, p.subject), p.reported.lock.Version(p.subject), p.seen(p.subject))
		if named || version == "" || p.late() {
			break
		}
		if done, err := p.compareWith(ctx, plan{oracle.SideRelease, p.subject, version}); err != nil || done {
			return err
		}
	}
	return nil
}

// compareWith runs one release as often as the reported one; done says that the
// samples now show the symptom.
func (p *proof) compareWith(ctx context.Context, pl plan) (done bool, err error) {
	s, err := p.build(ctx, pl, p.reported.spec, p.reported.lock)
	if err != nil {
		return false, err
	}
	if s.env != nil {
		if err := p.repeat(ctx, s, len(p.reported.group.Executions)); err != nil {
			return false, err
		}
	}
	p.record(s)
	return p.countHits(p.reported) > 0, nil
}

// contrastsOften runs what the reporter names as the fast way.
func (p *proof) contrastsOften(ctx context.Context) error {
	for i, v := range candidate.Variants(p.in.Candidate, p.in.Decision) {
		if i >= maxContrasts || p.late() || p.countHits(p.reported) > 0 {
			break
		}
		if p.unfit(v) != "" {
			continue
		}
		s := p.variant(v)
		if err := p.repeat(ctx, s, len(p.reported.group.Executions)); err != nil {
			return err
		}
		p.record(s)
	}
	return nil
}
