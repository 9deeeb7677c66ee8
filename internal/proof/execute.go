package proof

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
)

// prepare solves, builds and certifies the reported side and runs the
// candidate once, repairing the environment while the runs say that it, and
// not the bug, is at fault. A nil side means the outcome is Unavailable.
func (p *proof) prepare(ctx context.Context) (*side, error) {
	p.watch.enter(StageSolve)
	lock, un, err := p.Solver.Solve(ctx, p.spec)
	tried := map[string]bool{}
	for {
		if err != nil {
			return nil, fmt.Errorf("solve the environment: %w", err)
		}
		if un != nil {
			p.out.Unavailable = un
			return nil, nil
		}
		s, missing, err2 := p.tryReported(ctx, lock)
		if err2 != nil || missing == "" {
			return s, err2
		}
		p.watch.enter(StageSolve)
		switch missing {
		case faultNumpyABI:
			lock, un, err = p.solveOldNumpy(ctx)
			continue
		case faultOutgrown:
			lock, un, err = p.Solver.Solve(ctx, p.spec)
			continue
		}
		dist := pydist.Normalize(distOf(missing))
		if tried[dist] || len(tried) >= maxRepairs {
			p.out.Unavailable = &environment.Unavailable{
				Why:   fmt.Sprintf("the script needs the module %q, and adding %s did not provide it", missing, dist),
				Next:  "name the distribution that provides it: --with REQUIREMENT",
				Rungs: lock.Rungs,
			}
			return nil, nil
		}
		tried[dist] = true
		p.note("%s was missing in the environment and not the reported symptom: added %s as of the date", missing, dist)
		p.progress("environment", "a run misses %s: adding %s", missing, dist)
		p.spec, lock, un, err = p.Solver.Add(ctx, p.spec, lock, dist)
	}
}

func distOf(module string) string {
	dist, _ := pydist.FromImport(module)
	return dist
}

// tryReported builds and certifies a lock and runs the candidate once in it.
// missing names a module whose absence is the environment's fault.
func (p *proof) tryReported(ctx context.Context, lock *environment.Lock) (s *side, missing string, err error) {
	p.watch.enter(StageBuild)
	s, un, err := p.open(ctx, p.spec, lock)
	if err != nil {
		return nil, "", err
	}
	p.watch.enter(StageRuns)
	if !p.trial {
		p.openYard(ctx, p.spec, lock)
	}
	if un != nil {
		p.out.Unavailable = un
		return nil, "", nil
	}
	p.subject = p.subjectIn(lock)
	s.group = oracle.Group{Side: oracle.SideReported, Subject: p.subject, Version: lock.Version(p.subject)}
	if !s.cert.OK {
		if fault, err := p.uncertified(ctx, lock, s.cert); fault != "" || err != nil || p.out.Unavailable != nil {
			return nil, fault, err
		}
	}
	p.guess(ctx, s)
	if err := p.repeat(ctx, s, 1); err != nil {
		return nil, "", err
	}
	first := s.group.Executions[0]
	if p.oldNumpyNeeded(lock, first) {
		return nil, faultNumpyABI, nil
	}
	if held, err := p.holdBack(ctx, lock, first); held || err != nil {
		return nil, faultOutgrown, err // before the next: a package that lost a submodule is not missing
	}
	if j := p.judgeAny(first); j.Fault == faultMissingModule {
		return nil, j.Detail, nil
	}
	return s, "", nil
}

// subjectIn is the distribution whose releases are compared: the subject, a
// variant of the same code that stands for it in the lock, or, where the script
// needs neither (a tracker's own package that only uses what is at fault), the
// next one that the report is about.
func (p *proof) subjectIn(lock *environment.Lock) string {
	first := p.in.Spec.Subject // not p.subject: a repaired environment may hold it now
	if first == "" {
		first = p.subject
	}
	for _, d := range append([]string{first}, p.in.Decision.Subjects...) {
		if name := lockName(lock, d); name != "" {
			if d != first {
				p.noteOnce("the script runs without %s: releases of %s are compared", first, name)
			}
			return name
		}
	}
	return first
}

// uncertified says what an environment lacks that failed its certificate: a
// module, or one of the faults. "" with no Unavailable set means that the
// failure is the reported symptom.
func (p *proof) uncertified(ctx context.Context, lock *environment.Lock, cert environment.Certificate) (fault string, err error) {
	j := p.judgeAny(cert.Execution)
	switch {
	case j.Finding == oracle.Hit:
		p.out.Evidence.CertificateHit = true
		p.note("the environment fails its certificate with the reported symptom")
		return "", nil
	case p.oldNumpyNeeded(lock, cert.Execution):
		return faultNumpyABI, nil
	}
	held, err := p.holdBack(ctx, lock, cert.Execution)
	switch {
	case held || err != nil:
		return faultOutgrown, err
	case j.Fault == faultMissingModule:
		return j.Detail, nil
	}
	p.out.Unavailable = &environment.Unavailable{
		Why:   "the environment was built but its certificate failed: " + cert.Why,
		Next:  "try another interpreter or day: --python, --date, --with",
		Rungs: lock.Rungs,
	}
	return "", nil
}

// guess has the newest release built beside the very first execution: nearly
// every report that shows its symptom needs it. What shows nothing stops it.
func (p *proof) guess(ctx context.Context, s *side) {
	if p.trial || p.exp.Oracle == oracle.OracleNone || measured(p.exp.Oracle) || heavy[p.subject] {
		return
	}
	p.reported = s
	defer func() { p.reported = nil }()
	if v := p.newest(ctx, p.subject); v != "" {
		p.yard.want(plan{oracle.SideNewest, p.subject, v})
	}
}

const faultMissingModule = "missing_module"

// open builds an environment and certifies it.
func (p *proof) open(ctx context.Context, spec environment.Spec, lock *environment.Lock) (*side, *environment.Unavailable, error) {
	env, un, err := p.Builder.Build(ctx, lock)
	if err != nil {
		return nil, nil, fmt.Errorf("build the environment: %w", err)
	}
	if un != nil {
		return nil, un, nil
	}
	cert, err := p.Builder.Certify(ctx, env, spec)
	if err != nil {
		return nil, nil, fmt.Errorf("certify the environment: %w", err)
	}
	return &side{lock: lock, env: env, spec: spec, cert: cert}, nil, nil
}

// repeat runs the candidate until the side has n executions.
func (p *proof) repeat(ctx context.Context, s *side, n int) error {
	have := len(s.group.Executions)
	if have >= n {
		return nil
	}
	more := make([]sandbox.Execution, n-have)
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(p.atOnce(s.group.Side))
	for i := range more {
		g.Go(func() error {
			ex, err := p.execute(gctx, s, have+i+1)
			more[i] = ex
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	s.group.Executions = append(s.group.Executions, more...)
	shown := fmt.Sprintf("%d of %d show it", p.countHits(s), n)
	if p.exp.Oracle == oracle.OracleNone {
		shown = fmt.Sprintf("%d recorded", n)
	}
	p.progress(stageOf(s.group.Side), "%s: %s", strings.ReplaceAll(labelOf(&s.group), "_", " "), shown)
	return nil
}

func stageOf(side oracle.Side) string {
	if side == oracle.SideReported {
		return "run"
	}
	return "control"
}

func labelOf(g *oracle.Group) string {
	return fmt.Sprintf("%s %s %s", g.Side, g.Subject, g.Version)
}

// execute runs the candidate once: a cold process in a fresh work folder.
func (p *proof) execute(ctx context.Context, s *side, number int) (sandbox.Execution, error) {
	key := p.key(s, number)
	if ex, ok := p.Journal.Load(key); ok {
		p.spend(ex)
		return ex, nil
	}
	work, err := os.MkdirTemp(p.WorkRoot, "repgen-work-")
	if err != nil {
		return sandbox.Execution{}, fmt.Errorf("make a work folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	script := filepath.Join(work, sandbox.ScriptNm)
	if err := os.WriteFile(script, []byte(p.scriptOf(s)), 0o644); err != nil {
		return sandbox.Execution{}, fmt.Errorf("write the script: %w", err)
	}
	argv := []string{sandbox.EnvDir + "/bin/python"}
	if s.audit {
		argv = append(argv, probe.AuditArgs()...)
	}
	c := s.env.Command(append(argv, sandbox.ScriptNm)...)
	if c.Env == nil {
		c.Env = map[string]string{}
	}
	c.Env["PYTHONHASHSEED"] = p.hashSeed(s, number)
	maps.Copy(c.Env, s.spec.Env)
	maps.Copy(c.Env, p.in.Candidate.Env)
	for name, value := range s.group.Env {
		if value == "" {
			delete(c.Env, name) // a variant that leaves a variable unset
			continue
		}
		c.Env[name] = value
	}
	c.Work = work
	c.Probe = p.observer(s)
	c.Label = fmt.Sprintf("%s %d", labelOf(&s.group), number)
	if s.audit {
		c.Label += " audited"
	}
	ex, err := p.Sandbox.Run(ctx, c, p.limits())
	if err != nil {
		return ex, fmt.Errorf("run the candidate: %w", err)
	}
	p.spend(ex)
	if err := p.Journal.Save(key, ex); err != nil {
		return ex, fmt.Errorf("record the execution: %w", err)
	}
	return ex, nil
}

func (p *proof) spend(ex sandbox.Execution) {
	p.spent.Add(int64(ex.WallSeconds * float64(time.Second)))
}

// key names an execution for the journal: everything that could make another
// execution of it is in the hash, the script that really ran above all (a
// contrast runs in the same environment as the reported side).
func (p *proof) key(s *side, number int) string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%s\x00%s\x00%v\x00%v\x00%v\x00%v", s.lock.Hash, p.scriptOf(s), p.in.Candidate.Env, p.in.Candidate.Watch, s.group.Env, p.limits().Wall)
	if s.audit {
		_, _ = h.Write([]byte("audit"))
	}
	return fmt.Sprintf("%s-%s-%s-%s-%02d", s.group.Side, s.group.Subject, s.group.Version, hex.EncodeToString(h.Sum(nil))[:12], number)
}
