package report

import (
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// named is what may stand between a cue and its number: "the version", "jax".
const namedGap = `(?:\s*[:=]|\s+(?:is|was|being))?\s+(?:(?:the\s+)?(?:versions?|releases?)\s+)?(?:[A-Za-z][\w-]*\s+)?v?$`

// The words right before a number that say by themselves what it is. Collected
// from reports.
var (
	lastGood       = lazyre.New(`(?i)\b(?:last|latest|newest|previous)\s+(?:known\s+)?(?:working|good|fine|correct|unaffected|ok)(?:\s+(?:one|versions?|releases?|build))?` + namedGap)
	firstBad       = lazyre.New(`(?i)\bfirst\s+(?:known\s+)?(?:bad|broken|affected|failing|wrong)(?:\s+(?:one|versions?|releases?|build))?` + namedGap)
	regressionFrom = lazyre.New(`(?i)\bregress\w*\s+(?:from|relative to|compared (?:to|with)|versus|vs\.?|against)` + namedGap)
	brokeIn        = lazyre.New(`(?i)\b(?:broken?|breaks|regress(?:ion|ed|es)|introduced|started|starts)\s+(?:in|with|since|at|as of|after)` + namedGap)
	sinceNumber    = lazyre.New(`(?i)(?:^\s*|[,;(]\s*|\b(?:it|this|that|wrong|fails?|nans?|broken|crash\w*|so|happen\w*|gone|changed)\s+)since` + namedGap)
	sinceGoesOn    = lazyre.New(`(?i)^\s*(?:[,.;:)]|$|(?:the|it|this|that|my|i|we|there|all|every)\b)`)
	notNumber      = lazyre.New(`(?i)(?:^\s*|[,;(:]\s*|\b(?:but|and|only)\s+)not\s+(?:(?:in|with|on|under)\s+)?(?:(?:the\s+)?(?:versions?|releases?)\s+)?(?:[A-Za-z][\w-]*\s+)?v?$`)
)

// A label of two words over an output: "Before 2.0:", "After 2.0:".
var (
	aloneBefore  = lazyre.New(`(?i)^\W*(?:before|prior to|until|up to)\s+(?:(?:the\s+)?(?:versions?|releases?)\s+)?(?:[A-Za-z][\w-]*\s+)?v?\d[\w.]*\W*$`)
	aloneAfter   = lazyre.New(`(?i)^\W*(?:after|since|from|as of|starting with)\s+(?:(?:the\s+)?(?:versions?|releases?)\s+)?(?:[A-Za-z][\w-]*\s+)?v?\d[\w.]*(?:\s+on(?:wards?)?)?\W*$`)
	beforeNumber = lazyre.New(`(?i)\b(?:before|prior to|older than|earlier than)\s+(?:(?:the\s+)?(?:versions?|releases?)\s+)?(?:[A-Za-z][\w-]*\s+)?v?$`)
)

// below turns a good version into what is older than it, where the words say so:
// "it worked before 2.0" says nothing good of 2.0.
func below(v *Version, text string, f found) {
	if v.Role == RoleGood && v.Kind != VersionRange && beforeNumber.MatchString(text[:f.start]) {
		v.Spec, v.Kind = "<"+v.Spec, VersionRange
	}
}

// cueRole is the role that the words right before the number give it, "" when
// they give none.
func cueRole(text string, f found, all []mood) VersionRole {
	start := f.start
	before := text[max(0, start-80):start]
	switch {
	case aloneBefore.MatchString(text):
		return RoleGood
	case aloneAfter.MatchString(text):
		return RoleBad
	case lastGood.MatchString(before), regressionFrom.MatchString(before):
		return RoleGood
	case firstBad.MatchString(before):
		return RoleBad
	case brokeIn.MatchString(before) && !helped(all):
		return RoleBad
	case sinceNumber.MatchString(before) && sinceGoesOn.MatchString(text[f.end:]) && !helped(all):
		return RoleBad
	case notNumber.MatchString(before):
		// "works in 2.0, not in 1.6" and "fails in 2.0, not in 1.6".
		if anyGood(all) {
			return RoleBad
		}
		return RoleGood
	}
	return ""
}

func anyGood(all []mood) bool {
	for _, m := range all {
		if m.good {
			return true
		}
	}
	return false
}

var (
	clauseStart = lazyre.New(`(?i)(?:^|[,;:(.\x{2013}\x{2014}]|\b(?:and|but|while|whereas|though))\s*v?$`)
	judgedAfter = lazyre.New(`(?i)^\s+(?:was|is|were|works?|worked|runs?|ran|gives?|gave|behaves?|behaved|does|did|used to|ok|okay|fine|printed|returned|has|had)\b`)
)

// judged is true for a number that is the subject of its clause: "1.0 was fine".
func judged(text string, f found) bool {
	return clauseStart.MatchString(text[:f.start]) && judgedAfter.MatchString(text[f.end:])
}

// Past results: what an older version did, told without a word of praise.
var (
	pastBefore = lazyre.New(`(?i)\b(?:returned|gave|printed|produced|yielded|computed|showed|behaved)\b[^,;.]{0,60}\b(?:in|with|on|under|until|before)\s+(?:(?:the\s+)?(?:versions?|releases?)\s+)?(?:[A-Za-z][\w-]*\s+)?v?$`)
	pastVerb   = lazyre.New(`(?i)\b(?:returned|gave|printed|produced|yielded|computed|showed|behaved|used to|was|were)\b`)
	sameAgain  = lazyre.New(`(?i)\b(?:also|too|as well|already|same|still|even|likewise|neither|either|both|identical(?:ly)?|no (?:change|difference)|again)\b`)
	ownVersion = lazyre.New(`(?i)\b(?:i|we) (?:was|were|had)\b|\b(?:my|our|the) (?:\w+ )?(?:version|release) (?:was|were)\b|\b(?:installed|released|published|built|created|trained|saved|written)\b`)
)

// pastResult remembers a version that is told of in the past tense.
func (p *parser) pastResult(s sent, text string, f found) {
	if pastVerb.MatchString(text) && !sameAgain.MatchString(text) && !ownVersion.MatchString(text) {
		p.past = append(p.past, s.start+f.end)
	}
}

// olderResults: "2.3.1 prints 0. In 2.2.2 it printed -0." A report says what an
// older version did because it did it right; so it is good when the reporter's
// own version of the same package is newer and nothing else is said of it.
func (p *parser) olderResults() {
	for _, end := range p.past {
		for i := range p.r.Versions {
			v := &p.r.Versions[i]
			if v.Span.End == end && v.Role == RoleMention && p.newerStated(*v) {
				v.Role = RoleGood
			}
		}
	}
}

func (p *parser) newerStated(old Version) bool {
	for _, v := range p.r.Versions {
		if v.Dist == old.Dist && (v.Role == RoleStated || v.Role == RoleBad) && older(old.Spec, v.Spec) {
			return true
		}
	}
	return false
}

// older compares the numbers of two versions; false for what has none.
func older(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		x, errA := strconv.Atoi(as[i])
		y, errB := strconv.Atoi(bs[i])
		if errA != nil || errB != nil {
			return false
		}
		if x != y {
			return x < y
		}
	}
	return false
}
