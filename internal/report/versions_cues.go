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
	// lastGood: "last working version is 1.9".
	lastGood = lazyre.New(`(?i)\b(?:last|latest|newest|previous)\s+(?:known\s+)?(?:working|good|fine|correct|unaffected|ok)(?:\s+(?:one|versions?|releases?|build))?` + namedGap)
	// firstBad: "first bad release: 2.0".
	firstBad = lazyre.New(`(?i)\bfirst\s+(?:known\s+)?(?:bad|broken|affected|failing|wrong)(?:\s+(?:one|versions?|releases?|build))?` + namedGap)
	// regressionFrom: "a regression from 1.9".
	regressionFrom = lazyre.New(`(?i)\bregress\w*\s+(?:from|relative to|compared (?:to|with)|versus|vs\.?|against)` + namedGap)
	// comparedTo: "slower in 2.0 than in 1.9", "a regression with 2.0 versus 1.9":
	// the second number of a comparison, and what makes that a complaint.
	comparedTo = lazyre.New(`(?i)\b(?:versus|vs\.?|compared (?:to|with)|as opposed to|relative to|against|than (?:in|with|on|under))` + namedGap)
	complains  = lazyre.New(`(?i)\b(?:regress|slow|worse|wrong|incorrect|degrad|leak|brok|fail|crash|nans?\b).*\d\.\d|\d\.\d.*\b(?:regress|slow|worse|wrong|incorrect|degrad|leak|brok|fail|crash|nans?\b)`)
	// brokeIn: "it broke in 2.0".
	brokeIn = lazyre.New(`(?i)\b(?:broken?|breaks|regress(?:ion|ed|es)|introduced|started|starts)\s+(?:in|with|since|at|as of|after)` + namedGap)
	// sinceNumber: "Since 2.0 it fails".
	sinceNumber = lazyre.New(`(?i)(?:^\s*|[,;(]\s*|\b(?:it|this|that|wrong|fails?|nans?|broken|crash\w*|so|happen\w*|gone|changed)\s+)since` + namedGap)
	// sinceGoesOn: what may stand behind such a number.
	sinceGoesOn = lazyre.New(`(?i)^\s*(?:[,.;:)]|$|(?:the|it|this|that|my|i|we|there|all|every)\b)`)
	// notNumber: "..., not in 1.9".
	notNumber = lazyre.New(`(?i)(?:^\s*|[,;(:]\s*|\b(?:but|and|only)\s+)not\s+(?:(?:in|with|on|under)\s+)?(?:(?:the\s+)?(?:versions?|releases?)\s+)?(?:[A-Za-z][\w-]*\s+)?v?$`)
)

// A label of two words over an output: "Before 2.0:", "After 2.0:".
var (
	// aloneBefore: "Before 2.0:".
	aloneBefore = lazyre.New(`(?i)^\W*(?:before|prior to|until|up to)\s+(?:(?:the\s+)?(?:versions?|releases?)\s+)?(?:[A-Za-z][\w-]*\s+)?v?\d[\w.]*\W*$`)
	// aloneAfter: "After 2.0:".
	aloneAfter = lazyre.New(`(?i)^\W*(?:after|since|from|as of|starting with)\s+(?:(?:the\s+)?(?:versions?|releases?)\s+)?(?:[A-Za-z][\w-]*\s+)?v?\d[\w.]*(?:\s+on(?:wards?)?)?\W*$`)
	// beforeNumber: "it worked before 2.0".
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
	if !cueGate.open(lowered(text)) {
		return ""
	}
	start := f.start
	before := text[max(0, start-80):start]
	switch {
	case aloneBefore.MatchString(text):
		return RoleGood
	case aloneAfter.MatchString(text):
		return RoleBad
	case lastGood.MatchString(before), regressionFrom.MatchString(before):
		return RoleGood
	case comparedTo.MatchString(before) && complains.MatchString(text[max(0, start-160):start]) && !anyGood(all):
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

// anyGood says whether one of the judging words is a good one.
func anyGood(all []mood) bool {
	for _, m := range all {
		if m.good {
			return true
		}
	}
	return false
}

var (
	// clauseStart: the number is the first word of its clause.
	clauseStart = lazyre.New(`(?i)(?:^|[,;:(.\x{2013}\x{2014}]|\b(?:and|but|while|whereas|though))\s*v?$`)
	// judgedAfter: what is said of it ("was fine").
	judgedAfter = lazyre.New(`(?i)^\s+(?:was|is|were|works?|worked|runs?|ran|gives?|gave|behaves?|behaved|does|did|used to|ok|okay|fine|printed|returned|has|had)\b`)
)

// judged is true for a number that is the subject of its clause: "1.0 was fine".
func judged(text string, f found) bool {
	return clauseStart.MatchString(text[:f.start]) && judgedAfter.MatchString(text[f.end:])
}

// Past results: what an older version did, told without a word of praise.
var (
	// pastBefore: "returned 3 in 1.9".
	pastBefore = lazyre.New(`(?i)\b(?:returned|gave|printed|produced|yielded|computed|showed|behaved)\b[^,;.]{0,60}\b(?:in|with|on|under|until|before)\s+(?:(?:the\s+)?(?:versions?|releases?)\s+)?(?:[A-Za-z][\w-]*\s+)?v?$`)
	// pastVerb: a result told in the past.
	pastVerb = lazyre.New(`(?i)\b(?:returned|gave|printed|produced|yielded|computed|showed|behaved|used to|was|were)\b`)
	// sameAgain: the same as now, so not better.
	sameAgain = lazyre.New(`(?i)\b(?:also|too|as well|already|same|still|even|likewise|neither|either|both|identical(?:ly)?|no (?:change|difference)|again)\b`)
	// ownVersion: the past tense is about something else than a result.
	ownVersion = lazyre.New(`(?i)\b(?:i|we) (?:was|were|had)\b|\b(?:my|our|the) (?:\w+ )?(?:version|release) (?:was|were)\b|\b(?:was|were) (?:\w+ )?(?:included|introduced|added|merged|deprecated|removed|renamed|changed|implemented|shipped)\b|\b(?:installed|released|published|built|created|trained|saved|written)\b`)
)

// pastResult remembers a version that is told of in the past tense.
func (p *parser) pastResult(s sent, text string, f found) {
	if pastVerb.MatchString(text) && !sameAgain.MatchString(text) && !ownVersion.MatchString(text) {
		p.past = append(p.past, s.start+f.end)
	}
}

// expectedRun is the label of an expected output that says where it was seen:
// "ran in 1.9:", "Output of 1.9:".
var expectedRun = lazyre.New(`(?i)^\W*(?:(?:i|we|it|this|as|and|when|what|the|same|code|script) ){0,4}(?:ran|run|seen|got|was|worked|output|results?|printed|gave|returned)\b[^.;]{0,40}\b(?:in|on|of|with|under|from|by|using)\s+(?:(?:the\s+)?(?:versions?|releases?)\s+)?(?:[A-Za-z][\w-]*\s+)?v?\d[\w.]*\W*$`)

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

// newerStated says whether the reporter states a newer release of the same
// package than the given one.
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
