package pysyntax

import "bytes"

// str reads a string literal whose first quote is at s.at.
func (s *outlineScanner) str(quote byte) (stop bool) {
	formatted := s.formatted()
	src, at := s.src, s.at
	if at+2 < len(src) && src[at+1] == quote && src[at+2] == quote {
		s.at += 3
		if formatted {
			return s.template(src[at : at+3])
		}
		return s.triple(src[at : at+3])
	}
	s.at++
	if formatted {
		return s.template(src[at : at+1])
	}
	for i := s.at; i < len(src); i++ {
		switch src[i] {
		case quote:
			s.at = i + 1
			return false
		case '\\':
			i = s.escape(i)
		case '\n':
			s.at = i // nobody closed it
			return s.doubt()
		case '\r':
			s.sure = s.sure && i+1 < len(src) && src[i+1] == '\n'
		}
	}
	s.at = len(src)
	return s.doubt()
}

// escape steps over the character after a backslash at i and gives its place.
func (s *outlineScanner) escape(i int) int {
	i++
	if i+1 < len(s.src) && s.src[i] == '\r' && s.src[i+1] == '\n' {
		i++
	}
	if i < len(s.src) && s.src[i] == '\n' {
		s.line++
	}
	return i
}

// formatted says whether the prefix before the quote has an f (or the t of
// template strings), in which a quote may stand inside braces.
func (s *outlineScanner) formatted() bool {
	for i := s.at - 1; i >= 0 && i >= s.at-2; i-- {
		switch s.src[i] | 0x20 {
		case 'f', 't':
			return true
		case 'r', 'b', 'u':
		default:
			return false
		}
	}
	return false
}

// triple reads to the closing quotes.
func (s *outlineScanner) triple(quotes []byte) (stop bool) {
	src, from := s.src, s.at
	if s.unclosed[quotes[0]&1] { // looked for already, to the end
		return s.doubt()
	}
	for at := from; ; {
		n := bytes.Index(src[at:], quotes)
		if n < 0 {
			break
		}
		at += n
		slashes := 0
		for at-1-slashes >= from && src[at-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			s.line += bytes.Count(src[from:at], []byte{'\n'})
			s.at = at + 3
			return false
		}
		at++
	}
	// Guessing: as if these were no quotes at all.
	s.unclosed[quotes[0]&1] = true
	return s.doubt()
}

// maxTemplates is how deep f-strings may stand in each other's braces; a guess
// well above what anybody writes.
const maxTemplates = 8

// template reads an f-string or t-string, whose braces hold code in which
// (since Python 3.12) the same quotes may stand again.
func (s *outlineScanner) template(quotes []byte) (stop bool) {
	if s.level >= maxTemplates {
		return s.doubt()
	}
	s.level++
	defer func() { s.level-- }()
	src := s.src
	for s.at < len(src) {
		switch c := src[s.at]; {
		case bytes.HasPrefix(src[s.at:], quotes):
			s.at += len(quotes)
			return false
		case c == '\\':
			s.at = s.escape(s.at)
		case c == '\n' && len(quotes) == 1:
			return s.doubt()
		case c == '\n':
			s.line++
		case c == '{' && s.at+1 < len(src) && src[s.at+1] == '{':
			s.at++
		case c == '{':
			if s.replacement(quotes) {
				return true
			}
			continue
		}
		s.at++
	}
	s.at = min(s.at, len(src))
	return s.doubt()
}

// replacement reads {...} of an f-string. Only what every version of Python
// reads alike is taken as certain.
func (s *outlineScanner) replacement(quotes []byte) (stop bool) {
	depth := 0
	for s.at++; s.at < len(s.src); s.at++ {
		switch c := s.src[s.at]; c {
		case '{', '(', '[':
			depth++
		case '}', ')', ']':
			if depth == 0 {
				s.at++
				return c != '}' && s.doubt()
			}
			depth--
		case ':':
			if depth == 0 {
				return s.formatSpec(quotes)
			}
		case '\n', '\\', '#':
			if c == '\n' && len(quotes) == 3 {
				s.line++
				continue
			}
			return s.doubt()
		case '\'', '"':
			if c == quotes[0] {
				return s.doubt()
			}
			if s.str(c) {
				return true
			}
			s.at--
		}
	}
	return s.doubt()
}

// formatSpec reads what follows the colon of a replacement: text, in which
// braces hold code again.
func (s *outlineScanner) formatSpec(quotes []byte) (stop bool) {
	for s.at++; s.at < len(s.src); s.at++ {
		switch c := s.src[s.at]; c {
		case '}':
			s.at++
			return false
		case '{':
			if s.level >= maxTemplates {
				return s.doubt()
			}
			s.level++
			stop := s.replacement(quotes)
			s.level--
			if stop {
				return true
			}
			s.at--
		case '\n', '\\', quotes[0]:
			return s.doubt()
		}
	}
	return s.doubt()
}
