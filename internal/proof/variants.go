package proof

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/lazyre"
)

const (
	// maxContrasts bounds how many changes that the reporter names are tried,
	// and maxRemovals how many parts are taken out by rule. Guesses: the first
	// usable one nearly always is the one that the report is about.
	maxContrasts = 2
	maxRemovals  = 3
)

// beside is another way to run in the reported environment.
func (p *proof) beside(side oracle.Side) *side {
	r := p.reported
	s := *r
	s.group = oracle.Group{Side: side, Subject: r.group.Subject, Version: r.group.Version}
	return &s
}

// record puts a side into the evidence.
func (p *proof) record(s *side) {
	p.out.Evidence.Groups = append(p.out.Evidence.Groups, s.group)
	p.out.Locks = append(p.out.Locks, s.lock)
}

// contrasts runs the changes that the reporter names (rule 6) in the reported
// environment, until one is without the symptom. They need no build, so they
// come before the other releases; what they give is grade C.
func (p *proof) contrasts(ctx context.Context) error {
	if !p.exp.ReporterScript {
		return nil // whoever wrote the script can build in what is then taken out
	}
	variants := candidate.Variants(p.in.Candidate, p.in.Decision)
	_, err := p.tryVariants(ctx, variants, maxContrasts)
	return err
}

// removals runs the script with a blamed part taken out (rule 11), for want of
// any control: most of what a script loses by losing a part proves nothing.
func (p *proof) removals(ctx context.Context) error {
	if p.provisional() != "D" || !p.exp.ReporterScript || p.exp.Asks {
		return nil
	}
	if why := p.in.Candidate.RiskyFor(&p.exp); len(why) > 0 {
		p.note("nothing was removed for a control: %s", strings.Join(why, "; "))
		return nil
	}
	variants := candidate.Removals(p.in.Candidate, p.in.Decision)
	for i := range variants {
		variants[i].Removal = true
	}
	if p.exp.Oracle == oracle.OracleHang {
		variants = append(variants, oneWorker(p.in.Candidate.Script)...)
	}
	_, err := p.tryVariants(ctx, variants, maxRemovals)
	return err
}

// provisional is the grade that the evidence so far carries.
func (p *proof) provisional() oracle.Grade {
	ev := p.out.Evidence
	ev.StandIn, ev.Refused = standsIn(p.reported.lock, p.subject), Refusals(p.in.Candidate, &p.exp)
	ev.Groups = append([]oracle.Group{p.reported.group}, ev.Groups...)
	Ground(p.in.Report, p.in.Candidate, &p.exp, &ev)
	ev.Groups = append(ev.Groups, p.neutral()...)
	return Rejudge(p.exp, ev).Grade
}

// tryVariants tries at most n of them; good says that one is a control.
func (p *proof) tryVariants(ctx context.Context, variants []candidate.Variant, n int) (good bool, err error) {
	for _, v := range variants {
		if n == 0 || p.late() {
			break
		}
		if why := p.unfit(v); why != "" {
			p.note("the script %s is no control: %s", v.Change, why)
			continue
		}
		n--
		if good, err = p.tryVariant(ctx, v); good || err != nil {
			break
		}
	}
	return good, err
}

// tryVariant probes one once, and confirms it when the symptom is absent.
func (p *proof) tryVariant(ctx context.Context, v candidate.Variant) (bool, error) {
	s := p.variant(v)
	defer func() { p.record(s) }()
	if err := p.repeat(ctx, s, p.firstRuns(s.group.Side)); err != nil {
		return false, err
	}
	if !p.absent(s) {
		return false, nil
	}
	if err := p.repeat(ctx, s, p.controlNeed(s.group.Side)); err != nil {
		return false, err
	}
	return p.absent(s), nil
}

// variant is the side on which a variant runs.
func (p *proof) variant(v candidate.Variant) *side {
	s := p.beside(oracle.SideContrast)
	if v.Removal {
		s.group.Side = oracle.SideRemoval
	}
	s.group.Change, s.group.Env = v.Change, v.Env
	if v.Script != p.in.Candidate.Script {
		s.group.Script = v.Script
	}
	return s
}

// unfit says why a variant may not be run, or would prove nothing; "" when it
// is fit.
func (p *proof) unfit(v candidate.Variant) string {
	for _, name := range slices.Sorted(maps.Keys(v.Env)) {
		if candidate.ForbiddenEnv(name) {
			return "it sets " + name + ", which no report may set"
		}
	}
	if v.Script == p.in.Candidate.Script || v.Script == "" {
		if len(v.Env) == 0 {
			return "it is the same script"
		}
		return ""
	}
	return Unfit(p.in.Candidate, v.Script, &p.exp, v.Removal, p.scriptLine())
}

// Unfit says why a changed script is no control of the candidate, whoever
// changed it: it may not be believed, or (for a removal) the line at which the
// symptom came is gone or calls nothing any more. source is that line, "" when
// it is not known.
func Unfit(c *candidate.Candidate, script string, e *oracle.Expectation, removal bool, source string) string {
	f := pysyntax.Parse(script)
	switch {
	case len(f.SyntaxErrors) > 0:
		return "it does not parse"
	case !smallChange(c.Script, script):
		return "it is another script: too much of it differs"
	}
	changed := candidate.Reread(&candidate.Candidate{Script: script, Original: c.Original, Origin: c.Origin})
	before := Refusals(candidate.Reread(c), e)
	for _, why := range Refusals(changed, e) {
		if !slices.Contains(before, why) {
			return why
		}
	}
	if len(changed.Undefined) > len(c.Undefined) {
		return "it uses " + changed.Undefined[0] + ", which nothing defines any more"
	}
	if removal && !stands(c.Script, script, source) {
		return "the call at which the symptom came went with it"
	}
	return ""
}

// stands says that a source line of the script is still there, or that the line
// in its place still calls something.
func stands(before, after, source string) bool {
	source = strings.TrimSpace(source)
	if source == "" {
		return true
	}
	old, new := strings.Split(before, "\n"), strings.Split(after, "\n")
	for _, line := range new {
		if strings.TrimSpace(line) == source {
			return true
		}
	}
	// Not literally: the removal changed this very line. What is left of it is
	// the line that was not there before.
	for _, line := range new {
		line = strings.TrimSpace(line)
		if line != "" && !slices.ContainsFunc(old, func(o string) bool { return strings.TrimSpace(o) == line }) {
			return calls.MatchString(line) && sharesCall(source, line)
		}
	}
	return false
}

var (
	calls    = lazyre.New(`[\w\])]\(`)
	callName = lazyre.New(`([A-Za-z_]\w*)\s*\(`)
)

// sharesCall says that a line still calls one of the names that another calls.
func sharesCall(before, after string) bool {
	names := callName.FindAllStringSubmatch(before, -1)
	return slices.ContainsFunc(callName.FindAllStringSubmatch(after, -1), func(a []string) bool {
		return slices.ContainsFunc(names, func(b []string) bool { return a[1] == b[1] })
	})
}

// scriptLine is the line of the script at which the first hit came, "" when
// the symptom is no failure or its place is not known.
func (p *proof) scriptLine() string { return lineOf(p.judged(p.reported)) }

// JudgedLine is the same of recorded evidence.
func JudgedLine(e *oracle.Expectation, ev oracle.Evidence) string {
	for _, g := range judgeGroups(*e, ev.Groups) {
		if g.Side == oracle.SideReported {
			return lineOf(g.Judgements)
		}
	}
	return ""
}

func lineOf(js []oracle.Judgement) string {
	i := slices.IndexFunc(js, func(j oracle.Judgement) bool { return j.Finding == oracle.Hit })
	if i < 0 {
		return ""
	}
	for _, f := range slices.Backward(js[i].Observed.Frames) {
		if f.Source != "" && inScript(f) {
			return f.Source
		}
	}
	return ""
}

func inScript(f symptom.Frame) bool {
	return f.Where == "script" || strings.HasSuffix(f.File, sandbox.ScriptNm)
}

// workers are keyword arguments that set how many workers or threads there are.
var workers = lazyre.New(`\b(num_workers|n_jobs|workers|nthread|num_threads|n_threads)(\s*=\s*)(-1|[1-9]\d*)\b`)

// threadVariables hold the thread pools of the numeric libraries at one thread.
var threadVariables = []string{"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS", "NUMBA_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"}

// oneWorker are the generic controls of a hang: no worker processes, then one
// thread (rule 12).
func oneWorker(script string) []candidate.Variant {
	var vs []candidate.Variant
	if m := workers.FindStringSubmatch(script); m != nil {
		one := "1"
		if m[1] == "num_workers" {
			one = "0" // no worker process at all
		}
		vs = append(vs, candidate.Variant{
			Script: workers.ReplaceAllStringFunc(script, func(s string) string {
				return strings.TrimSuffix(s, m[3]) + one
			}),
			Removal: true, Change: "with " + m[1] + "=" + one,
		})
	}
	env := map[string]string{}
	for _, name := range threadVariables {
		env[name] = "1"
	}
	return append(vs, candidate.Variant{Script: script, Removal: true, Change: "with one thread", Env: maps.Clone(env)})
}
