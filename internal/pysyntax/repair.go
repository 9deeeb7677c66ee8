package pysyntax

import (
	"regexp"
	"slices"
	"strings"
)

// Fix is one repair of a damaged source.
type Fix struct {
	Kind          string // "quotes", "tabs", "line_numbers", "leftover", "prompt", "python2", "colon", "indent", "bracket", "capital", "answer"
	Why           string
	Line          int // 1-based; lines keep their numbers
	Before, After string
	// Guessed: another reading of the damage was possible.
	Guessed bool
}

// maxRepair bounds the work on a text that does not parse: each repair reads it
// again, and what does not parse is slow to read (half a second for this much
// of the worst text found). Some 400 lines, more than any script of the
// measured reports.
const maxRepair = 16 << 10

// Repair undoes what copying out of a page, a terminal or a notebook did to a
// source, and makes Python 3 of Python 2. A source that parses comes back byte
// for byte, but for what a notebook printed between its lines; so does one that
// no repair makes better. Lines keep their numbers.
func Repair(src string) (string, []Fix) {
	if len(src) > maxRepair {
		return src, nil
	}
	f := Parse(src)
	src, fixes := printedLines(src, f)
	if len(fixes) > 0 {
		f = Parse(src)
	}
	for _, repair := range repairs {
		if len(f.SyntaxErrors) == 0 && !needsPython2(f) {
			break
		}
		fixed, made := repair(src, f)
		if len(made) == 0 || strings.Count(fixed, "\n") != strings.Count(src, "\n") {
			continue
		}
		if g := Parse(fixed); better(g, f) {
			src, f, fixes = fixed, g, append(fixes, made...)
		}
	}
	return src, fixes
}

var repairs = []func(string, *File) (string, []Fix){
	wideCharacters, lineNumbers, prompts, capitals, leftovers, answers, tabs, python2, missingColon, lostIndentation, extraIndentation, brackets,
}

// better: fewer errors, or as many names that Python 3 lacks less.
func better(g, f *File) bool {
	if len(g.SyntaxErrors) != len(f.SyntaxErrors) {
		return len(g.SyntaxErrors) < len(f.SyntaxErrors)
	}
	return needsPython2(f) && !needsPython2(g)
}

func needsPython2(f *File) bool {
	return slices.ContainsFunc(f.Undefined(), func(n Name) bool { return modern[n.Name] != "" })
}

// inLines makes fixes of the lines in which two texts with as many lines differ.
func inLines(before, after []string, kind, why string) []Fix {
	var fixes []Fix
	for i := range before {
		if before[i] != after[i] {
			fixes = append(fixes, Fix{Kind: kind, Why: why, Line: i + 1, Before: before[i], After: after[i]})
		}
	}
	return fixes
}

var numbered = regexp.MustCompile(`^([ \t]*)(\d+)([:|.)]?)(.*)$`)

// lineNumbers takes out a column of rising numbers that an editor or a page put
// before the lines.
func lineNumbers(src string, _ *File) (string, []Fix) {
	lines := strings.Split(src, "\n")
	fixed := slices.Clone(lines)
	count, last, gap := 0, -1, 1<<30
	for i, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		m := numbered.FindStringSubmatch(line)
		if m == nil || len(m[2]) > 6 {
			return src, nil
		}
		// Rising, but not by one: empty lines often lose their numbers.
		n := atoi(m[2])
		if n <= last {
			return src, nil
		}
		last, count, fixed[i] = n, count+1, m[4]
		if code := strings.TrimLeft(m[4], " \t"); code != "" {
			gap = min(gap, len(m[4])-len(code))
		}
	}
	if count < 2 {
		return src, nil
	}
	for i := range fixed {
		fixed[i] = fixed[i][min(gap, len(fixed[i])-len(strings.TrimLeft(fixed[i], " \t"))):]
	}
	return strings.Join(fixed, "\n"), inLines(lines, fixed, "line_numbers", "line numbers are no code")
}

func atoi(digits string) int {
	n := 0
	for _, d := range digits {
		n = n*10 + int(d-'0')
	}
	return n
}

var strayPrompt = regexp.MustCompile(`^([ \t]*)(>>> ?|In ?\[\d*\]: ?)`)

// prompts takes stray prompts off single lines of what is a script otherwise.
func prompts(src string, f *File) (string, []Fix) {
	lines := strings.Split(src, "\n")
	fixed, inString := slices.Clone(lines), f.StringLines()
	for i, line := range lines {
		if !inString[i+1] {
			fixed[i] = strayPrompt.ReplaceAllString(line, "$1")
		}
	}
	return strings.Join(fixed, "\n"), inLines(lines, fixed, "prompt", "a prompt is no code")
}

var (
	// leftover are lines that stand in code by accident of copying: fences and
	// tags of the page, shell lines, dots for what was left out.
	leftover = regexp.MustCompile("^\\s*(```.*|~~~+.*|</?(details|summary|pre|code|br|p|div|b|i|img)\\b[^>]*>.*|\\*\\*[^*]+\\*\\*:?|" +
		`\$ .*|(C:\\[^>]*|\([\w.-]+\) )?[\w.-]*@?[\w.-]+[:~][\w/~.-]*[$%] .*|%?>? ?(python[\d.]*|bash|sh|cd|ls|git|conda|source|export|CUDA_VISIBLE_DEVICES=\S+) .*|` +
		`…+|\[…\]|\. \. \.|<(snip|snipped|\.\.\.|omitted)>|-{3,}|={3,}|_{3,}|\^C|Out\[\d*\]:.*|` +
		`(Actual |Expected )?(Output|Result|Error|Traceback|Code|Logs?)s?( is)?:)\s*$`)
	traceBegin = regexp.MustCompile(`^\s*(Traceback \(most recent call last\):|-{20,}\s*$)`)
	traceEnd   = regexp.MustCompile(`^\s*[A-Za-z_][\w.]*(Error|Exception|Interrupt|Exit|Warning|Failure)\b(:.*)?$`)
)

// leftovers turns such lines into comments, and with them a traceback that was
// pasted below the code.
func leftovers(src string, f *File) (string, []Fix) {
	lines := strings.Split(src, "\n")
	fixed := slices.Clone(lines)
	inString := f.StringLines()
	trace := false
	for i, line := range lines {
		switch {
		case inString[i+1]: // data, however much it looks like a log
		case !trace && traceBegin.MatchString(line) && strings.Contains(line, "Traceback"):
			trace = true
			fixed[i] = "# " + line
		case trace:
			if strings.TrimSpace(line) != "" {
				fixed[i] = "# " + line
			}
			trace = !traceEnd.MatchString(line)
		case leftover.MatchString(line) && parsesNot(line):
			fixed[i] = "# " + strings.TrimLeft(line, " \t")
		}
	}
	endMark(fixed, inString)
	return strings.Join(fixed, "\n"), inLines(lines, fixed, "leftover", "this line is no code")
}

// endMark takes off the sign with which a shell shows that a file has no line
// end: zsh's %, behind the last line of what cat printed.
func endMark(lines []string, inString map[int]bool) {
	i := len(lines) - 1
	for i >= 0 && strings.TrimSpace(lines[i]) == "" {
		i--
	}
	if i < 0 || inString[i+1] {
		return
	}
	if code, ok := strings.CutSuffix(strings.TrimRight(lines[i], " \t\r"), "%"); ok && parsesNot(lines[i]) && !parsesNot(code) {
		lines[i] = code
	}
}

// parsesNot keeps what a leftover only looks like.
func parsesNot(line string) bool { return len(Parse(strings.TrimSpace(line)+"\n").SyntaxErrors) > 0 }

// StringLines are the lines (1-based) on which a string that began earlier goes on.
func (f *File) StringLines() map[int]bool {
	inside := map[int]bool{}
	for _, s := range f.Strings {
		for i := range strings.Count(f.Source[s.Span.Start:s.Span.End], "\n") {
			inside[s.Line+i+1] = true
		}
	}
	return inside
}

// tabs makes blanks of the tabs in front of lines when both are mixed so that
// the interpreter refuses them: with the width at which the text parses, and
// not at all when it does with two widths that mean different blocks.
func tabs(src string, f *File) (string, []Fix) {
	if !strings.Contains(src, "\t") {
		return src, nil
	}
	lines, inString := strings.Split(src, "\n"), f.StringLines()
	var found []string
	var shape []string
	// A width is taken only when it helps. Two that parse and nest alike are no
	// contradiction; two that nest differently are two programs.
	for _, width := range []int{8, 4, 2} { // Python 2 and terminals; editors
		fixed := make([]string, len(lines))
		for i, line := range lines {
			fixed[i] = line
			if !inString[i+1] {
				fixed[i] = expand(line, width)
			}
		}
		g := Parse(strings.Join(fixed, "\n"))
		if len(g.SyntaxErrors) >= len(f.SyntaxErrors) {
			continue
		}
		nested := levels(fixed)
		switch {
		case found == nil:
			found, shape = fixed, nested
		case len(g.SyntaxErrors) == 0 && !slices.Equal(shape, nested):
			return src, nil
		}
	}
	if found == nil {
		return src, nil
	}
	return strings.Join(found, "\n"), inLines(lines, found, "tabs", "tabs and blanks are mixed")
}

// expand replaces the tabs in front of a line.
func expand(line string, width int) string {
	code := strings.TrimLeft(line, " \t")
	column := 0
	for _, ch := range line[:len(line)-len(code)] {
		if ch == '\t' {
			column += width - column%width
		} else {
			column++
		}
	}
	return strings.Repeat(" ", column) + code
}

// levels are the depths of the statements, whatever their columns.
func levels(lines []string) []string {
	var depth []string
	var stack []int
	logicals, _ := logicalLines(lines)
	for _, l := range logicals {
		if l.blank {
			continue
		}
		for len(stack) > 0 && stack[len(stack)-1] > len(l.indent) {
			stack = stack[:len(stack)-1]
		}
		if len(stack) == 0 || stack[len(stack)-1] < len(l.indent) {
			stack = append(stack, len(l.indent))
		}
		depth = append(depth, strings.Repeat(">", len(stack)))
	}
	return depth
}

func python2(src string, f *File) (string, []Fix) {
	var fixes []Fix
	changes := Python2(src)
	guessed := len(changes) > 0 && DividesIntegers(src)
	for _, ch := range changes {
		fixes = append(fixes, Fix{
			Kind: "python2", Why: "written for Python 2", Line: ch.Line,
			Before: src[ch.Span.Start:ch.Span.End], After: ch.After, Guessed: guessed,
		})
	}
	return Apply(src, changes), fixes
}

// brackets closes what the end of the text left open, or takes closing ones
// away that nothing opened, when that makes the whole text parse.
func brackets(src string, _ *File) (string, []Fix) {
	body := strings.TrimRight(src, " \t\r\n")
	lines := strings.Split(body, "\n")
	_, end := logicalLines(lines)
	last := lines[len(lines)-1]
	fixed := ""
	switch {
	case end.quote != "":
		return src, nil
	case len(end.open) > 0:
		closers := slices.Clone(end.open)
		slices.Reverse(closers)
		code := beforeComment(lines)
		fixed = code + string(closers) + last[len(code):]
	case end.extra > 0 && strings.ContainsAny(last[max(0, len(last)-1):], ")]}"):
		fixed = last[:len(last)-1]
		if strings.TrimSpace(fixed) == "" {
			fixed = ""
		}
	default:
		return src, nil
	}
	// Fewer errors would not be enough here: a bracket in the wrong place can
	// swallow half of the script and call it an argument.
	lines[len(lines)-1] = fixed
	out := strings.Join(lines, "\n") + src[len(body):]
	if len(Parse(out).SyntaxErrors) > 0 {
		return src, nil
	}
	return out, []Fix{{
		Kind: "bracket", Why: "the last bracket is missing or one too many", Line: len(lines), Before: last, After: fixed, Guessed: true,
	}}
}

// beforeComment is the last line up to the end of its code.
func beforeComment(lines []string) string {
	var lx lexer
	code := ""
	for _, line := range lines {
		code, _ = lx.line(line)
	}
	return strings.TrimRight(code, " \t")
}
