package proof

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/sync/errgroup"

	"github.com/repgen/repgen/internal/audit"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
)

// ownAuditLimit is how long an execution of the reporter's own script may take
// to be audited as well: there the audit only adds a line. A guess.
const ownAuditLimit = 5 * time.Second

// audit runs the script once more on the reported side and on the control of the
// verdict, with the recorder in it, and lets what it says count. A second time on
// the reported side where what differs may be chance. These executions are neither
// counted nor measured.
func (p *proof) audit(ctx context.Context) error {
	v, ev := p.out.Verdict, &p.out.Evidence
	if v.Control < 0 || v.Grade != "A" && v.Grade != "B" || oracle.ByGroup(p.exp.Oracle) || measured(p.exp.Oracle) {
		return nil
	}
	if p.exp.ReporterScript && (p.late() || p.exp.Oracle == oracle.OracleHang || p.slowest() > ownAuditLimit) {
		return nil
	}
	p.watch.enter(StageAudit)
	a := &oracle.Audit{Control: v.Control}
	err := p.auditSides(ctx, a)
	if err != nil && p.exp.ReporterScript && ctx.Err() == nil {
		p.note("the script could not be audited: %v", err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("audit the script: %w", err)
	}
	ev.Audit = a
	a.Finding = audited(p.in.Report, p.exp, ev)
	p.progress("audit", "what differs first: %s", a.Finding.Consequence)
	p.out.Verdict = oracle.Decide(p.exp, *ev)
	return nil
}

// auditSides makes the executions. A control whose environment is gone leaves one.
func (p *proof) auditSides(ctx context.Context, a *oracle.Audit) error {
	control, err := p.auditedControl(ctx, a.Control)
	if err != nil {
		return err
	}
	reported := *p.reported
	reported.audit, reported.group.Executions = true, nil
	if control == nil {
		return nil
	}
	a.Executions = make([]sandbox.Execution, 2)
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(p.parallel())
	for i, s := range []*side{&reported, control} {
		g.Go(func() (err error) {
			a.Executions[i], err = p.execute(gctx, s, 1)
			return err
		})
	}
	if err := g.Wait(); err != nil || !p.mayBeChance(a) {
		return err
	}
	again, err := p.execute(ctx, &reported, 2) // with another hash seed
	a.Executions = append(a.Executions, again)
	return err
}

// auditedControl is the side of a group with an environment to run in; nil where
// it cannot be had any more.
func (p *proof) auditedControl(ctx context.Context, i int) (*side, error) {
	g, lock := p.out.Evidence.Groups[i], p.out.Locks[i]
	env, un, err := p.Builder.Build(ctx, lock)
	if err != nil {
		return nil, fmt.Errorf("build the control's environment: %w", err)
	}
	if un != nil {
		return nil, nil
	}
	g.Executions, g.Judgements = nil, nil
	return &side{group: g, lock: lock, env: env, spec: p.reported.spec, audit: true}, nil
}

func (p *proof) mayBeChance(a *oracle.Audit) bool {
	ev := p.out.Evidence
	ev.Audit = a
	f := audited(p.in.Report, p.exp, &ev)
	return f.Consequence == audit.Refused || f.Consequence == audit.Lead
}

func (p *proof) slowest() time.Duration {
	longest := 0.0
	for _, g := range p.out.Evidence.Groups {
		for _, ex := range g.Executions {
			longest = max(longest, ex.WallSeconds)
		}
	}
	return time.Duration(longest * float64(time.Second))
}

// audited says what follows from the audited executions of the evidence. Whoever
// judges a record again calls it, so that nothing of it is believed as recorded.
func audited(r *report.Report, e oracle.Expectation, ev *oracle.Evidence) audit.Finding {
	a := ev.Audit
	silent := func(format string, args ...any) audit.Finding {
		return audit.Finding{Consequence: audit.Silent, Reason: fmt.Sprintf(format, args...)}
	}
	switch {
	case a.Control <= 0 || a.Control >= len(ev.Groups):
		return silent("its control is no group of the evidence")
	case len(a.Executions) < 2:
		return silent("the control's environment cannot be had any more")
	case ev.Groups[a.Control].Script != "":
		return silent("the control runs the script with an edit of its own")
	case e.Oracle == oracle.OracleWarning:
		return silent("warnings are not recorded as answers")
	}
	control := ev.Groups[a.Control]
	hit := oracle.Judge(e, a.Executions[0])
	if hit.Finding != oracle.Hit {
		return silent("with the recorder in it the reported side shows %s, and not the symptom", hit.Finding)
	}
	if j := oracle.Judge(e, a.Executions[1]); j.Finding != oracle.Clean && j.Finding != oracle.Within && !(j.Finding == oracle.Absent && control.Side.Vouched()) {
		return silent("with the recorder in it the control shows %s, and is not clean", j.Finding)
	}
	var logs [3]*audit.Log
	for i, ex := range a.Executions[:min(len(a.Executions), len(logs))] {
		l, err := audit.Read(ex.Record)
		if err != nil {
			return silent("%v", err)
		}
		logs[i] = l
	}
	return audit.Compare(logs[0], logs[1], logs[2], suspectOf(r, e, control, hit))
}

// suspectOf says which packages differ between the sides, and what the report
// speaks of.
func suspectOf(r *report.Report, e oracle.Expectation, control oracle.Group, hit oracle.Judgement) audit.Suspect {
	s := audit.Suspect{Modules: slices.Clone(e.Modules)}
	dists := append([]string{control.Subject}, pydist.Family(control.Subject)...)
	for _, m := range control.Moved {
		name, _, _ := strings.Cut(m, " ")
		dists = append(dists, name)
	}
	for _, d := range dists {
		s.Modules = append(s.Modules, pydist.Imports(d)...)
	}
	switch e.Oracle {
	case oracle.OracleException, oracle.OracleImportError, oracle.OracleSignal, oracle.OracleMissingException, oracle.OracleHang:
		s.Ends = true
	}
	inPlace := func(m string) bool {
		for _, f := range hit.Match.Fields {
			if f.Field == m && f.Equal && strings.TrimSpace(f.Expected) != "" {
				return true
			}
		}
		return false
	}
	if s.Ends && e.Oracle != oracle.OracleMissingException && inPlace("frame") {
		return s // in the reporter's own traceback
	}
	spoken := map[string]bool{}
	text := ""
	if r != nil {
		text = r.Title + "\n" + r.Text
	}
	for _, word := range strings.FieldsFunc(text, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		spoken[word] = true
	}
	for _, f := range e.Symptom.Frames {
		spoken[f.Function] = true
	}
	s.Named = func(name string) bool { return spoken[name] }
	return s
}
