package bundle

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
)

// A control that is the same script with one change (a contrast, a removal)
// has a file of its own, which runs alone like reproduce.py.

// scriptNames gives each variant its file; nil when there is none.
func scriptNames(o *proof.Outcome) []string {
	names, any := make([]string, len(o.Evidence.Groups)), false
	for i, g := range o.Evidence.Groups {
		if g.Script != "" {
			names[i] = fmt.Sprintf("%s/%02d-%s.py", dirControls, i+1, slug(string(g.Side)))
			any = true
		}
	}
	if !any {
		return nil
	}
	return names
}

// putControls writes the variants, each under what it changes.
func putControls(files map[string][]byte, c Content, names []string) {
	for i, name := range names {
		if name == "" {
			continue
		}
		g := c.Outcome.Evidence.Groups[i]
		change := "# The script " + strings.Join(strings.Fields(plainASCII(g.Change)), " ") + ".\n"
		files[name] = []byte(header(c, g.Env) + change + endOfChange + setAside(g.Script))
	}
}

// endOfChange divides the words about a variant from its script.
const endOfChange = "# --- the variant, as it was run ---\n"

// plainASCII keeps what the report says inside one comment line.
func plainASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return ' '
		}
		return r
	}, s)
}

// takeControls puts the variants' scripts back into the evidence.
func (b *Bundle) takeControls(names []string, files map[string][]byte) error {
	groups := b.Outcome.Evidence.Groups
	for i := range groups {
		groups[i].Script = "" // only a file counts: it is what a reader sees
	}
	for i, name := range names {
		if name == "" {
			continue
		}
		_, script, ok := strings.Cut(string(files[name]), endOfChange)
		if i >= len(groups) || !ok || !strings.HasPrefix(name, dirControls+"/") {
			return fmt.Errorf("%s: cannot be read as the script of a control", name)
		}
		groups[i].Script = putBack(script)
	}
	return nil
}

// oddControls lists variants that are no variants of the bundle's script: what
// is compared must be one script with a small change, on one lock, or the
// control proves nothing.
func (b *Bundle) oddControls() []string {
	var out []string
	for i, g := range b.Outcome.Evidence.Groups {
		name := fmt.Sprintf("%s: the group %s %q", fileEvidence, g.Side, g.Change)
		changed := g.Script != "" || len(g.Env) > 0
		switch side := g.Side == oracle.SideContrast || g.Side == oracle.SideRemoval; {
		case g.Side == oracle.SideAuthored:
			if why := b.oddAuthored(i, changed); why != "" {
				out = append(out, name+" "+why)
			}
		case g.Side == oracle.SideReseeded && len(g.Env) == 0 && b.Candidate != nil && proof.Reseeded(b.Candidate.Script, g.Script):
		case changed && !side:
			out = append(out, name+" ran another script than the bundle's")
		case side && !changed:
			out = append(out, name+" changes nothing")
		case side:
			if why := b.oddVariant(i, g); why != "" {
				out = append(out, name+" "+why)
			}
		}
	}
	return out
}

// oddAuthored: the script's own control is the script itself, as it is.
func (b *Bundle) oddAuthored(i int, changed bool) string {
	switch {
	case changed:
		return "ran another script than the bundle's"
	case b.Candidate == nil || !b.Candidate.HasControl:
		return "is a control that the script does not have"
	case b.elsewhere(i):
		return "ran in another environment than the reported side"
	}
	return ""
}

// elsewhere says that a group has another lock than the reported side.
func (b *Bundle) elsewhere(i int) bool {
	lock := b.Outcome.Lock
	return i < len(b.Outcome.Locks) && lock != nil && b.Outcome.Locks[i] != nil && b.Outcome.Locks[i].Text != lock.Text
}

func (b *Bundle) oddVariant(i int, g oracle.Group) string {
	for _, name := range slices.Sorted(maps.Keys(g.Env)) {
		if candidate.ForbiddenEnv(name) {
			return fmt.Sprintf("sets %q, which no report may set", name)
		}
	}
	if b.elsewhere(i) {
		return "ran in another environment than the reported side"
	}
	if g.Script == "" {
		return ""
	}
	e := b.Outcome.Expectation
	if why := proof.Unfit(b.Candidate, g.Script, e, g.Side == oracle.SideRemoval, proof.JudgedLine(e, b.Outcome.Evidence)); why != "" {
		return "is no control: " + why
	}
	return ""
}
