package candidate

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	// registers know what is installed, or what its source looks like; a script
	// that shows a bug calls the library instead.
	registers = lazyre.New(`^(?:importlib\.(?:metadata|resources)|importlib_(?:metadata|resources)|pkg_resources|pkgutil|linecache|pydoc|dis|zipimport|sysconfig|site|pip|setuptools)(?:\.|$)|^help$|^inspect\.get(?:source|file|module|doc|comments|abs)`)
	// whereAll are places of the interpreter and of what is installed for it.
	whereAll = lazyre.New(`^sys\.(?:modules|path|prefix|exec_prefix|base_prefix|path_importer_cache|getallocatedblocks)(?:\.|$)`)
	envPaths = lazyre.New(`^/(?:env|py)(?:/|$)`)
	// behind are attributes through which the code of a library is looked at.
	behind = lazyre.New(`\.\s*(?:__(?:code|spec|loader|path|annotations|defaults|kwdefaults|traceback)__|tb_\w+|co_\w+|f_code|f_globals|f_lineno)\b`)
)

// askers are given to something else that calls them.
var askers = wordSet("hasattr getattr dir vars")

// asksWhatIsInstalled: one who writes a script for one release learns nothing
// from the installation but which release it runs on, and could then do
// something else there. A reporter's own script may look where its bug is.
func asksWhatIsInstalled(r *reader) {
	if r.nested > 0 {
		return
	}
	if r.c.Origin == originReporter {
		r.branchesOnInstalled()
		return
	}
	for _, imp := range r.f.Imports {
		full := imp.Module
		for _, n := range imp.Names {
			if registers.MatchString(imp.Module + "." + n.Name) {
				full = imp.Module + "." + n.Name
			}
		}
		if registers.MatchString(full) {
			r.refuse(imp.Line, "asks what is installed (import %s)", clip(full))
		}
	}
	deleted := map[int]bool{}
	for _, d := range r.f.Deletes {
		deleted[d.Line] = true
	}
	for _, a := range r.f.Attributes {
		full := r.resolve(a.Text)
		if deleted[a.Line] {
			continue // to import anew
		}
		if (registers.MatchString(full) || whereAll.MatchString(full)) && !inPrint(r.f, a.Line) && !strings.HasPrefix(full, "sys.path.") {
			r.refuse(a.Line, "asks what is installed (%s)", clip(a.Text))
		}
	}
	for _, call := range r.f.Calls {
		if name, plain := unquoted(arg(call, 0)); call.Func != "" && registers.MatchString(strings.TrimPrefix(r.resolve(call.Func), "builtins.")) ||
			call.Func == "__import__" && plain && registers.MatchString(name) {
			r.refuse(call.Line, "asks what is installed (%s)", clip(call.Func))
		}
	}
	for _, s := range r.f.Strings {
		if envPaths.MatchString(s.Value) && !isDocstring(r.f, s) {
			r.refuse(s.Line, "looks at the installation (%q)", clip(s.Value))
		}
	}
	for _, call := range r.f.Calls {
		for _, name := range call.ArgReads {
			if askers[name] && r.resolve(name) == name {
				r.refuse(call.Line, "asks what the release has (%s)", name)
			}
		}
	}
	for i, line := range strings.Split(codeOnly(r.f), "\n") {
		if m := behind.FindString(line); m != "" && !inPrint(r.f, i+1) {
			r.refuse(i+1, "looks behind a name (%s)", strings.TrimSpace(m))
		}
	}
}

// branchesOnInstalled: a reporter may look where his bug is, and print it; what
// is installed may no more decide what his script does than a version may.
func (r *reader) branchesOnInstalled() {
	tells := func(name string) bool { return registers.MatchString(r.resolve(name)) && r.imported(name) }
	told := map[string]bool{}
	for changed := true; changed; {
		changed = false
		for _, a := range r.f.Assigns {
			if a.Kind == "name" && !told[a.Target] && (behind.MatchString(a.Value) || slices.ContainsFunc(a.Reads, func(n string) bool { return told[firstOf(n)] || tells(n) })) {
				told[a.Target], changed = true, true
			}
		}
	}
	decides := func(n string) bool { return told[firstOf(n)] || tells(n) }
	for _, cond := range r.f.Conditions {
		if branching[cond.Kind] && (slices.ContainsFunc(cond.Reads, decides) || behind.MatchString(cond.Text)) {
			r.refuse(cond.Line, "branches on what is installed (%s)", clip(oneLine(cond.Text)))
		}
	}
	for _, call := range r.f.Calls {
		if (call.Method == "get" || call.Method == "pop" || r.callsLibrary(call)) && slices.ContainsFunc(call.ArgReads, decides) && !tells(call.Func) {
			r.refuse(call.Line, "uses what is installed (%s)", clip(call.Func))
		}
	}
}
