package oracle

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/symptom"
)

// A control that the script's author wrote is the weakest of all: whoever wrote
// the script can build in what is then taken out. It counts only where the
// symptom speaks for itself and is the reporter's own in everything, and where
// what was left out is what the reporter speaks of.

// unfitAuthored says why an authored control proves nothing, whatever ran; ""
// when it may count.
func unfitAuthored(e Expectation, ev Evidence) string {
	switch {
	case len(ev.ControlUnfit) > 0:
		return "is no control: " + strings.Join(ev.ControlUnfit, "; ")
	case e.Asks:
		return "is clean, and the report asks whether this is expected: a release pair is required"
	case e.Oracle != OracleException && e.Oracle != OracleImportError && e.Oracle != OracleSignal:
		return "is clean, but its author wrote what is judged as well: a release without the symptom is required"
	}
	r := slices.IndexFunc(ev.Groups, func(g Group) bool { return g.Side == SideReported })
	if r < 0 {
		return "has no reported side"
	}
	for _, j := range ev.Groups[r].Judgements {
		if j.Finding != Hit {
			continue
		}
		if !fullMatch(e, j) {
			return "is clean, but class, message and place are not all those of the reporter's own log: a release without the symptom is required"
		}
		if why := notOfItself(j.Observed); why != "" {
			return "is clean, but " + why
		}
	}
	return ""
}

// goodIn is how many executions of a control show that what the reporter wants
// holds. Of a claim that the script's author wrote only its own "good" does: not
// to be bad is nothing that anybody vouched for.
func goodIn(e Expectation, g Group, t tally) int {
	if e.Oracle == OracleObserved {
		return t.clean
	}
	return t.good(g.Side)
}

// observedSymptom is what a claim over observations shows when it is bad.
func observedSymptom(e Expectation, values string) symptom.Symptom {
	s := symptom.Symptom{Kind: e.Symptom.Kind, Message: values}
	if s.Kind == "" || s.Kind == symptom.Unknown {
		s.Kind = symptom.WrongValue
	}
	return s
}
