package triage

import (
	"strings"
	"unicode"

	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// reading is a report being decided on: the report, the user's words, and what
// every rule needs of it. It lives as long as one call of Decide.
type reading struct {
	r    *report.Report
	opts Options
	// prose is Report.Text with everything that is no sentence of the reporter
	// (blocks, HTML comments, fences, lists of the environment) blanked out
	// byte by byte, so that its offsets are offsets of Report.Text.
	prose string
	// script is the code chosen from the report.
	script script
	// talk is what the words say of symptoms.
	talk []spoken
	// why is the kind of the main reason for the route; the measured
	// confidence is kept for each.
	why string
}

// maxProse bounds what the rules of prose read, in bytes: the largest body that
// the tracker takes (65,536 characters). What follows is a log. The search for
// steering text reads everything.
const maxProse = 1 << 16

func newReading(r *report.Report, opts Options) *reading {
	rd := &reading{r: r, opts: opts}
	rd.prose = proseOf(r)
	rd.prose = rd.prose[:min(len(rd.prose), maxProse)]
	rd.script = chooseScript(rd)
	rd.talk = talkOf(rd)
	return rd
}

var (
	htmlComment = lazyre.New(`(?s)<!--.*?(-->|\z)`)
	fenceLine   = lazyre.New("(?m)^[ \t]*(```|~~~).*$")
	// factLine is a bullet of an environment list ("- GPU Enabled: False"): a
	// fact, not a claim. The key must be short and speak of the machine or the
	// installation, so that a bullet with a sentence in it stays prose.
	factLine = lazyre.New(`(?im)^[ \t]*[-*#]+[ \t]*[^\n:]{0,40}\b(gpu|cuda|cudnn|tpu|mps|os|platform|device|driver|distributed|version)\b[^\n:]{0,40}:[^\n]*$`)
	// headLine is a heading or a tick box of a form: it asks for the CUDA
	// version whatever the report is about.
	headLine = lazyre.New(`(?m)^[ \t]*([-*] \[[ xX]\]|#+ )[^\n]*$`)
)

// proseOf blanks out what is not prose. Headings go as well, but the title
// stays: a form asks for "CUDA/cuDNN version" in each of its reports.
func proseOf(r *report.Report) string {
	text := []byte(r.Text)
	for _, b := range r.Blocks {
		blank(text, b.Span.Start, b.Span.End)
	}
	for _, re := range []*lazyre.Regexp{htmlComment, fenceLine, factLine, headLine} {
		for _, m := range re.FindAllIndex(text, -1) {
			if !within(m[0], m[1], r.TitleSpan) {
				blank(text, m[0], m[1])
			}
		}
	}
	return string(text)
}

func within(start, end int, s report.Span) bool {
	return s.End > s.Start && start < s.End && end > s.Start
}

// blank overwrites a range with spaces; line breaks stay. Out-of-range ends
// are cut: a hand-made report may hold any span.
func blank(text []byte, start, end int) {
	for i := max(start, 0); i < min(end, len(text)); i++ {
		if text[i] != '\n' {
			text[i] = ' '
		}
	}
}

// find is the first match of re in the prose as a reason, nil when there is none.
func (rd *reading) find(re *lazyre.Regexp) *report.Span {
	m := re.FindStringIndex(rd.prose)
	if m == nil {
		return nil
	}
	return &report.Span{Start: m[0], End: m[1]}
}

// quote is the source text of a span on one line, shortened for a sentence.
func quote(text string, s *report.Span) string {
	if s == nil || !s.Within(text) {
		return ""
	}
	return shorten(text[s.Start:s.End], 100)
}

// shorten puts text on one line of at most n runes.
func shorten(text string, n int) string {
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) <= n {
		return string(line)
	}
	return string(line[:n-3]) + "..."
}

// wordsIn counts words; scripts that put no space between them have about two
// signs to a word (a guess for Chinese and Japanese).
func wordsIn(text string) int {
	signs := 0
	for _, c := range text {
		if unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			signs++
		}
	}
	return len(strings.Fields(text)) + signs/2
}

// sentenceAround is the sentence of the prose that holds the offset: it ends
// at a full stop before a space, or at an empty line.
func sentenceAround(prose string, at int) (start, end int) {
	if at < 0 || at > len(prose) {
		return 0, 0
	}
	return sentenceStart(prose, at), sentenceEnd(prose, at)
}

func sentenceStart(prose string, at int) int {
	for i := at - 1; i > 0; i-- {
		if breaksSentence(prose, i) {
			return i + 1
		}
	}
	return 0
}

func sentenceEnd(prose string, at int) int {
	for i := at; i < len(prose); i++ {
		if breaksSentence(prose, i) {
			return i + 1
		}
	}
	return len(prose)
}

func breaksSentence(prose string, i int) bool {
	switch prose[i] {
	case '.', '!', '?':
		return i+1 == len(prose) || prose[i+1] == ' ' || prose[i+1] == '\n'
	case '\n':
		return i+1 < len(prose) && strings.HasPrefix(strings.TrimLeft(prose[i+1:], " \t"), "\n")
	}
	return false
}
