package oracle

import "fmt"

// tally counts the findings of one group.
type tally struct {
	hits, clean, within, absent, collided, inconclusive int
	limited, forged, contradicted                       int
}

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

// name of a group in reasons: "keras 3.11.0 (newest)".
func (g Group) name() string {
	what := g.Version
	if g.Subject != "" && g.Version != "" {
		what = g.Subject + " " + g.Version
	}
	role := map[Side]string{
		SideReported: "as reported", SideNamed: "named as good", SideRelease: "another release",
		SideNewest: "newest", SideFix: "the fix", SideNeutral: "the certificate script", SideContrast: "the contrast that the reporter names",
	}[g.Side]
	if what == "" {
		return role
	}
	return fmt.Sprintf("%s (%s)", what, role)
}
