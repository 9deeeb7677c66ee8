package candidate

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
)

const (
	// minQuote is the shortest quote, in bytes, that says something: "returns
	// nan" has 11, and stands in reports about anything. A guess.
	minQuote = 12
	// maxTolerance is the largest number that passes for a tolerance where one
	// stands; what is above it is a claim about values. A guess: a tenth is more
	// than any library promises.
	maxTolerance = 0.1
	// maxFollowed bounds a script, in bytes, in which it is followed what comes
	// out of what: 200 kB of one choice after another took 11 s (measured), and
	// what models write has a few.
	maxFollowed = 50_000
)

// Unanchored says what keeps an Observed expectation from resting on the report:
// where it is empty, the reporter's own words say what is bad and what is good,
// and what is observed comes out of what he speaks of. It is about e.Observed
// only, and empty where that is nil.
func Unanchored(r *report.Report, c *Candidate, e *oracle.Expectation) []string {
	if e == nil || e.Observed == nil {
		return nil
	}
	if r == nil || c == nil {
		return []string{"there is no report to compare it with"}
	}
	if len(c.Own()) > maxFollowed {
		return []string{"the script is too long to be followed"}
	}
	a := &anchors{r: r, e: e, f: pysyntax.Parse(c.Own()), said: newSaid(r, nil)}
	if why := oracle.CheckObserved(e.Observed); len(why) > 0 {
		return why
	}
	a.quotes()
	a.literals()
	a.callables()
	a.flows()
	a.plainly()
	a.spoken()
	a.introspection()
	return a.why
}

// CallsNamed says that a script calls something of the subject (by its import
// names) which the report names as code.
func CallsNamed(r *report.Report, c *Candidate, modules []string) bool {
	a := &anchors{r: r, e: &oracle.Expectation{Modules: modules}, f: pysyntax.Parse(c.Own()), said: newSaid(r, nil)}
	a.callables()
	return len(a.why) == 0
}

// Unnamed says why a failure that a model's script shows may be of something
// else than what the report speaks of: its words alone name the call, and the
// script failed in another one. frames are the script's lines on the way.
func Unnamed(r *report.Report, c *Candidate, e *oracle.Expectation, frames []ScriptFrame) []string {
	if c.Origin != originAgent || r == nil || !barely(e) || len(frames) == 0 {
		return nil
	}
	a := &anchors{r: r, e: e, f: pysyntax.Parse(c.Own()), said: newSaid(r, nil)}
	made := a.fromNamed()
	for _, call := range a.f.Calls {
		there := slices.ContainsFunc(frames, func(f ScriptFrame) bool { return f.Line == call.Line })
		if there && call.Func != "observe" && (a.named(callee(call)) || made[firstOf(call.Func)]) {
			return nil
		}
	}
	return []string{"the exception comes out of a call that the report does not name"}
}

// barely: neither a message nor a place tells the symptom from others of its
// class.
func barely(e *oracle.Expectation) bool {
	switch e.Oracle {
	case oracle.OracleMissingException:
		return true
	case oracle.OracleException, oracle.OracleImportError:
		return strings.TrimSpace(e.Symptom.Message) == "" && len(e.Symptom.Frames) == 0
	}
	return false
}

type anchors struct {
	r    *report.Report
	e    *oracle.Expectation
	f    *pysyntax.File
	said *said
	why  []string
}

func (a *anchors) say(format string, args ...any) {
	if len(a.why) >= maxReasons {
		return
	}
	a.why = addOnce(a.why, fmt.Sprintf(format, args...))
}

// quotes: two different pieces of the report, word for word.
func (a *anchors) quotes() {
	o := a.e.Observed
	for what, quote := range map[string]string{"bad": o.BadQuote, "good": o.GoodQuote} {
		switch q := fold(quote); {
		case len(q) < minQuote:
			a.say("no words of the report say what is %s (a quote of at least %d characters)", what, minQuote)
		case !strings.Contains(a.said.text, q):
			a.say("the words that say what is %s do not stand in the report (%q)", what, clip(q))
		}
	}
	slices.Sort(a.why) // maps have no order
	if fold(o.BadQuote) == fold(o.GoodQuote) {
		a.say("the same words are to say what is bad and what is good")
	}
}

// literals of the expressions are the reporter's, but for the smallest numbers
// and tolerances.
func (a *anchors) literals() {
	for _, l := range oracle.ObservedLiterals(a.e.Observed) {
		switch {
		case l.String && l.Text == "":
		case l.String && !strings.Contains(a.said.text, fold(l.Text)):
			a.say("the report has no %q", clip(l.Text))
		case l.String, trivialNumber(l.Number), l.Tolerance && math.Abs(l.Number) <= maxTolerance:
		case !a.said.number(l.Number):
			a.say("the report has no %v", l.Number)
		}
	}
}

func trivialNumber(x float64) bool { return x == 0 || x == 1 || x == -1 }

// callables: the script calls something of the subject that the report names as
// code.
func (a *anchors) callables() {
	if len(a.e.Modules) == 0 {
		a.say("which package is at fault is not known")
		return
	}
	influenced := a.f.Influenced(a.e.Modules...)
	var used []string
	for _, call := range a.f.Calls {
		name := lastPart(call.Full)
		if name == "" {
			name = call.Method
		}
		if name == "" || name == "observe" || call.Func != "" && !influenced[firstOf(call.Func)] {
			continue
		}
		if a.speaksOf(call, name) {
			return
		}
		used = addOnce(used, name)
	}
	if len(used) == 0 {
		a.say("the script calls nothing of %s", a.e.Subject)
		return
	}
	a.say("the report names none of what the script calls (%s)", clip(strings.Join(used, ", ")))
}

// speaksOf: the report names what is called, or an argument of it by a name that
// is no word ("use_xpos"): reporters often say only what they switched on.
func (a *anchors) speaksOf(call pysyntax.Call, name string) bool {
	if a.named(name) {
		return true
	}
	for keyword := range call.Keywords {
		if strings.Contains(strings.Trim(keyword, "_"), "_") && a.named(keyword) {
			return true
		}
	}
	return false
}

// named: as code, since "sum" and "mean" are words as well.
func (a *anchors) named(name string) bool {
	if !a.said.words[name] {
		return false
	}
	if strings.ContainsRune(name, '_') || strings.ToLower(name) != name || a.said.inCode[name] {
		return true
	}
	quoted := regexp.QuoteMeta(name)
	return regexp.MustCompile("[.`]" + quoted + `\b|\b` + quoted + "[(`]").MatchString(a.r.Text)
}

// flows: what is observed under each name came out of a call into the subject.
func (a *anchors) flows() {
	computed := a.f.Computed(a.e.Modules...)
	for _, name := range oracle.ObservedNames(a.e.Observed) {
		seen := false
		for _, call := range a.f.Calls {
			if observed, _ := unquoted(arg(call, 0)); call.Func != "observe" || observed != name {
				continue
			}
			seen = true
			if !a.fromSubject(arg(call, 1), computed) {
				a.say("line %d: what is observed as %s does not come out of a call into %s", call.Line, name, a.e.Subject)
			}
		}
		if !seen {
			a.say("the script does not observe %s", name)
		}
	}
}

// fromSubject: an expression that reads a computed name, or calls the subject.
func (a *anchors) fromSubject(expr string, computed map[string]bool) bool {
	f := pysyntax.Parse("_ = " + expr)
	for _, assign := range f.Assigns {
		if anyMarked(assign.Reads, computed) {
			return true
		}
	}
	return callsInto(a.f, expr, a.e.Modules)
}

// introspection: what a library has is no behaviour of it.
func (a *anchors) introspection() {
	influenced := a.f.Influenced(a.e.Modules...)
	for i, line := range strings.Split(codeOnly(a.f), "\n") {
		for _, m := range asksLibrary.FindAllStringSubmatch(line, -1) {
			if influenced[firstOf(m[1]+m[2])] {
				a.say("line %d: asks what the package has (%s)", i+1, clip(m[0]))
			}
		}
		if m := versionText.FindString(line); m != "" && !inPrint(a.f, i+1) {
			a.say("line %d: reads a version", i+1)
		}
	}
}
