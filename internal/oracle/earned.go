package oracle

import "fmt"

// Open is one thing that stands between what ran and a denial.
type Open struct {
	// Kind: "release", "script", "wanted", "majority".
	Kind string `json:"kind"`
	// Text says what is open, Settles which one fact from the reporter would
	// settle it.
	Text    string `json:"text"`
	Settles string `json:"settles"`
}

// earn takes back a denial that was not earned. That a symptom did not come shows
// nothing while what ran may be another release, or another script, than the
// reporter's, while nothing was seen to be right, or while most executions say
// otherwise. It denies nobody's bug by what we chose ourselves.
func (v *Verdict) earn(ev Evidence, t tally) {
	open := append([]Open{}, ev.Open...)
	for _, g := range ev.Groups {
		if c := count(g); !g.Side.neverControl() && c.hits > 0 {
			open = append(open, Open{"release", fmt.Sprintf("%s shows it, %d of %d", g.name(), c.hits, c.conclusive()), "was it really this release that ran?"})
		}
	}
	showed := t.clean
	switch v.Headline {
	case NotReproduced:
		if t.clean == 0 {
			open = append(open, Open{"wanted", "no execution showed what should have come: the symptom stayed away, and nothing was seen to be right", "what exactly should the script print, return or raise?"})
		}
	case NotABug:
		showed = t.within
	case DifferentFailure:
		showed = t.collided
	default:
		return
	}
	if n := t.conclusive(); 2*showed <= n && (v.Headline != NotReproduced || t.clean > 0) {
		open = append(open, Open{"majority", fmt.Sprintf("only %d of %d executions say so", showed, n), "how often does it come?"})
	}
	if len(open) == 0 {
		return
	}
	v.Headline, v.Open = Undecided, open
	for _, o := range open {
		v.say("open: %s (what would settle it: %s)", o.Text, o.Settles)
	}
}
