package pipeline

import (
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/sandbox"
)

// keptOutcome is an Outcome with its executions, which evidence groups leave
// out of their own JSON.
type keptOutcome struct {
	Outcome    *proof.Outcome        `json:"outcome"`
	Executions [][]sandbox.Execution `json:"executions"`
}

func keep(o *proof.Outcome) *keptOutcome {
	k := &keptOutcome{Outcome: o}
	for _, g := range o.Evidence.Groups {
		k.Executions = append(k.Executions, g.Executions)
	}
	return k
}

func (k *keptOutcome) restore() *proof.Outcome {
	for i := range k.Outcome.Evidence.Groups {
		if i < len(k.Executions) {
			k.Outcome.Evidence.Groups[i].Executions = k.Executions[i]
		}
	}
	return k.Outcome
}
