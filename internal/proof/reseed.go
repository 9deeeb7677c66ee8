package proof

import (
	"context"
	"fmt"
	"strconv"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/system/lazyre"
)

const (
	// otherSeeds is how many other seeds are tried. A guess: where a claim holds
	// for every second seed, three miss that in one of eight reports.
	otherSeeds = 3
	// seedStep is added to every seed of the script, once more each time: neighbours
	// are as good as any, but two seeds of one script must not change places.
	seedStep = 101
)

// reseed runs the reported release with other seeds where another release is
// about to become a control of a claim about values. Releases may draw other
// random numbers from one seed, and of some one draws what the script asks for:
// that is shown to be so when the reported one does as well. A late proof is not
// spared it: what guards a claim may not depend on how busy the machine is.
func (p *proof) reseed(ctx context.Context) error {
	if !drawable(p.exp.Oracle) || p.provisional() != "B" {
		return nil
	}
	for k := 1; k <= otherSeeds; k++ {
		script := withOtherSeeds(p.in.Candidate.Script, k*seedStep)
		if script == "" {
			return nil
		}
		s := p.beside(oracle.SideReseeded)
		s.group.Script, s.group.Change = script, fmt.Sprintf("with %d added to the seeds", k*seedStep)
		if err := p.repeat(ctx, s, p.firstRuns(s.group.Side)); err != nil {
			return err
		}
		p.record(s)
		if p.absent(s) {
			return nil
		}
	}
	return nil
}

// Reseeded says that changed is the script with other seeds, as reseed makes it.
func Reseeded(script, changed string) bool {
	for k := 1; k <= otherSeeds; k++ {
		if changed != "" && changed == withOtherSeeds(script, k*seedStep) {
			return true
		}
	}
	return false
}

// drawable: the claim is about values that random numbers may decide. A crash of
// the library is one whatever was drawn, and costs are measured.
func drawable(n oracle.Name) bool {
	switch n {
	case oracle.OracleAssert, oracle.OraclePrinted, oracle.OracleNonFinite, oracle.OracleDuplicates, oracle.OracleLearning, oracle.OracleObserved:
		return true
	}
	return false
}

// seedGiven finds the seeds that a script gives as numbers: to a function that
// takes one, or to an argument of that name.
var seedGiven = lazyre.New(`(\b(?:seed|manual_seed|manual_seed_all|set_seed|set_random_seed|seed_everything|seed_all|PRNGKey|random\.key|default_rng|RandomState|Random)\(\s*(?:seed\s*=\s*)?|\b(?i:random_state|random_seed|seed)\s*=\s*)(\d{1,9})([^\w.]|$)`)

// withOtherSeeds adds a number to every seed that a script gives; "" when it
// gives none, or when what comes of it does not parse.
func withOtherSeeds(script string, add int) string {
	changed := seedGiven.ReplaceAllStringFunc(script, func(s string) string {
		m := seedGiven.FindStringSubmatch(s)
		n, err := strconv.Atoi(m[2])
		if err != nil {
			return s
		}
		return m[1] + strconv.Itoa(n+add) + m[3]
	})
	if changed == script || len(pysyntax.Parse(changed).SyntaxErrors) > 0 {
		return ""
	}
	return changed
}
