package candidate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
)

// Ran is what the executions of the two sides show of a script, as far as it
// says whether the judged call ran on both.
type Ran struct {
	// Frames are the script's own frames above the symptom, outermost first.
	Frames []ScriptFrame
	// Seen are the observations that every execution of the control made; nil:
	// it has not run.
	Seen []string
}

// ScriptFrame is one line of the script on the way to the symptom.
type ScriptFrame struct {
	Line     int
	Function string // "<module>", or the function's name
}

// UnfitControl says why the control that a script's author wrote proves nothing,
// whatever it shows; empty: it may count. Control may change what is passed to
// the subject and nothing else: the judged call and what is observed after it
// must run in both, and what is changed must be what the reporter speaks of.
func UnfitControl(r *report.Report, c *Candidate, e *oracle.Expectation, ran Ran) []string {
	u := passed(c, e, ran)
	if len(u.why) == 0 {
		u.triggerSaid(r, e)
	}
	return u.why
}

// PassedControl is the part of UnfitControl that needs no report: whether both
// sides go through the judged call and what is observed.
func PassedControl(c *Candidate, e *oracle.Expectation, ran Ran) []string {
	return passed(c, e, ran).why
}

func passed(c *Candidate, e *oracle.Expectation, ran Ran) *unfit {
	own := c.Own()
	f := pysyntax.Parse(own)
	if c.Origin != originAgent || !c.HasControl || len(f.SyntaxErrors) > 0 {
		return &unfit{why: []string{"the script has no control"}}
	}
	u := &unfit{c: c, f: f, paths: pysyntax.ReadPaths(own), tainted: f.From("control"), ran: ran}
	u.switches, u.other = u.paths.Switches("control")
	u.onlyValues()
	if crashes(e.Oracle) {
		u.sameCall() // of a value nothing but the observations says where it came from
	}
	u.sameObservations()
	return u
}

// crashes: the symptom has a place in the script.
func crashes(n oracle.Name) bool {
	return n == oracle.OracleException || n == oracle.OracleImportError || n == oracle.OracleSignal
}

// unfit collects reasons.
type unfit struct {
	c        *Candidate
	f        *pysyntax.File
	paths    *pysyntax.Paths
	switches []pysyntax.Switch
	other    []int
	tainted  map[string]bool
	ran      Ran
	why      []string
	spelt    int // tokens read, see maxSpelled
}

func (u *unfit) say(format string, args ...any) {
	u.why = addOnce(u.why, fmt.Sprintf(format, args...))
}

// onlyValues: control alone decides, and decides over values only.
func (u *unfit) onlyValues() {
	for _, line := range u.other {
		u.say("line %d: control may only decide an if of its own or a choice between two values", line)
	}
	if len(u.switches) == 0 && len(u.other) == 0 {
		u.say("control decides nothing")
	}
	own := map[string]bool{}
	for _, d := range u.f.Defined {
		own[d.Name] = true
	}
	for _, s := range u.switches {
		if s.Odd != "" {
			u.say("line %d: control decides over more than values (%s)", s.Line, s.Odd)
		}
		for _, word := range words(s.On + "\n" + s.Off) {
			if own[word] {
				u.say("line %d: control chooses between definitions of the script's own (%s)", s.Line, word)
			}
			if word == "exit" || word == "quit" || word == "raise" {
				u.say("line %d: control decides whether the script goes on (%s)", s.Line, word)
			}
		}
	}
}

// sameCall: every line on the way to the symptom is passed with control as well.
func (u *unfit) sameCall() {
	if len(u.ran.Frames) == 0 {
		u.say("where the judged call stands is not known")
	}
	shown := false
	for i, frame := range u.ran.Frames {
		if s := u.switchAt(frame.Line, frame.Line); s != nil && !s.Ternary {
			u.say("line %d: control leaves out the judged call itself", frame.Line)
		}
		p := u.paths.Passage(frame.Line, u.tainted)
		switch {
		case !p.Found:
			u.say("line %d: no statement stands where the judged call was", frame.Line)
			continue
		case p.Barred != "":
			u.say("line %d: the judged call may be passed by: %s", frame.Line, p.Barred)
		}
		for _, loop := range p.Loops {
			if !u.observedBetween(frame.Line, loop[1], nil) {
				u.say("line %d: the judged call stands in a loop that may not run, and nothing is observed after it there", frame.Line)
			}
		}
		after := false
		if p.Function == nil {
			after = u.observedBetween(frame.Line, 1<<30, nil)
		} else {
			after = u.observedBetween(frame.Line, p.Function.EndLine, p.Function)
			if !after && !u.calledByName(p.Function) && !(i > 0 && u.methodOf(p.Function, u.ran.Frames[i-1].Line)) {
				u.say("line %d: the judged call stands in %s, which may not be called, and nothing is observed after it there", frame.Line, p.Function.Name)
			}
		}
		shown = shown || after
	}
	if !shown && u.ran.Seen != nil {
		u.say("nothing is observed after the judged call: that the control went through it is not shown")
	}
}

// observedBetween says whether an observe stands after a line in the same
// definition, and was recorded. Before anything ran it is enough that it stands
// there.
func (u *unfit) observedBetween(line, end int, in *pysyntax.Def) bool {
	for _, call := range u.f.Calls {
		name, _ := unquoted(arg(call, 0))
		switch {
		case call.Func != "observe" || call.Line <= line || call.Line > end:
		case (in == nil) != (call.Scope == "") || in != nil && lastPart(call.Scope) != in.Name:
		case u.ran.Seen == nil || slices.Contains(u.ran.Seen, name):
			return true
		}
	}
	return false
}

// calledByName: a function of the module that is defined once, and only ever
// called by its name.
func (u *unfit) calledByName(d *pysyntax.Def) bool {
	defined, calls := 0, 0
	for _, other := range u.f.Defined {
		if other.Name == d.Name {
			defined++
		}
	}
	for _, call := range u.f.Calls {
		if call.Func == d.Name {
			calls++
		}
	}
	return d.Scope == "" && defined == 1 && calls > 0 && u.paths.Uses(d.Name) == calls+1 // the definition itself
}

// methodOf: the method of a class of the module, called on an object that is made
// once, under a name that control has no part in: "net = Net()", "net(x)".
func (u *unfit) methodOf(d *pysyntax.Def, from int) bool {
	methods := 0
	for _, other := range u.f.Defined {
		if other.Name == d.Name {
			methods++
		}
	}
	if d.Scope == "" || methods != 1 || u.paths.Uses(d.Name) != 1 { // its own definition
		return false
	}
	made := u.madeOnce(d.Scope)
	return made != "" && slices.ContainsFunc(u.f.Calls, func(c pysyntax.Call) bool {
		return c.Line == from && firstOf(c.Func) == made
	})
}

// madeOnce is the one name that holds the one object of a class, "" when there is
// more or less of it.
func (u *unfit) madeOnce(class string) string {
	made := ""
	for _, a := range u.f.Assigns {
		if strings.HasPrefix(a.Value, class+"(") && a.Kind == "name" && a.Scope == "" {
			made = a.Target
		}
	}
	assigned := 0
	for _, a := range u.f.Assigns {
		if a.Target == made {
			assigned++
		}
	}
	if made == "" || assigned != 1 || u.tainted[made] || u.paths.Uses(class) != 2 { // definition and making
		return ""
	}
	return made
}

func (u *unfit) switchAt(line, end int) *pysyntax.Switch {
	for i := range u.switches {
		if u.switches[i].Line <= line && u.switches[i].EndLine >= end {
			return &u.switches[i]
		}
	}
	return nil
}

// sameObservations: every observe is reached with control, and records what was
// computed, not what control says.
func (u *unfit) sameObservations() {
	for _, call := range u.f.Calls {
		if call.Func != "observe" {
			continue
		}
		name, _ := unquoted(arg(call, 0))
		s := u.switchAt(call.Line, call.Line)
		switch {
		case slices.Contains(call.ArgReads, "control"), s != nil && !s.Ternary:
			u.say("line %d: control decides over what is observed", call.Line)
		case u.ran.Seen != nil && !slices.Contains(u.ran.Seen, name):
			u.say("line %d: the control never observed %s", call.Line, clip(name))
		}
	}
}
