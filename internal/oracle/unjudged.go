package oracle

import (
	"slices"

	"github.com/repgen/repgen/internal/symptom"
)

// noRelease begins the reasons of a stand-in.
const noRelease = "the reported version cannot be had"

// unjudged turns what a run without an oracle shows into a lead: nobody said
// what would be wrong, so nothing was found wrong or right.
func (v *Verdict) unjudged(g Group, why string) {
	if v.Headline == EnvUnavailable && v.Runs > 0 {
		// Not looked for is not absent either.
		v.Reasons = []string{noRelease + ", and of what stands in for it: " + why}
	}
	if v.Headline != NotReproduced && v.Headline != DifferentFailure {
		return
	}
	v.Headline = Lead
	v.Reasons = []string{why}
	if f := firstReason(g, Collided); f != string(Collided) {
		v.Reasons = append(v.Reasons, f)
	}
}

// byChance: nothing but stated numbers was missed, and those were drawn.
func byChance(e Expectation, g Group) bool {
	clean := slices.ContainsFunc(g.Judgements, func(j Judgement) bool { return j.Finding == Clean })
	return e.Oracle == OraclePrinted && e.Printed != nil && e.Printed.Chance && !clean
}

// partly: an execution showed a part of what is stated, and none what should
// come. What else is stated may be said of another script than the one that ran.
func partly(g Group) bool {
	some := false
	for _, j := range g.Judgements {
		some = some || j.Part
		if j.Finding == Clean {
			return false
		}
	}
	return some
}

// partReason is what the first such execution showed.
func partReason(g Group) string {
	for _, j := range g.Judgements {
		if j.Part && len(j.Reasons) > 0 {
			return j.Reasons[0]
		}
	}
	return "a part of what is stated came"
}

// onlyWanted: the claim holds what should be printed, and nothing of what came.
func onlyWanted(e Expectation) bool {
	p := e.Printed
	return e.Oracle == OraclePrinted && p != nil && len(p.Expected) > 0 && len(p.Actual) == 0 && p.Relation == ""
}

// ofTheScript: a failure that a script has by itself, whatever it calls.
func ofTheScript(s symptom.Symptom) bool {
	return s.Kind == symptom.ImportError || s.IsA("ImportError") || s.IsA("NameError") || s.IsA("SyntaxError") || s.IsA("FileNotFoundError")
}
