package triage

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// gapKind says what is missing for a script to run.
type gapKind string

const (
	gapName     gapKind = "name"     // an undefined name that anybody could fill in
	gapClass    gapKind = "class"    // a class of the reporter's own
	gapFile     gapKind = "file"     // a file of the reporter's own
	gapModule   gapKind = "module"   // a module of the reporter's own
	gapDownload gapKind = "download" // weights or data from a hub: no network at run time
	gapCut      gapKind = "cut"      // the reporter left something out with "..."
	gapSyntax   gapKind = "syntax"   // it does not parse
	gapCall     gapKind = "call"     // what it defines is never used
	gapBelow    gapKind = "below"    // a failure was pasted into it, and code stands below that
)

// gap is one missing thing.
type gap struct {
	kind gapKind
	what string
	line int
}

// private: no tool could write it, only the reporter can give it.
func (g gap) private() bool {
	return g.kind == gapClass || g.kind == gapFile || g.kind == gapModule
}

// String is the gap in the words of a reply.
func (g gap) String() string {
	switch g.kind {
	case gapClass:
		return fmt.Sprintf("the class %s (or a small stand-in that still shows the failure)", quoted(g.what))
	case gapFile:
		return g.named("the file", "the file that line %d reads") + " (or a few lines that create one like it)"
	case gapModule:
		return fmt.Sprintf("the module %s that the script imports", quoted(g.what))
	case gapDownload:
		return g.named("a variant that needs no download of", "a variant without the download of line %d") + " (random weights or made-up data)"
	case gapCut:
		return fmt.Sprintf("the part left out in line %d (`...`)", g.line)
	case gapCall:
		return fmt.Sprintf("a call of %s that shows it", quoted(g.what))
	case gapBelow:
		return "the script alone, without what it printed: code stands below a traceback in it"
	case gapSyntax:
		return fmt.Sprintf("a script that parses (line %d: %s)", g.line, quoted(g.what))
	default:
		return fmt.Sprintf("the definition of %s", quoted(g.what))
	}
}

// findGaps lists what is missing, the most telling first.
func findGaps(f *pysyntax.File) []gap {
	gaps := nameGaps(f)
	gaps = append(gaps, moduleGaps(f)...)
	gaps = append(gaps, callGaps(f)...)
	gaps = append(gaps, cutGaps(f)...)
	if len(f.SyntaxErrors) > 0 {
		e := f.SyntaxErrors[0]
		gaps = append(gaps, gap{gapSyntax, shorten(e.Text, 60), e.Line})
	}
	return gaps
}

func nameGaps(f *pysyntax.File) []gap {
	var gaps []gap
	seen := map[string]bool{}
	for _, n := range f.Undefined() {
		if seen[n.Name] || ambient[n.Name] || explained(n.Name, f) {
			continue
		}
		seen[n.Name] = true
		kind := gapName
		if looksOwnClass(n.Name) {
			kind = gapClass
		}
		gaps = append(gaps, gap{kind, n.Name, n.Line})
	}
	return onlyWithImports(f, gaps)
}

// onlyWithImports keeps a class as the reporter's own only in a script that
// takes care of its imports. Where a lower-case name is undefined as well
// (random.PRNGKey), imports were left out, and the class may be the library's.
func onlyWithImports(f *pysyntax.File, gaps []gap) []gap {
	careful := len(f.Imports) > 0
	for _, g := range gaps {
		for _, c := range f.Calls {
			if g.kind == gapName && strings.HasPrefix(c.Func, g.what+".") {
				careful = false
			}
		}
	}
	if !careful {
		for i := range gaps {
			gaps[i].kind = gapName
		}
	}
	return gaps
}

// looksOwnClass: CamelCase with at least two humps, or one after "My", and not
// a class that everybody knows. Names in capitals only (MCMC, NUTS) are
// usually a library's.
func looksOwnClass(name string) bool {
	if knownClasses[name] || !unicode.IsUpper(rune(name[0])) || strings.Contains(name, "_") {
		return false
	}
	humps, lower := 0, false
	for i, c := range name {
		if unicode.IsUpper(c) && (i == 0 || lower) {
			humps++
		}
		lower = unicode.IsLower(c) || unicode.IsDigit(c)
	}
	return humps >= 2
}

// ownModule are top-level module names that belong to a project, never to an
// index by intention. A guess from the reading of the measured reports.
var ownModule = lazyre.New(`^(utils?|helpers?|models?|nets?|networks?|modules|layers|datasets?_\w+|dataloaders?|data_\w+|configs?|settings|common|src|lib|train|trainer|my_?\w+|custom_\w+|local_\w+|losses|metrics_\w+|envs?|agents?|preprocess\w*)$`)

func moduleGaps(f *pysyntax.File) []gap {
	var gaps []gap
	seen := map[string]bool{}
	for _, imp := range f.Imports {
		top := topName(imp.Module)
		if strings.HasPrefix(imp.Module, ".") {
			top = imp.Module
		} else if _, known := pydist.FromImport(top); known || pydist.StdlibModule(top) || !ownModule.MatchString(top) {
			continue
		}
		if !seen[top] && !imp.Guarded {
			seen[top] = true
			gaps = append(gaps, gap{gapModule, top, imp.Line})
		}
	}
	return gaps
}
