package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// bare records the versions without a name: those that the sentence judges, or
// that are certainly versions. Their package is the one that already has this
// version, else the main one.
func (p *parser) bare(s sent, text string, fs []found, all []mood) {
	spans := ranges(fs)
	for _, f := range fs {
		if f.dist != "" {
			continue
		}
		number := text[f.start:f.end]
		if before := text[max(0, f.start-40):f.start]; !bareBefore.MatchString(before) || ofPlatform(before) {
			continue
		}
		owner := p.ownerOf(number)
		if o, ok := partner(text, f, fs); ok {
			owner = p.pairOwner(text, o, owner)
		}
		// What the words right beside it judge is a version, in any position.
		cued := cueRole(text, f, all) != "" || owner.matched && judged(text, f)
		if owner.matched && !cued && !weakBefore.MatchString(text[max(0, f.start-40):f.start]) {
			owner.matched = false
		}
		certain := f.v || strings.Count(number, ".") >= 2 || strings.Contains(strings.ToLower(text[max(0, f.start-12):f.start]), "version") || owner.matched || cued && owner.dist != ""
		role := p.roleInSentence(s, text, f, fs, all, spans)
		if p.roleAt(s.start) == RoleVersions && role != RoleGood {
			continue // a list: its lines name what they are about
		}
		moved := moveRole(text, f, fs, all) != ""
		if owner.dist == "" || !certain && !moved || p.main.weak && role == RoleStated && !owner.matched {
			continue
		}
		if role == RoleStated && !s.title && !f.v && !inUse.MatchString(text[max(0, f.start-40):f.start]) {
			role = RoleMention
		}
		p.addVersion(func() Version {
			v := p.version(s, text, f, owner.dist, owner.name)
			v.Role = role
			below(&v, text, f)
			return v
		}())
	}
}

// ofPlatform says whether the word right before a number makes it the version of
// a system, a driver or a tool ("MacOS 10.15.5").
func ofPlatform(before string) bool {
	m := wordBefore.FindStringSubmatch(before)
	return m != nil && platformWord[lowered(m[1])]
}

var wordBefore = lazyre.New(`([A-Za-z][\w+]*)[ \t]+(?:version[ \t]+)?v?$`)

// weakBefore is what must stand before two numbers ("4.48") that are only
// likely to be a version: measured values look the same.
var weakBefore = lazyre.New(`(?i)\b(?:with|in|on|since|under|using|until|before|after|versions?|releases?|than|installed|installing|(?:updat|upgrad|mov|switch|migrat|bump)\w*\s+to)\s+$`)

// inUse are the words before a bare version that make it the reporter's own.
var inUse = lazyre.New(`(?i)\b(?:using|i'?m on|i am on|running|i use|installed|(?:my|our|current) versions?(?: is)?|versions?:?|tested (?:with|on)|reproduced (?:with|on)|(?:updat|upgrad|mov|switch|migrat|bump)\w*\s+to|版本)\s*v?$`)

// owner is the package to which a bare version belongs.
type owner struct {
	dist, name string
	matched    bool // a version of it with the same numbers was named
	exact      bool // ... this very version
}

// ownerOf prefers the main package, then whoever has exactly this version, then
// whoever has one of the same series.
func (p *parser) ownerOf(number string) owner {
	main := owner{dist: p.main.dist, name: p.main.name}
	best := 0
	out := main
	for _, v := range p.r.Versions {
		if v.Dist == "python" {
			continue
		}
		score := sameSeries(v.Spec, number) * 2
		if score > 0 && v.Dist == p.main.dist {
			score++
		} else if score < 4 {
			continue // only a shared first number
		}
		if score > best {
			best, out = score, owner{v.Dist, v.Name, true, score >= 6}
		}
	}
	// A near version of another package is no reason to leave the main one.
	if main.dist != "" && out.dist != main.dist && best < 6 {
		return main
	}
	return out
}

// partner is the other number of "from A to B".
func partner(text string, f found, fs []found) (found, bool) {
	for i := range fs[:max(0, len(fs)-1)] {
		a, b := fs[i], fs[i+1]
		if f.start != a.start && f.start != b.start || !movesTo.MatchString(between(text, a, b)) {
			continue
		}
		if f.start == a.start {
			return b, true
		}
		return a, true
	}
	return found{}, false
}

// pairOwner: both ends of a move are of one package, which one of them may name
// better than the other ("numpy from 2.0.0 to 1.26.4").
func (p *parser) pairOwner(text string, other found, mine owner) owner {
	if other.dist != "" {
		return owner{other.dist, text[other.name[0]:other.name[1]], true, true}
	}
	if o := p.ownerOf(text[other.start:other.end]); o.exact && !mine.exact {
		return o
	}
	return mine
}

// sameSeries is 3 for equal versions, 2 when one begins with the other
// ("4.48" and "4.48.0"), 1 for the same first number and length or a shared
// first two numbers, else 0.
func sameSeries(a, b string) int {
	a, b = strings.TrimPrefix(a, "=="), strings.TrimPrefix(b, "==")
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	switch {
	case a == b:
		return 3
	case strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+"."):
		return 2
	case as[0] == bs[0] && len(as) > 1 && len(bs) > 1 && len(as[1]) <= 3 && len(bs[1]) <= 3:
		return 1
	}
	return 0
}
