package oracle

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// tally counts the findings of one group.
type tally struct {
	hits, clean, within, absent, collided, inconclusive int
	limited, forged, contradicted                       int
	// plain are the inconclusive ones that neither a limit of ours nor a fault
	// explains: what was recorded is not enough for this oracle.
	plain int
}

// count counts what was found. Faults are counted beside: a forged record decides
// alone.
func count(g Group) tally {
	var t tally
	for _, j := range g.Judgements {
		switch j.Finding {
		case Hit:
			t.hits++
		case Clean:
			t.clean++
		case Within:
			t.within++
		case Absent:
			t.absent++
		case Collided:
			t.collided++
		default:
			t.inconclusive++
			if j.Limit {
				t.limited++
			} else if j.Fault == "" {
				t.plain++
			}
		}
		switch j.Fault {
		case FaultForged:
			t.forged++
		case FaultContradicted:
			t.contradicted++
		}
	}
	return t
}

// conclusive leaves out what says nothing: "we could not find out" is never no.
func (t tally) conclusive() int { return t.hits + t.clean + t.within + t.absent + t.collided }

// good is how many executions of a control show that the reporter's wish is
// met. Absent proves nothing, except on a release that the reporter himself
// names as good, and on the fix that the user names: there the absence of the
// stated actual is what was said.
func (t tally) good(side Side) int {
	n := t.clean + t.within
	if side.Vouched() {
		n += t.absent
	}
	return n
}

// roles say in words which side of the evidence a group is.
var roles = map[Side]string{
	SideReported: "as reported", SideNamed: "named as good", SideRelease: "another release",
	SideNewest: "newest", SideFix: "the fix", SideNeutral: "the certificate script",
	SideContrast: "the contrast that the reporter names", SideRemoval: "what the reporter blames taken out",
	SideAuthored: "the control that the script's author wrote",
	SidePinned:   "all seeds pinned", SideReseeded: "other seeds",
}

// name of a group in reasons: "keras 3.11.0 (newest)", or for another script
// "without drop_last=True (what the reporter blames taken out)".
func (g Group) name() string {
	what := g.Version
	if g.Subject != "" && g.Version != "" {
		what = g.Subject + " " + g.Version
	}
	if g.Side.edited() {
		what = g.change()
	}
	if what == "" {
		return roles[g.Side]
	}
	return fmt.Sprintf("%s (%s)", what, roles[g.Side])
}

// change says what an edited side does otherwise: "without drop_last=True",
// "with JAX_DISABLE_JIT=1".
func (g Group) change() string {
	what := strings.TrimSpace(g.Change)
	if what == "" {
		for _, name := range slices.Sorted(maps.Keys(g.Env)) {
			what = strings.TrimSpace(what + " " + name + "=" + g.Env[name])
		}
	}
	switch {
	case what == "":
		return "with the change"
	case strings.HasPrefix(what, "with"): // "without" as well
		return what
	}
	return "with " + what
}
