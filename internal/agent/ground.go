package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
)

// base is the environment of the report's own wishes: what the model is told of
// and what scripts are checked in before they are known to need more.
type base struct {
	spec environment.Spec
	env  *environment.Environment // nil: the report names nothing to build
	// opened keeps environments by their specs, for scripts that need the same.
	opened map[string]*environment.Environment
}

// open makes the base environment: that of the reporter's script, or, where it
// asks for something that cannot be had (a module of his own), of the report. A
// report that names nothing to build has none: a script's own imports may still
// make one. One that can be named and cannot be built ends the run.
func (r *run) open(ctx context.Context) error {
	return r.stage(ctx, "environment", func(ctx context.Context) (string, error) {
		r.base = &base{opened: map[string]*environment.Environment{}}
		named, err := r.tryBase(ctx, r.in.OwnScript)
		if err == nil && r.base.env == nil && r.in.OwnScript != nil {
			named, err = r.tryBase(ctx, nil)
		}
		switch {
		case err != nil:
			return "", err
		case r.base.env != nil:
			return described(r.base.env), nil
		case named:
			return "", &stopped{ending: NoEnvironment, why: r.gone.Why}
		}
		return "none: " + r.gone.Why, nil
	})
}

// described is an environment in words: its key says nothing to people.
func described(e *environment.Environment) string {
	n := len(e.Lock.Packages)
	if n == 1 {
		return "python " + e.Lock.Python + ", 1 package"
	}
	return fmt.Sprintf("python %s, %d packages", e.Lock.Python, n)
}

// tryBase opens the environment for a script as the base; named says that there
// was something to build.
func (r *run) tryBase(ctx context.Context, c *candidate.Candidate) (named bool, err error) {
	spec, un, err := r.a.Workshop.Spec(ctx, c)
	if err != nil {
		return false, infrastructure("choose an environment", err)
	}
	if un != nil {
		r.gone = un
		return false, nil
	}
	e, un, err := r.openSpec(ctx, spec)
	if un != nil {
		r.gone = un
	} else if err == nil {
		r.base.spec, r.base.env = spec, e
	}
	return true, err
}

// openSpec opens an environment once.
func (r *run) openSpec(ctx context.Context, s environment.Spec) (*environment.Environment, *environment.Unavailable, error) {
	key := specKey(s)
	r.mu.Lock()
	e, ok := r.base.opened[key]
	r.mu.Unlock()
	if ok {
		return e, nil, nil
	}
	e, un, err := r.a.Workshop.Open(ctx, s)
	if err != nil {
		return nil, nil, infrastructure("open an environment", err)
	}
	if un != nil {
		return nil, un, nil
	}
	r.mu.Lock()
	r.base.opened[key] = e
	r.mu.Unlock()
	return e, nil, nil
}

func specKey(s environment.Spec) string {
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Sprintf("%#v", s)
	}
	return string(data)
}

// ground is the environment of one script: its imports that the report does not
// declare are added by the workshop, as of the date. What cannot be had is told
// to the model only where its script asked for more than the report does.
func (r *run) ground(ctx context.Context, c *candidate.Candidate) (environment.Spec, *environment.Environment, []task.Feedback, error) {
	if c.SyntaxError != "" {
		return r.base.spec, r.base.env, nil, nil
	}
	spec, un, err := r.a.Workshop.Spec(ctx, c)
	if err != nil {
		return spec, nil, nil, infrastructure("choose an environment", err)
	}
	var env *environment.Environment
	if un == nil {
		if env, un, err = r.openSpec(ctx, spec); err != nil {
			return spec, nil, nil, err
		}
	}
	if un == nil {
		return spec, env, nil, nil
	}
	feedback, err := r.unavailable(spec, c, un)
	return spec, nil, feedback, err
}

// unavailable is what an environment that cannot be had means: the end where
// the report's own wishes cannot be met, else a failed attempt.
func (r *run) unavailable(spec environment.Spec, c *candidate.Candidate, un *environment.Unavailable) ([]task.Feedback, error) {
	r.mu.Lock()
	r.gone, r.denied = un, true
	r.mu.Unlock()
	extra := r.extra(c)
	if r.base.env != nil && len(extra) == 0 {
		return nil, &stopped{ending: NoEnvironment, why: un.Why}
	}
	return []task.Feedback{{
		Stage: task.StageNames, Severity: task.SeverityError,
		Text:      fmt.Sprintf("No environment holds what the script imports (%s): %s. Use only what is installed.", strings.Join(c.Imports, ", "), un.Why),
		Signature: "environment:" + strings.Join(extra, ","),
	}}, nil
}

// extra are the imports of a script that the base environment does not name.
func (r *run) extra(c *candidate.Candidate) []string {
	var out []string
	for _, name := range c.Imports {
		if !slices.Contains(r.base.spec.Imports, name) && !slices.Contains(r.modules, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// facts of the base environment.
func (r *run) facts(ctx context.Context, names []string) (task.Facts, error) {
	facts, err := r.c.facts(ctx, r.baseEnv(), names)
	if err != nil {
		return facts, infrastructure("ask the environment", err)
	}
	return facts, nil
}

func (r *run) baseEnv() *environment.Environment {
	if r.base == nil {
		return nil
	}
	return r.base.env
}

// maxNamed bounds how many names of the report's code are looked up: what a
// prompt can show (a guess).
const maxNamed = 20

// named are the subject's callables in the report's code. Snippets leave out
// the imports that everybody reads into them ("np"): those are put before it.
func (r *run) named() []string {
	code := r.blocks()
	f := pysyntax.Parse(code)
	var imports []string
	for _, n := range f.Undefined() {
		if statement := pysyntax.WellKnown(n.Name, f.TopModules(), code); statement != "" && !slices.Contains(imports, statement) {
			imports = append(imports, statement)
		}
	}
	if len(imports) > 0 {
		f = pysyntax.Parse(strings.Join(imports, "\n") + "\n" + code)
	}
	var names []string
	for _, call := range f.Calls {
		top, _, _ := strings.Cut(call.Full, ".")
		if slices.Contains(r.modules, top) && !slices.Contains(names, call.Full) && len(names) < maxNamed {
			names = append(names, call.Full)
		}
	}
	return names
}

// codeOf is the Python of a block, "" when it holds none.
func codeOf(b report.Block) string {
	switch b.Kind {
	case report.BlockPython:
		return b.Text
	case report.BlockREPL:
		var cells []string
		for _, c := range b.Cells {
			cells = append(cells, c.Code)
		}
		return strings.Join(cells, "\n")
	}
	return ""
}

// ownText is the reporter's script as he wrote it, or what his blocks hold; ""
// when there is no code.
func (r *run) ownText() string {
	if c := r.in.OwnScript; c != nil {
		if c.Original != "" {
			return c.Original
		}
		return c.Script
	}
	if len(r.in.Decision.Blocks) > 0 {
		if c, err := candidate.FromReport(r.in.Report, r.in.Decision); err == nil {
			return c.Original
		}
	}
	return r.blocks()
}

// blocks are all Python of the report, in order.
func (r *run) blocks() string {
	var blocks []string
	for _, b := range r.in.Report.Blocks {
		if code := strings.TrimSpace(codeOf(b)); code != "" {
			blocks = append(blocks, code)
		}
	}
	return strings.Join(blocks, "\n\n")
}
