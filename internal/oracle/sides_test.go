package oracle

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// edited is a side of the reported release with something changed.
func edited(side Side, change, letters string) Group {
	g := findings(side, "2.0", letters)
	g.Change = change
	return g
}

// TestEditedSides: what a script without its trigger, a contrast, and pinned
// seeds may and may not prove (rules 6, 10 and 11).
func TestEditedSides(t *testing.T) {
	bad := func(letters string) Group { return findings(SideReported, "2.0", letters) }
	asks, foreign := printedClaim, crashClaim
	asks.Asks = true
	foreign.ReporterScript = false
	env := findings(SideContrast, "2.0", "ccc")
	env.Env = map[string]string{"JAX_DISABLE_JIT": "1", "A": "b"}
	for _, c := range []struct {
		name     string
		e        Expectation
		groups   []Group
		headline Headline
		grade    Grade
		reason   string
	}{
		{"a removal gives C", printedClaim, []Group{bad("hhhhh"), edited(SideRemoval, "without drop_last=True", "ccc")}, Reproduced, "C", "gone without drop_last=True, which is often the diagnosis"},
		{"a contrast gives C", printedClaim, []Group{bad("hhhhh"), edited(SideContrast, "num_workers=0", "ccc")}, Reproduced, "C", "gone with num_workers=0"},
		{"a contrast of variables", printedClaim, []Group{bad("hhhhh"), env}, Reproduced, "C", "gone with A=b JAX_DISABLE_JIT=1"},
		{"a release beats a removal", printedClaim, []Group{bad("hhhhh"), edited(SideRemoval, "without x", "ccccc"), findings(SideNewest, "3.0", "ccc")}, Fixed, "B", "gone without x"},
		{"two clean runs are too few", printedClaim, []Group{bad("hhhhh"), edited(SideRemoval, "without x", "cc")}, Lead, "D", "3 are asked for"},
		{"a removal that proves nothing: nothing stated came", printedClaim, []Group{bad("hhhhh"), edited(SideRemoval, "without x", "aaa")}, Lead, "D", "proves nothing"},
		{"a removal that dies", printedClaim, []Group{bad("hhhhh"), edited(SideRemoval, "without x", "xxx")}, Lead, "D", "proves nothing"},
		{"a removal that shows it too", printedClaim, []Group{bad("hhhhh"), edited(SideRemoval, "without x", "hcc")}, Lead, "D", "shows it too, 1 of 3"},
		{"beyond chance, or nothing", printedClaim, []Group{bad("hhhcc"), edited(SideRemoval, "without x", "ccc")}, Lead, "D", "may be chance"},
		{"a report that asks", asks, []Group{bad("hhhhh"), edited(SideRemoval, "without x", "ccc")}, Lead, "D", "a release pair is required"},
		{"a report that asks, a contrast", asks, []Group{bad("hhhhh"), edited(SideContrast, "x=1", "ccc")}, Lead, "D", "a release pair is required"},
		{"a stranger's script", foreign, []Group{bad("hhhhh"), edited(SideRemoval, "without x", "ccc")}, Lead, "D", "somebody else's"},
		{"pinned seeds are no control", printedClaim, []Group{bad("hhhhh"), findings(SidePinned, "2.0", "ccc")}, Lead, "D", "pinning may hide it"},
		{"pinned seeds bring it", printedClaim, []Group{bad("ccccc"), findings(SidePinned, "2.0", "hhh")}, NotReproduced, "", "pinning brings it"},
		{"pinned seeds change nothing", printedClaim, []Group{bad("hhhhh"), findings(SidePinned, "2.0", "hh"), findings(SideNewest, "3.0", "ccc")}, Fixed, "B", ""},
		{"right with another seed", printedClaim, []Group{bad("hhhhh"), findings(SideNewest, "3.0", "ccc"), findings(SideReseeded, "2.0", "c")}, Lead, "D", "with another seed"},
		{"wrong with other seeds as well", printedClaim, []Group{bad("hhhhh"), findings(SideNewest, "3.0", "ccc"), findings(SideReseeded, "2.0", "h")}, Fixed, "B", ""},
		{"another seed says neither", printedClaim, []Group{bad("hhhhh"), findings(SideNewest, "3.0", "ccc"), findings(SideReseeded, "2.0", "a")}, Fixed, "B", ""},
		{"the fix is vouched for", printedClaim, []Group{bad("hhhhh"), findings(SideFix, "2.0", "ccc"), findings(SideReseeded, "2.0", "c")}, Reproduced, "A", ""},
		{"other seeds are no control", printedClaim, []Group{bad("hhhhh"), findings(SideReseeded, "2.0", "ccc")}, Lead, "D", ""},
		{"the certificate script shows no symptom", printedClaim, []Group{bad("ccccc"), findings(SideNeutral, "2.0", "h")}, NotReproduced, "", ""},
		{"flaky needs a real control", printedClaim, []Group{bad("hhccccc"), findings(SidePinned, "2.0", "ccccccc")}, Lead, "D", "no control ran as often"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := Decide(c.e, Evidence{Certified: true, Groups: c.groups})
			words := strings.Join(v.Reasons, "\n")
			if v.Headline != c.headline || v.Grade != c.grade || !strings.Contains(words, c.reason) {
				t.Errorf("%s %q, want %s %q with %q:\n%s", v.Headline, v.Grade, c.headline, c.grade, c.reason, words)
			}
			if v.GoodBefore != "" {
				t.Errorf("an edited script named the release %s", v.GoodBefore)
			}
			if c.reason == "" && strings.Contains(words, "pinned") {
				t.Errorf("pinning is spoken of: %s", words)
			}
		})
	}
}

// TestPinnedDecidesNothing, whatever it shows.
func TestPinnedDecidesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, ev := drawClaim(t), drawEvidence(t, "hHcwaxil")
		before := Decide(e, ev)
		letters := rapid.StringOfN(rapid.RuneFrom([]rune("hcwaxil")), 0, 8, -1).Draw(t, "pinned")
		ev.Groups = append(ev.Groups, findings(SidePinned, "2.0", letters))
		after := Decide(e, ev)
		if before.Headline != after.Headline || before.Grade != after.Grade || before.Control != after.Control {
			t.Fatalf("%s %s became %s %s", before.Headline, before.Grade, after.Headline, after.Grade)
		}
	})
}

// TestRemovalIsNeverAbove C: no evidence of edited sides alone reaches a release's grade.
func TestRemovalIsNeverAboveC(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ev := drawEvidence(t, "hHcwaxil")
		for i := range ev.Groups[1:] {
			ev.Groups[i+1].Side = rapid.SampledFrom([]Side{SideRemoval, SideContrast, SidePinned}).Draw(t, "side")
		}
		if v := Decide(drawClaim(t), ev); v.Grade == "A" || v.Grade == "B" || v.Headline == Regression || v.Headline == Fixed {
			t.Fatalf("%s %s", v.Headline, v.Grade)
		}
	})
}
