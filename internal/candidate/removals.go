package candidate

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/triage"
)

// Removals are the script with one blamed part taken out (rule 11): an argument
// back to its default, a decorator or wrapper or context, or a setting. Only a
// part that the reporter blames in so many words is taken out, and never one
// without which nothing would be measured: removing anything at all makes nearly
// every symptom go away. A report that asks whether the behaviour is expected
// gives none.
func Removals(c *Candidate, d *triage.Decision) []Variant {
	if d.Expectation == nil || d.Expectation.Asks || len(d.Triggers) == 0 {
		return nil
	}
	ed := newEditor(c, d)
	if !ed.usable() {
		return nil
	}
	for _, t := range d.Triggers {
		ed.removal(t)
	}
	return ed.found
}

func (ed *editor) removal(t triage.Trigger) {
	target := cleanTarget(t.Target)
	if target == "" {
		return
	}
	// A keyword first: "one argument back to its default" is the smallest change
	// that there is, and the call itself surely stays.
	v := Variant{Removal: true, Change: "without " + target, Words: t.Words}
	key, value, pair := keyValue(target)
	if changes := ed.keywords(key, value); len(changes) > 0 {
		ed.add(v, changes)
		return
	}
	if pair { // x.requires_grad = True
		target = key
	}
	for _, changes := range [][]pysyntax.Change{
		ed.decorated(target), ed.safeContexts(target), ed.safeUnwrapped(target), ed.members(target), ed.settings(target, value),
	} {
		if len(changes) > 0 && ed.subjectRemains(changes) && ed.add(v, changes) {
			return
		}
	}
}

// keywords are the arguments of that name (and value), but for those of a call
// that says something: without them another thing would be printed.
func (ed *editor) keywords(key, value string) []pysyntax.Change {
	var changes []pysyntax.Change
	for _, a := range ed.p.Arguments {
		if a.Key == "" || a.Key != lastPart(key) || saying[lastPart(a.Call)] {
			continue
		}
		if value == "" || sameCode(a.Value, value) || sameCode(a.Value, quoted(value)) {
			changes = append(changes, ed.cutArgument(a))
		}
	}
	return changes
}

// safeContexts are contexts whose value nobody reads.
func (ed *editor) safeContexts(target string) []pysyntax.Change {
	var changes []pysyntax.Change
	for _, ch := range ed.contexts(target) {
		if rest := strings.TrimLeft(ed.c.Script[ch.Span.End:], " \t"); strings.HasPrefix(rest, "as ") {
			return nil
		}
		changes = append(changes, ch)
	}
	return changes
}

// safeUnwrapped are known wrappers around something that is still called then.
// A wrapper that is itself what failed is the judged call.
func (ed *editor) safeUnwrapped(target string) []pysyntax.Change {
	changes := ed.unwrapped(target, knownWrapper)
	for _, ch := range changes {
		rest := strings.TrimLeft(ed.c.Script[ch.Span.End:], " \t")
		if ed.judgedLine(ch.Line) && !strings.HasPrefix(rest, "(") && !strings.HasPrefix(rest, ".") {
			return nil
		}
	}
	return changes
}

// judgedLine: the reporter's traceback goes through this line of the script.
func (ed *editor) judgedLine(line int) bool {
	lines := strings.Split(ed.c.Script, "\n")
	if ed.d.Expectation == nil || line < 1 || line > len(lines) {
		return false
	}
	for _, fr := range ed.d.Expectation.Symptom.Frames {
		if fr.Source != "" && sameCode(fr.Source, lines[line-1]) {
			return true
		}
	}
	return false
}

// working are methods that do the work which is judged, not ones that set
// something up for it.
var working = map[string]bool{
	"fit": true, "run": true, "train": true, "train_on_batch": true, "step": true, "backward": true,
	"forward": true, "predict": true, "call": true, "apply": true, "execute": true, "evaluate": true,
	"validate": true, "test": true, "sample": true, "main": true, "optimize": true, "minimize": true,
	"partial_fit": true, "fit_transform": true, "transform": true, "learn": true, "generate": true,
	"tell": true, "ask": true, "reset": true, "update": true, "compute": true,
}

// settings are statements that only set something: an assignment to an
// attribute or an element of a literal, a call with nothing but literals. A
// plain name is never taken away, because what is measured may be made of it.
func (ed *editor) settings(target, value string) []pysyntax.Change {
	var changes []pysyntax.Change
	for _, s := range ed.named(target) {
		// One statement of that name that may not go is enough to leave all: the
		// rest would be half of what the reporter blames.
		switch {
		case s.Kind == "import" || s.Kind == "delete" || len(s.Binds) > 0 || ed.judgedLine(s.Line):
			return nil
		case s.Kind == "assignment":
			if text := ed.c.Script[s.ValueSpan.Start:s.ValueSpan.End]; value != "" && !sameCode(text, value) || strings.Contains(text, "(") {
				continue
			}
		case s.Func == "" || working[lastPart(s.Func)] && !isConfig(s.Func) || ed.judged(s.Func) || !plainArguments(s):
			continue
		}
		changes = append(changes, leftOut(s))
	}
	return changes
}

// isConfig: jax.config.update sets something, metric.update does the work.
func isConfig(called string) bool { return setting.MatchString(called) }

// judged: the expectation singles this call out.
func (ed *editor) judged(called string) bool {
	return slices.Contains(ed.d.Expectation.Calls, called) || slices.Contains(ed.d.Expectation.Calls, lastPart(called))
}

// plainArguments: the statement reads nothing but what it calls on.
func plainArguments(s pysyntax.Inner) bool {
	for _, name := range s.Reads {
		if name != s.Func && name != "None" {
			return false
		}
	}
	return true
}

// subjectRemains: after the change something of the subject is still used. Where
// nothing of it was used by name before, there is nothing to lose.
func (ed *editor) subjectRemains(changes []pysyntax.Change) bool {
	return ed.subjectUses(ed.p) == 0 || ed.subjectUses(pysyntax.Split(pysyntax.Apply(ed.c.Script, changes))) > 0
}

// subjectUses counts the names outside imports that belong to the subject.
func (ed *editor) subjectUses(p *pysyntax.Parts) int {
	n := 0
	for _, u := range p.Uses {
		if !u.Import && ed.ofSubject(u.Full) {
			n++
		}
	}
	return n
}
