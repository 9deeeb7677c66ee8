package report

import "github.com/repgen/repgen/internal/system/lazyre"

// relations are the claims about several results that prose makes; each is
// something that should hold.
var relations = []struct {
	name string
	re   *lazyre.Regexp
}{
	{"all_nan", lazyre.New(`(?i)\b(?:both|all|they|these|the (?:two|results|outputs|values))\s+(?:should|must|ought to)\s+(?:all |both |also )?be nans?\b|\b(?:should|must)\s+(?:all|both) be nans?\b`)},
	{"all_finite", lazyre.New(`(?i)\b(?:should|must|ought to) (?:all |both )?(?:be finite|not be nan|not (?:contain|return|give|have) (?:any )?nans?)\b|\b(?:expected|expect) (?:no nans?|finite (?:values?|numbers?|loss|results?|output))\b|\bshould(?:n['\x{2019}]t| not) (?:be|contain|return|give) (?:any )?nans?\b`)},
	{"no_warning", lazyre.New(`(?i)\b(?:should|must|expect(?:ed)?)\b[^.\n]{0,60}\bno (?:\w+ )?warnings?\b|\bshould(?:n['\x{2019}]t| not) (?:warn|complain|emit (?:a |any )?warnings?|give (?:a |any )?warnings?|print (?:a |any )?warnings?)\b|\b(?:there )?should be no warnings?\b`)},
	{"no_error", lazyre.New(`(?i)\bshould(?:n['\x{2019}]t| not) (?:raise|crash|fail|throw|error|abort|segfault|die|break)\b|\b(?:should|must|expect(?:ed)?)\b[^.\n]{0,40}\bno (?:error|exception|crash)s?\b|\b(?:should|expected? (?:it )?to) (?:just |simply )?(?:work|succeed|run|pass|be importable)\b`)},
	{"same", lazyre.New(`(?i)\b(?:should|must)(?:n['\x{2019}]t| not|not)? (?:not )?(?:depend on|matter|change|affect|influence)\b[^.\n]{0,60}|\bmust not change\b|\bthe same (?:for|regardless|independent|no matter)\b[^.\n]{0,30}`)},
	{"equal", lazyre.New(`(?i)\b(?:should|must|ought to|expected? (?:them )?to|expect)\b[^.\n]{0,40}?\b(?:be (?:equal|the same|identical)|give (?:\w+ )?(?:the same|identical|equal)|match|agree|return the same|print the same|have the same|(?:the )?same (?:results?|numbers?|values?|outputs?))\b`)},
}

// notAll turns what follows round: "not all trials should use the same values".
var notAll = lazyre.New(`(?i)\bnot (?:all|both|every|each|the|any)(?: (?:of )?(?:the |these |those )?\w+){0,6}\s*$|\b(?:nor|neither|without)(?: \w+){0,3}\s*$`)

// inExpected are relations that need no "should" under a heading that says
// "expected".
var inExpected = []struct {
	name string
	re   *lazyre.Regexp
}{
	{"no_warning", lazyre.New(`(?i)\b(?:no|without(?: a| any)?)\s+(?:\w+ )?(?:warnings?|\w+Warning)\b`)},
	{"no_error", lazyre.New(`(?i)\b(?:no|without(?: an?| any)?) (?:\w+ )?(?:errors?|exceptions?|crash(?:es)?)\b|\bworks?\b|\bsucceeds?\b`)},
	{"all_nan", lazyre.New(`(?i)\b(?:both|all) (?:are )?nans?\b`)},
	{"all_finite", lazyre.New(`(?i)\b(?:no|without) nans?\b|\bfinite\b`)},
	{"same", lazyre.New(`(?i)\b(?:the )?same (?:numbers?|results?|values?|outputs?|distance|loss|shape)\b|\bidentical\b|\bequal\b`)},
}

// relationStatements reads claims about several results.
func (p *parser) relationStatements(s sent) {
	t := p.plain[s.start:s.end]
	list := relations
	if p.roleAt(s.start) == RoleExpected && !s.title {
		list = append(list[:len(list):len(list)], inExpected...)
	} else if !wishGate.open(p.lower[s.start:s.end]) {
		return
	}
	seen := map[string]bool{}
	for _, r := range list {
		m := r.re.FindStringIndex(t)
		if m == nil || seen[r.name] || notAll.MatchString(t[max(0, m[0]-40):m[0]]) {
			continue
		}
		seen[r.name] = true
		span := trimmed(p.text, Span{s.start + m[0], s.start + m[1]})
		p.addStatement(Statement{Role: RoleExpected, Kind: SaysRelation, Relation: r.name, Text: p.text[span.Start:span.End], Span: span, Where: "prose", Block: -1})
	}
}
