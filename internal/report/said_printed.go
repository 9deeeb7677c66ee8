package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	// saysPrinted: "the script prints steps: 3.", with nothing around the words
	// that were printed.
	saysPrinted = lazyre.New(`(?i)\b(?:prints?|printed|outputs?|shows?|logs?)(?: out)?:?\s+([^\s` + "`" + `"][^\n` + "`" + `]{3,160})$`)
	// printLabel is the literal that a print begins with.
	printLabel = lazyre.New(`\bprint\(\s*[fFrR]?(?:"([^"{\\\n]{4,80})["{]|'([^'{\\\n]{4,80})['{])`)
)

// saidPrinted reads what a sentence says that the script prints, where the words
// begin with a label that the script does print and end in a value: otherwise
// "prints the loss 3 times" would be taken for output.
func (p *parser) saidPrinted(s sent) {
	t := strings.TrimRight(p.plain[s.start:s.end], " \t\n.!")
	m := saysPrinted.FindStringSubmatchIndex(t)
	if m == nil || s.title {
		return
	}
	words := t[m[2]:m[3]]
	span := Span{s.start + m[2], s.start + m[3]}
	label := p.labelOfPrint(words)
	if label == "" || strings.Contains(p.text[span.Start:span.End], "`") || // quoted: read as such
		!valueText.MatchString(strings.TrimSpace(words[len(label):])) {
		return
	}
	before := t[max(0, m[0]-maxCue):m[0]]
	role := sideIn(p.roleAt(s.start), RoleActual, t[:m[0]])
	switch {
	case wantedCue.MatchString(before):
		role = RoleExpected
	case negation.MatchString(before):
		return
	}
	p.addStatement(Statement{Role: role, Kind: SaysOutput, Text: p.text[span.Start:span.End], Span: span, Where: "prose", Block: -1, Version: p.versionOf(s, span)})
}

// labelOfPrint is the label of a print of the report's scripts that the words
// begin with, "" when no print has it.
func (p *parser) labelOfPrint(words string) string {
	for _, b := range p.r.Blocks {
		if b.Kind != BlockPython {
			continue
		}
		for _, m := range printLabel.FindAllStringSubmatch(b.Text, maxLines) {
			label := strings.TrimSpace(m[1] + m[2])
			if len(label) >= 4 && strings.HasPrefix(words, label) && len(words) > len(label) {
				return label
			}
		}
	}
	return ""
}
