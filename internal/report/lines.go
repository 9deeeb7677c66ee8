package report

import (
	"strings"
	"unicode"
)

// Limits that keep a hostile report cheap. MaxBlocks is the contract; the
// others are guesses far above any honest report seen.
const (
	MaxBlocks      = 64
	maxSections    = 512
	maxVersions    = 1024
	maxStatements  = 512
	maxEnv         = 128
	maxFacts       = 64
	maxTracebacks  = 64
	maxProse       = 32 << 10  // visible bytes of prose that are searched for facts: half of the longest body a tracker takes
	maxSentence    = 4 << 10   // bytes of one sentence that are searched
	maxMarkLine    = 8 << 10   // a longer line opens no block and is no front matter
	maxBlockSearch = 256 << 10 // bytes of one block that are searched
)

// line is one line of the text: [start, end) without its \n.
type line struct{ start, end int }

// splitLines cuts a text into its lines; the last one may be empty.
func splitLines(text string) []line {
	lines := make([]line, 0, strings.Count(text, "\n")+1)
	for start := 0; start <= len(text); {
		i := strings.IndexByte(text[start:], '\n')
		if i < 0 {
			lines = append(lines, line{start, len(text)})
			break
		}
		lines = append(lines, line{start, start + i})
		start += i + 1
	}
	return lines
}

// parser holds the state of one Parse.
type parser struct {
	r     *Report
	text  string
	lines []line
	// prose is the text with everything blanked that is no prose (blocks,
	// HTML comments, tags, headings' marks stay): same length, so that an
	// index into it is an index into the text.
	prose []byte
	// plain is prose with the marks of Markdown (backticks, stars) blanked too.
	plain string
	// lower is plain in lower case.
	lower string
	blks  []blk
	heads []head
	// inBlock tells for each line which block it belongs to, -1 for none.
	inBlock []int
	// replies is where the tracker's comments begin; len(text) without any.
	replies  int
	own      []Span // the replies by the reporter
	hidden   []Span // HTML comments
	pictures int
	bodyAt   int // where the text after title and front matter begins
	dropped  int // blocks over the limit
	main     subject
	imports  map[string]bool // imported modules, lower case
	aliases  map[string]string
	words    map[string]namedWord
	roles    map[string]Role // of headings
	sents    []sent
	// past are the ends of versions of which the reporter tells in the past tense.
	past []int
}

// blk is a block before it is classified.
type blk struct {
	lang        string
	first, last int    // lines, fences included
	lines       []line // of the content, dedented
	span        Span
	text        string
	kind        BlockKind // "" until classified
	steps       bool      // numbered sentences between the lines are no code
	cut         string    // Block.Cut
}

// lineText is the line i as written.
func (p *parser) lineText(i int) string { return p.text[p.lines[i].start:p.lines[i].end] }

// proseLine is the prose of one line, "" when it is all blank.
func (p *parser) proseLine(i int) string {
	return string(p.prose[p.lines[i].start:p.lines[i].end])
}

// note adds a line for the reader of the report.
func (p *parser) note(s string) { p.r.Notes = append(p.r.Notes, s) }

// blank replaces the range of the prose by spaces, line ends kept.
func (p *parser) blank(start, end int) {
	for i := start; i < end; i++ {
		if p.prose[i] != '\n' {
			p.prose[i] = ' '
		}
	}
}

// at maps a byte index in a block's text to one in the report's text.
func (b *blk) at(pos int) int {
	for _, l := range b.lines {
		n := l.end - l.start
		if pos <= n {
			return l.start + pos
		}
		pos -= n + 1
	}
	return b.span.End
}

// source maps a range of a block's text to a span of the report.
func (b *blk) source(start, end int) Span { return Span{b.at(start), b.at(end)} }

// join puts the content of a block together again, dedented as its lines are.
func (b *blk) join(text string) string {
	var s strings.Builder
	for i, l := range b.lines {
		if i > 0 {
			s.WriteByte('\n')
		}
		s.WriteString(text[l.start:l.end])
	}
	return s.String()
}

// trimmed narrows a span to its visible part.
func trimmed(text string, s Span) Span {
	inner := text[s.Start:s.End]
	s.Start += len(inner) - len(strings.TrimLeftFunc(inner, unicode.IsSpace))
	s.End = max(s.Start, s.Start+len(strings.TrimSpace(inner)))
	return s
}

// indentOf is how far a line is indented, in columns; a tab counts four, as in
// Markdown.
func indentOf(s string) int {
	n := 0
	for _, c := range s {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}
