package proof

import (
	"context"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/sandbox"
)

// Trial is one execution of a candidate, and one of its control where the
// first shows the symptom. It is never a verdict.
type Trial struct {
	// Spec and Lock are those that ran, with what the ladder added on the way.
	Spec        environment.Spec         `json:"spec"`
	Lock        *environment.Lock        `json:"lock,omitempty"`
	Unavailable *environment.Unavailable `json:"unavailable,omitempty"`
	// Expectation is the one that the execution was judged by.
	Expectation oracle.Expectation `json:"expectation"`
	Execution   sandbox.Execution  `json:"execution"`
	Judgement   oracle.Judgement   `json:"judgement"`
	// Control is nil when it was not run.
	Control          *sandbox.Execution `json:"control,omitempty"`
	ControlJudgement *oracle.Judgement  `json:"control_judgement,omitempty"`
	// ControlUnfit says why the control cannot count, whatever it shows.
	ControlUnfit string   `json:"control_unfit,omitempty"`
	Notes        []string `json:"notes,omitempty"`
	Sandbox      float64  `json:"sandbox_s"`
}

// Try runs a candidate once, in the environment in which Prove would, repaired
// where a run shows that it is at fault, and its own control once where the
// first run shows the symptom. No release is looked for and nothing is built for
// later. Executions go through the journal under the keys of Prove, which finds
// them there. The error is for infrastructure and cancellation.
func (p *Prover) Try(ctx context.Context, in Input) (*Trial, error) {
	pr := p.begin(in)
	pr.trial = true
	s, err := pr.prepare(ctx)
	if err != nil {
		return nil, err
	}
	t := &Trial{Spec: pr.spec, Expectation: pr.exp, Unavailable: pr.out.Unavailable}
	if s != nil {
		pr.reported = s
		pr.chooseExpectation(s.group.Executions)
		t.Spec, t.Lock, t.Expectation = s.spec, s.lock, pr.exp
		t.Execution, t.Judgement = s.group.Executions[0], pr.judged(s)[0]
		if t.Judgement.Finding == oracle.Hit && in.Candidate.HasControl {
			err = pr.tryOwnControl(ctx, t)
		}
	}
	t.Notes = pr.out.Notes
	t.Sandbox = time.Duration(pr.spent.Load()).Seconds()
	return t, err
}

// tryOwnControl runs the control once and says whether it could count.
func (p *proof) tryOwnControl(ctx context.Context, t *Trial) error {
	s := p.ownControl()
	if err := p.repeat(ctx, s, 1); err != nil {
		return err
	}
	groups := judgeGroups(p.exp, []oracle.Group{p.reported.group, s.group})
	t.Control, t.ControlJudgement = &s.group.Executions[0], &groups[1].Judgements[0]
	t.ControlUnfit = strings.Join(unfitControl(p.in.Report, p.in.Candidate, &p.exp, groups), "; ")
	return nil
}
