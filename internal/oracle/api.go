package oracle

import "github.com/repgen/repgen/internal/sandbox"

// Judge says what one execution shows of an expectation.
func Judge(e Expectation, ex sandbox.Execution) Judgement {
	return Judgement{Finding: Inconclusive}
}

// JudgeAll judges every execution of every group in place and returns the
// reading (e itself or one of e.Also) that the judgements follow.
func JudgeAll(e Expectation, ev *Evidence) Expectation { return e }

// Decide computes the verdict from judged evidence.
func Decide(e Expectation, ev Evidence) Verdict { return Verdict{Headline: Failed, Control: -1} }

// Wilson is the 95 % score interval of hits in n.
func Wilson(hits, n int) (low, high float64) { return 0, 1 }

// FisherOneSided is the one-sided exact p-value that A shows it more than B.
func FisherOneSided(hitsA, nA, hitsB, nB int) float64 { return 1 }

// ZeroBound is the upper 95 % bound on the rate after zero hits in n.
func ZeroBound(n int) float64 { return 1 }

// DiffResult says on which stable positions two sides differ.
type DiffResult struct {
	Differs bool     `json:"differs"`
	Reasons []string `json:"reasons,omitempty"`
}

// Differential compares the outputs of two releases.
func Differential(bad, good []sandbox.Execution) DiffResult { return DiffResult{} }
