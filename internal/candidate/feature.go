package candidate

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	// asksLibrary are ways to learn which release is installed without asking
	// for its version: what it has, how it is called, what its files look like.
	asksLibrary = lazyre.New(`\b(?:hasattr|dir|vars|getattr|signature|getfullargspec|getsource\w*|getfile|getmembers|find_spec|getsize)\s*\(\s*([A-Za-z_][\w.]*)|\b([A-Za-z_]\w*(?:\.\w+)*)\.(?:__dict__|__all__|__file__|__doc__|__path__)\b`)
	// devices may be asked for everywhere: that is how scripts choose theirs.
	devices = lazyre.New(`(?i)\b(backends?|cuda|mps|xpu|hip|npu|accelerator)\b`)
	// installed names what an installer left behind.
	installed = lazyre.New(`dist-info|site-packages|\.egg-info|\bRECORD\b|pyvenv\.cfg`)
)

// featureBranches: a script that does something else where the library has, or
// has not, some name is told by it which release it runs on, as by a version.
// Honest scripts of reporters do so for compatibility, which is noted; whoever
// writes a script for one release has no need to.
func featureBranches(r *reader) {
	if r.c.Origin != originReporter {
		r.branchesOn(r.asks, r.refuse)
	} else {
		r.branchesOn(r.asks, r.note)
		r.branchesOn(r.asksAtLarge, r.refuse)
	}
}

// branchesOn says where an answer to what asks finds decides what is done.
func (r *reader) branchesOn(asks func(text string) bool, say func(line int, format string, args ...any)) {
	told := r.toldBy(asks)
	for _, cond := range r.f.Conditions {
		if !branching[cond.Kind] || cond.Kind == "assert" || cond.Kind == "compare" {
			continue
		}
		decides := asks(cond.Text) || slices.ContainsFunc(cond.Reads, func(name string) bool { return told[firstOf(name)] })
		if decides {
			say(cond.Line, "branches on what the release has (%s)", clip(oneLine(cond.Text)))
		}
	}
	for _, call := range r.f.Calls { // a branch by another name, or the answer itself
		if call.Method != "get" && call.Method != "pop" && !r.callsLibrary(call) {
			continue
		}
		if slices.ContainsFunc(call.ArgReads, func(name string) bool { return told[firstOf(name)] }) || slices.ContainsFunc(call.Args, r.asksAtLarge) {
			say(call.Line, "uses what it learnt of the release (%s)", clip(call.Func))
		}
	}
	for _, s := range r.f.Strings {
		if installed.MatchString(s.Value) && !isDocstring(r.f, s) {
			say(s.Line, "looks at the installation (%q)", clip(s.Value))
		}
	}
}

// asks says whether an expression looks into something imported from a library.
func (r *reader) asks(text string) bool {
	for _, m := range asksLibrary.FindAllStringSubmatch(text, -1) {
		name := m[1] + m[2]
		if r.imported(name) && thirdParty(r.resolve(name)) && !devices.MatchString(m[0]) {
			return true
		}
	}
	return false
}

// atLarge asks for all that a library has. A reporter who wants to know of one
// name, for compatibility or because it is his bug, writes that name.
var atLarge = lazyre.New(`\b(?:dir|vars)\s*\(\s*([A-Za-z_][\w.]*)|\b([A-Za-z_]\w*(?:\.\w+)*)\.__(?:dict|all)__\b`)

// asksAtLarge says whether an expression looks at all that a library has, or for
// a name that does not stand in the script.
func (r *reader) asksAtLarge(text string) bool {
	library := func(name string) bool {
		return r.imported(name) && thirdParty(r.resolve(name)) && !devices.MatchString(name)
	}
	for _, m := range atLarge.FindAllStringSubmatch(text, -1) {
		if library(m[1] + m[2]) {
			return true
		}
	}
	return slices.ContainsFunc(r.f.Calls, func(call pysyntax.Call) bool {
		name := arg(call, 1)
		if call.Func != "getattr" && call.Func != "hasattr" || name == "" || !library(arg(call, 0)) || !strings.Contains(text, r.f.Source[call.Span.Start:call.Span.End]) {
			return false
		}
		_, plain := unquoted(name)
		return !plain && !r.fromLiterals(name) && !readable(name)
	})
}

// readable: a name made by number or suffix still says what it is (f"float{n}").
func readable(expr string) bool {
	return !strings.Contains(expr, "__") && slices.ContainsFunc(pysyntax.Parse(expr).Strings, func(s pysyntax.String) bool {
		return stem.MatchString(s.Value)
	})
}

// stem: so many letters of a name are a word (a guess).
var stem = lazyre.New(`[A-Za-z]{3}`)

// fromLiterals: a variable to which nothing but literals is assigned, also one by
// one in a loop. A parameter counts as one: who calls stands in the script too.
func (r *reader) fromLiterals(name string) bool {
	return plainName.MatchString(name) && !slices.ContainsFunc(r.f.Assigns, func(a pysyntax.Assign) bool {
		return a.Target == name && a.Value != "" && !a.Literal
	})
}

// toldBy are the variables that hold an answer, or something made of one.
func (r *reader) toldBy(asks func(text string) bool) map[string]bool {
	told := map[string]bool{}
	for changed := true; changed; {
		changed = false
		for _, a := range r.f.Assigns {
			if a.Kind != "name" || told[a.Target] {
				continue
			}
			asked := strings.Contains(a.Value, "(") || strings.Contains(a.Value, "__")
			if asked && asks(a.Value) || slices.ContainsFunc(a.Reads, func(name string) bool { return told[firstOf(name)] }) {
				told[a.Target], changed = true, true
			}
		}
	}
	return told
}

// unread: what lies behind the limits of the reader was not looked at.
func unread(r *reader) {
	if r.f.Truncated {
		r.refuse(0, "is too long or too deeply nested to be read whole")
	}
}
