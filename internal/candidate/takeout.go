package candidate

import (
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/triage"
)

// decorated are the decorators of that name.
func (ed *editor) decorated(target string) []pysyntax.Change {
	var changes []pysyntax.Change
	for _, d := range ed.p.Decorators {
		text := ed.c.Script[d.Span.Start:d.Span.End]
		// partial(jax.jit, ...) is how a decorator gets its settings.
		wraps := strings.HasPrefix(text, "@partial(") || strings.HasPrefix(text, "@functools.partial(")
		if names(target, d.Name, d.Full) || wraps && mentions(text, lastPart(target)) {
			changes = append(changes, pysyntax.Change{Span: d.Span, After: blank(text), Line: d.Line})
		}
	}
	return changes
}

// contexts are the with statements of that name: the block runs in a context
// that does nothing.
func (ed *editor) contexts(target string) []pysyntax.Change {
	var changes []pysyntax.Change
	for _, c := range ed.p.Contexts {
		if names(target, c.Func, c.Full) {
			// suppress() of nothing does nothing, on every Python 3; nullcontext is
			// younger than 3.6.
			changes = append(changes, pysyntax.Change{Span: c.Span, After: `__import__("contextlib").suppress()`, Line: c.Line})
		}
	}
	return changes
}

// wrappers give back what they are given, made to run in another way: what is
// left without one is the thing itself. The names are those of jax, torch,
// tensorflow, keras, numba, equinox, flax and their documentation.
var wrappers = map[string]bool{
	"jit": true, "njit": true, "filter_jit": true, "pmap": true, "compile": true, "script": true,
	"trace": true, "function": true, "checkpoint": true, "remat": true, "DataParallel": true,
	"DistributedDataParallel": true, "optimize": true, "shard_map": true, "autograph": true,
	"weight_norm": true, "spectral_norm": true, "freeze": true, "stop_gradient": true, "prepare": true,
	"export": true, "fuse": true, "quantize_dynamic": true, "TimeDistributed": true, "block_until_ready": true,
}

// wrapperKind says which calls count as wrappers.
type wrapperKind int

const (
	knownWrapper wrapperKind = iota // only those of the table
	anyWrapper                      // every call that is given one thing that is no plain literal
)

// unwrapped puts the first argument of a wrapper in its place. A call that is a
// statement of its own wraps nothing that anybody uses.
func (ed *editor) unwrapped(target string, kind wrapperKind) []pysyntax.Change {
	var changes []pysyntax.Change
	for _, c := range ed.p.Calls {
		if !names(target, c.Func, c.Full) && !names(target, c.Method, c.Method) || c.Statement || c.Positional == 0 || c.First.End == 0 {
			continue
		}
		first := ed.c.Script[c.First.Start:c.First.End]
		known := wrappers[c.Method]
		if !known && (kind == knownWrapper || c.Positional > 1 || !ed.holdsName(first)) {
			continue
		}
		// The brackets keep the precedence, and the line ends that went with the
		// wrapper stand inside them.
		text := ed.c.Script[c.Span.Start:c.Span.End]
		missing := max(0, strings.Count(text, "\n")-strings.Count(first, "\n"))
		after := "(" + first + strings.Repeat("\n", missing) + ")"
		if plainName.MatchString(first) && missing == 0 {
			after = first
		}
		changes = append(changes, pysyntax.Change{Span: c.Span, After: after, Line: c.Line})
	}
	return changes
}

// holdsName: nn.Dropout(0.5) makes something, softmax(x) changes something.
func (ed *editor) holdsName(expr string) bool {
	f := pysyntax.Split(expr)
	return len(f.Uses) > 0
}

// containers are callables that take a list of layers or steps one by one.
var containers = map[string]bool{
	"Sequential": true, "Compose": true, "chain": true, "ModuleList": true, "Stack": true,
	"make_pipeline": true, "serial": true, "Serial": true, "OneOf": true, "CallbackList": true,
}

// members are the elements of a list, or of a container's arguments, that are
// made by the named call.
func (ed *editor) members(target string) []pysyntax.Change {
	var changes []pysyntax.Change
	for _, a := range ed.p.Arguments {
		list := a.Call == "" || containers[lastPart(a.Call)]
		full := ed.p.File.Resolve(a.Func)
		if list && a.Key == "" && names(target, a.Func, full) {
			changes = append(changes, ed.cutArgument(a))
		}
	}
	return changes
}

// untouchable are the kinds of statement that are never taken out, and the
// calls that say something.
var (
	untouchable = map[string]bool{"assert": true, "return": true, "raise": true, "print": true, "global": true, "nonlocal": true}
	saying      = map[string]bool{"print": true, "display": true, "pprint": true, "write": true, "displayhook": true, "observe": true}
)

// statements are the whole statements that the target names: by the function
// that they call, by what they assign, or by their own text.
func (ed *editor) statements(target string) []pysyntax.Change {
	var changes []pysyntax.Change
	for _, s := range ed.named(target) {
		changes = append(changes, leftOut(s))
	}
	return changes
}

func (ed *editor) named(target string) []pysyntax.Inner {
	var found []pysyntax.Inner
	for _, s := range ed.p.Statements {
		if untouchable[s.Kind] || saying[lastPart(s.Func)] {
			continue
		}
		hit := names(target, s.Func, ed.p.File.Resolve(s.Func)) || sameCode(target, s.Text)
		for _, t := range s.Targets {
			hit = hit || names(target, t, ed.p.File.Resolve(t))
		}
		if s.Kind == "import" {
			hit = ed.importOf(s, target)
		}
		if hit {
			found = append(found, s)
		}
	}
	return found
}

// importOf: the statement imports the named module and nothing else.
func (ed *editor) importOf(s pysyntax.Inner, target string) bool {
	target = strings.TrimPrefix(target, "import ")
	n, hit := 0, false
	for _, imp := range ed.p.File.Imports {
		if imp.Span == s.Span {
			n++
			hit = hit || imp.Module == target
		}
	}
	return n == 1 && hit
}

// methods are calls of a method without arguments that gives its object back
// in another form: x.contiguous(), model.half().
func (ed *editor) methods(target string) []pysyntax.Change {
	var changes []pysyntax.Change
	for _, c := range ed.p.Calls {
		if c.Statement || c.Object.End == 0 || c.Positional+c.Keywords > 0 || c.Method != lastPart(target) {
			continue
		}
		if ed.p.File.Imported(c.Func) { // time.time() gives no module back
			continue
		}
		changes = append(changes, pysyntax.Change{Span: pysyntax.Span{Start: c.Object.End, End: c.Span.End}, Line: c.Line})
	}
	return changes
}

// instead puts value in the place of every occurrence of target: a name, the
// last part of one, a module's alias, a literal, an argument, or a call as
// written.
func (ed *editor) instead(con triage.Contrast, target, value string) {
	v := Variant{Change: value + " instead of " + target, Words: con.Words}
	target, value = cleanTarget(target), cleanValue(value)
	if target == "" || value == "" {
		return
	}
	if k, old, ok := keyValue(target); ok { // "num_workers=0 instead of num_workers=2"
		if _, fresh, both := keyValue(value); both {
			value = fresh
		}
		var changes []pysyntax.Change
		for _, a := range ed.p.Arguments {
			if a.Key == lastPart(k) && sameCode(a.Value, old) {
				changes = append(changes, pysyntax.Change{Span: a.ValueSpan, After: ed.like(a.Value, value), Line: a.Line})
			}
		}
		ed.add(v, changes)
		return
	}
	_ = ed.add(v, ed.renamed(target, value)) || ed.add(v, ed.literals(target, value)) || ed.add(v, ed.rewritten(target, value))
}

// renamed replaces names.
func (ed *editor) renamed(target, value string) []pysyntax.Change {
	value = strings.TrimSuffix(value, "()")
	if !plainName.MatchString(value) {
		return nil
	}
	var changes []pysyntax.Change
	for _, u := range ed.p.Uses {
		// In this order: the whole name as written; the same thing under another
		// spelling, which only a dotted value can replace; its last part; the module
		// in front.
		at := u.Span
		switch {
		case u.Import && (u.Text != target || strings.Contains(value, ".") || strings.Contains(target, ".")):
			continue
		case u.Text == target:
		case names(target, u.Text, u.Full) && strings.Contains(value, "."):
		case names(target, u.Text, u.Text) && !strings.Contains(target, "."):
			at.Start = at.End - len(target)
		case strings.HasPrefix(u.Text, target+".") && !u.Import: // jnp instead of np
			at.End = at.Start + len(target)
		default:
			continue
		}
		if !sameSpan(ed.c.Script, at, target) && at != u.Span {
			continue // blanks inside the chain
		}
		changes = append(changes, pysyntax.Change{Span: at, After: value, Line: u.Line})
	}
	return changes
}

func sameSpan(script string, at pysyntax.Span, text string) bool {
	return at.Start >= 0 && script[at.Start:at.End] == text
}

// literals replaces strings, or the one number or constant that is written so:
// "1 instead of 0" does not say which of several zeros.
func (ed *editor) literals(target, value string) []pysyntax.Change {
	var changes []pysyntax.Change
	same := 0
	for _, l := range ed.p.Literals {
		text, isText := unquoted(l.Text)
		switch {
		case sameCode(l.Text, target):
			if !isText {
				same++
			}
			changes = append(changes, pysyntax.Change{Span: l.Span, After: ed.like(l.Text, value), Line: l.Line})
		case isText && text == target:
			changes = append(changes, pysyntax.Change{Span: l.Span, After: quoted(strings.Trim(value, `"'`)), Line: l.Line})
		}
	}
	if same > 1 {
		return nil
	}
	return changes
}

// rewritten replaces calls and statements that stand as written.
func (ed *editor) rewritten(target, value string) []pysyntax.Change {
	if f := pysyntax.Parse(value); len(f.SyntaxErrors) > 0 || len(f.Statements) != 1 {
		return nil
	}
	var changes []pysyntax.Change
	for _, c := range ed.p.Calls {
		if sameCode(ed.c.Script[c.Span.Start:c.Span.End], target) {
			changes = append(changes, pysyntax.Change{Span: c.Span, After: value, Line: c.Line})
		}
	}
	if len(changes) > 0 {
		return changes
	}
	for _, s := range ed.p.Statements {
		if sameCode(s.Text, target) && !untouchable[s.Kind] && s.Kind != "import" {
			changes = append(changes, pysyntax.Change{Span: s.Span, After: value, Line: s.Line})
		}
	}
	return changes
}
