package candidate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/pysyntax"
)

// rules each look for one way in which a script could show a symptom that the
// library does not have. They read the source only, so they can be walked
// around; the control on another release is what a liar has to pass as well.
func rules() []func(*reader) {
	return []func(*reader){
		observerCalls, observerNames, observerHooks, foreignInnards,
		patchedAttributes, patchedByCall, patchedDeletes,
		versionBranches, featureBranches, unread,
		crashesByHand, raisesByHand, ownScript,
		touchesNothing, ownCopies, swallows, sleeps, hiddenCode, forgedTraceback, spelledNames, asksWhatIsInstalled, agentRules,
	}
}

// maxReasons of each kind are kept: one is enough to refuse.
const maxReasons = 50

// reader is one script under the rules.
type reader struct {
	c *Candidate
	f *pysyntax.File
	// alias maps local names to the imported thing they were assigned.
	alias map[string]string
	// nested is 1 inside a string given to exec.
	nested int
	line   int             // of the exec, when nested
	marked map[string]bool // see influenced
}

// judge fills Refusals, Notes and Raises.
func (c *Candidate) judge(f *pysyntax.File) {
	r := &reader{c: c, f: f}
	r.run()
}

func (r *reader) run() {
	r.alias = map[string]string{}
	for _, a := range r.f.Assigns {
		if a.Kind == "name" && plainName.MatchString(a.Value) && r.f.Imported(a.Value) {
			r.alias[a.Target] = r.f.Resolve(a.Value)
		}
	}
	for _, rule := range rules() {
		rule(r)
	}
}

func (r *reader) refuse(line int, format string, args ...any) {
	if len(r.c.Refusals) < maxReasons {
		r.c.Refusals = addOnce(r.c.Refusals, r.say(line, format, args...))
	}
}

func (r *reader) note(line int, format string, args ...any) {
	if len(r.c.Notes) < maxReasons {
		r.c.Notes = addOnce(r.c.Notes, r.say(line, format, args...))
	}
}

func (r *reader) say(line int, format string, args ...any) string {
	if r.nested > 0 {
		line = r.line
	}
	text := fmt.Sprintf(format, args...)
	if line > 0 {
		return fmt.Sprintf("line %d: %s", line, text)
	}
	return text
}

// resolve is File.Resolve that also follows local aliases of imported things.
func (r *reader) resolve(dotted string) string {
	first, rest, found := strings.Cut(dotted, ".")
	full, ok := r.alias[first]
	if !ok {
		return r.f.Resolve(dotted)
	}
	if found {
		full += "." + rest
	}
	return full
}

// imported: the name belongs to a module or to something out of one.
func (r *reader) imported(dotted string) bool {
	first, _, _ := strings.Cut(dotted, ".")
	_, ok := r.alias[first]
	return ok || r.f.Imported(dotted)
}

// thirdParty: the resolved name belongs to a library, not to Python.
func thirdParty(full string) bool {
	top, _, _ := strings.Cut(full, ".")
	return top != "" && !pydist.StdlibModule(top) && top != "builtins" && top != "__builtins__"
}

// unquoted is the value of a plain string literal.
func unquoted(expr string) (string, bool) {
	f := pysyntax.Parse(expr)
	if len(f.Strings) != 1 || f.Strings[0].Formatted {
		return "", false
	}
	s := f.Strings[0]
	if s.Span.Start != 0 || s.Span.End != len(expr) {
		return "", false
	}
	raw := strings.ContainsAny(expr[:strings.IndexAny(expr, `"'`)], "rR")
	if !raw && strings.Contains(s.Value, `\`) {
		if plain, err := strconv.Unquote(`"` + strings.NewReplacer("\n", `\n`, `"`, `\"`, `\"`, `\"`, `\'`, "'").Replace(s.Value) + `"`); err == nil {
			return plain, true
		}
	}
	return s.Value, true
}

// arg is the i-th positional argument, "" when there is none.
func arg(call pysyntax.Call, i int) string {
	if i < len(call.Args) {
		return call.Args[i]
	}
	return ""
}

// touchesNothing: without library code nothing can be shown of a library.
func touchesNothing(r *reader) {
	if r.nested > 0 {
		return
	}
	if !slices.ContainsFunc(r.f.TopModules(), func(m string) bool { return !observerWord.MatchString(m) }) {
		r.refuse(0, "touches no library code: it imports nothing outside the standard library")
		return
	}
	marked := r.f.Influenced(libraries(r.f)...)
	if len(r.f.Prints) > 0 && !printsInfluenced(r.f, marked) {
		r.note(r.f.Prints[0].Line, "prints only constants: nothing that a library computed")
	}
	for _, a := range r.f.Asserts {
		if !anyMarked(a.Reads, marked) {
			r.note(a.Line, "asserts something that no library computed (%s)", a.Test)
		}
		if a.Op == "==" && a.Left == a.Right {
			r.note(a.Line, "compares %s with itself", a.Left)
		}
	}
}

// printsInfluenced: at least one line printed depends on the marked names,
// through its values or because they decide whether it is reached. What an
// except clause for everything prints depends on nothing in particular.
func printsInfluenced(f *pysyntax.File, marked map[string]bool) bool {
	return slices.ContainsFunc(f.Prints, func(p pysyntax.Print) bool {
		return anyMarked(p.Reads, marked) || (!p.Broad && anyMarked(p.Guards, marked))
	})
}

func anyMarked(reads []string, marked map[string]bool) bool {
	return slices.ContainsFunc(reads, func(name string) bool {
		first, _, _ := strings.Cut(name, ".")
		return marked[first]
	})
}

// ownCopies: a definition that hides an imported name is what gets tested.
func ownCopies(r *reader) {
	used := map[string]string{}
	for _, a := range r.f.Attributes {
		if r.imported(a.Text) && thirdParty(r.resolve(a.Text)) {
			used[lastPart(a.Text)] = a.Text
		}
	}
	for _, d := range r.f.Defined {
		if d.Scope != "" {
			continue
		}
		if module := importedAs(r.f, d); module != "" {
			r.refuse(d.Line, "defines its own copy of %s, which it imports from %s", d.Name, module)
		} else if text, ok := used[d.Name]; ok {
			r.note(d.Line, "defines its own %s beside %s", d.Name, text)
		}
	}
}

// importedAs is the library module that a definition's name was imported from
// outside a try: a stand-in for a missing import is honest.
func importedAs(f *pysyntax.File, d pysyntax.Def) string {
	for _, imp := range f.Imports {
		if !thirdParty(imp.Module) || imp.Guarded || !imp.TopLevel {
			continue
		}
		for _, name := range imp.Names {
			if name.Alias == d.Name || (name.Alias == "" && name.Name == d.Name) {
				return imp.Module
			}
		}
	}
	return ""
}

func swallows(r *reader) {
	for _, h := range r.f.Handlers {
		if h.Broad() && !h.Raises {
			r.note(h.Line, "swallows every exception")
		}
	}
}

func sleeps(r *reader) {
	for _, call := range r.f.Calls {
		if full := r.resolve(call.Func); full == "time.sleep" || full == "asyncio.sleep" {
			r.note(call.Line, "sleeps by itself (%s)", full)
		}
	}
	for _, cond := range r.f.Conditions {
		if cond.Kind == "while" && (cond.Text == "True" || cond.Text == "1") {
			r.note(cond.Line, "loops without an end of its own (while %s)", cond.Text)
		}
	}
}
