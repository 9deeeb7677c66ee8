package proof

import (
	"context"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/system/lazyre"
)

const (
	// maxRuns is the most executions that the sequential test may ask for on
	// the reported side; whoever asks for more at the start gets twice those.
	// A guess: at 20 a symptom that comes in one of three executions is told
	// from none beyond chance.
	maxRuns = 20
	// adaptPatience, in seconds, is what more executions may take that only
	// tell "flaky" from "reproduced". A guess: below the aim for a whole verdict.
	adaptPatience = 15
	// rareRuns is how often a symptom that is said to come now and then is
	// looked for before it is denied: 0 of 13 bounds its rate at 21 %.
	rareRuns = 13
)

// startRuns is how many executions the reported side has before anything is
// decided.
func (p *proof) startRuns() int {
	switch p.exp.Oracle {
	case oracle.OracleHang:
		return min(p.in.Runs, hangRuns)
	case oracle.OracleDuplicates, oracle.OracleSpread:
		return max(p.in.Runs, defaultRuns) // one clean execution is no evidence of either
	}
	return p.in.Runs
}

// adapt goes on while the executions so far decide nothing: the sequential test
// asks for more where they are mixed, and a symptom that is said to come now
// and then is looked for longer.
func (p *proof) adapt(ctx context.Context) error {
	for {
		runs, hits := len(p.reported.group.Executions), p.countHits(p.reported)
		want := p.nextRuns(hits, runs)
		if want <= runs || p.late() || oracle.NeedsControl(p.exp.Oracle) && hits == 0 {
			return nil
		}
		p.progress("run", "%d of %d show it: %d more", hits, runs, want-runs)
		if err := p.repeat(ctx, p.reported, want); err != nil {
			return err
		}
	}
}

// nextRuns is how many executions there should be in all.
func (p *proof) nextRuns(hits, runs int) int {
	most := max(maxRuns, 2*p.in.Runs)
	switch {
	case hits == 0 && p.nowAndThen() && !p.anyWithin(p.reported):
		return min(rareRuns, most)
	case hits == 0 || hits == runs:
		return runs
	}
	more := oracle.NextRuns(hits, runs, most)
	if oracle.FisherOneSided(hits, runs, 0, runs) < firm && p.seconds(more) > adaptPatience {
		return runs // beyond chance; which side of half the rate is on is worth less
	}
	return runs + more
}

// seconds is how long so many further executions will take, by those so far.
func (p *proof) seconds(more int) float64 {
	total, exs := 0.0, p.reported.group.Executions
	for _, ex := range exs {
		total += ex.WallSeconds
	}
	return total / float64(max(len(exs), 1)) * float64(more) / float64(p.atOnce(oracle.SideReported))
}

// rare are the words for what does not always come.
var rare = lazyre.New(`(?i)\b(sometimes|occasionally|intermittent(ly)?|sporadic(ally)?|flak(y|iness)|non-?determinis(tic|m|tically)|from time to time|now and then|once in a while|not always|every few (runs|times)|(about|around) (half|one in|\d+ ?%)|race condition|(fails?|crash(es)?|hangs?|happens?|occurs?|appears?) (randomly|at random)|randomly (fails?|crash(es)?|hangs?|happens?|occurs?|appears?))\b`)

// nowAndThen says that the report's prose calls the symptom one that does not
// always come.
func (p *proof) nowAndThen() bool {
	switch p.exp.Oracle {
	case oracle.OracleNone, oracle.OracleDifferential, oracle.OracleSlow:
		return false
	}
	return rare.MatchString(prose(p.in.Report))
}
