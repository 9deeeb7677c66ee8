package oracle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/symptom"
)

// judgeObserved evaluates a claim over what one execution observed. The
// expressions are data of whoever wrote the script: what they say of one side is
// worth something only beside a control, and where the report says it too.
func judgeObserved(e Expectation, ex sandbox.Execution) Judgement {
	if e.Observed == nil {
		return unclear("the claim has no expressions")
	}
	claim, why := compileClaim(e.Observed)
	if len(why) > 0 {
		return unclear("the claim cannot be judged: " + strings.Join(why, "; "))
	}
	seen := lastOf(claim, ex)
	if missing := claim.missing(seen); len(missing) > 0 {
		if _, failed := mainFailure(ex); failed || !ended(ex) {
			return unfinished(e, ex)
		}
		return unclear("the script ended and never observed " + strings.Join(missing, ", "))
	}
	env, why := claim.environment(seen)
	if len(why) > 0 {
		return unclear(why...)
	}
	bad, errBad := answer(claim.bad, env)
	good, errGood := answer(claim.good, env)
	if errBad != nil || errGood != nil {
		return unclear(fmt.Sprintf("the claim cannot be evaluated: %v", firstError(errBad, errGood)))
	}
	if !good && (bad || ended(ex)) {
		if j, ok := claim.byRounding(ex, seen, env, bad); ok {
			return j
		}
	}
	return claim.found(e, ex, seen, bad, good)
}

// found turns the two answers into a finding.
func (c *claim) found(e Expectation, ex sandbox.Execution, seen observations, bad, good bool) Judgement {
	values := seen.words(c.used)
	j := Judgement{Match: symptom.Match{Relation: symptom.None}}
	switch {
	case bad && good:
		return unclear("what is bad and what is good hold at once: " + values)
	case bad:
		j.Finding, j.Match.Relation = Hit, symptom.Same
		j.Observed = observedSymptom(e, values)
		j.Reasons = []string{fmt.Sprintf("%s holds: %s", c.text.Bad, values)}
	case good && !ended(ex):
		// What came after the observation is no part of the claim, but a side
		// that dies is no example of how it should be.
		return unfinished(e, ex)
	case good:
		j.Finding = Clean
		j.Reasons = []string{fmt.Sprintf("%s holds: %s", c.text.Good, values)}
	default:
		j.Finding = Absent
		j.Reasons = []string{"neither what is bad nor what is good holds: " + values}
	}
	j.Reasons = append(j.Reasons, seen.again(c.used)...)
	return j
}

// unclear is an execution that says nothing of the claim.
func unclear(reasons ...string) Judgement {
	return Judgement{Finding: Inconclusive, Match: symptom.Match{Relation: symptom.None}, Reasons: reasons}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// CheckObserved says why a claim over observations cannot be judged: its names,
// its types, an expression that does not compile or that is vacuous. Empty: it
// can. Nothing is run for it but the expressions, over values of our own.
func CheckObserved(o *Observed) []string {
	c, why := compileClaim(o)
	if len(why) > 0 {
		return why
	}
	return c.vacuous()
}

// ObservedLiteral is one literal of a claim's expressions.
type ObservedLiteral struct {
	// Text is a string literal's value, "" for numbers.
	Text string
	// Number is a number's value.
	Number float64
	String bool
	// Tolerance: it stands where a tolerance does, at the right of an order
	// comparison or as the last argument of close.
	Tolerance bool
}

// ObservedLiterals are the literals of both expressions, each once; nil where
// the claim does not compile.
func ObservedLiterals(o *Observed) []ObservedLiteral {
	c, why := compileClaim(o)
	if len(why) > 0 {
		return nil
	}
	return c.literals
}

// ObservedNames are the observations that the expressions really use, sorted;
// nil where the claim does not compile.
func ObservedNames(o *Observed) []string {
	c, why := compileClaim(o)
	if len(why) > 0 {
		return nil
	}
	return slices.Clone(c.used)
}
