package validate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// maxWrong of the wrong names and calls are told at once.
const maxWrong = 6

// checkNames puts into words which names do not exist and which calls do not
// fit. What the report itself complains of is no fault of the script.
func checkNames(in inside, e *oracle.Expectation) []task.Feedback {
	var out []task.Feedback
	seen := map[string]bool{} // an absent part is told once, of whatever it is a part
	for _, name := range slices.SortedFunc(maps.Keys(in.names), func(a, b string) int {
		if d := in.uses.names[a].line - in.uses.names[b].line; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	}) {
		a := in.names[name]
		if a.Exists || seen[a.Absent] {
			continue
		}
		if f, ok := wrongName(in.uses.names[name], name, a, e); ok {
			seen[a.Absent] = true
			out = append(out, f)
		}
	}
	for i, s := range in.uses.callSites {
		if a := in.calls[i]; a != nil {
			if f, ok := wrongCall(s, in.uses.calls[i], a, e); ok {
				out = append(out, f)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b task.Feedback) int { return rank(a) - rank(b) })
	return out[:min(len(out), maxWrong)]
}

// rank puts errors first, so that the bound on what is told never hides one.
func rank(f task.Feedback) int {
	if f.Severity == task.SeverityError {
		return 0
	}
	return 1
}

// wrongName words one missing name. Only what a module or a class lacks for certain
// is an error: an object may make its attributes up, an import may be provided.
func wrongName(s site, name string, a nameAnswer, e *oracle.Expectation) (task.Feedback, bool) {
	last := a.Absent[strings.LastIndexByte(a.Absent, '.')+1:]
	if a.Absent == "" || reported(e, []string{last, a.Absent}, "AttributeError", "ImportError", "ModuleNotFoundError", "NameError") {
		return task.Feedback{}, false
	}
	severity := task.SeverityError
	if s.guarded {
		severity = task.SeverityWarning
	}
	switch {
	case a.Submodule && a.Holder == "module":
		return told(task.StageNames, severity, s.line, "submodule "+slashed(a.Absent),
			fmt.Sprintf("line %d: %s is a submodule that must be imported first: import %s", s.line, a.Absent, a.Absent)), true
	case !absent(a):
		return brokenImport(s, name, a)
	case a.Holder == "environment":
		// The import may still be provided: whoever runs the script adds it.
		return told(task.StageNames, task.SeverityWarning, s.line, "not installed "+a.Absent,
			fmt.Sprintf("line %d: there is no module %s in this environment.%s Use what is installed where you can.", s.line, a.Absent, didYouMean(a.Near))), true
	case a.Holder == "module", a.Holder == "class":
		return told(task.StageNames, severity, s.line, "no "+slashed(a.Absent),
			fmt.Sprintf("line %d: %s does not exist in the installed release.%s", s.line, a.Absent, didYouMean(a.Near))), true
	}
	return task.Feedback{}, false
}

// slashed keeps a dotted name whole in a signature, where the rules that make
// messages comparable would leave its last part only.
func slashed(dotted string) string { return strings.ReplaceAll(dotted, ".", ":") }

// absent: it is not there, as opposed to there and failing when it is imported.
func absent(a nameAnswer) bool {
	if a.Error == nil {
		return true
	}
	switch a.Error.Type {
	case "AttributeError":
		return !a.Importing
	case "ModuleNotFoundError":
		return a.Error.Missing == a.Absent || a.Error.Missing == ""
	}
	return false
}

// brokenImport warns: an import that fails may be the environment's fault or the
// bug itself, and the run will tell.
func brokenImport(s site, name string, a nameAnswer) (task.Feedback, bool) {
	if a.Error.Type == "" || a.Holder == "object" && !a.Importing && a.Error.Type != crashed && !strings.HasSuffix(a.Error.Type, "ImportError") {
		return task.Feedback{}, false
	}
	what := a.Error.Type + ": " + a.Error.Message
	if a.Error.Type == crashed {
		what = a.Error.Message
	}
	return told(task.StageNames, task.SeverityWarning, s.line, "import of "+slashed(a.Absent)+" fails: "+what,
		fmt.Sprintf("line %d: importing %s fails in this environment: %s", s.line, name, what)), true
}

// wrongCall words one call that does not fit, with the signature: a model that
// knew another release mostly needs nothing more.
func wrongCall(s site, c callShape, a *callAnswer, e *oracle.Expectation) (task.Feedback, bool) {
	last := c.Func[strings.LastIndexByte(c.Func, '.')+1:]
	if reported(e, append(slices.Clone(c.Keywords), last), "TypeError") {
		return task.Feedback{}, false
	}
	severity := task.SeverityError
	if s.guarded || !a.Certain {
		severity = task.SeverityWarning
	}
	text := fmt.Sprintf("line %d: %s(): %s.%s", s.line, s.written, a.Error, didYouMean(a.Near))
	if a.Signature != "" {
		text += fmt.Sprintf("\nIts signature in the installed release is %s%s", last, a.Signature)
	}
	return told(task.StageNames, severity, s.line, "call of "+slashed(c.Func)+": "+a.Error, text), true
}

// didYouMean names what is there instead.
func didYouMean(near []string) string {
	if len(near) == 0 {
		return ""
	}
	return " There is " + oneOf(near) + "."
}

var identifier = lazyre.New(`[A-Za-z_]\w*`)

// reported says whether the report's own symptom is that name or argument: an
// exception of one of the classes whose message names it, or has no message.
func reported(e *oracle.Expectation, names []string, classes ...string) bool {
	if e == nil {
		return false
	}
	for _, one := range append([]oracle.Expectation{*e}, e.Also...) {
		for _, s := range append([]symptom.Symptom{one.Symptom}, one.Symptom.Chain...) {
			class := s.Exception[strings.LastIndexByte(s.Exception, '.')+1:]
			if slices.Contains(classes, class) && namesOne(s.Message, names) {
				return true
			}
		}
		if wanted := one.Wanted[strings.LastIndexByte(one.Wanted, '.')+1:]; slices.Contains(classes, wanted) {
			return true // the subject should raise it, and may come to do so here
		}
	}
	return false
}

// namesOne: the message speaks of one of the names, or there is no message to go by.
func namesOne(message string, names []string) bool {
	found := identifier.FindAllString(message, -1)
	return message == "" || slices.ContainsFunc(names, func(n string) bool {
		return slices.Contains(found, n[strings.LastIndexByte(n, '.')+1:])
	})
}
