package candidate

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/triage"
)

// Variants are the contrasts that the reporter names (rule 6), each applied to
// the candidate's script as one edit, most usable first. A contrast that could
// only be applied by guessing gives none. In Variant.Env an empty value means
// that the variable is not to be set.
func Variants(c *Candidate, d *triage.Decision) []Variant {
	ed := newEditor(c, d)
	if !ed.usable() {
		return nil
	}
	for _, con := range d.Contrasts {
		ed.contrast(con)
	}
	return ed.found
}

// contrast applies one. What is said to bring the symptom is undone: the script
// without it is the control.
func (ed *editor) contrast(con triage.Contrast) {
	target, value := cleanTarget(con.Target), cleanValue(con.Value)
	if con.Kind != "env" && value != "" && !oneExpression(value) {
		return
	}
	switch {
	case con.Kind == "env" && con.Bad:
		ed.unsetEnv(con, target)
	case con.Kind == "env":
		ed.setEnvironment(con, target, value)
	case con.Kind == "argument" && con.Bad:
		ed.withoutKeyword(con, target, value)
	case con.Kind == "argument":
		ed.argument(con, target, value)
	case con.Kind == "without" && con.Bad:
		if key, v, ok := keyValue(target); ok { // "without k=v it fails"
			ed.argument(con, key, v)
		}
	case con.Kind == "without":
		ed.withoutPart(con, target)
	case con.Kind == "instead" && con.Bad: // "with value instead of target it fails"
		ed.instead(con, value, target)
	case con.Kind == "instead":
		ed.instead(con, target, value)
	}
}

// oneExpression: a value out of a report's prose is put into code only as one
// expression of one line, never as statements of its own.
func oneExpression(value string) bool {
	if _, v, ok := keyValue(value); ok {
		value = v
	}
	if strings.ContainsAny(value, "\n;#") {
		return false
	}
	for _, text := range []string{value, "(" + value + ")"} { // "1) + (2" is one only in brackets
		f := pysyntax.Parse(text)
		if len(f.SyntaxErrors) > 0 || len(f.Statements) != 1 || f.Statements[0].Kind != "expression" {
			return false
		}
	}
	return true
}

func cleanValue(s string) string { return strings.Trim(strings.TrimSpace(s), "`") }

// setEnvironment sets a variable for the control; where the script sets it
// itself, it is set to the other value there.
func (ed *editor) setEnvironment(con triage.Contrast, name, value string) {
	if ForbiddenEnv(name) || !envValue.MatchString(value) {
		return
	}
	change := name + "=" + value
	if own := ed.ownEnv(name); len(own) > 0 {
		var changes []pysyntax.Change
		for _, s := range own {
			changes = append(changes, pysyntax.Change{Span: s.ValueSpan, After: quoted(value), Line: s.Line})
		}
		ed.add(Variant{Change: change, Words: con.Words}, changes)
		return
	}
	if ed.c.Env[name] == value || len(ed.found) >= maxVariants {
		return // the reported side has it already: no contrast
	}
	// The script stays byte for byte, so add, which wants a change, is not asked.
	ed.found = append(ed.found, Variant{
		Script: ed.c.Script, Change: change, Words: con.Words, Env: map[string]string{name: value},
		Edit: Edit{Kind: "contrast", Why: change, After: change},
	})
}

// unsetEnv takes out a variable that is said to bring the symptom.
func (ed *editor) unsetEnv(con triage.Contrast, name string) {
	change := "without " + name
	if own := ed.ownEnv(name); len(own) > 0 {
		var changes []pysyntax.Change
		for _, s := range own {
			changes = append(changes, leftOut(s))
		}
		ed.add(Variant{Change: change, Words: con.Words}, changes)
		return
	}
	if value, set := ed.c.Env[name]; set && len(ed.found) < maxVariants {
		ed.found = append(ed.found, Variant{
			Script: ed.c.Script, Change: change, Words: con.Words, Env: map[string]string{name: ""},
			Edit: Edit{Kind: "contrast", Why: change, Before: name + "=" + value},
		})
	}
}

// ownEnv are the script's own assignments of a variable.
func (ed *editor) ownEnv(name string) []pysyntax.Inner {
	var found []pysyntax.Inner
	for _, s := range ed.p.Statements {
		for _, t := range s.Targets {
			if sameCode(t, "os.environ['"+name+"']") {
				found = append(found, s)
			}
		}
	}
	return found
}

func quoted(s string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"` }

// argument sets a keyword argument, or a plain setting of that name, to the
// value that the reporter calls fine.
func (ed *editor) argument(con triage.Contrast, key, value string) {
	if k, v, ok := keyValue(key); ok && value == "" {
		key, value = k, v
	}
	if value == "" || !plainName.MatchString(key) {
		return
	}
	v := Variant{Change: "with " + key + "=" + value, Words: con.Words}
	var changes []pysyntax.Change
	for _, a := range ed.meant(con, lastPart(key)) {
		changes = append(changes, pysyntax.Change{Span: a.ValueSpan, After: ed.like(a.Value, value), Line: a.Line})
	}
	for _, s := range ed.p.Statements { // batch_size = 32, config.use_cache = True
		for _, t := range s.Targets {
			if names(key, t, t) && len(s.Targets) == 1 && s.ValueSpan.End > 0 {
				old := ed.c.Script[s.ValueSpan.Start:s.ValueSpan.End]
				changes = append(changes, pysyntax.Change{Span: s.ValueSpan, After: ed.like(old, value), Line: s.Line})
			}
		}
	}
	// Only where the script sets it nowhere can it be a keyword left at its default.
	if len(changes) == 0 {
		changes = ed.newKeyword(con, lastPart(key), value)
	}
	ed.add(v, changes)
}

// meant are the keyword arguments of that name: those of the calls that the
// reporter's words name, else all of them.
func (ed *editor) meant(con triage.Contrast, key string) []pysyntax.Argument {
	var named, all []pysyntax.Argument
	for _, a := range ed.p.Arguments {
		if a.Key != key || key == "" {
			continue
		}
		all = append(all, a)
		if call := lastPart(a.Call); len(call) > 2 && mentions(con.Words, call) {
			named = append(named, a)
		}
	}
	if len(named) > 0 {
		return named
	}
	return all
}

// like writes a value as code in the manner of the old one: a word that the
// script does not define is a string where a string stood, and a name of the
// same module where a module's name stood ("float32" for jnp.float64).
func (ed *editor) like(old, value string) string {
	if !plainName.MatchString(value) || constants[value] || ed.bound(value) {
		return value
	}
	switch {
	case isString(old):
		return quoted(value)
	case plainName.MatchString(old) && strings.Contains(old, ".") && !strings.Contains(value, "."):
		return old[:strings.LastIndexByte(old, '.')+1] + value
	}
	return value
}

// bound: the script can read the name.
func (ed *editor) bound(dotted string) bool {
	first := firstOf(dotted)
	return !slices.ContainsFunc(pysyntax.Parse(ed.c.Script+"\n"+first+"\n").Undefined(), func(n pysyntax.Name) bool { return n.Name == first })
}

// newKeyword adds a keyword to the calls of the one function that can be meant:
// the one that the reporter's words name, else the one whose calls the
// expectation judges, else the only one of the subject.
func (ed *editor) newKeyword(con triage.Contrast, key, value string) []pysyntax.Change {
	for _, meant := range []func(pysyntax.CallPart) bool{
		func(c pysyntax.CallPart) bool { // "f", "nn": such names stand in any sentence
			return len(c.Method) > 2 && mentions(con.Words, c.Method)
		},
		func(c pysyntax.CallPart) bool {
			return ed.d.Expectation != nil && slices.Contains(ed.d.Expectation.Calls, c.Method)
		},
		func(c pysyntax.CallPart) bool { return ed.ofSubject(c.Full) },
	} {
		calls := ed.only(meant)
		if len(calls) == 0 {
			continue
		}
		var changes []pysyntax.Change
		for _, c := range calls {
			changes = append(changes, ed.append(c, key+"="+ed.like(`""`, value)))
		}
		return changes
	}
	return nil
}

// only are the calls that are meant when all of them are of one function.
func (ed *editor) only(meant func(pysyntax.CallPart) bool) []pysyntax.CallPart {
	var calls []pysyntax.CallPart
	for _, c := range ed.p.Calls {
		if c.Close.End == 0 || c.Method == "" || c.Func == "print" || !meant(c) {
			continue
		}
		// Two functions: the reporter may mean either, and a keyword that one of
		// them does not know ends the script.
		if len(calls) > 0 && (calls[0].Method != c.Method || calls[0].Full != c.Full) {
			return nil
		}
		calls = append(calls, c)
	}
	return calls
}

// append puts one more argument before the closing bracket of a call.
func (ed *editor) append(c pysyntax.CallPart, argument string) pysyntax.Change {
	// A list that is empty or ends in a comma needs none before the argument.
	before := strings.TrimRight(ed.c.Script[:c.Close.Start], " \t\r\n")
	if !strings.HasSuffix(before, "(") && !strings.HasSuffix(before, ",") {
		argument = ", " + argument
	}
	return pysyntax.Change{Span: c.Close, After: argument, Line: c.Line}
}

// mentions: the words hold the name as a word of its own.
func mentions(words, name string) bool {
	if name == "" {
		return false
	}
	for rest := words; ; {
		i := strings.Index(rest, name)
		if i < 0 {
			return false
		}
		before, after := i == 0 || !wordByte(rest[i-1]), i+len(name) == len(rest) || !wordByte(rest[i+len(name)])
		if before && after {
			return true
		}
		rest = rest[i+len(name):]
	}
}

func wordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

// ofSubject: a resolved name belongs to the distribution under suspicion.
func (ed *editor) ofSubject(full string) bool {
	return ed.d.Expectation != nil && slices.Contains(ed.d.Expectation.Modules, firstOf(full))
}

// withoutKeyword takes a keyword argument out, back to its default.
func (ed *editor) withoutKeyword(con triage.Contrast, key, value string) bool {
	if k, v, ok := keyValue(key); ok {
		key, value = k, v
	}
	var changes []pysyntax.Change
	for _, a := range ed.meant(con, lastPart(key)) {
		if value == "" || sameCode(a.Value, value) || sameCode(a.Value, quoted(value)) {
			changes = append(changes, ed.cutArgument(a))
		}
	}
	return ed.add(Variant{Change: "without " + con.Target, Words: con.Words}, changes)
}

// withoutPart leaves a named part out, in the first way in which that can be
// done: a decorator, a keyword, a context, a wrapper around something else, a
// layer of a list, a whole statement, a method that gives its object back.
func (ed *editor) withoutPart(con triage.Contrast, target string) {
	v := Variant{Change: "without " + con.Target, Words: con.Words}
	if ed.add(v, ed.decorated(target)) || ed.withoutKeyword(con, target, "") || ed.add(v, ed.contexts(target)) {
		return
	}
	for _, changes := range [][]pysyntax.Change{
		ed.unwrapped(target, anyWrapper), ed.members(target), ed.statements(target), ed.methods(target),
	} {
		if !ed.losesJudged(changes) && ed.add(v, changes) {
			return
		}
	}
}

// losesJudged: what is judged would be gone, so that nothing could go wrong any
// more: nothing of the subject is called, or a line that the reporter's
// traceback goes through calls nothing.
func (ed *editor) losesJudged(changes []pysyntax.Change) bool {
	if len(changes) == 0 {
		return false
	}
	after := pysyntax.Apply(ed.c.Script, changes)
	for _, ch := range changes {
		if ed.judgedLine(ch.Line) && !strings.Contains(lineOfNumber(after, ch.Line), "(") {
			return true
		}
	}
	return !ed.subjectRemains(changes)
}
