package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	commentCame   = lazyre.New(`(?i)^(?:this |it |here )?(?:prints?|outputs?|returns?|gives?|got|shows?|evaluates? to|becomes|yields|->|=>|actual(?:ly)?:?|result:?|output:?)\s*:?\s*(.+)$`)
	commentWanted = lazyre.New(`(?i)\b(?:should (?:be|print|give|return)|expect(?:ed|s)?:?(?: to be)?|but (?:should|expected)(?: be)?|instead of|correct:)\s*:?\s*(.+)$`)
	commentRaises = lazyre.New(`(?i)^(?:<?-+\s*|\x{2190}\s*)?(?:this |it |here )?(?:(?:raises?|throws?|fails?|crash(?:es)?|errors?|dies|segfaults?|boom|aborts?)\b(?: (?:here|with))?(?:\s+an?)?\s*:?\s*((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception))?|((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception))\b|ERROR\b)`)
	negation      = lazyre.New(`(?i)\b(?:no|not|never|doesn't|does not|without|should)\b`)
	cutComment    = lazyre.New(`(?i)\s*(?:,|;|\(|\bbut\b|--)?\s*(?:should (?:be|print|give|return)|expect(?:ed|s)?|but (?:should|expected)|instead of|correct:).*$`)
)

// comment is one # comment in a block's code.
type comment struct {
	line       int // 0-based, in the block
	start, end int // in the report's text, without the hash sign
	trailing   bool
}

// commentsOf finds the comments of a block line by line. It knows strings, also
// those over several lines, and no more: the syntax tree is asked elsewhere.
func (p *parser) commentsOf(b *blk) []comment {
	var out []comment
	quote := ""
	for k, l := range b.lines {
		t := p.text[l.start:l.end]
		for i := 0; i < len(t); i++ {
			switch {
			case quote != "":
				if t[i] == '\\' {
					i++
				} else if strings.HasPrefix(t[i:], quote) {
					i += len(quote) - 1
					quote = ""
				}
			case strings.HasPrefix(t[i:], `"""`), strings.HasPrefix(t[i:], `'''`):
				quote = t[i : i+3]
				i += 2
			case t[i] == '"' || t[i] == '\'':
				quote = t[i : i+1]
			case t[i] == '#':
				out = append(out, comment{k, l.start + i + 1, l.end, strings.TrimSpace(t[:i]) != ""})
				i = len(t)
			}
		}
		if len(quote) == 1 {
			quote = "" // an open plain string ends with its line
		}
	}
	return out
}

// commentStatements reads what comments say of the line that they stand on.
func (p *parser) commentStatements(i int) {
	for n, c := range p.commentsOf(&p.blks[i]) {
		if n >= maxLines {
			return
		}
		s := trimmed(p.text, Span{c.start, c.end})
		p.commentStatement(i, c, s)
	}
}

func (p *parser) commentStatement(i int, c comment, s Span) {
	text := p.text[s.Start:s.End]
	add := func(role Role, kind StatementKind, words string, from, to int) {
		p.addStatement(Statement{Role: role, Kind: kind, Text: words, Span: Span{s.Start + from, s.Start + to}, Where: "comment", Block: i, Line: c.line + 1, Approximate: approxLead.MatchString(text)})
	}
	if m := commentWanted.FindStringSubmatchIndex(text); m != nil {
		from, to := quotedPart(text, m[2], m[3])
		if kind, ok := kindOfInline(text[from:to], false); ok && (kind != SaysOutput || to-from < 60) {
			add(RoleExpected, kind, text[from:to], from, to)
		}
	}
	if m := commentCame.FindStringSubmatchIndex(text); m != nil {
		end := m[2] + len(cutComment.ReplaceAllString(text[m[2]:m[3]], ""))
		from, to := quotedPart(text, m[2], end)
		if to > from {
			kind, ok := kindOfInline(text[from:to], true)
			if ok && (c.trailing || kind != SaysOutput || !strings.Contains(text[from:to], " ")) {
				add(RoleActual, kind, text[from:to], from, to)
				return
			}
		}
	}
	if m := commentRaises.FindStringSubmatchIndex(text); m != nil && !negation.MatchString(text[:m[1]]) && (c.trailing || m[1] == len(text)) {
		words := "error"
		for k := 2; k < len(m); k += 2 {
			if m[k] >= 0 {
				words = text[m[k]:m[k+1]]
			}
		}
		add(RoleActual, SaysException, words, m[0], m[1])
		return
	}
	if rest := cutComment.ReplaceAllString(text, ""); c.trailing && bareResult.MatchString(rest) {
		add(RoleActual, SaysValue, rest, 0, len(rest))
	}
}

// bareResult is a comment that is a value and nothing else ("# nan").
var bareResult = lazyre.New(`^(?:[-+]?\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf|NaN|Inf)|True|False|None|\{\}|\[[^\]]*\]|\([-\d., ]*\)|(?:tensor|array|Array)\(.*\)|torch\.Size\(.*\))$`)

// quotedPart narrows a range to what stands in quotes or backticks at its
// start, and drops a full stop at its end.
func quotedPart(text string, from, to int) (int, int) {
	for from < to && text[from] == ' ' {
		from++
	}
	if from < to && text[from] == '`' {
		if k := strings.IndexByte(text[from+1:to], '`'); k > 0 {
			return from + 1, from + 1 + k
		}
	}
	for to > from && strings.IndexByte(" .,;!?", text[to-1]) >= 0 && !strings.HasSuffix(text[from:to], "...") {
		to--
	}
	return from, to
}
