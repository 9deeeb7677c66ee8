package candidate

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// shim stands before what a language model writes. Inside a run the observer
// gives observe and control; a stranger who runs the file alone (`uv run`, or
// plain Python) sees the observations printed and chooses the control by an
// argument. Its first line gives way to a "from __future__ import" of the body,
// which Python wants before everything else.
const (
	shimHead = "# observe(name, value) records a value; control is true where the trigger is left out.\n"
	shimRest = `try:
    from repgen_probe import observe, control
except ImportError:  # run alone: uv run reproduce.py [--control]
    control = "--control" in __import__("sys").argv[1:]
    def observe(name, value):
        print("%s = %r" % (name, value), flush=True)
`
)

// ShimLines is how many lines stand before the model's own: line n of the
// script is line n - ShimLines of the body.
var ShimLines = strings.Count(shimHead+shimRest, "\n")

var futureImport = lazyre.New(`^from __future__ import [a-z_]+(, ?[a-z_]+)*\n$`)

// FromAgent makes a candidate of what a language model wrote: the body of a
// script that uses observe and control without importing them. The shim that
// gives it both, and that lets a stranger run it, is put before it. HasControl
// is read from the body, never believed.
func FromAgent(body, trigger string) *Candidate {
	if _, ok := withoutShim(body); ok {
		return fromAgentScript(body, trigger)
	}
	head, body := hoisted(body)
	return fromAgentScript(head+shimRest+body, trigger)
}

func fromAgentScript(script, trigger string) *Candidate {
	c := &Candidate{Script: script, Original: script, Origin: originAgent, Trigger: trigger}
	c.facts(pysyntax.Parse(c.Own()))
	return c
}

// hoisted moves "from __future__ import" statements to the shim's head and takes
// the body's own import of observe and control out, lines kept.
func hoisted(body string) (head, rest string) {
	head = shimHead
	var future []string
	f := pysyntax.Parse(body)
	for _, imp := range slices.Backward(f.Imports) {
		if !imp.TopLevel || imp.Dynamic || imp.Guarded {
			continue
		}
		names := importedNames(imp)
		switch {
		case imp.Module == "__future__" && names != nil:
			future = append(future, names...)
		case (imp.Module == "repgen_probe" || imp.Module == "repgen") && names != nil && onlyObserver(imp):
		default:
			continue
		}
		blank := "pass" + strings.Repeat("\n", strings.Count(body[imp.Span.Start:imp.Span.End], "\n"))
		body = body[:imp.Span.Start] + blank + body[imp.Span.End:]
	}
	if len(future) > 0 {
		slices.Sort(future)
		head = "from __future__ import " + strings.Join(slices.Compact(future), ", ") + "\n"
		if !futureImport.MatchString(head) {
			head = shimHead
		}
	}
	return head, body
}

// importedNames are the names of a from-import, nil where one has another name
// here.
func importedNames(imp pysyntax.Import) (names []string) {
	for _, n := range imp.Names {
		if n.Alias != "" && n.Alias != n.Name {
			return nil
		}
		names = append(names, n.Name)
	}
	return names
}

// withoutShim is what follows the shim; ok false when it is not there whole.
func withoutShim(script string) (body string, ok bool) {
	head, rest, found := strings.Cut(script, "\n")
	head += "\n"
	if !found || head != shimHead && !futureImport.MatchString(head) {
		return "", false
	}
	return strings.CutPrefix(rest, shimRest)
}

// Own is the script without what we put before it, line for line: what its
// author wrote. Of a script without a shim it is the script.
func (c *Candidate) Own() string {
	body, ok := withoutShim(c.Script)
	if c.Origin != originAgent || !ok {
		return c.Script
	}
	return strings.Repeat("\n", ShimLines) + body
}

// shimmed are the names that the shim defines.
var shimmed = map[string]bool{"observe": true, "control": true}

// agentFacts corrects what the reader says of names that the shim defines.
func (c *Candidate) agentFacts(f *pysyntax.File) {
	if c.Origin != originAgent {
		return
	}
	c.Undefined = slices.DeleteFunc(c.Undefined, func(n string) bool { return shimmed[n] })
	c.HasControl = slices.ContainsFunc(f.Undefined(), func(n pysyntax.Name) bool { return n.Name == "control" })
}
