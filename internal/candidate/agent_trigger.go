package candidate

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// What the control leaves out is what the script's author calls the cause. It
// counts only where the reporter speaks of it too: whoever feeds what fails for
// another reason has to say what, and it must stand in the report, outside the
// failure that it brings about.

var (
	word   = lazyre.New(`[A-Za-z_]\w*`)
	number = lazyre.New(`[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?`)
)

func words(text string) []string { return word.FindAllString(text, -1) }

// pyWords say nothing of a trigger: they are Python's own.
var pyWords = wordSet(`and as assert async await break class continue def del elif else except finally for from global
	if import in is lambda nonlocal not or pass raise return try while with yield True False None print range len list
	dict tuple set str int float bool complex bytes object type min max sum abs zip map sorted reversed enumerate
	append extend update pop copy self observe control`)

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// odd values are what breaks most functions: they are a trigger of the
// reporter's only where his own code has them.
var oddValues = map[string]bool{"nan": true, "NaN": true, "NAN": true, "inf": true, "Inf": true, "Infinity": true, "infty": true}

// triggerSaid: the literals that only the triggered way has stand in the report,
// and at least one token of it does.
func (u *unfit) triggerSaid(r *report.Report, e *oracle.Expectation) {
	said := newSaid(r, e)
	literals, names, small := u.trigger()
	switch {
	case len(literals)+len(names)+len(small) == 0:
		u.say("control leaves nothing out")
		return
	case r == nil:
		u.say("there is no report to compare the trigger with")
		return
	}
	found := len(literals) > 0
	if unsaid := slices.DeleteFunc(slices.Clone(literals), said.literal); len(unsaid) > 0 {
		u.say("what control leaves out has %s, which the report does not name outside of the failure itself: only the reporter's own values count there", clip(strings.Join(unsaid, ", ")))
	}
	for _, n := range names {
		found = found || said.word(n)
	}
	switch {
	case len(literals)+len(names) > 0:
	case switchesOnly(small):
		// "flag = True" has no value to find: what is switched must be spoken of.
		names = u.keywords()
		found = slices.ContainsFunc(names, said.partly)
	default: // only 0, 1, -1: they must at least stand there
		found = !slices.ContainsFunc(small, func(s string) bool { return !said.literal(s) })
	}
	if !found {
		u.say("nothing of what control leaves out stands in the report (%s)", clip(strings.Join(append(names, small...), ", ")))
	}
}

// trigger is what stands on the triggered side of the switches only.
func (u *unfit) trigger() (literals, names, small []string) {
	for _, s := range u.switches {
		on := u.spelled(s.On, s, spellDepth)
		for _, t := range u.spelled(s.Off+"\n"+u.replaced(s), s, spellDepth) {
			if i := slices.Index(on, t); i >= 0 {
				on = slices.Delete(on, i, i+1)
				continue
			}
			first := t.text
			switch {
			case t.kind == tokenName && (pyWords[first] && first != "True" && first != "False" && first != "None"):
			case t.kind == tokenName && oddValues[first]:
				literals = addOnce(literals, first)
			case t.kind == tokenName && (first == "True" || first == "False" || first == "None"):
				small = addOnce(small, first)
			case t.kind == tokenName && !u.local(first):
				names = addOnce(names, first)
			case t.kind == tokenNumber && trivial(first):
				small = addOnce(small, first)
			case t.kind == tokenNumber, t.kind == tokenString:
				literals = addOnce(literals, first)
			}
		}
	}
	return literals, names, small
}

// switchesOnly: what is left out turns something on or off.
func switchesOnly(small []string) bool {
	return !slices.ContainsFunc(small, func(s string) bool { return s != "True" && s != "False" && s != "None" })
}

// keywords are the arguments by which calls are given what the switches set.
func (u *unfit) keywords() (names []string) {
	for _, s := range u.switches {
		for _, a := range u.f.Assigns {
			if s.Ternary || a.Kind != "name" || a.Line < s.Line || a.Line > s.EndLine {
				continue
			}
			for _, call := range u.f.Calls {
				for _, name := range slices.Sorted(maps.Keys(call.Keywords)) {
					if strings.TrimSpace(call.Keywords[name]) == a.Target {
						names = addOnce(names, name)
					}
				}
			}
		}
	}
	return names
}

// commonParts of argument names stand in reports about anything.
var commonParts = wordSet("with from size type name data mode init value values return output input inputs outputs model layer layers batch have when this that only")

// minPart is the shortest part of an argument's name that says something: "xpos"
// of rotary_xpos does, "use" of use_bias does not. A guess.
const minPart = 4

// partly: the report has the whole name, or a telling part of it, as people
// shorten names ("the xpos variant").
func (s *said) partly(name string) bool {
	if s.word(name) {
		return true
	}
	return slices.ContainsFunc(strings.Split(name, "_"), func(part string) bool {
		return len(part) >= minPart && !commonParts[part] && s.word(part)
	})
}

// spellDepth is how many steps back a name of the script's own is followed to
// the values that it was given. A guess: "bad = make(x)", "x = [3]", "n = 3".
const spellDepth = 3

// maxSpelled bounds the tokens of one script's switches: names of names grow
// without end. A guess: honest ones have some dozens.
const maxSpelled = 5000

// spelled are the tokens of a text with the values behind the names that were
// given one before the switch: in "good if control else bad" these say what is
// left out.
func (u *unfit) spelled(text string, s pysyntax.Switch, depth int) (list []codeToken) {
	for _, t := range tokensOf(text) {
		if u.spelt++; u.spelt > maxSpelled {
			u.say("what control leaves out is too long to be read")
			return nil
		}
		value := ""
		if t.kind == tokenName && depth > 0 {
			value = u.valueBefore(t.text, s)
		}
		if value == "" {
			list = append(list, t)
			continue
		}
		list = append(list, u.spelled(value, s, depth-1)...)
	}
	return list
}

// valueBefore is what a name was last given before a switch, by something that
// does not depend on control; "" for a name that the switch itself gives a value.
func (u *unfit) valueBefore(name string, s pysyntax.Switch) (value string) {
	for _, a := range u.f.Assigns {
		switch {
		case a.Kind != "name" || a.Target != name:
		case !s.Ternary && a.Line >= s.Line && a.Line <= s.EndLine:
			return ""
		case a.Line < s.Line && u.switchAt(a.Line, a.Line) == nil:
			value = a.Value
		}
	}
	return value
}

// replaced is what control writes over: of "axis = 3" before "if control: axis =
// 0" the 3 is the trigger.
func (u *unfit) replaced(s pysyntax.Switch) string {
	if s.Ternary || strings.TrimSpace(s.Off) != "" {
		return ""
	}
	var values []string
	for _, a := range u.f.Assigns {
		if a.Line < s.Line || a.Line > s.EndLine {
			continue
		}
		before := ""
		for _, b := range u.f.Assigns {
			if b.Target == a.Target && b.Scope == a.Scope && b.Line < s.Line {
				before = b.Value
			}
		}
		values = append(values, before)
	}
	return strings.Join(values, "\n")
}

// local: a name that the script gives itself, or by which it knows a module.
func (u *unfit) local(name string) bool {
	if u.f.Imported(name) {
		return true
	}
	return slices.ContainsFunc(u.f.Assigns, func(a pysyntax.Assign) bool { return a.Kind == "name" && a.Target == name }) ||
		slices.ContainsFunc(u.f.Defined, func(d pysyntax.Def) bool { return d.Name == name })
}

// trivial numbers stand in any text.
func trivial(text string) bool {
	x, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	return err == nil && (x == 0 || x == 1 || x == -1)
}

const (
	tokenName = iota
	tokenNumber
	tokenString
)

type codeToken struct {
	kind int
	text string
}

var codeTokens = lazyre.New(`(?s)[rRbBuU]{0,2}(?:"""(.*?)"""|'''(.*?)'''|"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)')|#[^\n]*|([A-Za-z_]\w*)|((?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)`)

// tokensOf are the names, numbers and strings of a piece of code.
func tokensOf(code string) (list []codeToken) {
	for _, m := range codeTokens.FindAllStringSubmatch(code, -1) {
		switch {
		case m[5] != "":
			list = append(list, codeToken{tokenName, m[5]})
		case m[6] != "":
			list = append(list, codeToken{tokenNumber, m[6]})
		case !strings.HasPrefix(m[0], "#"):
			list = append(list, codeToken{tokenString, m[1] + m[2] + m[3] + m[4]})
		}
	}
	return list
}

// said is what a report says, for look-ups.
type said struct {
	text    string // white space folded
	code    string // the Python of its blocks
	words   map[string]bool
	inCode  map[string]bool
	numbers []float64
}

// newSaid leaves out the failure itself: that it speaks of a thing says nothing
// of its cause. A nil expectation leaves out nothing.
func newSaid(r *report.Report, e *oracle.Expectation) *said {
	s := &said{words: map[string]bool{}, inCode: map[string]bool{}}
	if r == nil {
		return s
	}
	text := r.Text
	if e != nil {
		text = withoutFailures(r, e)
	}
	for _, b := range r.Blocks {
		if b.Kind == report.BlockPython || b.Kind == report.BlockREPL {
			s.code += b.Text + "\n"
		}
	}
	s.text = fold(text)
	for _, w := range words(text) {
		s.words[w] = true
	}
	for _, w := range words(s.code) {
		s.inCode[w] = true
	}
	for _, n := range number.FindAllString(text, -1) {
		if x, err := strconv.ParseFloat(strings.ReplaceAll(n, "_", ""), 64); err == nil {
			s.numbers = append(s.numbers, x)
		}
	}
	return s
}

func withoutFailures(r *report.Report, e *oracle.Expectation) string {
	text := []byte(r.Text)
	for _, t := range r.Tracebacks {
		for i := max(t.Span.Start, 0); i < min(t.Span.End, len(text)); i++ {
			text[i] = ' '
		}
	}
	out := string(text)
	for _, line := range strings.Split(e.Symptom.Message+"\n"+e.Symptom.FatalLine, "\n") {
		if line = strings.TrimSpace(line); len(line) >= 4 {
			out = strings.ReplaceAll(out, line, " ")
		}
	}
	return out
}

func fold(s string) string { return strings.Join(strings.Fields(s), " ") }

func (s *said) word(w string) bool { return s.words[w] }

// literal: a number by its value, a text as it stands, an odd value in code only.
func (s *said) literal(text string) bool {
	if oddValues[text] {
		return s.inCode[text]
	}
	if x, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64); err == nil && !math.IsNaN(x) && !math.IsInf(x, 0) {
		return s.number(x)
	}
	if len(words(text)) == 1 && words(text)[0] == text {
		return s.words[text]
	}
	folded := fold(text)
	return folded != "" && strings.Contains(s.text, folded)
}

func (s *said) number(x float64) bool {
	return slices.ContainsFunc(s.numbers, func(y float64) bool {
		return x == y || x == -y || math.Abs(x-y) <= 1e-9*max(math.Abs(x), math.Abs(y))
	})
}
