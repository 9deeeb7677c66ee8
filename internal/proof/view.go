package proof

import (
	"fmt"
	"strings"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/triage"
)

// View lays out what was reached as the JSON result. o is nil when triage
// ended the run; c is nil when there was no script.
func View(d *triage.Decision, c *candidate.Candidate, o *Outcome) *Result {
	r := emptyResult()
	r.Missing = append(r.Missing, d.Missing...)
	r.Reply = d.Reply
	if len(d.Subjects) > 0 {
		r.Subject = ResultSubject{Name: d.Subjects[0], Source: d.SubjectSource}
	}
	if d.Expectation != nil {
		r.Symptom.Expected, r.Symptom.Oracle = expectedView(d.Expectation), d.Expectation.Oracle
	}
	if c != nil {
		r.Edits = append(r.Edits, c.Edits...)
	}
	if o == nil {
		r.Headline = headlineOf(d.Route)
		for _, reason := range d.Reasons {
			r.Reasons = append(r.Reasons, reason.Text)
		}
		return r
	}
	r.outcome(o)
	return r
}

// emptyResult has no nil list, so that the JSON has [] and not null.
func emptyResult() *Result {
	return &Result{
		Schema: SchemaVersion, Also: []oracle.Headline{}, Versions: []ResultVersion{}, Isolation: []sandbox.Layer{},
		Edits: []candidate.Edit{}, Reasons: []string{}, Open: []oracle.Open{}, Missing: []string{}, Steering: []string{},
	}
}

// Failure is the result of a run that our defect, the infrastructure or the
// user's interruption ended.
func Failure(e ResultError) *Result {
	r := emptyResult()
	r.Headline = oracle.Failed
	r.Error = &e
	r.Reasons = []string{strings.TrimSuffix(e.What+": "+e.Why, ": ")}
	return r
}

// expectedView is the expected symptom; for printed output its message is what
// the reporter says came.
func expectedView(e *oracle.Expectation) *symptom.Symptom {
	s := e.Symptom
	if s.Message == "" && e.Printed != nil {
		var lines []string
		for _, l := range e.Printed.Actual {
			lines = append(lines, l.Text)
		}
		s.Message = strings.Join(lines, "\n")
	}
	return &s
}

func headlineOf(r triage.Route) oracle.Headline {
	switch r {
	case triage.NeedsInfo:
		return oracle.NeedsInfo
	case triage.NeedsModel:
		return oracle.NeedsModel
	case triage.NeedsHardware:
		return oracle.NeedsHardware
	case triage.NotABug:
		return oracle.NotABug
	case triage.Hostile:
		return oracle.Hostile
	case triage.HumanFirst:
		return oracle.HumanFirst
	}
	return oracle.Failed
}

func (r *Result) outcome(o *Outcome) {
	r.Cost.SandboxSeconds, r.Cost.Stages = o.Sandbox, o.Stages
	r.Reasons = append(r.Reasons, o.Notes...)
	if o.Unavailable != nil {
		r.Headline = oracle.EnvUnavailable
		r.Reasons = append(r.Reasons, o.Unavailable.Why)
		r.Error = &ResultError{What: "the environment cannot be had here", Why: o.Unavailable.Why, Next: o.Unavailable.Next}
		r.Environment = envView(o.Spec, &environment.Lock{Rungs: o.Unavailable.Rungs})
		return
	}
	v := o.Verdict
	if Positive(v.Headline) {
		r.Missing, r.Reply = []string{}, "" // nothing more is asked of the reporter
	}
	r.Headline, r.Grade, r.Hits, r.Runs = v.Headline, v.Grade, v.Hits, v.Runs
	r.Also = append(r.Also, v.Also...)
	r.Open = append(r.Open, v.Open...)
	r.Interval = [2]float64{v.Low, v.High}
	if o.Expectation != nil {
		r.Symptom.Expected, r.Symptom.Oracle = expectedView(o.Expectation), o.Expectation.Oracle
	}
	r.Symptom.Observed, r.Symptom.Match = &o.Verdict.Observed, &o.Verdict.Match
	r.Subject = o.Subject
	r.Isolation = append(r.Isolation, o.Isolation...)
	r.Reasons = append(r.Reasons, v.Reasons...)
	r.Environment = envView(o.Spec, o.Lock)
	if a := o.Evidence.Audit; a != nil {
		r.Divergence = a.Finding.Divergence
	}
	for _, g := range o.Evidence.Groups {
		if g.Side != oracle.SideNeutral {
			view := versionView(&g)
			if e := o.Expectation; e != nil && e.Oracle == oracle.OracleNone {
				view.Symptom = "inconclusive" // nobody looked: that is no "no"
			}
			r.Versions = append(r.Versions, view)
		}
	}
}

func envView(s environment.Spec, l *environment.Lock) *ResultEnv {
	day, source := l.Day(s)
	e := &ResultEnv{
		Python: l.Python, AsOf: day.UTC().Format("2006-01-02T15:04:05Z"), AsOfSource: source, Index: l.Index,
		Rung: l.Rung, Rungs: append([]environment.Rung{}, l.Rungs...), Lock: l.Hash,
		Packages: append([]environment.Package{}, l.Packages...), Edits: append([]string{}, s.Edits...),
	}
	if e.Python == "" {
		e.Python = s.Python
	}
	for _, d := range l.Edits {
		if !contains(e.Edits, d) {
			e.Edits = append(e.Edits, d)
		}
	}
	return e
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// versionView says whether the symptom came on one release: yes on any hit, no
// when every execution ran through without it, else inconclusive.
func versionView(g *oracle.Group) ResultVersion {
	v := ResultVersion{Package: g.Subject, Version: g.Version, Side: string(g.Side), Symptom: "inconclusive", Moved: g.Moved, Change: g.Change, Unavailable: g.Unavailable}
	ran := 0
	for _, j := range g.Judgements {
		v.Runs++
		switch j.Finding {
		case oracle.Hit:
			v.Hits++
		case oracle.Clean, oracle.Absent, oracle.Within:
			ran++
		}
	}
	switch {
	case v.Hits > 0:
		v.Symptom = "yes"
	case v.Runs > 0 && ran == v.Runs && len(g.Lacks) == 0:
		v.Symptom = "no"
	}
	return v
}

// Positive says that a headline claims the bug was reproduced.
func Positive(h oracle.Headline) bool {
	switch h {
	case oracle.Reproduced, oracle.Fixed, oracle.Regression, oracle.Flaky:
		return true
	}
	return false
}

// ExitCode of `repgen reproduce` and `repgen judge` for a result.
func ExitCode(r *Result) int {
	switch r.Headline {
	case oracle.Reproduced, oracle.Fixed, oracle.Regression:
		return 0
	case oracle.Flaky:
		if r.Grade == "A" || r.Grade == "B" || r.Grade == "C" {
			return 0
		}
		return 4
	case oracle.Lead, oracle.DifferentFailure, oracle.Exhausted, oracle.Undecided:
		return 4
	case oracle.NotReproduced:
		return 3
	case oracle.NeedsInfo, oracle.NeedsModel, oracle.NeedsHardware, oracle.EnvUnavailable, oracle.NotABug, oracle.Hostile, oracle.HumanFirst:
		return 5
	}
	return 1
}

// Reproduction is a verified reproduction. Only this package makes one, and
// only from evidence that it has judged itself.
type Reproduction struct {
	candidate *candidate.Candidate
	outcome   *Outcome
}

// Verified judges the evidence again and returns a Reproduction when the
// verdict is positive and stands.
func Verified(c *candidate.Candidate, o *Outcome) (*Reproduction, error) {
	if o == nil || o.Expectation == nil {
		return nil, fmt.Errorf("verify the outcome: there is no evidence")
	}
	again := Rejudge(*o.Expectation, o.Evidence)
	if again.Headline != o.Verdict.Headline || again.Grade != o.Verdict.Grade {
		return nil, fmt.Errorf("verify the outcome: the evidence says %s %s, the record says %s %s",
			again.Headline, again.Grade, o.Verdict.Headline, o.Verdict.Grade)
	}
	if !Positive(again.Headline) {
		return nil, fmt.Errorf("verify the outcome: %s is not a reproduction", again.Headline)
	}
	return &Reproduction{candidate: c, outcome: o}, nil
}

// Script is the reproducing script.
func (r *Reproduction) Script() string { return r.candidate.Script }

// Verdict is the verdict that the evidence gave.
func (r *Reproduction) Verdict() oracle.Verdict { return r.outcome.Verdict }

// Rejudge computes the verdict of recorded evidence anew: every execution is
// judged again, stored judgements are ignored.
func Rejudge(e oracle.Expectation, ev oracle.Evidence) oracle.Verdict {
	ev.Groups = judgeGroups(e, ev.Groups)
	return oracle.Decide(e, ev)
}
