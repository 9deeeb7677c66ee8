package candidate

import (
	"fmt"
	"slices"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pysyntax"
)

// goesOn: where a crash or a warning is looked for, to catch what the package
// raises tells one release from another as well as a version does. What happens
// there may then not decide over what the package is called with, or whether.
// Not asked of the reporter's own script, which fits what he has.
func goesOn(c *Candidate, f *pysyntax.File, e *oracle.Expectation) []string {
	if c.Origin == originReporter || len(e.Modules) == 0 || !crashes(e.Oracle) && e.Oracle != oracle.OracleWarning {
		return nil
	}
	s := &swallower{f: f, modules: e.Modules, touched: f.Influenced(e.Modules...)}
	for _, t := range f.Tries {
		if t.Swallows && s.touches(t) {
			s.try(t)
		}
	}
	for _, d := range f.Defined {
		if d.Name == "__exit__" || d.Name == "__aexit__" || d.Name == "__del__" {
			s.say(d.Line, "can go on after an exception ("+d.Name+")")
		}
	}
	for _, call := range f.Calls {
		if call.Full == "contextlib.suppress" {
			s.say(call.Line, "goes on after an exception ("+call.Func+")")
		}
	}
	return s.found
}

// swallower looks for what a caught exception decides.
type swallower struct {
	f       *pysyntax.File
	modules []string
	touched map[string]bool
	found   []string
}

func (s *swallower) say(line int, what string) {
	s.found = addOnce(s.found, fmt.Sprintf("line %d: %s", line, what))
}

func (s *swallower) ofPackage(name string) bool {
	return slices.Contains(s.modules, firstOf(s.f.Resolve(name)))
}

func (s *swallower) touches(t pysyntax.Try) bool {
	return anyMarked(t.Reads, s.touched) || slices.ContainsFunc(t.Reads, s.ofPackage)
}

// calls: something of the package is called, or given to what calls it.
func (s *swallower) calls(call pysyntax.Call) bool {
	imported := func(name string) bool { return s.f.Imported(name) && s.ofPackage(name) }
	return call.Func != "" && (imported(call.Func) || s.touched[firstOf(call.Func)]) || slices.ContainsFunc(call.ArgReads, imported)
}

func (s *swallower) try(t pysyntax.Try) {
	within := func(line int) bool { return t.Line <= line && line <= t.EndLine }
	var chosen []string
	for _, a := range s.f.Assigns {
		if within(a.Line) {
			chosen = append(chosen, firstOf(a.Target))
		}
	}
	around := pysyntax.Def{EndLine: 1 << 30}
	for _, d := range s.f.Defined {
		switch {
		case within(d.Line):
			chosen = append(chosen, d.Name)
		case d.Kind == "function" && d.Line < t.Line && t.EndLine <= d.EndLine && d.Line > around.Line:
			around = d
		}
	}
	leaves := t.Leaves || slices.ContainsFunc(s.f.Raises, func(r pysyntax.Raise) bool { return within(r.Line) && ending.MatchString(r.Class+" "+r.Text) }) ||
		slices.ContainsFunc(s.f.Calls, func(c pysyntax.Call) bool { return within(c.Line) && endings[c.Full] })
	if leaves && around.Name != "" {
		chosen = append(chosen, around.Name)
	}
	depends := map[string]bool{}
	if len(chosen) > 0 {
		depends = s.f.From(chosen...)
	}
	for _, call := range s.f.Calls {
		switch {
		case !s.calls(call):
		case within(call.Line) && call.InHandler:
			s.say(call.Line, "calls the package where something was caught")
		case within(call.Line):
		case leaves && around.Line < call.Line && call.Line <= around.EndLine:
			s.say(t.Line, "what was caught decides whether the package is called")
		case anyMarked(call.ArgReads, depends), anyMarked(call.Guards, depends), depends[firstOf(call.Func)] && !s.f.Imported(call.Func):
			s.say(call.Line, "what was caught decides what the package is called with")
		}
	}
}
