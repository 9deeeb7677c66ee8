package report

import (
	"sort"
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// maxLines is how many lines of one block are taken as stated output: more is
// a log, not a claim (a guess).
const maxLines = 100

// readStatements collects what the reporter says came and what should have
// come, in the order of the text.
func (p *parser) readStatements() {
	p.labelledOutputs()
	for i := range p.r.Blocks {
		b := &p.r.Blocks[i]
		if b.Kind == BlockOutput || b.Kind == BlockTraceback {
			b.After = p.versionOfLead(i)
			if b.After != nil && b.Role == RoleDescription && soleVersion.MatchString(p.labelOf(i)) {
				b.Role = RoleActual // "With 1.0.0:" shows what came there
			}
		}
		switch b.Kind {
		case BlockOutput, BlockTraceback:
			p.outputStatements(i)
		case BlockShell:
			if isTranscript(b.Text) && runsAndPrints(b.Text) {
				p.outputStatements(i)
			}
		case BlockREPL:
			p.replStatements(i)
		case BlockPython:
			p.commentStatements(i)
		}
	}
	p.proseStatements()
	p.dropDoubles()
	sort.SliceStable(p.r.Statements, func(i, j int) bool { return p.r.Statements[i].Span.Start < p.r.Statements[j].Span.Start })
	sort.SliceStable(p.r.Versions, func(i, j int) bool { return p.r.Versions[i].Span.Start < p.r.Versions[j].Span.Start })
}

// dropDoubles takes back the values that are part of a relation's words.
func (p *parser) dropDoubles() {
	kept := p.r.Statements[:0]
	for _, s := range p.r.Statements {
		if s.Kind != SaysValue || !p.inRelation(s.Span) {
			kept = append(kept, s)
		}
	}
	p.r.Statements = kept
}

// inRelation says whether the span is part of a relation's words.
func (p *parser) inRelation(at Span) bool {
	for _, s := range p.r.Statements {
		if s.Kind == SaysRelation && at.Start >= s.Span.Start && at.End <= s.Span.End {
			return true
		}
	}
	return false
}

// addStatement trims the words and records them, once for each place. What
// stands in a reply of the tracker is nobody's statement here.
func (p *parser) addStatement(s Statement) {
	if len(p.r.Statements) >= maxStatements || p.inReply(s.Span.Start) {
		return
	}
	for _, o := range p.r.Statements {
		if o.Span == s.Span && o.Kind == s.Kind {
			return
		}
	}
	p.r.Statements = append(p.r.Statements, s)
}

// versionOfLead is the one version named in the sentence that leads to the
// block; nil for none or several.
func (p *parser) versionOfLead(i int) *Version {
	lead := p.r.Blocks[i].Lead
	if lead == "" {
		return p.versionOfHeading(i)
	}
	end := p.lines[p.blks[i].first].start
	start := max(0, end-len(lead)-8)
	var out *Version
	for _, v := range p.r.Versions {
		if v.Span.Start < start || v.Span.End > end || v.Dist == "python" || !strings.Contains(lead, p.text[v.Span.Start:v.Span.End]) {
			continue
		}
		if out != nil {
			return nil
		}
		found := v
		out = &found
	}
	return out
}

// outputStatements takes each line of an output block. Lines of tracebacks are
// none, warnings are statements of their own, and an ellipsis says nothing.
func (p *parser) outputStatements(i int) {
	b, raw := p.r.Blocks[i], &p.blks[i]
	role := b.Role
	if role == RoleLog || role == RoleActual || b.Kind == BlockShell {
		role = RoleActual
	} else if role != RoleExpected {
		return
	}
	if NothingSaid(b.Text) {
		return
	}
	failures := p.failuresIn(i)
	p.failureStatements(i, role, failures)
	warned, silent := false, false
	printedEnd := p.printedBefore(raw)
	for k, l := range raw.lines {
		if k >= maxLines {
			return
		}
		s := trimmed(p.text, Span{l.start, l.end})
		text := p.text[s.Start:s.End]
		switch {
		case text == "" || noOutput(text) || b.Kind == BlockOutput && b.Lang != "" && p.saidInWords(text):
			continue
		case command(text) != "":
			silent = !printsAfter(command(text))
			continue
		case typedAlone.MatchString(text):
			continue
		case silent:
			continue // what an installer or a listing printed
		case warned && indentOf(p.text[l.start:l.end]) > 0:
			warned = false
			continue // the source line that a warning repeats
		}
		warned = false
		if m := warningLine.FindStringSubmatchIndex(text); m != nil {
			warned = true
			p.addStatement(Statement{Role: role, Kind: SaysWarning, Text: text[m[2]:m[3]], Span: Span{s.Start + m[2], s.Start + m[3]}, Where: "block", Block: i, Line: k + 1, Approximate: b.Approximate, Version: b.After})
			continue
		}
		if b.Kind == BlockTraceback && s.Start >= printedEnd || inside(failures, s.Start) || logMark.MatchString(text) {
			continue
		}
		if m := saidValue.FindStringSubmatchIndex(text); m != nil && valueText.MatchString(text[m[2]:m[3]]) {
			// The reporter's words in a field for output: no program says "returns 0".
			text, s = text[m[2]:m[3]], Span{s.Start + m[2], s.Start + m[3]}
		}
		p.addStatement(Statement{Role: role, Kind: SaysOutput, Text: text, Span: s, Where: "block", Block: i, Line: k + 1, Approximate: b.Approximate, Version: b.After})
	}
}

// saidValue: "returns 0", "It gives: nan".
var saidValue = lazyre.New(`(?i)^(?:(?:it|this|which|that|the (?:call|function|method|code|script))\s+)?(?:returns?|returned|gives?|gave|yields?|evaluates to)\s*:?\s+(\S.*?)\.?$`)

// NothingSaid is true for what fills a form's field for the error message where
// there was none ("None", "n/a", "No error message").
func NothingSaid(text string) bool { return nothingSaid.MatchString(text) }

var nothingSaid = lazyre.New(`(?i)^\s*(?:none|n/?a|nothing|-+|no (?:error|exception|warning|traceback|log)\b[^\n]{0,80})[.!]?\s*$`)

// printedBefore is where a traceback begins in a block that shows printed
// lines first; the block's start when it does not.
func (p *parser) printedBefore(b *blk) int {
	m := traceAny.FindStringIndex(b.text)
	if m == nil || frameLine.MatchString(b.text[:m[0]]) {
		return b.span.Start
	}
	return b.at(m[0])
}

// failuresIn are the failures that were found in a block.
func (p *parser) failuresIn(block int) []Traceback {
	var out []Traceback
	for _, t := range p.r.Tracebacks {
		if t.Block == block {
			out = append(out, t)
		}
	}
	return out
}

// inside says whether the position belongs to one of the failures.
func inside(all []Traceback, pos int) bool {
	for _, t := range all {
		if pos >= t.Span.Start && pos < t.Span.End {
			return true
		}
	}
	return false
}

// failureStatements says each exception of a block as a statement; the span is
// where its class stands.
func (p *parser) failureStatements(i int, role Role, all []Traceback) {
	for _, t := range all {
		class := t.Symptom.Exception
		if class == "" || t.Symptom.Kind == "warning" {
			continue
		}
		k := strings.LastIndex(p.text[t.Span.Start:t.Span.End], class)
		if k < 0 {
			continue
		}
		s := Span{t.Span.Start + k, t.Span.Start + k + len(class)}
		p.addStatement(Statement{Role: role, Kind: SaysException, Text: class, Span: s, Where: "block", Block: i})
	}
}

// replStatements takes what a transcript shows after each input.
func (p *parser) replStatements(i int) {
	b := p.r.Blocks[i]
	role := RoleActual
	if b.Role == RoleExpected {
		role = RoleExpected
	}
	failures := p.failuresIn(i)
	p.failureStatements(i, role, failures)
	codeLine := 1
	for _, c := range b.Cells {
		at := codeLine + strings.Count(c.Code, "\n")
		codeLine = at + 1
		if c.Output == "" || traceAny.MatchString(c.Output) {
			continue
		}
		pos := c.Span.Start
		for n, text := range strings.Split(c.Output, "\n") {
			text = strings.TrimSpace(text)
			k := strings.LastIndex(p.text[pos:c.Span.End], text)
			if n == 0 {
				k = p.outputStart(c, text)
			}
			if text == "" || k < 0 || n >= maxLines {
				continue
			}
			s := Span{pos + k, pos + k + len(text)}
			if !inside(failures, s.Start) {
				p.addStatement(Statement{Role: role, Kind: SaysOutput, Text: text, Span: s, Where: "repl", Block: i, Line: at, Approximate: b.Approximate, Version: b.After})
			}
		}
	}
}

// outputStart finds the first output line of a cell: after its code, as a line
// of its own.
func (p *parser) outputStart(c Cell, text string) int {
	pos := 0
	for range strings.Count(c.Code, "\n") + 1 {
		next := strings.IndexByte(p.text[c.Span.Start+pos:c.Span.End], '\n')
		if next < 0 {
			return -1
		}
		pos += next + 1
	}
	k := strings.Index(p.text[c.Span.Start+pos:c.Span.End], text)
	if k < 0 {
		return -1
	}
	return pos + k
}

var (
	// exceptionName: "ValueError", "jax.errors.TracerError".
	exceptionName = lazyre.New(`^(?:[A-Za-z_]\w*\.)*_?[A-Z]\w*(?:Error|Exception|Warning|Interrupt|Exit)$`)
	// valueText: a value and nothing else: 3, nan, (3, 8), [1. 2.], tensor(1.), float32.
	valueText = lazyre.New(`^(?:[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?j?|[-+]?(?:nan|inf|infinity|NaN|Inf)|True|False|None|\((?:[-\d., ?]|None)*\)|\[[-+\w., \[\]]*\]|\{\}|\[\]|(?:b?float|u?int|complex|bool)\d*|'[^']*'|"[^"]*"|(?:tensor|array|Array|Tensor|torch\.Size|np\.\w+)\(.*\))$`)
	// nameText: a name or a call, which states nothing.
	nameText = lazyre.New(`^[A-Za-z_][\w.]*(?:\(.*\)|\[.*\])?$`)
	// commandText: "pip install x".
	commandText = lazyre.New(`^(?:pip3?|conda|mamba|uv|python[\d.]*|git|cd|export) \S`)
	// decoratorText: "@jit".
	decoratorText = lazyre.New(`^@[A-Za-z_][\w.]*(?:\(.*\))?$`)
	// keywordText: "axis=1".
	keywordText = lazyre.New(`^[A-Za-z_]\w*\s*=\s*\S`)
)

// kindOfInline tells a single value from printed text and from an exception.
func kindOfInline(text string, printed bool) (StatementKind, bool) {
	switch {
	case exceptionName.MatchString(text):
		if strings.HasSuffix(text, "Warning") {
			return SaysWarning, true
		}
		return SaysException, true
	case valueText.MatchString(text) && text[0] == '[' && holdsNames(text):
		return "", false // "[start, stop]": in the script's words, nothing it prints
	case valueText.MatchString(text):
		if printed {
			return SaysOutput, true
		}
		return SaysValue, true
	case nameText.MatchString(text) && !printed, keywordText.MatchString(text), decoratorText.MatchString(text), commandText.MatchString(text):
		return "", false
	}
	return SaysOutput, true
}

var wordIn = lazyre.New(`[A-Za-z_]\w*`)

// holdsNames: a list in which something else than Python's own constants stands
// without quotation marks; a printed one has none.
func holdsNames(list string) bool {
	for _, m := range wordIn.FindAllStringIndex(list, -1) {
		if m[0] > 0 && isWordByte(list[m[0]-1]) {
			continue // the exponent of "1e5"
		}
		switch strings.ToLower(list[m[0]:m[1]]) {
		case "nan", "inf", "infinity", "true", "false", "none":
		default:
			return true
		}
	}
	return false
}
