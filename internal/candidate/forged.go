package candidate

import (
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	// traces are names through which an exception gets a traceback that is not
	// its own; it would then seem to come out of the library.
	traces = wordSet("with_traceback __traceback__ tb_next TracebackType")
	// raisers take class, value and traceback.
	raisers = wordSet("six.reraise future.utils.raise_ future.utils.raise_with_traceback")
	// spells are what a name can be put together with.
	spells = lazyre.New(`\b(?:[rRbBuUfF]+|join|format|replace|lower|upper|strip|chr|decode)\b`)
)

// forgedTraceback: what the library raised is left as it was raised.
func forgedTraceback(r *reader) {
	held := map[string]bool{}
	for _, a := range r.f.Assigns {
		if a.InHandler && a.Kind == "name" && plainName.MatchString(a.Value) {
			held[a.Target] = true // what was caught, kept for later
		}
	}
	for _, a := range r.f.Assigns {
		owner, _, dotted := strings.Cut(a.Target, ".")
		switch name := lastPart(a.Target); {
		case a.Kind != "attribute" || !dotted:
		case traces[name], (name == "args" || name == "__class__") && (a.InHandler || held[owner]) && owner != "self":
			r.refuse(a.Line, "makes an exception over (sets %s)", clip(a.Target))
		}
	}
	for _, call := range r.f.Calls {
		full := r.resolve(call.Func)
		switch {
		case traces[call.Method], traces[lastPart(full)], raisers[full], call.Method == "throw" && len(call.Args) > 2:
			r.refuse(call.Line, "gives an exception a traceback by hand (%s)", clip(call.Method+full))
		}
	}
	for _, s := range r.f.Strings {
		if traces[s.Value] {
			r.refuse(s.Line, "makes an exception over (%q)", s.Value)
		}
	}
}

// spelledNames: whoever puts a name together out of pieces that stand there
// anyway does not want it to be read.
func spelledNames(r *reader) {
	for _, call := range r.f.Calls {
		full := strings.TrimPrefix(r.resolve(call.Func), "builtins.")
		name := ""
		switch full {
		case "getattr", "setattr", "delattr", "hasattr":
			name = arg(call, 1)
		case "__import__", "importlib.import_module", "operator.attrgetter", "operator.methodcaller":
			name = arg(call, 0)
		}
		if _, plain := unquoted(name); name != "" && !plain && spelled(r.stringOf(name)) {
			r.refuse(call.Line, "hides a name (%s of %s)", full, clip(oneLine(name)))
		}
	}
}

// spelled: an expression of string literals and nothing that varies.
func spelled(expr string) bool {
	f := pysyntax.Parse(expr)
	if _, plain := unquoted(expr); plain || len(f.Strings) == 0 {
		return false
	}
	return !word.MatchString(spells.ReplaceAllString(codeOnly(f), ""))
}
