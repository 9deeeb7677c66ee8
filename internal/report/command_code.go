package report

import (
	"sort"
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// commandCode is a script that was given to the interpreter on its command line:
// "$ python -c 'import x; print(x.f())'". The last group is the quotation mark.
var commandCode = lazyre.New(`^(?:[A-Za-z_][A-Za-z0-9_]*=\S*\s+)*(?:\S*/)?python[\d.]*(?:\.exe)?(?:\s+-[A-Za-z]+(?:\s+[\w:.]+)?)*?\s+-c\s+(['"])`)

// splitCommand cuts such a script out of a block of commands: what was typed
// before it, the script, and what it printed. A block with two of them shows
// two states of a machine, and is left alone.
func (s *scanner) splitCommand(b blk) []blk {
	if b.kind != "" || pythonTag.MatchString(b.lang) {
		return nil
	}
	at, open, quote := -1, 0, ""
	for k, l := range b.lines {
		start, m := s.commandAt(l)
		if m == nil {
			continue
		}
		if at >= 0 {
			return nil
		}
		at, open, quote = k, start+m[1], s.p.text[start+m[2]:start+m[3]]
	}
	if at < 0 || parses(b.join(s.p.text)) {
		return nil
	}
	end := b.lines[len(b.lines)-1].end
	n := strings.Index(s.p.text[open:end], quote)
	if n <= 0 {
		return nil
	}
	last := at + sort.Search(len(b.lines)-at, func(i int) bool { return b.lines[at+i].end >= open+n })
	code := s.p.text[open : open+n]
	if rest := s.p.text[open+n+1 : b.lines[last].end]; strings.TrimSpace(rest) != "" || len(code) > maxTail || !parses(code) || !strings.Contains(code, "import") {
		return nil
	}
	if quote == `"` && strings.ContainsAny(code, "\\$`") {
		return nil // the shell changes these
	}
	return s.commandParts(b, at, last, Span{open, open + n})
}

// commandAt finds the command of a line, behind its prompt if it has one.
func (s *scanner) commandAt(l line) (start int, m []int) {
	t := s.p.text[l.start:l.end]
	if len(t) > maxTail || !strings.Contains(t, "-c") {
		return 0, nil
	}
	cmd := command(t)
	if cmd == "" {
		cmd = strings.TrimLeft(t, " \t")
	}
	start = l.end - len(cmd)
	if runsOther.MatchString(cmd) {
		return start, nil // it asks for a version
	}
	return start, commandCode.FindStringSubmatchIndex(cmd)
}

func (s *scanner) commandParts(b blk, at, last int, code Span) []blk {
	lineOf := func(pos int) int {
		return sort.Search(len(s.p.lines), func(i int) bool { return s.p.lines[i].end >= pos })
	}
	typed, script, printed := b, b, b
	typed.kind, script.kind, script.lang, printed.lang = BlockShell, BlockPython, "", ""
	typed.lines = append([]line(nil), b.lines[:at+1]...)
	typed.lines[at].end = code.Start - 1
	script.lines = append([]line(nil), b.lines[at:last+1]...)
	script.lines[0].start, script.lines[last-at].end = code.Start, code.End
	printed.lines = append([]line(nil), b.lines[last+1:]...)
	script.first = lineOf(code.Start)
	script.last = lineOf(code.End)
	typed.last = script.first
	if len(printed.lines) == 0 {
		script.last = b.last
		return []blk{typed, script}
	}
	printed.first = script.last + 1
	return []blk{typed, script, printed}
}
