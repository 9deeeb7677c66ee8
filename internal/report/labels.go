package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// sideLabel is a line of its own that says what came or should have come:
// "Expected: 2 1". Group 1 is set for the expected side, 2 for the actual one.
var sideLabel = lazyre.New(`(?i)^\s*(?:[-*+]\s+)?(?:(expected|desired|correct|期望|预期)|(actual|got|current|observed|实际))(?: ?(?:outputs?|results?|values?|behaviou?rs?|输出|结果))?\s*[:=]\s+(\S.*?)\s*$`)

// nounLabel is such a line with a noun of the reporter's own: "Observed loss:
// about `0.3`". Only a value may stand behind it, for "current plan: 2 steps"
// begins alike.
var nounLabel = lazyre.New(`(?i)^\s*(?:[-*+]\s+)?(?:(expected|desired|correct)|(actual|current|observed|measured|returned|printed))\s+[A-Za-z_][\w.]*(?:\s+[a-z_]\w*)?\s*[:=]\s+(\S.*?)[\s.]*$`)

// labelledNoun reads such a line from l, which begins at from.
func (p *parser) labelledNoun(l string, from int) {
	m := nounLabel.FindStringSubmatchIndex(l)
	if m == nil {
		return
	}
	span := trimmed(p.text, Span{from + m[6], from + m[7]})
	lead := about.FindString(p.text[span.Start:span.End])
	text := strings.Trim(p.text[span.Start+len(lead):span.End], "`") // only one of them lies in the span
	span.Start += len(lead) + strings.Index(p.text[span.Start+len(lead):span.End], text)
	span.End = span.Start + len(text)
	if !valueText.MatchString(text) {
		return
	}
	role := RoleExpected
	if m[2] < 0 {
		role = RoleActual
	}
	p.addStatement(Statement{Role: role, Kind: SaysValue, Text: text, Span: span, Where: "prose", Block: -1, Approximate: lead != ""})
}

// labelledLines reads such lines where they hold several values; a single one
// is read as a value.
func (p *parser) labelledLines(s sent) {
	t := p.plain[s.start:s.end]
	if !strings.ContainsAny(t, ":=") {
		return
	}
	from := s.start
	for n, l := range strings.Split(t, "\n") {
		if n >= maxLabels {
			return
		}
		if m := sideLabel.FindStringSubmatchIndex(l); m != nil && strings.ContainsAny(l[m[6]:m[7]], " ,") && printedValues.MatchString(l[m[6]:m[7]]) {
			role := RoleExpected
			if m[2] < 0 {
				role = RoleActual
			}
			span := trimmed(p.text, Span{from + m[6], from + m[7]})
			p.addStatement(Statement{Role: role, Kind: SaysOutput, Text: p.text[span.Start:span.End], Span: span, Where: "prose", Block: -1})
		} else {
			p.labelledNoun(l, from)
		}
		from += len(l) + 1
	}
}

// maxLabels is how many lines of a paragraph are asked (a guess).
const maxLabels = 40

// said is true inside a stated line: a part of it is no statement of its own.
func (p *parser) said(at Span) bool {
	for i := len(p.r.Statements) - 1; i >= 0 && i >= len(p.r.Statements)-8; i-- {
		if s := p.r.Statements[i]; s.Kind == SaysOutput && s.Where == "prose" && at.Start >= s.Span.Start && at.End <= s.Span.End {
			return true
		}
	}
	return false
}

// labelledValue reads a line that begins with a version ("1.4.4: [1.5, 1.5]"):
// what a good version gives should come, what a bad one gives came.
func (p *parser) labelledValue(s sent, raw string) {
	if !versionLabel.MatchString(p.plain[s.start:min(s.end, s.start+120)]) {
		return
	}
	k := strings.Index(raw, ": ")
	if k < 0 {
		return
	}
	span := trimmed(p.text, Span{s.start + k + 2, s.end})
	span = unticked(p.text, span)
	text := p.text[span.Start:span.End]
	v := p.versionAt(Span{s.start, s.start + k})
	if v == nil || !valueText.MatchString(text) {
		return
	}
	role := RoleActual
	switch v.Role {
	case RoleGood:
		role = RoleExpected
	case RoleMention:
		return
	}
	p.addStatement(Statement{Role: role, Kind: SaysOutput, Text: text, Span: span, Where: "prose", Block: -1, Version: v})
}

// unticked is the span without backticks around it.
func unticked(text string, s Span) Span {
	if s.End-s.Start > 2 && text[s.Start] == '`' && text[s.End-1] == '`' {
		return Span{s.Start + 1, s.End - 1}
	}
	return s
}

// versionAt is the version inside the span, with what the rest of the report
// says of that very release.
func (p *parser) versionAt(s Span) *Version {
	for _, v := range p.r.Versions {
		if v.Span.Start < s.Start || v.Span.End > s.End || v.Dist == "python" {
			continue
		}
		for _, o := range p.r.Versions {
			if o.Dist == v.Dist && o.Spec == v.Spec && (o.Role == RoleGood || o.Role == RoleBad) {
				v.Role = o.Role
			}
		}
		return &v
	}
	return nil
}

// soleVersion is a lead that names a version and says nothing of it: "Output
// with 0.18.3:".
var soleVersion = lazyre.New(`(?i)^\W*(?:(?:the |my |actual )*(?:outputs?|results?|prints?|logs?)\s+)?(?:(?:with|in|on|using|from|for|under|of)\s+)?(?:(?:versions?|releases?)\s+)?(?:[A-Za-z][\w.-]*\s+)?v?\d+\.\d[\w.+]*\W*$`)

// labelOf is the lead of a block, or the heading right above it.
func (p *parser) labelOf(i int) string {
	b := p.r.Blocks[i]
	if b.Lead == "" && b.Section < len(p.r.Sections) {
		return p.r.Sections[b.Section].Heading
	}
	return b.Lead
}

// labelledOutputs looks at outputs that are shown side by side, each under the
// label of its version. Where they differ and the newest of them is the
// reporter's own, the older ones are shown because they are right, as in
// olderResults.
func (p *parser) labelledOutputs() {
	own := map[string]*Version{}
	text := map[string]string{}
	var before []*Version
	for i, b := range p.r.Blocks {
		if b.Kind != BlockOutput && b.Kind != BlockTraceback || !soleVersion.MatchString(p.labelOf(i)) {
			continue
		}
		v := p.versionOfLead(i)
		if v == nil {
			continue
		}
		if p.ownRelease(*v) {
			own[v.Dist], text[v.Dist] = v, b.Text
		} else if v.Role == RoleMention && b.Kind == BlockOutput {
			before = append(before, v)
			text[v.Dist+" "+v.Spec] = b.Text
		}
	}
	for _, v := range before {
		if o := own[v.Dist]; o != nil && older(v.Spec, o.Spec) && text[v.Dist] != text[v.Dist+" "+v.Spec] {
			p.setRole(*v, RoleGood)
		}
	}
}

// ownRelease says whether the reporter states this very release elsewhere, or
// calls it bad.
func (p *parser) ownRelease(v Version) bool {
	for _, o := range p.r.Versions {
		if o.Dist == v.Dist && o.Spec == v.Spec && (o.Role == RoleStated || o.Role == RoleBad) {
			return true
		}
	}
	return false
}

// setRole changes what is said of the version at the same place.
func (p *parser) setRole(v Version, role VersionRole) {
	for i := range p.r.Versions {
		if p.r.Versions[i].Span == v.Span {
			p.r.Versions[i].Role = role
		}
	}
}
