package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// Output that was pasted into the script, as comments below the lines that
// print it:
//
//	print(f(x))
//	# Output:
//	# [1, 5]
//	# Expected:
//	# [3, 3]
var (
	labelCame   = lazyre.New(`(?i)^(?:(?:actual|current|real|my) )?(?:outputs?|results?|actual|got|prints?|printed|values?|returns?|gives)(?: is)?\s*[:.]*$|^(?:实际)?(?:输出|结果)(?:：|:)?$|^実際|^出力`)
	labelWanted = lazyre.New(`(?i)^(?:the )?(?:expected|desired|correct|wanted|should be)(?: (?:outputs?|results?|values?))?(?: is)?\s*[:.]*$|^(?:期望|预期)(?:输出|结果|值)?(?:：|:)?$|^期待`)
	// printedValues is a line of values and nothing else: what print gives for
	// numbers, arrays, tensors, True.
	printedValues = lazyre.New(`^(?:(?:[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?j?|[-+]?(?:nan|inf)|True|False|None|[\[\](){},]|'[^']*'|(?:tensor|array|Array|DeviceArray|torch\.Size|dtype)[=(])[\s,]*)+(?:dtype=[\w.]+\)*)?$`)
	arrowLine     = lazyre.New(`^(?:>>>|[-=]+>|\x{2192})\s*`)
)

// pastedComments makes statements of such runs and tells which comments were
// part of one.
func (p *parser) pastedComments(i int, all []comment) map[int]bool {
	taken := map[int]bool{}
	for n := 0; n < len(all); n++ {
		if all[n].trailing || taken[n] {
			continue
		}
		text := strings.TrimSpace(p.text[all[n].start:all[n].end])
		role, body := Role(""), n
		switch {
		case labelWanted.MatchString(text):
			role, body = RoleExpected, n+1
		case labelCame.MatchString(text):
			role, body = RoleActual, n+1
		case p.printsAbove(i, all[n]) && (printedValues.MatchString(text) || arrowLine.MatchString(text) && len(text) > 4):
			role = RoleActual
		default:
			continue
		}
		end := p.runEnd(all, n, body)
		if body == end {
			continue // a label with nothing below
		}
		if body == n && !p.allPrinted(all[n:end]) {
			continue // the first line looked like a value, the run is prose
		}
		p.pastedRun(i, role, all[body:end], all[n])
		for k := n; k < end; k++ {
			taken[k] = true
		}
	}
	return taken
}

// runEnd is behind the last comment of the lines right below each other, up to
// the next label.
func (p *parser) runEnd(all []comment, n, body int) int {
	end := body
	for end < len(all) && !all[end].trailing && (end == n || all[end].line == all[end-1].line+1) {
		text := strings.TrimSpace(p.text[all[end].start:all[end].end])
		if text == "" || end > n && (labelCame.MatchString(text) || labelWanted.MatchString(text)) {
			break
		}
		end++
	}
	return end
}

// allPrinted says whether every line of a run looks like printed values.
func (p *parser) allPrinted(run []comment) bool {
	for _, c := range run {
		text := strings.TrimSpace(p.text[c.start:c.end])
		if !printedValues.MatchString(text) && !arrowLine.MatchString(text) {
			return false
		}
	}
	return true
}

// printsAbove: the line of code above the comment prints something.
func (p *parser) printsAbove(i int, c comment) bool {
	lines := p.blks[i].lines
	for k := c.line - 1; k >= 0; k-- {
		t := strings.TrimSpace(p.text[lines[k].start:lines[k].end])
		if t == "" {
			continue
		}
		return strings.Contains(t, "print(") || strings.HasPrefix(t, "print ")
	}
	return false
}

// printedAbove is the line of the print right above a comment of its own line,
// 0 when there is none, or another one right below.
func (p *parser) printedAbove(i int, c comment) int {
	if c.trailing || !p.printsAbove(i, c) {
		return 0
	}
	for k := c.line + 1; k < len(p.blks[i].lines); k++ {
		if t := strings.TrimSpace(p.lineOf(i, k)); t != "" {
			if strings.HasPrefix(t, "print") {
				return 0
			}
			break
		}
	}
	if prints := p.printsBefore(i, c.line); len(prints) > 0 {
		return prints[len(prints)-1] + 1
	}
	return 0
}

// pastedRun states each line. Where as many lines were pasted as the code right
// above prints, each belongs to its print.
func (p *parser) pastedRun(i int, role Role, run []comment, first comment) {
	prints := p.printsBefore(i, first.line)
	for k, c := range run {
		s := trimmed(p.text, Span{c.start, c.end})
		s.Start += len(arrowLine.FindString(p.text[s.Start:s.End]))
		at := 0
		if len(prints) == len(run) {
			at = prints[k] + 1
		}
		if s.End > s.Start {
			p.addComment(i, c, Statement{Role: role, Kind: SaysOutput, Text: p.text[s.Start:s.End], Span: s, Line: at})
		}
	}
}

// printsBefore are the lines that print, upwards from the given one to the next
// comment of its own line.
func (p *parser) printsBefore(i, line int) []int {
	var out []int
	lines := p.blks[i].lines
	for k := line - 1; k >= 0; k-- {
		t := strings.TrimSpace(p.text[lines[k].start:lines[k].end])
		if strings.HasPrefix(t, "#") && len(out) > 0 {
			break
		}
		if strings.HasPrefix(t, "print(") {
			out = append([]int{k}, out...)
		}
	}
	return out
}

var (
	// answered is what stands behind a statement without a hash sign: an arrow
	// and a value, as in "print(f(2)) -> 0.5", which is no Python.
	answered = lazyre.New(`^(?:-+>|=+>|\x{2192})\s+(\S.*?)\s*$`)
	// beforeAnswer is the end of a statement that can have one.
	beforeAnswer = lazyre.New(`[)\]\w"'] +$`)
)

// arrowBehind says whether such an answer begins at the byte i of a line.
func arrowBehind(t string, i int) bool {
	if t[i] != '-' && t[i] != '=' && t[i] != 0xe2 || i == 0 || len(t)-i > 200 || !beforeAnswer.MatchString(t[:i]) {
		return false
	}
	m := answered.FindStringSubmatch(t[i:])
	return m != nil && (valueText.MatchString(m[1]) || exceptionName.MatchString(m[1]))
}
