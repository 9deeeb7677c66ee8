package agent

import (
	"cmp"
	"time"

	"github.com/repgen/repgen/internal/agent/ask"
	"github.com/repgen/repgen/internal/llm"
)

// DefaultBudget is what a run may take when nobody says otherwise.
func DefaultBudget() Budget {
	return Budget{
		Attempts: 5, // a context (source: the published method)
		Contexts: 5, // (source: the published method)
		// Enough for three of them to agree by more than chance, few enough to
		// cost less than the 25 attempts of the published order (a guess; Libro
		// took 50 of a model without feedback).
		Samples: 10,
		// 25 attempts, 5 plans and what goes before them, with every answer asked
		// for twice, are 70 calls; 1.2 million tokens are those at 12,000 a prompt
		// and 4,000 an answer, rounded. No limit of money: prices may be unknown.
		Model: llm.Limit{Calls: 100, Tokens: 1_200_000},
		// A guess: what a person waits for a verdict in the background.
		Wall: 45 * time.Minute,
		// A guess: 25 runs of the slowest measured case (16 s) with their controls,
		// and three proofs of a dozen executions.
		Sandbox: 30 * time.Minute,
		Prompt:  ask.DefaultPrompt,
		Answer:  ask.DefaultAnswer,
	}
}

// withDefaults replaces each zero by the default's. Of the model's limits a
// single one that is named stands alone: who names dollars does not count calls.
func (b Budget) withDefaults() Budget {
	d := DefaultBudget()
	b.Attempts, b.Contexts, b.Samples = cmp.Or(b.Attempts, d.Attempts), cmp.Or(b.Contexts, d.Contexts), cmp.Or(b.Samples, d.Samples)
	b.Model = cmp.Or(b.Model, d.Model)
	b.Wall, b.Sandbox = cmp.Or(b.Wall, d.Wall), cmp.Or(b.Sandbox, d.Sandbox)
	b.Prompt, b.Answer = cmp.Or(b.Prompt, d.Prompt), cmp.Or(b.Answer, d.Answer)
	return b
}

// nothing says which limit lets nothing be done at all, "" when none does. A
// negative figure is one that the user named and that leaves nothing.
func (b Budget) nothing() string {
	switch {
	case b.Model.None:
		return "the budget lets no model be asked"
	case b.Attempts < 0 || b.Contexts < 0 || b.Samples < 0:
		return "the budget lets no attempt be made"
	case b.Wall < 0:
		return "the budget leaves no time"
	case b.Sandbox < 0:
		return "the budget leaves no time in the sandbox"
	case b.Prompt < 0 || b.Answer < 0:
		return "the budget leaves no tokens for a prompt or an answer"
	}
	return ""
}
