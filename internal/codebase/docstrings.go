package codebase

import (
	"bytes"
	"regexp"

	"github.com/repgen/repgen/internal/pysyntax"
)

// piece is a part of a file that is given, and what stands for the gap before
// it.
type piece struct {
	span
	mark string
}

// whole makes pieces of spans between which the context holds the rest already.
func whole(spans []span) []piece {
	out := make([]piece, len(spans))
	for i, s := range spans {
		out[i] = piece{s, elsewhere}
	}
	return out
}

// markOf is the mark before piece i; behind the last one the rest is elsewhere.
func markOf(pieces []piece, i int) string {
	if i < len(pieces) {
		return pieces[i].mark
	}
	return elsewhere
}

// withoutDocs takes the tails of docstrings out of spans. Who has not the room
// for all of a function wants its code rather than the list of its parameters.
func withoutDocs(spans, tails []span) []piece {
	var out []piece
	for _, s := range spans {
		mark := elsewhere
		for _, t := range tails {
			if t.start <= s.start || t.end >= s.end {
				continue // not whole in it
			}
			out = append(out, piece{span{s.start, t.start}, mark})
			s.start, mark = t.end, docCut
		}
		out = append(out, piece{s, mark})
	}
	return out
}

// minTail is the length in bytes below which the tail of a docstring is not
// worth a mark (guess).
const minTail = 120

var docOpening = regexp.MustCompile(`^[rRuUbB]{0,2}("""|''')`)

// docTails are the lines of docstrings behind their first paragraph and before
// their last line, which holds the closing quotes; ascending.
func docTails(src []byte) []span {
	o := pysyntax.OutlineOf(src)
	var out []span
	for i, l := range o.Lines {
		first := i == 0 || o.Lines[i-1].Definition() && l.Depth == o.Lines[i-1].Depth+1
		if !first || l.Kind != pysyntax.OutlineStatement || !docOpening.Match(src[l.Start:min(len(src), l.Start+5)]) {
			continue
		}
		if t, ok := docTail(src, l.Start, l.EndLine-l.Line); ok {
			out = append(out, t)
		}
	}
	return out
}

// docTail is the tail of the docstring that begins at start and ends some lines
// on.
func docTail(src []byte, start, lines int) (span, bool) {
	t, at := span{start: -1}, start
	for range lines {
		n := bytes.IndexByte(src[at:], '\n')
		if n < 0 {
			return t, false
		}
		if t.start < 0 && at > start && len(bytes.TrimSpace(src[at:at+n])) == 0 {
			t.start = at
		}
		at += n + 1
	}
	t.end = at // the beginning of the last line
	return t, t.start >= 0 && t.end-t.start >= minTail
}
