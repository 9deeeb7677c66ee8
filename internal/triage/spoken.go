package triage

import (
	"sort"
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// spoken is a symptom that stands in the reporter's words only: no traceback,
// no pasted output says the same.
type spoken struct {
	symptom.Symptom
	inTitle bool
}

// talkOf is what title and prose say of symptoms, the title's first.
func talkOf(rd *reading) []spoken {
	var found []spoken
	for _, s := range symptom.FromProse(rd.prose) {
		found = append(found, spoken{Symptom: s, inTitle: within(s.Start, s.End, rd.r.TitleSpan)})
	}
	for _, s := range symptom.FromProse(rd.r.Title) {
		if len(found) > 0 && found[0].inTitle || rd.titleStands() {
			break
		}
		// The title is no part of the text (a tracker's reply): its place is
		// then the beginning.
		s.Start, s.End = rd.r.TitleSpan.Start, rd.r.TitleSpan.End
		found = append(found, spoken{Symptom: s, inTitle: true})
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].inTitle && !found[j].inTitle })
	return found
}

// titleStands: the title is a part of the prose.
func (rd *reading) titleStands() bool {
	s := rd.r.TitleSpan
	return s.Within(rd.prose) && strings.TrimSpace(rd.prose[s.Start:s.End]) != ""
}

// costly kinds are said by the way as well ("and it is slow, too"): they count
// only where the title says them, or where nothing else is said at all.
var costly = map[symptom.Kind]bool{symptom.Slow: true, symptom.Hang: true, symptom.Memory: true, symptom.NoLearning: true}

// spokenExpectations are the silent oracles that the reporter's own words name,
// the title's before the prose's. A claim that the script cannot show, or that
// would hold of any release, is none.
func spokenExpectations(rd *reading, c claims, d *Decision) []oracle.Expectation {
	if rd.script.none() {
		return nil // whoever writes one decides what it shows
	}
	var found []oracle.Expectation
	done := map[symptom.Kind]bool{}
	for _, s := range rd.talk {
		if done[s.Kind] || costly[s.Kind] && !s.inTitle && !alone(rd, s) {
			continue
		}
		e := spokenExpectation(rd, c, d, s)
		if e == nil {
			continue
		}
		done[s.Kind] = true
		e.Symptom = symptom.Symptom{Kind: s.Kind, Start: s.Start, End: s.End}
		found = append(found, *e)
	}
	if e := sameClaim(rd, c); e != nil && !done[symptom.Nondeterminism] {
		found = append(found, *e)
	}
	return found
}

// alone: nothing else is said of any symptom.
func alone(rd *reading, s spoken) bool {
	for _, o := range rd.talk {
		if o.Kind != s.Kind && o.Kind != symptom.Unknown {
			return false
		}
	}
	return true
}

// spokenExpectation is the claim of one oracle, nil when it cannot be made.
func spokenExpectation(rd *reading, c claims, d *Decision, s spoken) *oracle.Expectation {
	// A wrong value in words is judged only where it is a shape or a type: the
	// number itself has to be pasted.
	switch s.Kind {
	case symptom.NonFinite:
		return finiteClaim(rd, c, s)
	case symptom.Shape, symptom.DType, symptom.WrongValue:
		return propertyClaim(rd, s)
	case symptom.Duplicates:
		return repeatsClaim(rd)
	case symptom.Nondeterminism:
		return spreadClaim(rd)
	case symptom.Hang:
		return hangClaim(rd)
	case symptom.Slow:
		return slowClaim(rd, c, d)
	case symptom.Memory:
		return memoryClaim(rd)
	case symptom.NoLearning:
		return seriesClaim(rd, s)
	}
	return nil
}

// sentenceOf is the sentence that holds a symptom, with its place.
func sentenceOf(rd *reading, s spoken) (string, int) {
	from, to := sentenceAround(rd.prose, s.Start)
	if from >= to {
		return rd.r.Title, rd.r.TitleSpan.Start
	}
	return rd.prose[from:to], from
}

// sentencesOn are all sentences that speak of one kind, the title first.
func sentencesOn(rd *reading, kind symptom.Kind) []string {
	var found []string
	for _, s := range rd.talk {
		if s.Kind == kind {
			sentence, _ := sentenceOf(rd, s)
			found = append(found, sentence)
		}
	}
	return found
}

// words in backticks, and plain ones right before a verb that describes them.
var (
	quotedName  = lazyre.New("`([A-Za-z_][\\w.]*)(?:\\(\\))?`")
	describedAs = lazyre.New(`\b([A-Za-z_]\w*)\s+(?:is|are|becomes?|has|contains?|gets?|turns?|goes)\b`)
)

// targetIn is the name of the script whose value a sentence speaks of: one in
// backticks, else one that the sentence describes. The observer knows names at
// module level only. It is empty when none is named, or several are.
func targetIn(rd *reading, sentence string) string {
	global := globalNames(rd)
	found := ""
	for _, re := range []*lazyre.Regexp{quotedName, describedAs} {
		for _, m := range re.FindAllStringSubmatch(sentence, 8) {
			name := topName(m[1])
			if rest := strings.TrimPrefix(m[1], name); rest != "" && rest != ".shape" && rest != ".dtype" && rest != ".grad" {
				continue
			}
			switch {
			case !global[name]:
			case found != "" && found != name:
				return ""
			default:
				found = name
			}
		}
		if found != "" {
			return found
		}
	}
	return ""
}

// globalNames are the names that the script assigns at module level.
func globalNames(rd *reading) map[string]bool {
	names := map[string]bool{}
	for _, a := range rd.script.file.Assigns {
		if a.Kind == "name" && a.Scope == "" && !a.Literal {
			names[a.Target] = true
		}
	}
	return names
}

// finiteClaim: a NaN or an infinity is the complaint. A script that computes
// with one on purpose, or a report that asks for one, claims something else.
func finiteClaim(rd *reading, c claims, s spoken) *oracle.Expectation {
	if usesNaN(rd.script.file) || contains(c.relations, "all_nan") {
		return nil
	}
	for _, st := range c.expected {
		if nonFinite(st.Text) {
			return nil
		}
	}
	if shown := pastedOutput(rd, c); len(shown) > 0 && !anyNonFinite(shown) {
		return nil // what came is shown, and it is finite
	}
	v := &oracle.Value{Property: "finite", Actual: nonFiniteWord(s.Message)}
	if own, _ := sentenceOf(rd, s); aboutNaN.MatchString(own) {
		return nil
	}
	for _, sentence := range sentencesOn(rd, symptom.NonFinite) {
		if v.Target == "" {
			v.Target = targetIn(rd, sentence)
		}
	}
	if v.Target == "" && !rd.script.prints() {
		return nil
	}
	return &oracle.Expectation{Oracle: oracle.OracleNonFinite, Value: v}
}

// aboutNaN are sentences in which a NaN is what goes in, or what should have
// come out: "loses a NaN", "sort with NaN", "counts nan as a value".
var aboutNaN = lazyre.New(`(?i)\b(?:los(?:e|es|ing|t)|swallow\w*|hid(?:e|es|ing)|mask\w*|detect\w*|check\w*|counts?|counting|propagat\w*|preserv\w*|compar\w*|sort\w*|equal\w*|(?:with|for|on|when|if|where) (?:\w+ ){0,4}?(?:contain\w* |has |have |is |are |with )?nans?|inputs?|missing|nan[- ]?(?:aware|safe|policy|values? in)|treat\w*|instead of (?:a )?nans?|not (?:a )?nans?)\b`)

// pastedOutput are the lines that the reporter says came.
func pastedOutput(rd *reading, c claims) []oracle.Line {
	p := &oracle.Printed{}
	addActual(rd, c, p)
	return p.Actual
}

var infWord = lazyre.New(`(?i)\binf`)

// nonFiniteWord is what the reporter saw: "nan" or "inf", "" when it says both
// or neither.
func nonFiniteWord(words string) string {
	low := strings.ToLower(words)
	nan, inf := strings.Contains(low, "nan"), infWord.MatchString(low)
	switch {
	case nan && !inf:
		return "nan"
	case inf && !nan:
		return "inf"
	}
	return ""
}
