package proof

import (
	"context"
	"strconv"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// pinnedRuns are executed with all seeds pinned: enough to see whether pinning
// hides or creates the symptom, and as many as a control has. A guess.
const pinnedRuns = 3

// pinnedSeed is the seed of pinned executions; any fixed number does.
const pinnedSeed = 0

// hashSeed varies from execution to execution, since one pinned seed hides what
// depends on it, and is numbered, so that the same executions can be had again.
// Where equal executions are said to differ it is left to the interpreter, as it
// was on the reporter's machine.
func (p *proof) hashSeed(s *side, number int) string {
	switch {
	case s.group.Side == oracle.SidePinned: // numpy and the hash seed alike
		return strconv.Itoa(pinnedSeed)
	case p.exp.Oracle == oracle.OracleSpread:
		return "random"
	}
	return strconv.Itoa(number - 1)
}

// observer is what the probe records on a side.
func (p *proof) observer(s *side) *probe.Options {
	o := &probe.Options{Watch: p.in.Candidate.Watch, StackAfter: p.stackAfter()}
	o.Audit = s.audit
	o.Control = s.group.Side == oracle.SideAuthored
	if s.group.Side == oracle.SidePinned {
		seed := pinnedSeed
		o.Seed = &seed
	}
	return o
}

// pin runs the reported side again with all seeds pinned, where that could show
// something else: the executions were mixed, or the script draws random numbers
// that it does not seed. It is recorded and decides nothing.
func (p *proof) pin(ctx context.Context) error {
	runs, hits := len(p.reported.group.Executions), p.countHits(p.reported)
	mixed := hits > 0 && hits < runs
	costs := measured(p.exp.Oracle) || p.exp.Oracle == oracle.OracleHang // seeds are not what they turn on
	if p.late() || costs || oracle.NeedsControl(p.exp.Oracle) || !mixed && !unseeded(p.in.Candidate.Script) {
		return nil
	}
	s := p.beside(oracle.SidePinned)
	s.group.Change = "with all seeds pinned"
	n := pinnedRuns
	if !mixed && !oracle.ByGroup(p.exp.Oracle) {
		n = 1 // nothing varied: one look says whether pinning hides it
	}
	if err := p.repeat(ctx, s, n); err != nil {
		return err
	}
	p.record(s)
	return nil
}

var (
	// drawing are calls that take from a random generator; seeding are those
	// that set one. Library names only: a method of the same name on anything
	// else costs one execution at most.
	drawing = lazyre.New(`\b(rand|randn|randint|randperm|random_sample|uniform|normal|choice|shuffle|permutation|random|sample|bernoulli|multinomial|rand_like|randn_like|Dropout|dropout)\s*\(`)
	seeding = lazyre.New(`\b(seed|manual_seed|manual_seed_all|set_seed|set_random_seed|seed_everything|seed_all|PRNGKey|default_rng\(\s*\d|RandomState\(\s*\d|random_state\s*=\s*\d|seed\s*=\s*\d)`)
)

// unseeded says that a script draws random numbers and sets no seed.
func unseeded(script string) bool {
	return drawing.MatchString(script) && !seeding.MatchString(script) && len(pysyntax.Parse(script).SyntaxErrors) == 0
}
