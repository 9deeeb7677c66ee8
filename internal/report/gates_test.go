package report

import (
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/system/lazyre"
	"pgregory.net/rapid"
)

// TestGates: what a pattern matches, its gate lets through. The words are made
// from the pattern itself, some hundred for each, so that a word that is added to
// a pattern and not to its gate is found.
func TestGates(t *testing.T) {
	type pair struct {
		name string
		gate gate
		re   *lazyre.Regexp
	}
	pairs := []pair{
		{"negatedGood", moodGate, negatedGood}, {"negatedBad", moodGate, negatedBad}, {"goodWords", moodGate, goodWords}, {"badWords", moodGate, badWords},
		{"wantedValue", wantedGate, wantedValue}, {"cameValue", cameGate, cameValue}, {"os", osGate, osFact}, {"device", deviceGate, deviceFact},
		{"commit", commitGate, commitNamed}, {"label", labelGate, labelLine}, {"front", frontGate, frontLine},
		{"lastGood", cueGate, lastGood}, {"firstBad", cueGate, firstBad}, {"regressionFrom", cueGate, regressionFrom}, {"comparedTo", cueGate, comparedTo}, {"brokeIn", cueGate, brokeIn}, {"sinceNumber", cueGate, sinceNumber}, {"notNumber", cueGate, notNumber}, {"aloneBefore", cueGate, aloneBefore}, {"aloneAfter", cueGate, aloneAfter},
		{"wantedError", errorGate, wantedError}, {"raiseWanted", errorGate, raiseWanted}, {"anyError", errorGate, anyError}, {"cameError", errorGate, cameError},
	}
	for _, m := range movesWanted {
		pairs = append(pairs, pair{m.name, seriesGate, m.re})
	}
	for _, m := range movesCame {
		pairs = append(pairs, pair{m.name, seriesGate, m.re})
	}
	for _, r := range relations {
		if r.name == "same" {
			continue // "the same for all" states something only together with a wish
		}
		pairs = append(pairs, pair{r.name, wishGate, r.re})
	}
	for _, r := range headingRoles {
		pairs = append(pairs, pair{"heading " + string(r.role), r.gate, r.words})
	}
	for _, p := range pairs {
		t.Run(p.name, func(t *testing.T) {
			tree, err := syntax.Parse(p.re.String(), syntax.Perl)
			if err != nil {
				t.Fatal(err)
			}
			rapid.Check(t, func(t *rapid.T) {
				text := sample(t, tree)
				if m := p.re.FindString(text); m != "" && !p.gate.open(strings.ToLower(m)) {
					t.Fatalf("%q matches and no word of the gate is in it", m)
				}
			})
		})
	}
}

// sample draws a text that the pattern's tree may match.
func sample(t *rapid.T, re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		for k := 0; k < 8; k++ {
			i := rapid.IntRange(0, len(re.Rune)/2-1).Draw(t, "range")
			if lo := re.Rune[2*i]; lo >= ' ' && lo < 0x10000 {
				return string(lo)
			}
		}
		return " "
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "x"
	case syntax.OpCapture:
		return sample(t, re.Sub[0])
	case syntax.OpConcat:
		var b strings.Builder
		for _, s := range re.Sub {
			b.WriteString(sample(t, s))
		}
		return b.String()
	case syntax.OpAlternate:
		return sample(t, re.Sub[rapid.IntRange(0, len(re.Sub)-1).Draw(t, "branch")])
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		least, most := 0, 1
		if re.Op == syntax.OpPlus || re.Op == syntax.OpRepeat && re.Min > 0 {
			least = 1
		}
		return strings.Repeat(sample(t, re.Sub[0]), rapid.IntRange(least, most).Draw(t, "times"))
	}
	return ""
}

func TestLowered(t *testing.T) {
	for in, want := range map[string]string{"": "", "abc": "abc", "aBC": "abc", "İX": "İx", "预期A": "预期a"} {
		if got := lowered(in); got != want {
			t.Errorf("lowered(%q) = %q", in, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		if len(lowered(s)) != len(s) {
			t.Fatalf("%q changes its length", s)
		}
	})
}
