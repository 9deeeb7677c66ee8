package query

import (
	"slices"
	"strings"
	"unicode"

	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// wanted are the sections whose prose is about what was seen. What was expected
// mostly says the opposite in the same words, or thanks; steps and code are
// read for their prose too, since many templates have no other place for it.
func wanted(s report.Section) bool {
	switch s.Role {
	case report.RoleDescription, report.RoleActual, report.RoleCode, report.RoleLog:
		return true
	}
	return false
}

// prose is the running text of the wanted sections, without the title, blocks,
// tracebacks, lines of versions and what templates put there.
func prose(r *report.Report, wanted func(report.Section) bool) string {
	gone := dropped(r)
	var lines []string
	for _, s := range r.Sections {
		if !wanted(s) {
			continue
		}
		text := within(r.Text, s.Span, gone)
		// The span begins with the heading, which is a template's more often than
		// the reporter's.
		if s.Heading != "" {
			_, text, _ = strings.Cut(strings.TrimLeft(text, "\n"), "\n")
		}
		text = htmlComment.ReplaceAllString(text, " ")
		for line := range strings.SplitSeq(text, "\n") {
			if line = proseLine(line); line != "" {
				lines = append(lines, line)
			}
		}
	}
	return strings.Join(lines, "\n")
}

// dropped are the spans that are no prose, sorted and within the text.
func dropped(r *report.Report) []report.Span {
	// The title has a weight of its own; here it would count twice.
	gone := []report.Span{r.TitleSpan}
	for _, b := range r.Blocks {
		gone = append(gone, b.Span)
	}
	for _, t := range r.Tracebacks {
		gone = append(gone, t.Span)
	}
	gone = append(gone, factLines(r)...)
	gone = slices.DeleteFunc(gone, func(s report.Span) bool {
		return !s.Within(r.Text) || s.Start == s.End
	})
	slices.SortFunc(gone, func(a, b report.Span) int { return a.Start - b.Start })
	return gone
}

// factLines are lines that hold little besides versions and platform facts.
func factLines(r *report.Report) []report.Span {
	facts := map[report.Span]int{} // line -> bytes of facts in it
	add := func(s report.Span) {
		if !s.Within(r.Text) || s.Start == s.End {
			return
		}
		from := strings.LastIndexByte(r.Text[:s.Start], '\n') + 1
		to := len(r.Text)
		if i := strings.IndexByte(r.Text[s.Start:], '\n'); i >= 0 {
			to = s.Start + i
		}
		facts[report.Span{Start: from, End: to}] += min(s.End, to) - s.Start
	}
	for _, v := range r.Versions {
		add(v.Span)
	}
	for _, p := range r.Platform {
		add(p.Span)
	}
	for _, e := range r.Env {
		add(e.Span)
	}
	var out []report.Span
	for line, n := range facts {
		// Below half a line of words beside the facts is a list of versions (guess).
		if rest := len(strings.TrimSpace(r.Text[line.Start:line.End])) - n; rest < 24 || rest < n {
			out = append(out, line)
		}
	}
	return out
}

// within is the text of a span with spans inside it left out.
func within(text string, s report.Span, gone []report.Span) string {
	start, end := max(0, s.Start), min(len(text), s.End)
	var b strings.Builder
	for _, g := range gone {
		if g.End <= start || g.Start >= end {
			continue
		}
		if g.Start > start {
			b.WriteString(text[start:g.Start])
			b.WriteByte('\n')
		}
		start = max(start, g.End)
	}
	if start < end {
		b.WriteString(text[start:end])
	}
	return b.String()
}

var (
	htmlComment = lazyre.New(`(?s)<!--.*?-->`)
	fenceLine   = lazyre.New("^\\s*(?:```|~~~)")
	checkBox    = lazyre.New(`^\s*[-*]\s*\[[ xX]\]`)
	headMark    = lazyre.New(`^\s{0,3}#{1,6}\s+`)
	markers     = lazyre.New(`^\s*(?:[-*+>]|\d{1,2}[.)])\s+`)
	picture     = lazyre.New(`!\[[^\]\n]*\]\([^)\n]*\)`)
	link        = lazyre.New(`\[([^\]\n]*)\]\(([^)\n]*)\)`)
	bareURL     = lazyre.New(`https?://\S+`)
	htmlTag     = lazyre.New(`</?[a-zA-Z][^<>\n]{0,200}>`)
	// emptyWords are the whole of lines that templates and habits leave.
	emptyWords = lazyre.New(`(?i)^(?:_?no response_?|n/?a|none|hi|hello|hey|thanks?(?: you)?(?: in advance)?|hi there|dear (?:all|team)|see (?:above|below|title)|as above|\W*)[!.,:]*$`)
	// instructions are a template's own sentences to the reporter, which many
	// leave above and below theirs: what opens a sentence so, up to its end.
	instructions = lazyre.New(`(?i)(^\s*|[.!?:]\s+)(?:` +
		`a clear and concise description of|steps to reproduce the behaviou?r|add any other context|if applicable, add|` +
		`(?:please,? |(?:when|wher)ever possible,? |if (?:applicable|possible|relevant),? |at least,? |also )*` +
		`(?:this should include|provide|include|describe|add|paste|attach|give|tell us|explain|(?:consider )?submit(?:ting)?)\b[^.!?]{0,60}?` +
		`\b(?:information|details?|description|examples?|reproducers?|snippets?|context|logs?|screenshots?|colab|workarounds?|the (?:bug|problem|issue)|your (?:bug|problem|issue))\b` +
		`)(?:[^.!?]|[.!?]\S)*[.!?:]?`)
	titleTag = lazyre.New(`(?i)^\s*(?:\[[\w /-]{1,24}\]|bug(?: report)?|issue)\s*:?\s+`)
)

// proseLine is a line without its marks; "" when it says nothing.
func proseLine(line string) string {
	if fenceLine.MatchString(line) || checkBox.MatchString(line) || headMark.MatchString(line) {
		return ""
	}
	line = markers.ReplaceAllString(line, "")
	// One sentence's end is the next one's beginning, so that neighbours go one by
	// one; a line of more than a few is no template's.
	for range 4 {
		line = instructions.ReplaceAllString(line, "$1")
	}
	line = picture.ReplaceAllString(line, " ")
	line = link.ReplaceAllStringFunc(line, linkText)
	line = bareURL.ReplaceAllString(line, "")
	line = htmlTag.ReplaceAllString(line, " ")
	line = strings.Join(strings.Fields(line), " ")
	if emptyWords.MatchString(line) || !strings.ContainsFunc(line, unicode.IsLetter) {
		return ""
	}
	return line
}

// linkText is what a link says: its words, but not the name of a file that is
// attached ("[data.zip](https://.../data.zip)").
func linkText(markdown string) string {
	m := link.FindStringSubmatch(markdown)
	if m == nil || m[1] != "" && strings.HasSuffix(m[2], "/"+m[1]) && strings.Contains(m[1], ".") {
		return ""
	}
	return m[1]
}

// cleanTitle drops "[Bug]:" and other marks that trackers put there.
func cleanTitle(title string) string {
	for range 2 {
		title = titleTag.ReplaceAllString(title, "")
	}
	return strings.Join(strings.Fields(title), " ")
}
