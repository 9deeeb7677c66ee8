package symptom

import (
	"slices"
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	tbHeader = lazyre.New(`^(.*?)(?:Exception Group )?Traceback \(most recent call last\):?\s*$`)
	// ipyHeader names the class before the word, padded with spaces.
	ipyHeader = lazyre.New(`^([A-Za-z_][\w.]*)\s{2,}Traceback \(most recent call last\)`)
	fileLine  = lazyre.New(`^\s*File "([^"]+)"(?:, line (\d+))?(?:,? in (.+?))?\s*$`)
	// excLine is the line with class and message; a class alone is allowed.
	excLine = lazyre.New(`^([A-Za-z_]\w*(?:\.(?:[A-Za-z_]\w*|<locals>))*)(?:\[[\w., ]+\])?(?::(?:\s(.*))?)?$`)
	carets  = lazyre.New(`^\s*[~^]+(?:\s*[~^]+)*\s*$`)
	dots    = lazyre.New(`^\s*(?:\.{3}|…|\[\.{3}\]|\[?snip\]?|<\.{3}>|\(\.{3}\))`)
	// elided is how 3.13 leaves lines of a long statement out.
	elided   = lazyre.New(`^\s*\.\.\.<\d+ lines?>\.\.\.`)
	repeated = lazyre.New(`^\s*\[Previous line repeated \d+ more times?\]`)
	linkLine = lazyre.New(`^\s*(?:During handling of the above exception, another exception occurred:|The above exception was the direct cause of the following exception:)\s*$`)
	likeExc  = lazyre.New(`(?:Error|Exception|Warning|Interrupt|Exit|Iteration|Abort|Failure|Fault|Timeout|NotFound|Traceback|StackTrace|Group)$`)
	// showsCode is the reporter's own sentence that leads over to the script: no
	// library says "here is the code". An empty line often lacks before it.
	showsCode = lazyre.New(`(?i)^(?:(?:here(?:'s| is| are)|this is|below is) (?:the|my|a|an|some) (?:\w+ ){0,2}|my (?:\w+ )?)(?:code|script|snippet|program)\b|^(?:the )?(?:code|script|snippet)\s*[:-]?$`)

	// jaxNote are lines that jax prints around its filtered tracebacks.
	jaxNote = lazyre.New(`^(?:-{20,}|For simplicity, JAX has removed|The stack trace below excludes JAX-internal|The preceding is the original exception)`)
)

// traceback reads a block under Python's or IPython's header with everything
// that is chained to it.
func (s *scanner) traceback(i int) (int, bool) {
	if !tbHeader.MatchString(s.text(i)) {
		return i, false
	}
	return s.chained(i, s.one)
}

// headless reads a block whose header was cut off: it starts at a frame.
func (s *scanner) headless(i int) (int, bool) {
	if !fileLine.MatchString(s.text(i)) && !isIPythonFrame(s.text(i)) {
		return i, false
	}
	// "File "x", line 5 in f" without a comma belongs to faulthandler.
	if faultFrame.MatchString(s.text(i)) {
		return i, false
	}
	return s.chained(i, s.one)
}

// one reads a single block and returns the line after it.
func (s *scanner) one(i int) (Symptom, int) {
	if m := ipyHeader.FindStringSubmatch(s.text(i)); m != nil {
		return s.ipython(i, unmarked(m[1]))
	}
	if isIPythonFrame(s.text(i)) {
		return s.ipython(i, "")
	}
	return s.plain(i)
}

// chained reads blocks as long as a linking line follows. The last one is the
// failure, the ones before it are its Chain, nearest first.
func (s *scanner) chained(i int, read func(int) (Symptom, int)) (int, bool) {
	start, headless := i, !tbHeader.MatchString(s.text(i))
	sym, next := read(i)
	for depth := 0; depth < 20; depth++ {
		j := s.skip(next, func(t string) bool { return blank(t) || jaxNote.MatchString(t) })
		if !linkLine.MatchString(s.text(j)) {
			break
		}
		j = s.skip(j+1, func(t string) bool { return blank(t) || jaxNote.MatchString(t) })
		if !tbHeader.MatchString(s.text(j)) && !fileLine.MatchString(s.text(j)) {
			next = j
			break
		}
		later, after := read(j)
		next = after
		sym = link(sym, later)
	}
	if sym.Exception == "" && sym.Message == "" && (len(sym.Frames) == 0 || headless && !slices.ContainsFunc(sym.Frames, Frame.InLibrary)) {
		return next, true // a header or the place of some log line says nothing
	}
	s.span(&sym, start, next)
	s.add(settle(sym))
	return next, true
}

// link makes earlier the cause of later. Jax shows the failure first and then
// once more without its own frames: then the first telling is the whole one.
func link(earlier, later Symptom) Symptom {
	class := unqualified(later.Exception)
	if class == "SimplifiedTraceback" {
		return earlier
	}
	if unqualified(earlier.Exception) == "UnfilteredStackTrace" {
		return later
	}
	chain := earlier.Chain
	earlier.Chain = nil
	later.Chain = append([]Symptom{settle(earlier)}, chain...)
	return later
}

func (s *scanner) skip(i int, while func(string) bool) int {
	for i < len(s.lines) && while(s.lines[i].text) {
		i++
	}
	return i
}

// plain reads CPython's form, with or without header.
func (s *scanner) plain(i int) (Symptom, int) {
	sym := Symptom{Kind: Exception}
	margin := 0
	if m := tbHeader.FindStringSubmatch(s.text(i)); m != nil {
		margin = len(m[1])
		if strings.TrimSpace(m[1]) != "" {
			margin = 0 // a logger's prefix, the block itself starts at the left
		}
		i++
	} else {
		sym.Truncated = true
		margin = max(indent(s.text(i))-2, 0)
	}
	i = s.frames(&sym, i, margin)
	return s.ending(sym, i, margin)
}

// frames reads frame lines with their source lines.
func (s *scanner) frames(sym *Symptom, i, margin int) int {
	for ; i < len(s.lines); i++ {
		t := s.text(i)
		switch {
		case fileLine.MatchString(t):
			m := fileLine.FindStringSubmatch(t)
			n, _ := strconv.Atoi(m[2]) // absent: 0
			source := ""
			if next := s.text(i + 1); s.isSource(i+1, indent(t)) {
				source = next
				i++
			}
			if len(sym.Frames) < maxFrames {
				sym.Frames = append(sym.Frames, newFrame(m[1], m[3], n, source))
			}
		case elided.MatchString(t):
		case dots.MatchString(t):
			sym.Truncated = true
		case s.inPlain(sym, i):
			i++ // the source line below it
		case carets.MatchString(t), repeated.MatchString(t):
		case !blank(t) && indent(t) > margin:
			// further lines of a statement that spans several
		default:
			return i
		}
	}
	return i
}

// isSource says whether line i is the source line of the frame above it, whose
// indentation is given. Pasted logs often lost their indentation: then a line
// that cannot be a class with a message is source.
func (s *scanner) isSource(i, above int) bool {
	t := s.text(i)
	if blank(t) || fileLine.MatchString(t) || dots.MatchString(t) || repeated.MatchString(t) {
		return false
	}
	if indent(t) > above {
		return true
	}
	if above > 0 && indent(t) < above {
		return false
	}
	m := excLine.FindStringSubmatch(t)
	return m == nil || !likeExc.MatchString(m[1])
}

// ending reads class and message at line i.
func (s *scanner) ending(sym Symptom, i, margin int) (Symptom, int) {
	j := i
	for j < len(s.lines) && j < i+2 && blank(s.text(j)) {
		j++
	}
	t := strings.TrimSpace(s.text(j))
	m := excLine.FindStringSubmatch(t)
	if m == nil || indent(s.text(j)) > margin+1 || !plausibleClass(m[1], m[2], j == i) {
		sym.Truncated = true
		return sym, i
	}
	if sym.Truncated && m[2] == "" && !likeExc.MatchString(m[1]) && !builtinExceptions[m[1]] {
		return sym, i // no header above, and a word with a colon is no class
	}
	sym.Exception = m[1]
	if noHeader[unqualified(m[1])] && i > 0 {
		sym.Truncated = false
	}
	return s.message(sym, m[2], j+1)
}

// noHeader are the classes that Python prints without a header when the script
// itself cannot be read.
var noHeader = map[string]bool{"SyntaxError": true, "IndentationError": true, "TabError": true}

// inPlain reads a frame as IPython's plain mode writes it under CPython's
// header.
func (s *scanner) inPlain(sym *Symptom, i int) bool {
	f, ok := ipythonFrame(s.text(i))
	if !ok || indent(s.text(i)) == 0 || indent(s.text(i+1)) <= indent(s.text(i)) {
		return false
	}
	f.Source = strings.TrimSpace(s.text(i + 1))
	if len(sym.Frames) < maxFrames {
		sym.Frames = append(sym.Frames, f)
	}
	return true
}

// plausibleClass guards against prose that follows a cut traceback ("Note: the
// same happens ..."). Right below a frame any dotted name may be the class.
func plausibleClass(class, message string, adjacent bool) bool {
	if likeExc.MatchString(class) || builtinExceptions[class] {
		return true
	}
	last := unqualified(class)
	return adjacent && (message != "" || strings.Contains(class, ".") || last[0] >= 'A' && last[0] <= 'Z')
}

// message reads the lines that belong to a message whose first line is given.
// It ends at an empty line, since what stands behind one is nearly always the
// reporter's next sentence or the program's next output. The messages that
// goesOn knows continue, and so does a whole traceback that the message itself
// announces: otherwise it would count as a second failure, of another class.
func (s *scanner) message(sym Symptom, first string, i int) (Symptom, int) {
	out := []string{first}
	on := goesOn(first)
	for ; i < len(s.lines) && len(out) < maxWrapped; i++ {
		t := s.text(i)
		if on != nil && blank(t) && on(s, i) {
			out = append(out, "")
			continue
		}
		if len(out) == 1 && first == "" && !blank(t) {
			on = goesOn(strings.TrimSpace(t)) // the message begins on a line of its own
		}
		if from, ok := s.embedded(i, out); ok {
			for ; i < from; i++ {
				out = append(out, s.text(i))
			}
			i--
			continue
		}
		if blank(t) || s.endsMessage(t) && (on == nil || !strings.HasPrefix(t, "-----")) || on == nil && len(out) >= maxMessageLines {
			break
		}
		out = append(out, t)
	}
	i = s.skipGraphStack(i)
	sym.Message = strings.TrimRight(strings.Join(out, "\n"), " \n")
	return sym, i
}

// embedded reads a traceback that belongs to the message whose last line says
// so, and returns the line after it. How deep one may stand in another is
// bounded, and so is what is read again for it.
func (s *scanner) embedded(i int, out []string) (int, bool) {
	if !tbHeader.MatchString(s.text(i)) || s.depth >= maxUnwrap || !wrapsTrace.MatchString(strings.TrimSpace(out[len(out)-1])) {
		return i, false
	}
	s.depth++
	_, after := s.plain(i)
	s.depth--
	return min(after, i+maxWrapped), true
}

// skipGraphStack steps over the stack of a node's definition below a message.
func (s *scanner) skipGraphStack(i int) int {
	start := i
	for ; i < len(s.lines) && i < start+maxWrapped; i++ {
		t := s.text(i)
		switch {
		case blank(t), fileLine.MatchString(t), indent(t) > 0 && i > start:
		case graphStack.MatchString(t), strings.HasPrefix(t, "Input Source operations"):
			start = i
		default:
			if i == start || !graphStack.MatchString(s.text(start)) {
				return start
			}
			return i
		}
	}
	if start < len(s.lines) && graphStack.MatchString(s.text(start)) {
		return i
	}
	return start
}

func (s *scanner) endsMessage(t string) bool {
	trim := strings.TrimSpace(t)
	return strings.HasPrefix(trim, "```") || strings.HasPrefix(trim, "~~~") && indent(t) < 4 || strings.HasPrefix(t, "**********") || strings.HasPrefix(t, ">>>") ||
		strings.HasPrefix(t, "$ ") || tbHeader.MatchString(t) || linkLine.MatchString(t) || jaxNote.MatchString(t) ||
		nativeFatal.MatchString(t) || signalWord.MatchString(trim) && len(trim) < 60 || trim == "</details>" || showsCode.MatchString(trim) || strings.HasPrefix(trim, "+-") || strings.HasPrefix(trim, "### ")
}

// unqualified is the class without its module.
func unqualified(class string) string {
	return class[strings.LastIndexByte(class, '.')+1:]
}

// unmarked drops the underscore with which Markdown opens italics in front of
// one of Python's own classes; other names may begin with one.
func unmarked(class string) string {
	if pythonsOwn.MatchString(class) {
		return class[1:]
	}
	return class
}

var pythonsOwn = lazyre.New(`^_(?:(?:Value|Type|Runtime|Key|Index|Attribute|Name|Import|ModuleNotFound|Assertion|ZeroDivision|Overflow|NotImplemented|FileNotFound|Memory|Recursion|OS|FloatingPoint|Arithmetic|Lookup)Error)$`)
