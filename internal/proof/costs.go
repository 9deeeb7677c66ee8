package proof

import (
	"context"
	"time"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/sandbox"
)

const (
	// hangWall is how long a script that is said to hang may run. A guess: what
	// a report calls a hang lasts for ever, and a minute is far above what any
	// script of the measured set took that did not (16 s).
	hangWall = 60 * time.Second
	// hangRuns suffice for a hang: 4 of 4 against 0 of 3 is p = 0.029 by Fisher.
	hangRuns = 4
	// hangAtOnce hanging executions wait side by side: they mostly sleep.
	hangAtOnce = 4
)

// limits bound one execution. A hang has a wall limit of its own, unless the
// user chose one; its controls have the same.
func (p *proof) limits() sandbox.Limits {
	l := p.in.Limits
	if p.exp.Oracle == oracle.OracleHang && (l.Wall == 0 || l.Wall == sandbox.DefaultLimits().Wall) {
		l.Wall = hangWall
	}
	return l
}

// ranOut: our own time limit ended every execution so far before it said
// anything, as with an endless loop. Oracles that compare whole sides read such
// times themselves.
func (p *proof) ranOut(s *side) bool {
	if oracle.ByGroup(p.exp.Oracle) {
		return false
	}
	for _, ex := range s.group.Executions {
		if ex.Outcome != sandbox.TimedOut || p.judgeAny(ex).Finding != oracle.Inconclusive {
			return false
		}
	}
	return len(s.group.Executions) > 0
}

// endless says that a script runs out of time again where it did at first: any
// further execution, and each on another release, would take minutes to say as
// little.
func (p *proof) endless(ctx context.Context, s *side) (bool, error) {
	if !p.ranOut(s) {
		return false, nil
	}
	if err := p.repeat(ctx, s, min(2, p.in.Runs)); err != nil {
		return false, err
	}
	return p.ranOut(s), nil
}

// stackAfter is when the stacks of a hanging script are first sampled, in
// seconds: at half of its time, so that the samples after it (every quarter of
// that) show whether it moves. 0 where no hang is claimed.
func (p *proof) stackAfter() float64 {
	if p.exp.Oracle != oracle.OracleHang {
		return 0
	}
	return p.limits().WithDefaults().Wall.Seconds() / 2
}

// atOnce is how many executions of a side run beside each other. What is
// measured in time or memory runs alone.
func (p *proof) atOnce(side oracle.Side) int {
	switch {
	case measured(p.exp.Oracle):
		return 1
	case p.exp.Oracle == oracle.OracleHang && side == oracle.SideReported:
		return max(hangAtOnce, p.parallel())
	}
	return p.parallel()
}
