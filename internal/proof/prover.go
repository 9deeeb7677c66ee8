package proof

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/triage"
)

// Solver finds locks. *environment.Manager is the real one; the fake of the
// tests is in fake_test.go. Unavailable is a domain outcome: that environment
// cannot be had. An error means infrastructure (index down, disk full).
type Solver interface {
	Solve(ctx context.Context, s environment.Spec) (*environment.Lock, *environment.Unavailable, error)
	Move(ctx context.Context, s environment.Spec, base *environment.Lock, name, version string) (*environment.Lock, []environment.Move, *environment.Unavailable, error)
	Add(ctx context.Context, s environment.Spec, base *environment.Lock, dist string) (environment.Spec, *environment.Lock, *environment.Unavailable, error)
	Releases(ctx context.Context, name, python string) ([]environment.Release, error)
	// Fix is base with the fixed revision of the Spec's project.
	Fix(ctx context.Context, s environment.Spec, base *environment.Lock) (*environment.Lock, []environment.Move, *environment.Unavailable, error)
}

// Builder fills environments and certifies them.
type Builder interface {
	Build(ctx context.Context, l *environment.Lock) (*environment.Environment, *environment.Unavailable, error)
	Certify(ctx context.Context, e *environment.Environment, s environment.Spec) (environment.Certificate, error)
}

// Journal keeps finished executions, so that a killed run loses at most the
// one under way. Keys name what was run: group, number, and the hash of lock
// and script. Implementations are safe for concurrent use.
type Journal interface {
	Load(key string) (sandbox.Execution, bool)
	Save(key string, ex sandbox.Execution) error
}

// Prover carries the services that a proof needs.
type Prover struct {
	Solver   Solver
	Builder  Builder
	Sandbox  sandbox.Sandbox
	Journal  Journal
	Progress func(stage, text string) // may be nil
	Parallel int                      // executions at once; 0: half the cores, two of two
	WorkRoot string                   // where work folders are made; "": the system's temporary folder
}

// Input is one candidate with all that is known of it.
type Input struct {
	Report    *report.Report
	Decision  *triage.Decision
	Candidate *candidate.Candidate
	// Alternatives are further scripts of the report, of which only one may
	// fail; the Candidate is tried first.
	Alternatives []*candidate.Candidate
	Spec         environment.Spec
	Runs         int // executions on the reported side; 0: 5 (the contract's default)
	Limits       sandbox.Limits
	// Deadline ends the search for controls; zero: none. What was found until
	// then is judged.
	Deadline time.Time
}

// Outcome is everything that a proof reached.
type Outcome struct {
	Expectation *oracle.Expectation      `json:"expectation"`
	Spec        environment.Spec         `json:"spec"`
	Lock        *environment.Lock        `json:"lock,omitempty"`
	Locks       []*environment.Lock      `json:"locks,omitempty"` // one per evidence group, nil where none
	Evidence    oracle.Evidence          `json:"evidence"`
	Verdict     oracle.Verdict           `json:"verdict"`
	Unavailable *environment.Unavailable `json:"unavailable,omitempty"`
	Subject     ResultSubject            `json:"subject"`
	Isolation   []sandbox.Layer          `json:"isolation,omitempty"`
	Limits      sandbox.Limits           `json:"limits"`
	Sandbox     float64                  `json:"sandbox_s"`
	Notes       []string                 `json:"notes,omitempty"`
	// Candidate is set when another one than the Input's was judged: the
	// failing one of two scripts, or one without an argument that the release
	// does not know.
	Candidate *candidate.Candidate `json:"candidate,omitempty"`
	// Stages are wall seconds by part of the way (see Cost.Stages).
	Stages map[string]float64 `json:"stages,omitempty"`
}

const (
	defaultRuns = 5 // the contract: 5 cold executions
	controlRuns = 3 // 5/5 against 0/3 is p = 0.018 by Fisher
	// maxRepairs bounds how many undeclared distributions are added one by
	// one. A guess: clean environments of the measured set lacked at most two.
	maxRepairs = 6
	// searchProbes is how many releases are tried besides the named and the
	// newest ones, when the evidence carries grade C without them.
	searchProbes = 6
	// extraProbes is how many releases of a second suspect are tried.
	extraProbes = 3
	// silentProbes are further ones for releases that say nothing.
	silentProbes = 3
	// patience is how long a proof may take, in all, so that it still goes on
	// to narrow a pair of releases that it has; where it has taken longer
	// already, a quarter more. The aim is a verdict within half a minute.
	patience = 25 * time.Second
	// searchPatience ends the search for a release pair where the evidence
	// carries grade C without one: a better grade is worth minutes, not more. A
	// guess.
	searchPatience = 3 * time.Minute
	// maxExtraSubjects bounds how many other named packages are moved when the
	// first one's releases give no control.
	maxExtraSubjects = 1
)

// proof is the state of one Prove call.
type proof struct {
	*Prover
	in       Input
	exp      oracle.Expectation
	spec     environment.Spec
	out      *Outcome
	reported *side
	subject  string
	releases map[string][]environment.Release
	watch    stopwatch
	began    time.Time
	// yard builds controls beside the executions; nil before there is a lock.
	yard *yard
	// narrowing: a control is there, and the search goes on for the pair only.
	narrowing bool
	// trial: one execution is wanted, nothing is built for what may follow.
	trial bool
	// spent is the wall time of all executions, in nanoseconds.
	spent atomic.Int64
}

// side is one environment with its executions.
type side struct {
	group oracle.Group
	lock  *environment.Lock
	env   *environment.Environment
	spec  environment.Spec
	cert  environment.Certificate
	// audit: executions have the recorder in them.
	audit bool
}

// Prove runs the candidate and its controls and judges. The error is for
// infrastructure and cancellation only; every other ending is in the Outcome.
func (p *Prover) Prove(ctx context.Context, in Input) (*Outcome, error) {
	pr := p.begin(in)
	defer func() { pr.yard.stop() }()
	if err := pr.run(ctx); err != nil {
		return nil, err
	}
	pr.conclude()
	if err := pr.audit(ctx); err != nil {
		return nil, err
	}
	pr.watch.enter("")
	pr.out.Stages = pr.watch.seconds
	return pr.out, nil
}

// begin is the state before anything was done.
func (p *Prover) begin(in Input) *proof {
	if in.Runs <= 0 {
		in.Runs = defaultRuns
	}
	if in.Limits == (sandbox.Limits{}) {
		in.Limits = sandbox.DefaultLimits()
	}
	return &proof{
		Prover: p, in: in, spec: in.Spec, subject: in.Spec.Subject, releases: map[string][]environment.Release{}, began: time.Now(),
		exp: expectationOf(in), out: &Outcome{Spec: in.Spec, Limits: in.Limits},
	}
}

// expectationOf takes triage's expectation and says whose script it judges.
// Without one nothing is judged: the best ending is lead.
func expectationOf(in Input) oracle.Expectation {
	e := oracle.Expectation{Oracle: oracle.OracleNone, Symptom: symptom.Symptom{Kind: symptom.Unknown}, Subject: in.Spec.Subject}
	if in.Decision.Expectation != nil {
		e = *in.Decision.Expectation
	}
	own := in.Candidate.Origin == originReporter
	e.ReporterScript = own
	e.Calls = judgedCalls(in.Report, in.Candidate.Own())
	e.Compare = in.Candidate.Named(e.Compare)
	e.Also = append([]oracle.Expectation(nil), e.Also...)
	for i := range e.Also {
		e.Also[i].ReporterScript, e.Also[i].Calls = own, e.Calls
		e.Also[i].Compare = in.Candidate.Named(e.Also[i].Compare)
	}
	return e
}

// run goes the whole way of one candidate. The order is one of value: what a
// verdict cannot do without comes first (a script that fails, enough
// executions), then what needs no build (pinned seeds, the reporter's own
// contrast), then the newest and the named releases, whose environments were
// being built meanwhile, then a search for any release without the symptom, and
// last what only names a pair or stands in for a control.
func (p *proof) run(ctx context.Context) error {
	first, err := p.prepare(ctx)
	if err != nil || first == nil {
		return err
	}
	if first, err = p.settleScript(ctx, first); err != nil {
		return err
	}
	p.reported = first
	p.chooseExpectation(first.group.Executions)
	var plans []plan
	if p.countHits(first) > 0 {
		plans = p.expectControls(ctx)
	} else if !oracle.ByGroup(p.exp.Oracle) {
		p.yard.stop() // most likely there is nothing to control
	}
	if over, err := p.endless(ctx, first); over || err != nil {
		return err
	}
	if err := p.repeat(ctx, first, p.startRuns()); err != nil {
		return err
	}
	p.chooseExpectation(first.group.Executions)
	if err := p.adapt(ctx); err != nil {
		return err
	}
	if err := p.pin(ctx); err != nil {
		return err
	}
	p.watch.enter(StageControls)
	switch hits := p.countHits(first); {
	case hits == 0 && p.in.Candidate.Origin == originAgent:
		return nil // on other releases a script that misses would be tried for nothing
	case hits == 0 && oracle.NeedsControl(p.exp.Oracle):
		return p.compare(ctx)
	case hits == 0 && !p.anyWithin(first):
		p.firstPlans(ctx) // says what is wrong with the releases named as good
		return p.sweep(ctx)
	case hits == 0:
		return nil
	}
	if plans == nil {
		plans = p.expectControls(ctx)
	}
	if err := p.authored(ctx); err != nil {
		return err
	}
	if err := p.contrasts(ctx); err != nil {
		return err
	}
	if err := p.controls(ctx, p.yard, plans); err != nil {
		return err
	}
	if err := p.reseed(ctx); err != nil {
		return err
	}
	return p.removals(ctx)
}

// note records something a reader of the verdict must know.
func (p *proof) note(format string, args ...any) {
	p.out.Notes = append(p.out.Notes, fmt.Sprintf(format, args...))
}

// noteOnce is note for what more than one pass may find.
func (p *proof) noteOnce(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !contains(p.out.Notes, text) {
		p.out.Notes = append(p.out.Notes, text)
	}
}

func (p *proof) progress(stage, format string, args ...any) {
	if p.Progress != nil {
		p.Progress(stage, fmt.Sprintf(format, args...))
	}
}

func (p *proof) late() bool {
	return !p.in.Deadline.IsZero() && time.Now().After(p.in.Deadline)
}

func (p *Prover) parallel() int {
	if p.Parallel > 0 {
		return p.Parallel
	}
	return max(min(2, runtime.NumCPU()), runtime.NumCPU()/2)
}

// conclude lays out the evidence and lets the oracle decide.
func (p *proof) conclude() {
	if p.out.Unavailable != nil || p.reported == nil {
		return
	}
	p.out.Expectation, p.out.Limits = &p.exp, p.limits()
	p.out.Spec = p.reported.spec
	p.out.Lock = p.reported.lock
	p.out.Evidence.Groups = append([]oracle.Group{p.reported.group}, p.out.Evidence.Groups...)
	p.out.Locks = append([]*environment.Lock{p.reported.lock}, p.out.Locks...)
	ev := &p.out.Evidence
	ev.Certified = p.reported.cert.OK
	ev.StandIn = standsIn(p.reported.lock, p.subject)
	ev.Lowered = lowered(p.in.Candidate)
	ev.OnDevice = p.in.Decision.OnDevice != ""
	ev.Refused = Refusals(p.in.Candidate, &p.exp)
	p.addNeutral()
	p.out.Subject = ResultSubject{Name: p.subject, Version: p.reported.group.Version, Source: p.in.Decision.SubjectSource}
	ev.Open = Unearned(p.out, p.in.Candidate)
	for i := range ev.Groups {
		for _, ex := range ev.Groups[i].Executions {
			p.out.Sandbox += ex.WallSeconds
			if p.out.Isolation == nil {
				p.out.Isolation = ex.Layers
			}
		}
	}
	ev.Groups = judgeGroups(p.exp, ev.Groups)
	Ground(p.in.Report, p.in.Candidate, &p.exp, ev)
	p.out.Verdict = oracle.Decide(p.exp, *ev)
}

// addNeutral adds the certificate of the environment as the neutral control.
func (p *proof) addNeutral() {
	for _, g := range p.neutral() {
		p.out.Evidence.Groups = append(p.out.Evidence.Groups, g)
		p.out.Locks = append(p.out.Locks, p.reported.lock)
	}
}

// neutral is the certificate as a group. There is none where an edit of ours
// could itself have caused the symptom: likeness to the report then says
// nothing, and only another release, which runs the same edited script, is a
// control.
func (p *proof) neutral() []oracle.Group {
	if !p.reported.cert.OK || len(p.in.Candidate.RiskyFor(&p.exp)) > 0 {
		return nil
	}
	return []oracle.Group{{
		Side: oracle.SideNeutral, Subject: p.subject, Version: p.reported.group.Version,
		Executions: []sandbox.Execution{p.reported.cert.Execution},
	}}
}

func judgeAll(e oracle.Expectation, exs []sandbox.Execution) []oracle.Judgement {
	js := make([]oracle.Judgement, len(exs))
	for i, ex := range exs {
		js[i] = oracle.Judge(e, ex)
	}
	return js
}

func standsIn(l *environment.Lock, subject string) bool {
	for _, s := range l.StandIns {
		if s == subject {
			return true
		}
	}
	return false
}

func lowered(c *candidate.Candidate) bool {
	for _, e := range c.Edits {
		if e.Kind == "lower_device" {
			return true
		}
	}
	return false
}

// NoJournal keeps nothing: a verification runs everything anew.
type NoJournal struct{}

// Load implements Journal.
func (NoJournal) Load(string) (sandbox.Execution, bool) { return sandbox.Execution{}, false }

// Save implements Journal.
func (NoJournal) Save(string, sandbox.Execution) error { return nil }
