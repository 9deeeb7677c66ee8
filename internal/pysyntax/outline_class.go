package pysyntax

import (
	"bytes"
	"unicode/utf8"
)

// openers are the words that a line with a block below it begins with.
var openers = map[string]bool{
	"if": true, "elif": true, "else": true, "for": true, "while": true, "try": true, "except": true,
	"finally": true, "with": true, "def": true, "class": true, "async": true, "match": true, "case": true,
}

// classify notes the logical line from start to s.end.
func (s *outlineScanner) classify(start, line int) (stop bool) {
	if s.src[start] == '@' {
		return s.decorator(start, line)
	}
	l := OutlineLine{Start: start, Head: start, Line: line, EndLine: s.endLine, Depth: len(s.indents) - 1}
	text := s.src[start:s.end]
	word := leadingName(text)
	s.opened = text[len(text)-1] == ':'
	if s.opened {
		l.Kind = OutlineOpener
		if !openers[string(word)] && s.doubt() {
			return true
		}
	}
	if kind, name, ok := definition(word, text); ok {
		if len(name) == 0 && s.doubt() {
			return true
		}
		l.Kind, l.Name = kind, string(name)
	}
	if s.pending.spans != nil {
		if !l.Definition() && s.doubt() {
			return true
		}
		l.Start, l.Line, l.Decorators = s.pending.start, s.pending.line, s.pending.spans
		s.pending = pending{}
	}
	s.out = append(s.out, l)
	return false
}

// decorator holds a decorator back until its definition comes.
func (s *outlineScanner) decorator(start, line int) (stop bool) {
	s.opened = false
	if s.pending.spans == nil {
		s.pending.start, s.pending.line = start, line
	}
	at := start + 1
	for at < s.end && (s.src[at] == ' ' || s.src[at] == '\t') {
		at++
	}
	s.pending.spans = append(s.pending.spans, Span{at, s.end})
	return at == s.end && s.doubt()
}

// leadingName is the name that text begins with.
func leadingName(text []byte) []byte {
	n := 0
	for n < len(text) && (text[n] == '_' || text[n] >= utf8.RuneSelf ||
		text[n]|0x20 >= 'a' && text[n]|0x20 <= 'z' || n > 0 && text[n] >= '0' && text[n] <= '9') {
		n++
	}
	return text[:n]
}

// definition reads the head of a function or class; the name is empty where
// the head is none.
func definition(word, text []byte) (kind OutlineKind, name []byte, ok bool) {
	rest := text[len(word):]
	switch string(word) {
	case "def":
		kind = OutlineFunction
	case "class":
		kind = OutlineClass
	case "async":
		rest = bytes.TrimLeft(rest, " \t\f")
		if string(leadingName(rest)) != "def" {
			return OutlineStatement, nil, false
		}
		rest, kind = rest[len("def"):], OutlineFunction
	default:
		return OutlineStatement, nil, false
	}
	spaced := bytes.TrimLeft(rest, " \t\f")
	name = leadingName(spaced)
	after := bytes.TrimLeft(spaced[len(name):], " \t\f")
	if len(spaced) == len(rest) || len(after) == 0 || bytes.IndexByte([]byte("([:"), after[0]) < 0 {
		name = nil // a backslash, or no definition at all
	}
	return kind, name, true
}

// freshStart says whether the next line begins a definition, so that a bracket
// which is still open was never meant to reach it.
func (s *outlineScanner) freshStart() bool {
	rest := s.src[s.at+1:]
	text := bytes.TrimLeft(rest, " \t")
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	_, name, ok := definition(leadingName(text), text)
	return ok && len(name) > 0
}
