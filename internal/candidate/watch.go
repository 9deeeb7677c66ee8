package candidate

import (
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
