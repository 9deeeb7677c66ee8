package probe

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
)

// ChannelLimit is how many bytes of a channel are read. The observer itself
// stops at half of it, so that only a script that writes there fills it.
const ChannelLimit = 4 << 20

// Caps of one record. All are guesses with room: the richest record of the
// measured scripts held 60 packages and 14 arrays.
const (
	maxExceptions   = 50
	maxWarnings     = 50
	maxObservations = 1000
	maxArrays       = 200
	maxPackages     = 200
	maxAttempts     = 250
	maxChain        = 64
	maxFrames       = 400
	maxFatal        = 64 << 10
	maxStacks       = 256
	maxText         = 64 << 10
)

// line is the envelope of every JSON line of the channel.
type line struct {
	Key  *string         `json:"k"`
	Pid  int             `json:"p"`
	Kind string          `json:"t"`
	Body json.RawMessage `json:"v"`
}

type startBody struct {
	Python string            `json:"python"`
	Seeds  map[string]string `json:"seeds"`
}

type endBody struct {
	RSS int64 `json:"rss"`
}

// parser holds what is known while the channel is read line by line.
type parser struct {
	rec   Record
	key   string
	pid   int
	fatal strings.Builder
	// inFatal: a faulthandler block has begun, and plain lines belong to it.
	inFatal bool
	stacks  stackReader
}

// Parse reads a channel: JSON lines, with faulthandler's plain text between
// them. The text is untrusted and may be torn anywhere; Parse never fails, and
// what it returns is bounded by ChannelLimit.
//
// A record is written in one piece, plain text in many: where a record stands
// in the middle of a line, the line goes on behind it.
func Parse(raw []byte, key string) Record {
	p := parser{key: key}
	if len(raw) >= ChannelLimit {
		raw = raw[:ChannelLimit]
		p.rec.Truncated = true
	}
	quoted, _ := json.Marshal(key) // of a string: never fails
	mark := append([]byte(`{"k":`), quoted...)
	var torn []byte
	for len(raw) > 0 {
		text, rest, _ := bytes.Cut(raw, []byte("\n"))
		raw = rest
		if at := bytes.LastIndex(text, mark); at > 0 || at == 0 && len(torn) > 0 {
			torn = append(torn, text[:at]...)
			p.json(text[at:])
			continue
		}
		if len(torn) > 0 {
			text, torn = append(torn, text...), nil
		}
		p.line(text)
	}
	if len(torn) > 0 {
		p.line(torn)
	}
	p.rec.Fatal = clean(p.fatal.String())
	p.rec.Stacks = p.stacks.done()
	return p.rec
}

func (p *parser) line(text []byte) {
	switch {
	case len(text) > 0 && text[0] == '{':
		p.json(text)
	case !p.inFatal && p.stacks.take(text):
	case p.plain(text) || len(text) == 0:
	default:
		p.rec.Malformed++
	}
}

// plain takes a line of faulthandler's text; false when it is none.
func (p *parser) plain(text []byte) bool {
	if bytes.HasPrefix(text, []byte("Fatal Python error")) {
		p.inFatal = true
	}
	if !p.inFatal {
		return false
	}
	if p.fatal.Len()+len(text) < maxFatal {
		p.fatal.Write(text)
		p.fatal.WriteByte('\n')
	}
	return true
}

func (p *parser) json(text []byte) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		p.rec.Malformed++ // torn by a kill, or mixed with another process's
		return
	}
	if l.Key == nil || *l.Key != p.key {
		p.rec.Malformed++
		p.rec.Forged = true
		return
	}
	if l.Kind == "start" {
		p.start(l)
		return
	}
	if l.Pid != p.pid {
		p.rec.Children++
		switch l.Kind {
		case "obs":
		case "stacks":
			if !p.stacks.child(l.Body) {
				p.rec.Malformed++
			}
			return
		default:
			return
		}
	}
	if !p.take(l) {
		p.rec.Malformed++
	}
}

func (p *parser) start(l line) {
	var b startBody
	if p.rec.Started {
		p.rec.Forged = true
		return
	}
	if json.Unmarshal(l.Body, &b) != nil {
		p.rec.Malformed++
		return
	}
	p.rec.Started, p.pid = true, l.Pid
	p.rec.Python, p.rec.Seeds = cut(b.Python), b.Seeds
}

// take stores one line's body; false when it is not what its kind says.
func (p *parser) take(l line) bool {
	r := &p.rec
	switch l.Kind {
	case "exc":
		return add(&r.Exceptions, l.Body, maxExceptions, limitException)
	case "warn":
		return add(&r.Warnings, l.Body, maxWarnings, limitWarning)
	case "obs":
		return add(&r.Observations, l.Body, maxObservations, nil)
	case "name":
		return add(&r.Names, l.Body, maxObservations, nil)
	case "array":
		return add(&r.Arrays, l.Body, maxArrays, nil)
	case "intrusion":
		r.Forged = true
		return true
	case "deed":
		return add(&r.Attempts, l.Body, maxAttempts, nil)
	case "packages":
		return json.Unmarshal(l.Body, &r.Packages) == nil && limit(&r.Packages, maxPackages)
	case "audit":
		r.Audit = append(r.Audit, l.Body)
		return true
	case "exit":
		return json.Unmarshal(l.Body, &r.SystemExit) == nil
	case "end":
		var b endBody
		if json.Unmarshal(l.Body, &b) != nil {
			return false
		}
		r.Ended, r.PeakRSS = true, b.RSS
		return true
	}
	return false
}

func add[T any](list *[]T, body json.RawMessage, most int, bound func(*T)) bool {
	var v T
	if len(body) == 0 || body[0] != '{' || json.Unmarshal(body, &v) != nil {
		return false
	}
	if len(*list) < most {
		if bound != nil {
			bound(&v)
		}
		*list = append(*list, v)
	}
	return true
}

func limit[T any](list *[]T, most int) bool {
	if len(*list) > most {
		*list = (*list)[:most]
	}
	return true
}

// limitException bounds one exception; its chain is flat by construction, so
// deeper nesting is somebody else's and is dropped.
func limitException(e *Exception) {
	e.Message = cut(e.Message)
	limit(&e.Frames, maxFrames)
	limit(&e.Chain, maxChain)
	for i := range e.Chain {
		e.Chain[i].Chain = nil
		limitException(&e.Chain[i])
	}
}

func limitWarning(w *Warning) {
	w.Message = cut(w.Message)
	limit(&w.Frames, maxFrames)
}

// cut bounds a text without splitting a character.
func cut(s string) string {
	if len(s) <= maxText {
		return s
	}
	return strings.ToValidUTF8(s[:maxText], "")
}

// clean makes the plain text safe to show: valid, no control characters but
// newline and tab.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
