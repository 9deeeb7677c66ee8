package environment

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/pydist"
)

// Asked is one distribution whose asked-for version is not the installed one.
type Asked struct {
	Name string `json:"name"` // normalised; "python" for the interpreter
	// Asked is the specifier as it was asked for: "==2.15.1", ">=1.6".
	Asked string `json:"asked"`
	// Installed is "" when it was left out.
	Installed string `json:"installed,omitempty"`
	Why       string `json:"why,omitempty"`
	Word      Word   `json:"word"` // whose word the asked-for version was
}

// Change is one repair of the ladder to one pin.
type Change struct {
	Name string `json:"name"` // normalised; "" for the date, "python" for the interpreter
	Rung int    `json:"rung"` // 1 ..
	Text string `json:"text"` // one sentence, as in Edits
}

// PinLine is one line of what an environment holds and why.
type PinLine struct {
	Name    string `json:"name"`              // normalised; "python" for the interpreter
	Version string `json:"version,omitempty"` // installed; "" when it was left out or nothing needs it
	Asked   string `json:"asked,omitempty"`   // "" when nobody asked for a version
	Word    Word   `json:"word"`
	Why     string `json:"why,omitempty"`
	// Rung is the highest rung that changed this pin, rungExact for a pin that
	// held, 0 for what the resolver brought.
	Rung     int    `json:"rung,omitempty"`
	RungName string `json:"rung_name,omitempty"`
}

// Explain says for each distribution of the lock, and for each that was asked
// for and is not in it, whose word it is and which rung it stands on. The
// interpreter comes first, then what was asked for in the order of the Spec,
// then what came with it, by name.
func (l *Lock) Explain(s Spec) []PinLine {
	lines := []PinLine{l.explainPython(s)}
	seen := map[string]bool{}
	for _, r := range slices.Concat(s.Requirements, s.Constraints) {
		name := l.heldAs(r.Name)
		if seen[name] {
			continue
		}
		seen[name] = true
		lines = append(lines, l.explainPin(r, name))
	}
	came := len(lines)
	for _, p := range l.Packages {
		if !seen[p.Name] {
			lines = append(lines, l.ranked(PinLine{Name: p.Name, Version: p.Version, Word: p.Word, Why: p.Why}, 0))
		}
	}
	slices.SortFunc(lines[came:], func(a, b PinLine) int { return cmp.Compare(a.Name, b.Name) })
	return lines
}

// heldAs is the name under which the lock holds a distribution: its own, that
// of a variant (tensorflow-cpu) or of what a nightly builds.
func (l *Lock) heldAs(name string) string {
	if to, ok := nightlies[name]; ok && l.Version(name) == "" {
		name = to
	}
	return nameIn(l, name)
}

func (l *Lock) explainPython(s Spec) PinLine {
	line := PinLine{Name: "python", Version: l.Python, Asked: s.Python, Word: WordReporter}
	switch s.PythonSource {
	case "flag":
		line.Word = WordFlag
	case "report":
	default:
		line.Word, line.Why = WordResolver, "chosen by what the pins have wheels for"
	}
	return l.ranked(line, rungExact)
}

// explainPin is the line of one requirement or constraint.
func (l *Lock) explainPin(r Requirement, name string) PinLine {
	line := PinLine{Name: name, Asked: r.Spec, Word: r.Word, Why: r.Why}
	for _, p := range l.Packages {
		if p.Name == name {
			line.Version, line.Word = p.Version, p.Word
			if p.Why != "" {
				line.Why = p.Why
			}
		}
	}
	if line.Version == "" && !l.changed(name) {
		line.Why = "nothing needs it"
		return line
	}
	return l.ranked(line, rungExact)
}

func (l *Lock) changed(name string) bool {
	return slices.ContainsFunc(l.Changes, func(c Change) bool { return c.Name == name })
}

// ranked gives a line the highest rung that touched it, at least rung, and the
// words of that change.
func (l *Lock) ranked(line PinLine, rung int) PinLine {
	for _, c := range l.Changes {
		if c.Name == line.Name && c.Rung >= rung {
			rung, line.Why = c.Rung, c.Text
		}
	}
	line.Rung, line.RungName = rung, rungNames[rung]
	return line
}

// askedFor lists what was asked for in another version than the lock holds:
// requirements that were loosened, replaced or left out, constraints that bind
// something installed or were dropped, and the interpreter.
func (l *Lock) askedFor(s Spec) []Asked {
	var out []Asked
	if s.Python != "" && s.Python != l.Python && minorOf(s.Python) != minorOf(l.Python) {
		line := l.explainPython(s)
		out = append(out, Asked{Name: "python", Asked: s.Python, Installed: l.Python, Why: line.Why, Word: line.Word})
	}
	for i, r := range slices.Concat(s.Requirements, s.Constraints) {
		name := l.heldAs(r.Name)
		got := l.Version(name)
		constraint := i >= len(s.Requirements)
		switch {
		case r.Spec == "" && (got != "" || constraint):
			continue
		case got == "" && constraint && !l.changed(r.Name):
			continue // nothing needs it
		case got != "" && satisfies(r.Spec, got):
			continue
		}
		out = append(out, Asked{Name: name, Asked: r.Spec, Installed: got, Why: l.explainPin(r, name).Why, Word: r.Word})
	}
	return out
}

// satisfies is pydist.Match where a pin with a local label is not met by the
// release without it: "+cu117" is another build than the one of the index.
func satisfies(spec, version string) bool {
	return pydist.Match(spec, version) && (!strings.Contains(spec, "+") || strings.Contains(version, "+"))
}

// Day is the day that the lock was solved for and where it comes from: the
// Spec's, unless the ladder had to move it for a release that is pinned.
func (l *Lock) Day(s Spec) (day time.Time, source string) {
	if l.AsOf.IsZero() || l.AsOf.Equal(s.AsOf) {
		return s.AsOf, s.AsOfSource
	}
	return l.AsOf, s.AsOfSource + ", moved from " + s.AsOf.UTC().Format(time.DateOnly) + " for a release that is named"
}
