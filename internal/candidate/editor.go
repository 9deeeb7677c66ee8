package candidate

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/triage"
)

// maxVariants bounds what proof is offered: each costs several executions.
const maxVariants = 8

// editor makes variants of one finished script.
type editor struct {
	c *Candidate
	d *triage.Decision
	p *pysyntax.Parts
	// undefined are the names that were undefined before the edit.
	undefined map[string]bool
	found     []Variant
}

func newEditor(c *Candidate, d *triage.Decision) *editor {
	ed := &editor{c: c, d: d, p: pysyntax.Split(c.Script), undefined: map[string]bool{}}
	for _, n := range ed.p.File.Undefined() {
		ed.undefined[n.Name] = true
	}
	return ed
}

// usable: a script that does not parse, or that was not read whole, has parts
// that nobody knows.
func (ed *editor) usable() bool {
	return len(ed.p.File.SyntaxErrors) == 0 && !ed.p.File.Truncated && len(ed.p.File.Statements) > 0
}

// add applies the changes as one edit and keeps the variant if the script still
// parses, defines every name it uses and is another one than before.
func (ed *editor) add(v Variant, changes []pysyntax.Change) bool {
	if len(changes) == 0 || len(ed.found) >= maxVariants {
		return false
	}
	// The first change gives the edit its line, so they go in the order of the text.
	slices.SortStableFunc(changes, func(a, b pysyntax.Change) int { return a.Span.Start - b.Span.Start })
	script, ok := ed.define(pysyntax.Apply(ed.c.Script, changes), changes)
	if !ok || script == ed.c.Script {
		return false
	}
	for _, have := range ed.found {
		if have.Script == script {
			return false
		}
	}
	if ed.worse(script) {
		return false
	}
	// What was changed in several places is one edit: the reporter named one thing.
	v.Script = script
	v.Edit.Kind, v.Edit.Why = "contrast", v.Change
	if v.Removal {
		v.Edit.Kind = "removal"
	}
	v.Edit.Line = changes[0].Line
	var before, after []string
	for _, ch := range changes {
		before = addOnce(before, ed.c.Script[ch.Span.Start:ch.Span.End])
		after = addOnce(after, strings.TrimSpace(ch.After))
	}
	v.Edit.Before, v.Edit.After = strings.TrimSpace(strings.Join(before, "\n")), strings.TrimSpace(strings.Join(after, "\n"))
	ed.found = append(ed.found, v)
	return true
}

// worse: the change brought in what a script may not do. The words that it was
// made of are the report's.
func (ed *editor) worse(script string) bool {
	fresh := Reread(&Candidate{Script: script, Origin: ed.c.Origin})
	return len(fresh.Refusals) > len(ed.c.Refusals) || len(fresh.Reaches) > len(ed.c.Reaches)
}

// define says whether a changed script is sound. A name that the change brought
// in and that everybody knows is imported.
func (ed *editor) define(script string, changes []pysyntax.Change) (string, bool) {
	f := pysyntax.Parse(script)
	if len(f.SyntaxErrors) > 0 || f.Truncated {
		return script, false
	}
	have := f.TopModules()
	for _, n := range f.Undefined() {
		// A name that lost its definition is another matter than one that the
		// change wrote: only the second may be imported.
		if ed.undefined[n.Name] {
			continue
		}
		statement := pysyntax.WellKnown(n.Name, append(have, n.Name), script)
		if statement == "" || !slices.ContainsFunc(changes, func(ch pysyntax.Change) bool { return mentions(ch.After, n.Name) }) {
			return script, false
		}
		script = importFirst(f, script, statement)
	}
	f = pysyntax.Parse(script)
	for _, n := range f.Undefined() {
		if !ed.undefined[n.Name] {
			return script, false
		}
	}
	return script, len(f.SyntaxErrors) == 0
}

// importFirst puts an import in front of the first statement that is neither a
// docstring nor from __future__, on the same line, so that the reporter's line
// numbers hold.
func importFirst(f *pysyntax.File, script, statement string) string {
	for _, s := range f.Statements {
		docstring := s.Kind == "expression" && strings.ContainsAny(s.Text[:1], `"'rRuU`) && isString(s.Text)
		if docstring || strings.HasPrefix(s.Text, "from __future__") {
			continue
		}
		if s.Kind == "expression" || s.Kind == "assignment" || s.Kind == "import" {
			return script[:s.Span.Start] + statement + "; " + script[s.Span.Start:]
		}
		return script[:s.Span.Start] + statement + "\n" + script[s.Span.Start:]
	}
	return script
}

func isString(expr string) bool {
	_, ok := unquoted(expr)
	return ok
}

// target is a contrast's or trigger's name as it was written, without what
// prose puts around it.
func cleanTarget(s string) string {
	s = strings.Trim(strings.TrimSpace(s), "`")
	s = strings.TrimPrefix(s, "@")
	s = strings.TrimPrefix(s, ".")
	return strings.TrimSpace(strings.TrimSuffix(s, "()"))
}

// names says whether a target means the dotted name: the whole of it as written
// or resolved, or its end.
func names(target, written, full string) bool {
	if target == "" || written == "" {
		return false
	}
	for _, name := range []string{written, full} {
		if name == target || strings.HasSuffix(name, "."+target) {
			return true
		}
	}
	return false
}

// keyValue cuts "k=v" (not "k==v") into its sides.
func keyValue(target string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(target, "=")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	if !ok || strings.HasPrefix(value, "=") || !plainName.MatchString(key) {
		return target, "", false
	}
	return key, value, true
}

// sameCode compares two pieces of code but for blanks and the kind of quote.
func sameCode(a, b string) bool {
	plain := func(s string) string {
		return strings.ReplaceAll(strings.Join(strings.Fields(s), ""), `"`, "'")
	}
	return plain(a) == plain(b)
}

// without is the text that takes the place of a statement that is taken out:
// it keeps the block from being empty and the lines below at their numbers.
func without(text string) string { return "pass" + strings.Repeat("\n", strings.Count(text, "\n")) }

// leftOut are the changes that take out a statement.
func leftOut(s pysyntax.Inner) pysyntax.Change {
	return pysyntax.Change{Span: s.Span, After: without(s.Text), Line: s.Line}
}

// blank keeps the line breaks of a text that is cut.
func blank(text string) string { return strings.Repeat("\n", strings.Count(text, "\n")) }

// cutArgument takes an argument out of its list.
func (ed *editor) cutArgument(a pysyntax.Argument) pysyntax.Change {
	return pysyntax.Change{Span: a.Cut, After: blank(ed.c.Script[a.Cut.Start:a.Cut.End]), Line: a.Line}
}
