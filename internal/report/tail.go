package report

import (
	"sort"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// outputLabel is a line inside code that says what follows was printed; the
// first line of that may stand right behind it ("output: <tf.Tensor ...>").
var outputLabel = lazyre.New(`(?i)^\s*(?:#\s*)?(?:(?:actual |current |the )?(?:outputs?|results?|prints?|returns?|gives?)(?: is| are)?|输出|结果|出力|вывод|ausgabe)\s*[:：]\s*`)

// outputComment is such a label as a comment, which stays with the code: "# OUTPUT".
var outputComment = lazyre.New(`(?i)^\s*#+\s*(?:actual |current |the |my )?(?:console |printed )?(?:outputs?|results?|prints?|stdout)\s*[:：.]*\s*$`)

// labelled is a line that only such a label makes no code.
func labelled(t string) bool {
	m := outputLabel.FindString(t)
	return m != "" && !strings.Contains(m, "#") && !dictLine.MatchString(t)
}

// lastLine is the last line of a traceback whose rest was left out.
var lastLine = lazyre.New(`^(?:[A-Za-z_]\w*\.)*_?[A-Z]\w*(?:Error|Exception): \S`)

// dictLine: an entry of a mapping, or an annotation, is code.
var dictLine = lazyre.New(`,\s*$|^\s*\w+\s*:\s*[\w.\[\]]+\s*(?:=|$)`)

// maxTail is how much of a block is searched for output pasted below code: a
// longer one is a log or a whole program (a guess).
const maxTail = 8 << 10

// tailOf finds where the output begins that was pasted below code in one fence:
// the index of its first line, 0 when there is none. Only a block that Python
// refuses as a whole, and reads up to there, is cut, so that no line of code can
// be taken for printed text.
func tailOf(lines []string) int {
	text := strings.Join(lines, "\n")
	if len(lines) < 2 || len(text) > maxTail || hasPrompt(text) || traceLine.MatchString(text) || !strongMark.MatchString(text) {
		return 0
	}
	at := warnedAt(lines)
	if at == 0 {
		at = tailStart(lines)
	} else if printed := tailStart(lines[:at]); printed > 0 {
		at = printed
	}
	if at == 0 || !parses(strings.Join(lines[:at], "\n")) || parses(text) {
		return 0
	}
	return at
}

// printedWarning is what Python writes of a warning, with the place before it.
var printedWarning = lazyre.New(`^\S.{0,300}:\d+: \w*Warning: `)

// warnedAt is the first line that shows a warning, 0 when none does. The line
// of code that Python quotes below it would else be taken for the script's.
func warnedAt(lines []string) int {
	for i, l := range lines {
		if printedWarning.MatchString(l) {
			return i
		}
	}
	return 0
}

// tailStart goes up from the end over the lines that cannot be code, and down
// again to the first of them that a label or a blank line sets apart.
func tailStart(lines []string) int {
	i := len(lines)
	for i > 0 && !looksCode(lines[i-1]) {
		i--
	}
	for j := max(i, 1); j < len(lines); j++ {
		t := strings.TrimSpace(lines[j])
		if t != "" && (labelled(lines[j]) || strings.TrimSpace(lines[j-1]) == "" || outputComment.MatchString(lines[j-1]) || lastLine.MatchString(lines[j])) {
			return j
		}
	}
	return 0
}

// looksCode: a comment may well stand below the code it speaks of.
func looksCode(l string) bool {
	t := strings.TrimSpace(l)
	return t != "" && !labelled(l) && (codeMark.MatchString(l) || shellLine.MatchString(l) || magicLine.MatchString(l) ||
		strings.HasPrefix(t, "#") || strings.HasPrefix(t, "//"))
}

// parses says whether the interpreter would read the text, which has to hold a
// statement.
func parses(text string) bool {
	f := pysyntax.Parse(text)
	return len(f.SyntaxErrors) == 0 && len(f.Statements) > 0
}

// splitTail cuts the output off a block of code. The second block follows the
// first without a gap, so that it is read as what the code printed.
func (s *scanner) splitTail(b blk) (code, output blk, ok bool) {
	p := s.p
	lines := make([]string, len(b.lines))
	for i, l := range b.lines {
		lines[i] = p.text[l.start:l.end]
	}
	at := 0
	if b.kind == "" && !outputTag.MatchString(b.lang) {
		at = tailOf(lines)
	}
	failed := at == 0 && b.kind == ""
	if failed {
		at = failureTail(lines)
	}
	if at == 0 {
		return b, blk{}, false
	}
	code, output = b, b
	code.lines, output.lines, output.lang = b.lines[:at:at], append([]line(nil), b.lines[at:]...), ""
	if m := outputLabel.FindString(lines[at]); labelled(lines[at]) {
		output.lines[0].start += len(m)
		if len(m) == len(lines[at]) && len(output.lines) > 1 {
			output.lines = output.lines[1:]
		}
	}
	output.kind, code.cut = BlockOutput, CutOutput
	if failed {
		code.kind, output.kind = BlockPython, ""
		if codeBelow(lines[at:]) {
			code.cut = CutCode
		}
	}
	output.first = sort.Search(len(p.lines), func(i int) bool { return p.lines[i].end >= b.lines[at].start })
	code.last = output.first - 1
	return code, output, true
}
