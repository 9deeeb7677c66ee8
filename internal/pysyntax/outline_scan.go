package pysyntax

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// outlineScanner reads logical lines by hand: brackets, strings, comments,
// continuation and indentation, nothing else of the grammar. Where a text could
// be read in two ways it stops being sure.
type outlineScanner struct {
	src     []byte
	at      int // next byte
	line    int // 1-based line of at
	sure    bool
	guess   bool    // go on as well as possible instead of stopping
	indents []int   // columns of the open blocks; the first is the module's
	open    []byte  // closing brackets that are awaited
	opened  bool    // the last logical line was the head of a block
	end     int     // after the last token of the logical line just read
	endLine int     // its line
	level   int     // f-strings around the byte
	pending pending // decorators that await their definition
	out     []OutlineLine
	// unclosed: no triple quotes of this kind (true: double) end a string any more.
	unclosed [2]bool
}

type pending struct {
	start, line int
	spans       []Span
}

// OutlineScan reads the outline without the grammar. sure is false where it
// cannot tell (unbalanced brackets, odd indentation, characters that are no
// Python): the outline is then worth nothing.
func OutlineScan(src []byte) (o *Outline, sure bool) {
	s := newOutlineScanner(src)
	s.run()
	return &Outline{Lines: s.out}, s.sure
}

// OutlineFragment reads the outline of a piece of a source, which may begin
// indented. It takes whatever the text is.
func OutlineFragment(src []byte) *Outline { return outlineGuess(src) }

func outlineGuess(src []byte) *Outline {
	s := newOutlineScanner(src)
	s.guess = true
	s.run()
	return &Outline{Lines: s.out, Guessed: true}
}

// bytesPerLine is a guess at how many bytes of source make one logical line,
// to allocate once; keras has 48.
const bytesPerLine = 48

func newOutlineScanner(src []byte) *outlineScanner {
	return &outlineScanner{
		src: src, line: 1, sure: true, indents: make([]int, 0, 16),
		out: make([]OutlineLine, 0, len(src)/bytesPerLine+1),
	}
}

// doubt notes that the text is not what it seems; true means stop.
func (s *outlineScanner) doubt() bool {
	s.sure = false
	return !s.guess
}

func (s *outlineScanner) run() {
	for {
		column, more := s.indentation()
		if !more || (!s.sure && !s.guess) {
			break
		}
		if s.place(column) {
			return
		}
		start, line := s.at, s.line
		if s.src[start] == '\\' && s.doubt() { // a statement that begins on the next line
			return
		}
		if s.logical() {
			return
		}
		if s.end <= start { // a closing bracket or nothing at all: guessing
			continue
		}
		if s.classify(start, line) {
			return
		}
	}
	if s.opened || s.pending.spans != nil {
		s.doubt() // a head without a body
	}
}

// indentation goes to the next line that has code and gives its column.
func (s *outlineScanner) indentation() (column int, more bool) {
	src := s.src
	for s.at < len(src) {
		switch c := src[s.at]; c {
		case ' ':
			column++
		case '\t':
			// The grammar adds eight, CPython goes to the next multiple of eight.
			if column%8 != 0 {
				s.sure = false
			}
			column += 8
		case '\f':
			column = 0
		case '\n':
			s.line++
			column = 0
		case '\r':
			if s.at+1 < len(src) && src[s.at+1] != '\n' {
				s.sure = false
			}
		case '#':
			s.toLineEnd()
			continue
		default:
			return column, true
		}
		s.at++
	}
	return 0, false
}

// toLineEnd goes to the line feed that ends the line, or to the end.
func (s *outlineScanner) toLineEnd() {
	n := bytes.IndexByte(s.src[s.at:], '\n')
	if n < 0 {
		n = len(s.src) - s.at
	}
	if i := bytes.IndexByte(s.src[s.at:s.at+n], '\r'); i >= 0 && i != n-1 {
		s.sure = false // an old Mac's line end inside the comment
	}
	s.at += n
}

// place finds the block that a line of this column belongs to.
func (s *outlineScanner) place(column int) (stop bool) {
	if len(s.indents) == 0 {
		s.indents = append(s.indents, column)
		return column != 0 && s.doubt()
	}
	top := s.indents[len(s.indents)-1]
	switch {
	case column > top:
		if !s.opened && s.doubt() {
			return true
		}
		s.indents = append(s.indents, column)
		s.opened = false
		return false
	case s.opened && s.doubt():
		return true
	}
	s.opened = false
	for column < top && len(s.indents) > 1 {
		s.indents = s.indents[:len(s.indents)-1]
		top = s.indents[len(s.indents)-1]
	}
	if column == top {
		return false
	}
	if s.doubt() {
		return true
	}
	if column > top {
		s.indents = append(s.indents, column)
	} else {
		s.indents[0] = column
	}
	return false
}

// ordinary are the bytes that never end or change anything.
var ordinary = func() (t [256]bool) {
	for c := ' '; c < 0x7f; c++ {
		t[c] = !bytes.ContainsRune([]byte("#'\"()[]{}\\$?!`"), c)
	}
	t['\t'], t['\f'] = true, true
	return t
}()

// logical reads to the end of the logical line that begins at s.at, and leaves
// s.at on its line feed.
func (s *outlineScanner) logical() (stop bool) {
	src := s.src
	s.end, s.open = -1, s.open[:0]
	for s.at < len(src) {
		c := src[s.at]
		if ordinary[c] {
			s.at++
			continue
		}
		switch c {
		case '\n':
			if len(s.open) == 0 || (s.guess && s.freshStart()) {
				s.finish(s.at)
				return s.end >= 0 && src[s.end-1] == '\n' && s.doubt()
			}
			s.line++
			s.at++
		case '#':
			if len(s.open) == 0 {
				s.finish(s.at)
			}
			s.toLineEnd()
		default:
			if s.special(c) {
				return true
			}
		}
	}
	if len(s.open) > 0 && s.doubt() {
		return true
	}
	s.finish(s.at)
	return s.end > 0 && src[s.end-1] == '\n' && s.doubt()
}

// finish notes where the logical line's last token ends, once.
func (s *outlineScanner) finish(at int) {
	if s.end >= 0 {
		return
	}
	for at > 0 && (s.src[at-1] == ' ' || s.src[at-1] == '\t' || s.src[at-1] == '\r' || s.src[at-1] == '\f') {
		at--
	}
	s.end, s.endLine = at, s.line
}

// special reads one token that is not ordinary.
func (s *outlineScanner) special(c byte) (stop bool) {
	switch c {
	case '\'', '"':
		return s.str(c)
	case '(':
		s.open = append(s.open, ')')
	case '[':
		s.open = append(s.open, ']')
	case '{':
		s.open = append(s.open, '}')
	case ')', ']', '}':
		n := len(s.open)
		if (n == 0 || s.open[n-1] != c) && s.doubt() {
			return true
		}
		s.open = s.open[:max(n-1, 0)]
	case '\\':
		return s.continuation()
	case '!':
		if next := s.at + 1; (next >= len(s.src) || s.src[next] != '=') && s.doubt() {
			return true
		}
	case '\r':
		if next := s.at + 1; next < len(s.src) && s.src[next] != '\n' && s.doubt() {
			return true
		}
	default:
		return s.letter(c)
	}
	s.at++
	return false
}

// letter takes a character outside ASCII, which must belong to a name.
func (s *outlineScanner) letter(c byte) (stop bool) {
	r, size := rune(c), 1
	if c >= utf8.RuneSelf {
		r, size = utf8.DecodeRune(s.src[s.at:])
	}
	name := r != utf8.RuneError && c >= utf8.RuneSelf &&
		(unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Mc, r))
	if !name && s.doubt() {
		return true
	}
	s.at += size
	return false
}

// continuation is a backslash, which must stand at the end of its line.
func (s *outlineScanner) continuation() (stop bool) {
	rest := s.src[s.at+1:]
	if len(rest) > 0 && rest[0] == '\r' {
		rest = rest[1:]
	}
	if len(rest) == 0 || rest[0] != '\n' {
		s.at++
		return s.doubt()
	}
	s.at = len(s.src) - len(rest) + 1
	s.line++
	return false
}
