package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	// moveVerb: "upgraded from A to B".
	moveVerb = lazyre.New(`(?i)\b(?:regress\w*|broken?|breaks|between|upgrad\w*|updat\w*|mov(?:e|ed|ing)|switch\w*|go(?:ing)?|went|bump\w*|migrat\w*|chang\w*|downgrad\w*|revert\w*|roll\w*|reinstall\w*)\b|升级|更新|降级|从`)
	// downVerb: "went back to A".
	downVerb = lazyre.New(`(?i)\b(?:go(?:ing|ne)? back|went back|roll(?:ing|ed)? back|downgrad\w*|revert\w*|pinn(?:ing|ed)|back)\b(?:\s+[\w.-]+){0,3}?\s+to\s+(?:\S+\s+)?v?$`)
	// movesTo: what stands between the two numbers of a move.
	movesTo = lazyre.New(`(?i)^\s*(?:to|->|=>|\x{2192}|and|(?:升级|更新)?[到至])\s*(?:[A-Za-z][\w.-]*\s+)?v?$`)
	// sinceVerb: "starting with A".
	sinceVerb = lazyre.New(`(?i)\b(?:since|starting (?:with|from)|beginning with|as of)\s+(?:(?:the\s+)?(?:version|release)\s+)?(?:[A-Za-z][\w-]*\s+)?v?$`)
	// pastAfter: "In A it returned".
	pastAfter = lazyre.New(`(?i)^[\s,]*(?:(?:it|this|that|the \w+|we|they|i) )?(?:returned|gave|printed|was|were|produced|got|showed|used to|did)\b`)
	// verdictWord: an item of a list of versions that judges and does not only list.
	verdictWord = lazyre.New(`(?i)\b(?:reproduc\w*|works?|worked|fails?|failed|broken|affected|unaffected|good|bad|fine|crash\w*|ok)\b`)
	// crashWith: "crashes with A", in a title.
	crashWith = lazyre.New(`(?i)\b(?:crash\w*|segfault\w*|fails?|broken|wrong|nans?|errors?|hangs?)\s+(?:with|in|on|since|under)\s+(?:[A-Za-z][\w-]*\s+)?v?$`)
	// betweenTwo: "between A and B".
	betweenTwo = lazyre.New(`(?i)\bbetween\s+(?:(?:versions?|releases?)\s+)?(?:[A-Za-z][\w.-]*\s+)?v?$`)
	// pastTense: "was", "used to".
	pastTense = lazyre.New(`(?i)\b(?:was|were|used to|did)\b`)
)

// roleInSentence reads good and bad from the words around the number.
func (p *parser) roleInSentence(s sent, text string, f found, fs []found, all []mood, spans [][2]int) VersionRole {
	if role := moveRole(text, f, fs, all); role != "" {
		return role
	}
	if role := cueRole(text, f, all); role != "" {
		return role
	}
	good, ok := moodAt(text, all, spans, f.start, f.end)
	switch since := sinceVerb.MatchString(text[:f.start]); {
	case since && (!ok || !good):
		return RoleBad
	case p.roleAt(s.start) == RoleExpected && expectedRun.MatchString(text):
		p.past = append(p.past, s.start+f.end) // good when the reporter's own is newer
		return RoleMention
	case p.roleAt(s.start) == RoleVersions && !(ok && s.item && verdictWord.MatchString(text)):
		return RoleStated
	case s.title && ok && !good && crashWith.MatchString(text[:f.start]):
		return RoleBad
	case s.title && !(ok && good):
		return RoleStated
	case ok && good:
		return RoleGood
	case downVerb.MatchString(text[:f.start]) && (!ok || !strings.Contains(text, "not")):
		return RoleGood
	case ok:
		return RoleBad
	case pastTense.MatchString(text[:f.start]), pastAfter.MatchString(text[f.end:]), pastBefore.MatchString(text[:f.start]):
		p.pastResult(s, text, f)
		return RoleMention
	}
	return RoleStated
}

// moveRole reads "from A to B": in a report of a bug A was good and B is bad,
// unless the sentence says that the move helped.
func moveRole(text string, f found, fs []found, all []mood) VersionRole {
	for i, a := range fs {
		for _, b := range fs[i+1 : min(len(fs), i+2)] {
			if f.start != a.start && f.start != b.start || !movesTo.MatchString(between(text, a, b)) {
				continue
			}
			if strings.HasPrefix(strings.ToLower(strings.TrimSpace(between(text, a, b))), "and") && !betweenTwo.MatchString(text[:a.start]) {
				continue
			}
			if !moveVerb.MatchString(text[:a.start]) && !moveVerb.MatchString(text[b.end:min(len(text), b.end+20)]) {
				continue
			}
			first, second := RoleGood, RoleBad
			if helped(all) {
				first, second = RoleBad, RoleGood
			}
			if f.start == a.start {
				return first
			}
			return second
		}
	}
	return ""
}

// between is the text after the number a and before the number b, b's name out.
func between(text string, a, b found) string {
	end := b.start
	if b.name[1] > b.name[0] && b.name[0] >= a.end {
		end = b.name[0]
	}
	if end < a.end {
		return ""
	}
	return text[a.end:end]
}

// helped is true when all judging words of a sentence are good ones.
func helped(all []mood) bool {
	for _, m := range all {
		if !m.good {
			return false
		}
	}
	return len(all) > 0
}

// withoutContrast: a named version is bad in so many words only where another
// one of the same package is good; else it is simply the reporter's.
func (p *parser) withoutContrast() {
	good := map[string]bool{}
	for _, v := range p.r.Versions {
		if v.Role == RoleGood {
			good[v.Dist] = true
		}
	}
	for i := range p.r.Versions {
		v := &p.r.Versions[i]
		if named := v.Span.End-v.Span.Start > len(v.Spec); v.Role == RoleBad && named && !good[v.Dist] {
			v.Role = RoleStated
		}
	}
}

// commitNamed is "at commit 4a1c8b2d", "(commit hash: 4a1c8b2)".
var commitNamed = lazyre.New(`(?i)\b(?:commit|revision|sha|git hash)(?: hash)?(?: id)?\s*[:=]?\s+([0-9a-f]{7,40})\b`)

// commitVersions reads a commit: it is of the package that the sentence calls
// by a branch, else of the report's main one.
func (p *parser) commitVersions(s sent, text string) {
	if !commitGate.open(p.lower[s.start:s.end]) {
		return
	}
	for _, m := range commitNamed.FindAllStringSubmatchIndex(text, 4) {
		spec := text[m[2]:m[3]]
		if strings.Trim(spec, "0123456789") == "" && len(spec) < 8 {
			continue // a number
		}
		owner := p.main
		for _, v := range p.r.Versions {
			if v.Kind == VersionMoving && v.Span.Start >= s.start && v.Span.End <= s.end && v.Where != "install_line" {
				owner = subject{dist: v.Dist, name: v.Name}
			}
		}
		if owner.dist != "" {
			p.addVersion(Version{Name: owner.name, Dist: owner.dist, Spec: spec, Kind: VersionMoving, Where: p.where(s), Span: Span{s.start + m[2], s.start + m[3]}})
		}
	}
}
