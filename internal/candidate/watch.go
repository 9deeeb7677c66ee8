package candidate

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// maxWatch bounds what the observer is asked to record: a guess well above the
// values that one report compares.
const maxWatch = 32

var (
	plainName = lazyre.New(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*){0,4}$`)
	constants = map[string]bool{"None": true, "True": true, "False": true, "NotImplemented": true}
)

// comparisons are the comparisons that speak for whoever wrote the script
// (asserted or printed ones), and the plain operands and printed values at
// module scope, whose final values are worth recording.
func comparisons(f *pysyntax.File) (found []oracle.Compare, watch []string) {
	add := func(expr string) {
		expr = strings.TrimSpace(expr)
		if len(watch) < maxWatch && plainName.MatchString(expr) && !constants[expr] && !isModule(f, expr) {
			watch = addOnce(watch, expr)
		}
	}
	for _, cmp := range f.Compares {
		if !cmp.InAssert && !cmp.InPrint {
			continue
		}
		found = append(found, oracle.Compare{
			Left: cmp.Left, Right: cmp.Right, Op: cmp.Op, Line: cmp.Line, Assert: cmp.InAssert,
		})
		if cmp.Scope == "" {
			add(cmp.Left)
			add(cmp.Right)
		}
	}
	for _, p := range f.Prints {
		if p.Scope != "" {
			continue
		}
		for _, arg := range p.Args {
			add(arg)
		}
	}
	return found, watch
}

// isModule: a bare import has no value worth recording.
func isModule(f *pysyntax.File, expr string) bool {
	for _, imp := range f.Imports {
		if expr == imp.Alias || (imp.Alias == "" && len(imp.Names) == 0 && expr == imp.Module) {
			return true
		}
	}
	return false
}

// WatchFor adds the names that the claims of an expectation are about, so that
// the observer records them. A name is watched when the script binds it at
// module scope; an expression is judged where it is printed, and adds nothing.
// FromReport does this for the decision's expectation.
func (c *Candidate) WatchFor(e *oracle.Expectation) {
	if e == nil {
		return
	}
	var claimed []string
	if e.Value != nil {
		claimed = append(claimed, e.Value.Target)
	}
	if e.Repeats != nil {
		claimed = append(claimed, e.Repeats.Name)
	}
	if e.Spread != nil {
		claimed = append(claimed, e.Spread.Left, e.Spread.Right)
	}
	f := c.parse(c.Script)
	for _, name := range claimed {
		if name = strings.TrimSpace(name); plainName.MatchString(name) && !constants[name] && global(f, firstOf(name)) {
			c.watchFirst(name)
		}
		for _, a := range f.Assigns { // "the shape of model(x)", where y = model(x)
			if a.Scope == "" && a.Kind == "name" && !plainName.MatchString(name) && sameCode(a.Value, name) && name != "" {
				c.watchFirst(a.Target)
			}
		}
	}
	for _, also := range e.Also {
		c.WatchFor(&also)
	}
}

// watchFirst puts a name before those that nobody claims anything of: the list
// is bounded.
func (c *Candidate) watchFirst(name string) {
	if slices.Contains(c.Watch, name) {
		return
	}
	c.Watch = append([]string{name}, c.Watch...)
	c.Watch = c.Watch[:min(len(c.Watch), maxWatch)]
}

// global: the script assigns the name at module scope.
func global(f *pysyntax.File, name string) bool {
	return slices.ContainsFunc(f.Assigns, func(a pysyntax.Assign) bool {
		return a.Scope == "" && (a.Target == name || firstOf(a.Target) == name)
	})
}
