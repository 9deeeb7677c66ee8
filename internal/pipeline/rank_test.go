package pipeline

import (
	"testing"

	"github.com/repgen/repgen/internal/agent"
	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/triage"
)

func outcome(h oracle.Headline, g oracle.Grade) *proof.Outcome {
	return &proof.Outcome{Verdict: oracle.Verdict{Headline: h, Grade: g}}
}

// The better of two outcomes is the run's; of equals the reporter's.
func TestBetterOutcomeIsTaken(t *testing.T) {
	gone := &proof.Outcome{Unavailable: &environment.Unavailable{Why: "no wheel"}}
	order := []*proof.Outcome{
		outcome(oracle.Reproduced, "A"), outcome(oracle.Fixed, "B"), outcome(oracle.Flaky, "C"),
		outcome(oracle.Lead, "D"), outcome(oracle.NotReproduced, ""), gone,
	}
	for i, own := range order {
		for j, other := range order {
			r := &Run{
				Request: &Request{Model: "m"}, Decision: &triage.Decision{}, Candidate: &candidate.Candidate{Script: "own"}, Outcome: own,
				Agent: &agent.Result{Outcome: other, Candidate: &candidate.Candidate{Script: "model"}},
			}
			r.take()
			if want := j < i; r.byAgent != want || (r.Candidate.Script == "model") != want {
				t.Errorf("own %d, model %d: taken %v", i, j, r.byAgent)
			}
		}
	}
}

// Flaky without a control is a lead like any other, whoever wrote the script.
func TestUngradedFlakyIsNoClaim(t *testing.T) {
	if proved(outcome(oracle.Flaky, "D")) || !proved(outcome(oracle.Flaky, "C")) || proved(outcome(oracle.Lead, "D")) || proved(nil) {
		t.Error("a claim is what has grade A to C")
	}
	if rank(outcome(oracle.Flaky, "D")) != rank(outcome(oracle.Lead, "D")) {
		t.Error("a flaky symptom without a control ranks as a lead")
	}
}

// A model that proved nothing, alone: its script's own verdict is not claimed.
func TestModelsFailedScriptIsExhausted(t *testing.T) {
	for _, h := range []oracle.Headline{oracle.NotReproduced, oracle.DifferentFailure, oracle.Exhausted, oracle.Failed} {
		r := &Run{
			Request: &Request{Model: "m"}, Decision: &triage.Decision{}, began: testTime,
			Agent: &agent.Result{Ending: agent.DeadEnd, Why: []string{"no new evidence"}, Outcome: outcome(h, ""), Candidate: &candidate.Candidate{}},
		}
		r.Agent.Outcome.Lock = &environment.Lock{}
		r.take()
		if v := r.view(); v.Headline != oracle.Exhausted || v.Grade != "" || proof.ExitCode(v) != 4 {
			t.Errorf("%s became %s", h, v.Headline)
		}
	}
	r := &Run{
		Request: &Request{Model: "m"}, Decision: &triage.Decision{}, began: testTime,
		Agent: &agent.Result{Ending: agent.LeadOnly, Outcome: outcome(oracle.Lead, "D"), Candidate: &candidate.Candidate{}},
	}
	r.Agent.Outcome.Lock = &environment.Lock{}
	r.take()
	if v := r.view(); v.Headline != oracle.Lead || v.Grade != "D" || !v.Model.Wrote {
		t.Errorf("a lead became %s %s", v.Headline, v.Grade)
	}
}
