package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/repgen/repgen/internal/agent/generate"
	"github.com/repgen/repgen/internal/agent/refine"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/agent/trace"
	"github.com/repgen/repgen/internal/agent/validate"
	"github.com/repgen/repgen/internal/codebase"
	"github.com/repgen/repgen/internal/oracle"
)

// way is one way to come by scripts; why says why it led nowhere.
type way struct {
	name string
	run  func(ctx context.Context) (why string, err error)
}

// ways are those of each strategy, in order.
func (r *run) ways() []way {
	contexts, zero := way{"contexts", r.contexts}, way{"zero-shot", r.baseline(generate.ZeroShot)}
	switch r.in.Strategy {
	case RepGen:
		return []way{contexts}
	case Sample:
		return []way{{"sample", r.sample}}
	case ZeroShot:
		return []way{zero}
	case FewShot:
		return []way{{"few-shot", r.baseline(generate.FewShot)}}
	case CoT:
		return []way{{"cot", r.baseline(generate.CoT)}}
	}
	return []way{{"completion", r.completion}, contexts, zero}
}

// strategy goes one way after the other until something is proved or none is
// left.
func (r *run) strategy(ctx context.Context) error {
	if err := r.open(ctx); err != nil {
		return err
	}
	why, ways := "every strategy came to a dead end", r.ways()
	for _, w := range ways {
		if err := r.spare(); err != nil {
			return err
		}
		reason, err := w.run(ctx)
		if err != nil {
			return err
		}
		if len(ways) == 1 {
			return r.exhausted(reason)
		}
		r.decide(ctx, "dead end", w.name+": "+reason)
	}
	return r.exhausted(why)
}

// exhausted is how a run ends in which every way led nowhere.
func (r *run) exhausted(why string) error {
	ran := slices.ContainsFunc(r.attempts, func(a task.Attempt) bool { return refine.Ran(a.Reached) })
	if !ran && r.base.env == nil && r.denied {
		return &stopped{ending: NoEnvironment, why: r.gone.Why}
	}
	return &stopped{ending: DeadEnd, why: why}
}

// baseline is one of the published baselines: one prompt, no project, one
// script, judged by running it.
func (r *run) baseline(v generate.Variant) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		return r.play(ctx, &scene{name: string(v), variant: v, bare: true}, 1)
	}
}

// completion asks for the reporter's script with as little changed as possible.
func (r *run) completion(ctx context.Context) (string, error) {
	script := r.ownText()
	if script == "" {
		return "the report has no code to complete", nil
	}
	if err := r.expect(ctx); err != nil {
		return "", err
	}
	return r.play(ctx, &scene{name: "completion", variant: generate.Complete, script: script}, r.in.Budget.Attempts)
}

// contexts is the published order: one plan and its attempts for each module of
// the code, best first, or once without code.
func (r *run) contexts(ctx context.Context) (string, error) {
	if err := r.order(ctx); err != nil {
		return "", err
	}
	if err := r.expect(ctx); err != nil {
		return "", err
	}
	modules, err := r.search(ctx)
	if err != nil {
		return "", err
	}
	scenes := []*scene{{name: "repgen", variant: generate.Full, script: r.ownText()}}
	if len(modules) > 0 {
		scenes = nil
	}
	for i := range modules {
		scenes = append(scenes, &scene{name: "repgen", number: i + 1, variant: generate.Full, module: &modules[i], script: r.ownText()})
	}
	why := ""
	for _, s := range scenes {
		if err := r.spare(); err != nil {
			return "", err
		}
		if why, err = r.play(ctx, s, r.in.Budget.Attempts); err != nil {
			return "", err
		}
		if len(scenes) > 1 {
			r.decide(ctx, fmt.Sprintf("context %d left", s.number), why)
		}
		if s.fresh == 0 {
			return fmt.Sprintf("context %d brought no script that was not tried before", s.number), nil
		}
	}
	return fmt.Sprintf("contexts tried: %d, the last one: %s", len(scenes), why), nil
}

// search finds the code that the report is about, at most Budget.Contexts
// modules of it.
func (r *run) search(ctx context.Context) ([]codebase.Module, error) {
	if r.a.Contexts == nil || r.code != nil {
		return r.code, nil
	}
	err := r.stage(ctx, "contexts", func(ctx context.Context) (string, error) {
		c, err := r.a.Contexts(ctx, r.baseEnv(), r.off.retrieval())
		if err != nil {
			return "", infrastructure("search the code", err)
		}
		if c == nil {
			return "none", nil
		}
		r.code = c.Modules[:min(len(c.Modules), r.in.Budget.Contexts)]
		return fmt.Sprintf("%d modules of %s", len(r.code), c.Project), nil
	})
	return r.code, err
}

// play makes the attempts of one scene and says why they ended without a proof.
func (r *run) play(ctx context.Context, s *scene, attempts int) (why string, err error) {
	s.first = len(r.attempts)
	if err := r.outline(ctx, s); err != nil {
		return "", err
	}
	why = fmt.Sprintf("all attempts used up (%d)", attempts)
	for i := range attempts {
		if err := r.spare(); err != nil {
			return "", err
		}
		if err := r.attempt(ctx, s); err != nil {
			return "", err
		}
		made := r.attempts[s.first:]
		if !judgeable(r.decision) && refine.Ran(made[len(made)-1].Reached) {
			return "", &stopped{ending: DeadEnd, why: "nothing says what a run must show: no script can be judged, so that one was written and run, and no more"}
		}
		if dead := r.left(made); dead != "" {
			why = dead
			break
		}
		if i+1 < attempts && r.refuted(s) {
			s.revised = true
			r.decide(ctx, "plan revised", fmt.Sprintf("attempts up to %d refute it", made[len(made)-1].Number))
			if err := r.outline(ctx, s); err != nil {
				return "", err
			}
		}
	}
	return why, r.proveShown(ctx)
}

// left says why a scene is left before its attempts are used up.
func (r *run) left(made []task.Attempt) string {
	if why := refine.DeadEnd(made); why != "" {
		return why
	}
	last := made[len(made)-1]
	// The published order moves on to the next context at once.
	if r.in.Strategy == RepGen && last.Reached == task.StageRelevance {
		return fmt.Sprintf("attempt %d is not about the report", last.Number)
	}
	return ""
}

// refutes is how many runs without the symptom are held against a plan: one may
// be the script's fault, and a dead end comes with the third.
const refutes = 2

func (r *run) refuted(s *scene) bool {
	if s.revised || s.plan == nil {
		return false
	}
	n := 0
	for _, a := range r.attempts[s.first:] {
		if refine.Ran(a.Reached) && !a.Hit {
			n++
		}
	}
	return n >= refutes
}

// attempt makes one attempt: a script, its checks, its run, and its proof where
// the run and its control say that it is worth one.
func (r *run) attempt(ctx context.Context, s *scene) error {
	number := len(r.attempts) + 1
	ctx, end := r.a.Trace.Begin(trace.WithAttempt(ctx, number), trace.KindStage, "attempt")
	m, err := r.write(ctx, s, number)
	if err != nil {
		end(trace.Span{Text: err.Error(), Failed: true})
		return err
	}
	if again := r.again(m); again == nil {
		s.fresh++
		err = r.look(ctx, s, m)
	}
	// A budget that ends here does not undo the attempt: it is in the result.
	if err != nil && !isStop(err) {
		end(trace.Span{Text: err.Error(), Failed: true})
		return err
	}
	r.attempts = append(r.attempts, m.attempt)
	a := &r.attempts[number-1]
	if err == nil && m.trial != nil && a.Hit {
		switch {
		case a.Clean, r.importOnly(m), r.releaseTells():
			err = r.prove(ctx, m, number-1)
		case r.shown == nil, !validate.Failed(a.Feedback), validate.Failed(r.shown.made.attempt.Feedback):
			// Another release may be a control: kept until it is clear whether a
			// script with one of its own comes, which is proved with less. One with a
			// control that cannot count replaces none without.
			r.shown = &shown{m, number - 1}
		}
	}
	text := told(a)
	r.progress("attempt %d (%s): %s", number, s.name, text)
	end(trace.Span{Text: text, Detail: a.Script, Failed: err != nil && !isStop(err)})
	return err
}

// importOnly: importing is what fails, so that there is nothing to leave out and
// no later script can have a better control than another release.
func (r *run) importOnly(m *made) bool {
	e := r.decision.Expectation
	return e != nil && e.Oracle == oracle.OracleImportError && m.candidate != nil && !m.candidate.HasControl
}

// releaseTells: the symptom is one of observed values, for which a control of
// the script's own never counts alone, so that other releases are asked as soon
// as one script shows it. Once: where they do not tell, a script with a control
// is worth waiting for.
func (r *run) releaseTells() bool {
	e := r.decision.Expectation
	if e == nil || e.Oracle != oracle.OracleObserved || r.asked {
		return false
	}
	r.asked = true
	return true
}

func isStop(err error) bool {
	var stop *stopped
	return errors.As(err, &stop)
}

// again is the earlier attempt that wrote the same script, whose result stands
// for it: nothing is run twice. What was found to miss the point of one plan may
// be to that of another.
func (r *run) again(m *made) *task.Attempt {
	for i := range r.attempts {
		if old := &r.attempts[i]; old.Reached != task.StageRelevance && refine.Same(old.Script, m.attempt.Script) {
			m.attempt.Reached, m.attempt.Feedback = old.Reached, old.Feedback
			m.attempt.Hit, m.attempt.Clean, m.attempt.Headline = old.Hit, old.Clean, old.Headline
			return old
		}
	}
	return nil
}

// told is one line on an attempt.
func told(a *task.Attempt) string {
	switch {
	case a.Headline != "":
		return "proved as " + a.Headline
	case a.Clean:
		return "shows the symptom, its control does not"
	case a.Hit:
		return "shows the symptom, without a control"
	}
	for _, f := range a.Feedback {
		if f.Severity == task.SeverityError {
			return fmt.Sprintf("ended at %s (%s)", a.Reached, f.Signature)
		}
	}
	if a.Reached == task.StageRefused {
		return "passed the checks, was not run"
	}
	return fmt.Sprintf("ended at %s", a.Reached)
}
