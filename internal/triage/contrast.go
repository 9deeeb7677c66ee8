package triage

import (
	"sort"
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// changes reads the contrasts (rule 6) and the blamed parts (rule 11) of a
// report. A change counts only when the words say how it went, and when what
// they point at stands in the script: anything else would be our guess.
type changes struct {
	rd        *reading
	names     named
	contrasts []Contrast
	triggers  []Trigger
}

// maxChanges bounds each list: every contrast costs executions.
const maxChanges = 6

func changesOf(rd *reading) ([]Contrast, []Trigger) {
	if rd.script.none() {
		return nil, nil
	}
	ch := &changes{rd: rd, names: namesIn(rd.script.file)}
	all := clausesOf(rd)
	for i, c := range all {
		if c.asked || strings.Contains(c.text, "Traceback (most recent call last)") {
			continue // the lines that an unfenced log quotes blame nothing
		}
		good, bad := outcome(c.text)
		if good && ch.namesGoodVersion(c) {
			continue // it is the version that makes it work
		}
		if !good && !bad && i > 0 && all[i-1].at+len(all[i-1].text) == c.at && turnsOnly(c.text) {
			// "..., but only the jitted variant": what happened stands before.
			good, bad = outcome(all[i-1].text)
		}
		ch.read(c, good, bad)
	}
	sort.SliceStable(ch.contrasts, func(i, j int) bool { return editOrder(ch.contrasts[i]) < editOrder(ch.contrasts[j]) })
	return ch.contrasts[:min(len(ch.contrasts), maxChanges)], ch.triggers[:min(len(ch.triggers), maxChanges)]
}

// namesGoodVersion: the clause speaks of a release that is called good.
func (ch *changes) namesGoodVersion(c clause) bool {
	for _, v := range ch.rd.r.Versions {
		if v.Role == report.RoleGood && within(c.at, c.at+len(c.text), v.Span) {
			return true
		}
	}
	return false
}

var only = lazyre.New(`(?i)\bonly\b`)

func turnsOnly(text string) bool { return only.MatchString(text) }

// editOrder orders contrasts by how little an edit can go wrong: a variable of the
// environment and a value of an argument leave the script as it is.
func editOrder(c Contrast) int {
	order := map[string]int{"argument": 0, "env": 1, "instead": 2, "without": 3}[c.Kind]
	if c.Bad {
		order += 4 // the script without it: what it is then is the library's choice
	}
	return order
}

// read takes what one clause says.
func (ch *changes) read(c clause, good, bad bool) {
	switch {
	case good && !bad:
		// What makes it go away: the control is the script with this change.
		ch.without(c)
		ch.instead(c)
		ch.arguments(c, false)
		ch.variables(c)
		ch.eager(c)
		ch.workers(c)
		ch.precision(c)
	case bad && !good:
		// What brings it: the control is the script without it.
		ch.arguments(c, true)
		ch.blamed(c)
		if turnsOnly(c.text) && jitted.MatchString(c.text) {
			ch.uncompiled(c, jitted.FindStringIndex(c.text))
		}
	case good && bad && turnsOnly(c.text):
		// "it only fails with a=2 and is fine otherwise": which half the argument
		// belongs to is not said.
	}
}

// contrast keeps each change once, with the words where it was said first.
func (ch *changes) contrast(k Contrast, c clause, at []int) {
	k.Words, k.Span = c.words(), c.span(at[0], at[1])
	for _, have := range ch.contrasts {
		if have.Kind == k.Kind && have.Target == k.Target && sameValue(have.Value, k.Value) {
			return
		}
	}
	ch.contrasts = append(ch.contrasts, k)
}

// trigger likewise.
func (ch *changes) trigger(target string, c clause, at []int) {
	for _, have := range ch.triggers {
		if have.Target == target {
			return
		}
	}
	ch.triggers = append(ch.triggers, Trigger{Target: target, Words: c.words(), Span: c.span(at[0], at[1])})
}

// argValue is a value as prose writes it.
const argValue = `("[^"\n]{0,60}"|'[^'\n]{0,60}'|[-+]?\d[\w.]*(?:[eE][-+]?\d+)?|True|False|None|[A-Za-z_][\w.]*(?:\([^()\n]{0,40}\))?|\([^()\n]{0,40}\)|\[[^\[\]\n]{0,40}\])`

// How prose gives an argument: "num_workers=0", "`k` = 3", "num_workers > 0", and
// in words ("set drop_last to False", "when shuffle is True"). notThis stands
// before one that is left out or replaced.
var (
	argEquals = lazyre.New("(?:^|[^\\w.`]|`)([a-zA-Z_]\\w*)`?\\s*(==?|>=?|!=)\\s*`?" + argValue)
	argSetTo  = lazyre.New("(?i:\\b(?:set(?:ting)?|chang(?:e|ing|ed)|switch(?:ing|ed)?|pass(?:ing)?|with|when|if|for)\\s+(?:i |you |we )?(?:set |the )?)`?([a-zA-Z_]\\w*)`?\\s+(?i:(?:is |being )?(?:set |equal )?to|is|as)\\s+`?" + argValue)
	notThis   = lazyre.New("(?i)\\b(?:without|instead of|rather than|remov\\w+|drop\\w*|omit\\w*|except(?: for)?|other than|from)(?: the)?\\s*`?$")
)

// arguments are "works with X=v" and "fails with X=v".
//
// "n_jobs=1 differs from n_jobs=2" compares two values and blames none.
func (ch *changes) arguments(c clause, bad bool) {
	if all := argEquals.FindAllStringSubmatch(c.text, 8); bad && len(all) > 1 && all[0][1] == all[1][1] {
		return
	}
	for _, re := range []*lazyre.Regexp{argEquals, argSetTo} {
		for _, m := range re.FindAllStringSubmatchIndex(c.text, 8) {
			name := c.text[m[2]:m[3]]
			op, value := "=", ""
			if len(m) == 8 {
				op, value = c.text[m[4]:m[5]], c.text[m[6]:m[7]]
			} else {
				value = c.text[m[4]:m[5]]
			}
			if notThis.MatchString(c.text[:m[2]]) {
				continue
			}
			ch.argument(c, m[2:], name, op, strings.TrimRight(value, "."), bad)
		}
	}
}

// argument takes one mention. Good ones must differ from what the script does
// already, bad ones must be what it does: else the words are of another script.
func (ch *changes) argument(c clause, at []int, name, op, value string, bad bool) {
	values := ch.names.valuesOf(name)
	at = []int{at[0], at[len(at)-1]}
	switch {
	case value == "":
	case len(values) == 0:
		if !bad && compileSwitches[name] && ch.keras() {
			ch.contrast(Contrast{Kind: "argument", Target: name, Value: value}, c, at)
		}
	case op != "=" && op != "==":
		// "hangs with num_workers > 0": the script's own value is meant.
		if bad && len(values) == 1 && compares(values[0], op, value) {
			ch.brings(c, at, name, values[0])
		}
	case bad && ch.names.has(name, value):
		ch.brings(c, at, name, value)
	case !bad && !(len(values) == 1 && ch.names.has(name, value)):
		ch.contrast(Contrast{Kind: "argument", Target: name, Value: value}, c, at)
	}
}

// compileSwitches are arguments of a Keras model's compile method that hardly
// any script gives, but that have one place only where they can stand.
var compileSwitches = setOf("run_eagerly", "jit_compile")

// brings: the script's own argument is said to bring the symptom.
func (ch *changes) brings(c clause, at []int, name, value string) {
	if len(ch.names.keywords[name]) != 1 {
		return // with two values in the script it is the one call against the other
	}
	ch.contrast(Contrast{Kind: "argument", Target: name, Value: value, Bad: true}, c, at)
	ch.trigger(name+"="+value, c, at)
}

// compares evaluates "value op limit" on numbers.
func compares(value, op, limit string) bool {
	v, err1 := strconv.ParseFloat(value, 64)
	l, err2 := strconv.ParseFloat(limit, 64)
	if err1 != nil || err2 != nil {
		return op == "!=" && value != limit
	}
	switch op {
	case ">":
		return v > l
	case ">=":
		return v >= l
	}
	return v != l
}

// leftOut is "without X", "if I remove the call to X"; leadIn are the words
// between the verb and the name; thisOne needs the line that the comment stands on.
var (
	leftOut = lazyre.New("(?i)\\b(?:without|remov(?:e|es|ed|ing)|drop(?:ped|ping)?|delet(?:e|ing)|omit(?:ting)?|comment(?:ed|ing)? out|leav(?:e|ing) (?:out|away)|skip(?:ping)?|not using|don't use|do not use|disabl(?:e|ed|ing)|turn(?:ed|ing)? off|switch(?:ed|ing)? off)\\s+(?:the |a |an |any |my |that |calling |using |setting |passing )*((?:call (?:to|of) |use of |decorator |argument |parameter |option |keyword )?(?:the )?`?@?[A-Za-z_][\\w.]*(?:\\s*=\\s*[\\w.'\"]+)?(?:\\([^()\\n]{0,40}\\))?`?)")
	leadIn  = lazyre.New("(?i)^(?:call (?:to|of) |use of |decorator |argument |parameter |option |keyword |the )+")
	turnOff = lazyre.New(`(?i)^(?:disabl|turn|switch)`)
	thisOne = lazyre.New(`(?i)\b(?:without|remov(?:e|es|ed|ing)|comment(?:ed|ing)?(?: out)?|delet(?:e|ing))\s+(?:it|this|that)(?: (?:line|call|statement|out))?\b`)
)

// without is "without X it is fine", "if I comment out X it works".
func (ch *changes) without(c clause) {
	for _, m := range leftOut.FindAllStringSubmatchIndex(c.text, 4) {
		raw := leadIn.ReplaceAllString(c.text[m[2]:m[3]], "")
		word, value, _ := strings.Cut(strings.Trim(raw, "`"), "=")
		target := ch.names.stands(strings.TrimSpace(word), strings.Contains(raw, "`") || value != "")
		if target == "" {
			continue
		}
		at := []int{m[2], m[3]}
		values := ch.names.keywords[target]
		// "Disabling X" of a switch that is on is its other value; the argument
		// is then still given, so that no other default comes into play.
		if turnOff.MatchString(c.text[m[0]:m[1]]) && len(values) == 1 && values[0] == "True" {
			ch.contrast(Contrast{Kind: "argument", Target: target, Value: "False"}, c, at)
		} else {
			ch.contrast(Contrast{Kind: "without", Target: target}, c, at)
		}
		if len(values) == 1 {
			target += "=" + values[0]
		}
		ch.trigger(target, c, at)
	}
	if m := thisOne.FindStringIndex(c.text); m != nil && c.line > 0 {
		if text := ch.lineOf(c.line); text != "" {
			ch.contrast(Contrast{Kind: "without", Target: text}, c, m)
			ch.trigger(text, c, m)
		}
	}
}

// lineOf is the statement on a line of the script when it has that line for
// itself.
func (ch *changes) lineOf(line int) string {
	for _, s := range ch.rd.script.file.Statements {
		if s.Line == line && s.EndLine == line && (s.Kind == "expression" || s.Kind == "assignment") {
			if text, _, _ := strings.Cut(s.Text, "\n"); !strings.HasPrefix(text, "print") {
				return strings.TrimSpace(text)
			}
		}
	}
	return ""
}

// anyPart is one thing as prose names it: a dotted name, a call, an assignment.
const anyPart = "`?([A-Za-z_][\\w.]*(?:=[\\w.'\"]+|\\([^()\\n]{0,40}\\))?)`?"

// "With Y instead of X", "replacing X with Y", "instead of X I use Y".
var (
	insteadOf = lazyre.New("(?i)\\b(?:with|using|use|via|for|calling|call)\\s+" + anyPart + "\\s+(?:instead of|rather than|in place of)\\s+(?:the )?" + anyPart)
	replaced  = lazyre.New("(?i)\\b(?:replac\\w+|swap\\w*|chang\\w+|switch\\w*|exchang\\w+)\\s+(?:the )?(?:from )?" + anyPart + "\\s+(?:with|by|to|for|into)\\s+(?:the )?" + anyPart)
	reversed  = lazyre.New("(?i)\\binstead of\\s+(?:the )?" + anyPart + "\\s+(?:using|use|i use|with)\\s+" + anyPart)
)

// instead is "with Y instead of X it works". Both must look like code, and X
// must stand in the script.
func (ch *changes) instead(c clause) {
	for _, form := range []struct {
		re       *lazyre.Regexp
		old, new int
	}{{insteadOf, 2, 1}, {replaced, 1, 2}, {reversed, 1, 2}} {
		m := form.re.FindStringSubmatchIndex(c.text)
		if m == nil {
			continue
		}
		was, now := c.text[m[2*form.old]:m[2*form.old+1]], c.text[m[2*form.new]:m[2*form.new+1]]
		name, old, isArg := strings.Cut(was, "=")
		newName, value, _ := strings.Cut(now, "=")
		switch target := ch.names.stands(was, strings.Contains(c.text, "`")); {
		case isArg && ch.names.has(name, old) && name == newName:
			ch.contrast(Contrast{Kind: "argument", Target: name, Value: value}, c, m)
		case isArg || target == "" || !looksLikeCode(now) || len(ch.names.keywords[target]) > 0:
		default:
			ch.contrast(Contrast{Kind: "instead", Target: target, Value: strings.TrimSuffix(now, "()")}, c, m)
			ch.trigger(target, c, m)
		}
	}
}

// looksLikeCode tells a name of code from a word of prose.
func looksLikeCode(word string) bool {
	return strings.ContainsAny(word, "._(") || len(word) > 1 && word != strings.ToLower(word) && word[1:] != strings.ToLower(word[1:])
}

var envEquals = lazyre.New(`\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\s*=\s*["']?([\w.,:-]*[\w])["']?`)

// variables are environment variables, which stand in no script.
func (ch *changes) variables(c clause) {
	for _, m := range envEquals.FindAllStringSubmatchIndex(c.text, 4) {
		name, value := c.text[m[2]:m[3]], c.text[m[4]:m[5]]
		if notThis.MatchString(c.text[:m[2]]) || len(ch.names.valuesOf(name)) > 0 || ch.alreadySet(name, value) {
			continue
		}
		ch.contrast(Contrast{Kind: "env", Target: name, Value: value}, c, m)
	}
}

// alreadySet: the report says that the variable has this value anyway.
func (ch *changes) alreadySet(name, value string) bool {
	for _, e := range ch.rd.r.Env {
		if e.Name == name && e.Value == value && e.Where != "prose" {
			return true
		}
	}
	return false
}
