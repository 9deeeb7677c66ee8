package candidate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
)

// WithoutArgument takes one keyword argument out of the calls of a function:
// for a run that said that the release knows no such parameter. call is the
// function as the interpreter names it ("f", "Model.__init__", "__init__()"),
// or "" when it is not known. Where the script does not call that function with
// the keyword, the one function that it does call with it has passed it on; with
// several such nothing is done. The boolean is also false when the script would
// not be sound without the argument.
func WithoutArgument(c *Candidate, call, keyword string) (*Candidate, bool) {
	p := pysyntax.Split(c.Script)
	ed := &editor{c: c, p: p}
	var changes []pysyntax.Change
	for _, a := range holders(p, called(call), keyword) {
		changes = append(changes, ed.cutArgument(a))
	}
	if len(changes) == 0 {
		return nil, false
	}
	f := pysyntax.Parse(pysyntax.Apply(c.Script, changes))
	if len(f.SyntaxErrors) > len(p.File.SyntaxErrors) {
		return nil, false
	}
	fresh := *c
	fresh.Script, fresh.Edits = f.Source, slices.Clone(c.Edits)
	for _, ch := range changes {
		fresh.edit(Edit{
			Kind: "obsolete_argument", Why: fmt.Sprintf("the installed release has no parameter %s", keyword), Line: ch.Line,
			Before: c.Script[ch.Span.Start:ch.Span.End], After: ch.After, Risky: true,
		})
	}
	fresh.renew(f)
	return &fresh, true
}

// renew reads the facts of the script again after a change that kept its lines;
// notes that came from the report stay.
func (c *Candidate) renew(f *pysyntax.File) {
	c.Undefined, c.Refusals, c.Raises, c.SyntaxError = nil, nil, nil, ""
	c.facts(f)
}

// called is the function's or class's own name.
func called(name string) string {
	name = strings.TrimSuffix(strings.TrimSpace(name), "()")
	last := lastPart(name)
	if !strings.HasPrefix(last, "__") {
		return last
	}
	return lastPart(strings.TrimSuffix(strings.TrimSuffix(name, last), "."))
}

// holders are the arguments with the keyword in calls of the function; for want
// of those, in calls of the only function that is given it.
func holders(p *pysyntax.Parts, call, keyword string) []pysyntax.Argument {
	var named, any []pysyntax.Argument
	functions := map[string]bool{}
	for _, a := range p.Arguments {
		if a.Key != keyword || keyword == "" {
			continue
		}
		any = append(any, a)
		functions[a.Call] = true
		if lastPart(a.Call) == call {
			named = append(named, a)
		}
	}
	switch {
	case len(named) > 0 && call != "":
		return named
	case len(functions) == 1:
		return any
	}
	return nil
}
