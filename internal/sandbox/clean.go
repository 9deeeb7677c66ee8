package sandbox

import (
	"strings"
	"unicode/utf8"
)

// Clean makes output of an untrusted process fit for a terminal, a page or a
// comparison: valid UTF-8 (bad bytes become U+FFFD), escape sequences removed
// whole, \r\n as \n, and no control characters but \n and \t. It is its own
// fixed point.
func Clean(raw []byte) string {
	var b strings.Builder
	b.Grow(len(raw))
	for len(raw) > 0 {
		r, n := utf8.DecodeRune(raw)
		switch {
		case isIntroducer(r):
			n = escapeLen(raw)
		case r == '\n' || r == '\t' || !isControl(r):
			b.WriteRune(r) // a bad byte arrives as U+FFFD and goes out as such
		}
		raw = raw[n:]
	}
	return b.String()
}

// isControl covers C0, DEL and C1.
func isControl(r rune) bool { return r < 0x20 || (r >= 0x7f && r < 0xa0) }

// isIntroducer says whether r starts a sequence: ESC, or one of the one-rune
// forms DCS, SOS, CSI, OSC, PM, APC (ECMA-48, section 5).
func isIntroducer(r rune) bool {
	switch r {
	case 0x1b, 0x90, 0x98, 0x9b, 0x9d, 0x9e, 0x9f:
		return true
	}
	return false
}

// escapeLen is the length of the sequence at the start of b, at least one
// rune. A string sequence without its end stops before the line's end, so
// that a stray introducer cannot swallow the rest of a log.
func escapeLen(b []byte) int {
	r, n := utf8.DecodeRune(b)
	kind := r
	if r == 0x1b {
		if len(b) == n {
			return n
		}
		kind = rune(b[n]) + 0x40 // ESC [ is CSI, and so on: 0x5b + 0x40 = 0x9b
		if !isIntroducer(kind) || b[n] >= 0x80 {
			return n + plainLen(b[n:])
		}
		n++
	}
	if kind == 0x9b {
		return n + csiLen(b[n:])
	}
	return n + stringLen(b[n:])
}

// plainLen: intermediates 0x20-0x2f, then one final byte 0x30-0x7e.
func plainLen(b []byte) int {
	i := 0
	for i < len(b) && b[i] >= 0x20 && b[i] <= 0x2f {
		i++
	}
	if i < len(b) && b[i] >= 0x30 && b[i] <= 0x7e {
		return i + 1
	}
	return i
}

// csiLen: parameters and intermediates 0x20-0x3f, then a final 0x40-0x7e.
func csiLen(b []byte) int {
	i := 0
	for i < len(b) && b[i] >= 0x20 && b[i] <= 0x3f {
		i++
	}
	if i < len(b) && b[i] >= 0x40 && b[i] <= 0x7e {
		return i + 1
	}
	return i
}

// stringLen runs to BEL, ESC \ or the one-rune ST, at most to the line's end.
func stringLen(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		switch {
		case r == '\n':
			return i
		case r == 0x07 || r == 0x9c:
			return i + n
		case r == 0x1b && i+1 < len(b) && b[i+1] == '\\':
			return i + 2
		}
		i += n
	}
	return len(b)
}
