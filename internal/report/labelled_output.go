package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// valueLabel is a line that names its own text a printed one: "Output:
// array([1])".
var valueLabel = lazyre.New(`(?i)^[ \t]*(?:[-*] +)?(?:the +)?(?:console +)?(?:outputs?|results?|prints?|returns?|out ?\[\d+\]) ?[:=] *(\S.*)$`)

// labelledOutput reads such lines under a heading that says which side they are
// of. Only values count: "Output: see below" is a sentence.
func (p *parser) labelledOutput(s sent) {
	role := p.roleAt(s.start)
	if s.title || role != RoleExpected && role != RoleActual {
		return
	}
	at := s.start
	for line := range strings.SplitAfterSeq(p.plain[s.start:s.end], "\n") {
		start := at
		at += len(line)
		m := valueLabel.FindStringSubmatchIndex(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		span := trimmed(p.text, Span{start + m[2], start + m[3]})
		if text := p.text[span.Start:span.End]; printedValuesOnly(text) && !p.said(span) && !p.quoted(span) {
			p.addStatement(Statement{Role: role, Kind: SaysOutput, Text: text, Span: span, Where: "prose", Block: -1})
		}
	}
}
