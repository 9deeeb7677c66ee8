package proof

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"

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
		if missing == faultNumpyABI {
			lock, un, err = p.solveOldNumpy(ctx)
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
	s, un, err := p.open(ctx, p.spec, lock)
	if err != nil {
		return nil, "", err
	}
	if un != nil {
		p.out.Unavailable = un
		return nil, "", nil
	}
	if name := lockName(lock, p.subject); name != "" {
		p.subject = name // a variant of the same code may stand in the lock
	}
	s.group = oracle.Group{Side: oracle.SideReported, Subject: p.subject, Version: lock.Version(p.subject)}
	if !s.cert.OK {
		j := p.judgeAny(s.cert.Execution)
		switch {
		case j.Finding == oracle.Hit:
			p.out.Evidence.CertificateHit = true
			p.note("the environment fails its certificate with the reported symptom")
		case j.Fault == faultMissingModule:
			return nil, j.Detail, nil
		case p.oldNumpyNeeded(lock, s.cert.Execution):
			return nil, faultNumpyABI, nil
		default:
			p.out.Unavailable = &environment.Unavailable{
				Why:   "the environment was built but its certificate failed: " + s.cert.Why,
				Next:  "try another interpreter or day: --python, --date, --with",
				Rungs: lock.Rungs,
			}
			return nil, "", nil
		}
	}
	if err := p.repeat(ctx, s, 1); err != nil {
		return nil, "", err
	}
	if j := p.judgeAny(s.group.Executions[0]); j.Fault == faultMissingModule {
		return nil, j.Detail, nil
	}
	if p.oldNumpyNeeded(lock, s.group.Executions[0]) {
		return nil, faultNumpyABI, nil
	}
	return s, "", nil
}

const faultMissingModule = "missing_module"

// judgeAny judges by the expectation and its alternatives: the first hit
// counts, else the main reading.
func (p *proof) judgeAny(ex sandbox.Execution) oracle.Judgement {
	j := oracle.Judge(p.exp, ex)
	if j.Finding == oracle.Hit {
		return j
	}
	for _, e := range p.exp.Also {
		if other := oracle.Judge(e, ex); other.Finding == oracle.Hit {
			return other
		}
	}
	return j
}

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
	g.SetLimit(p.parallel())
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
	p.progress(stageOf(s.group.Side), "%s: %d of %d show it", strings.ReplaceAll(labelOf(&s.group), "_", " "), p.countHits(s), n)
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
		return ex, nil
	}
	work, err := os.MkdirTemp(p.WorkRoot, "repgen-work-")
	if err != nil {
		return sandbox.Execution{}, fmt.Errorf("make a work folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	script := filepath.Join(work, sandbox.ScriptNm)
	if err := os.WriteFile(script, []byte(p.in.Candidate.Script), 0o644); err != nil {
		return sandbox.Execution{}, fmt.Errorf("write the script: %w", err)
	}
	c := s.env.Command(sandbox.EnvDir+"/bin/python", sandbox.ScriptNm)
	if c.Env == nil {
		c.Env = map[string]string{}
	}
	c.Env["PYTHONHASHSEED"] = strconv.Itoa(number - 1) // one pinned seed hides what depends on it
	maps.Copy(c.Env, s.spec.Env)
	maps.Copy(c.Env, p.in.Candidate.Env)
	c.Work = work
	c.Probe = &probe.Options{Watch: p.in.Candidate.Watch}
	c.Label = fmt.Sprintf("%s %d", labelOf(&s.group), number)
	ex, err := p.Sandbox.Run(ctx, c, p.in.Limits)
	if err != nil {
		return ex, fmt.Errorf("run the candidate: %w", err)
	}
	if err := p.Journal.Save(key, ex); err != nil {
		return ex, fmt.Errorf("record the execution: %w", err)
	}
	return ex, nil
}

// key names an execution for the journal.
func (p *proof) key(s *side, number int) string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%s\x00%s\x00%v\x00%v", s.lock.Hash, p.in.Candidate.Script, p.in.Candidate.Env, p.in.Candidate.Watch)
	return fmt.Sprintf("%s-%s-%s-%s-%02d", s.group.Side, s.group.Subject, s.group.Version, hex.EncodeToString(h.Sum(nil))[:12], number)
}

func (p *proof) countHits(s *side) int {
	hits := 0
	for _, ex := range s.group.Executions {
		if oracle.Judge(p.exp, ex).Finding == oracle.Hit {
			hits++
		}
	}
	return hits
}

// anyWithin says that an execution differs only inside the derived float
// tolerance: that decides, whatever other releases print.
func (p *proof) anyWithin(s *side) bool {
	for _, ex := range s.group.Executions {
		if oracle.Judge(p.exp, ex).Finding == oracle.Within {
			return true
		}
	}
	return false
}

// chooseExpectation takes the first reading of the report that the runs show;
// the main one when none does. A reading that finds a float difference inside
// its tolerance ends the choice: weaker readings may not overrule it.
func (p *proof) chooseExpectation(exs []sandbox.Execution) {
	for _, ex := range exs {
		if f := oracle.Judge(p.exp, ex).Finding; f == oracle.Hit || f == oracle.Within {
			return
		}
	}
	for i, e := range p.exp.Also {
		for _, ex := range exs {
			switch oracle.Judge(e, ex).Finding {
			case oracle.Hit, oracle.Within:
				main := p.exp
				main.Also = nil
				rest := append([]oracle.Expectation{main}, p.exp.Also[:i]...)
				e.Also = append(rest, p.exp.Also[i+1:]...)
				p.exp = e
				return
			}
		}
	}
}
