package oracle

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// aboutTime recognises a claim whose timings are the point.
var aboutTime = lazyre.New(`(?i)\b(?:took|takes|time|elapsed|slower|faster|seconds|duration|it/s)\b`)

// Limits of what is compared. Longer output was kept, it is only not looked at
// (guesses with room: the longest line of the measured reports has 400 bytes).
const (
	maxLines = 20000
	maxLine  = 16 << 10
)

// output is what an execution printed, line by line, cut into tokens once.
type output struct {
	lines []string
	plain [][]token // timings masked
	timed [][]token // timings kept
}

// outputLines are the printed lines of an execution, empty ones left out:
// stdout first, then stderr, where logging writes.
func outputLines(ex sandbox.Execution) *output {
	o := &output{}
	for _, text := range []string{ex.Stdout, ex.Stderr} {
		for l := range strings.SplitSeq(text, "\n") {
			if l = strings.TrimSpace(l); l != "" && len(o.lines) < maxLines {
				o.lines = append(o.lines, l[:min(len(l), maxLine)])
			}
		}
	}
	o.plain, o.timed = make([][]token, len(o.lines)), make([][]token, len(o.lines))
	return o
}

// tokens of line i.
func (o *output) tokens(i int, keepTimes bool) []token {
	cache := o.plain
	if keepTimes {
		cache = o.timed
	}
	if cache[i] == nil {
		cache[i] = append([]token{}, tokens(o.lines[i], keepTimes)...)
	}
	return cache[i]
}

// head is the beginning of the output, for a person to see.
func (o *output) head() []string { return o.lines[:min(len(o.lines), 5)] }

// findLines looks for the stated lines in the output, in order. Fragments may
// share a line. It returns the lines that carried them, and the index of the
// first that is missing or -1.
func findLines(stated []Line, out *output) (found []string, missing int) {
	found, missing = findWhole(stated, out)
	if missing >= 0 {
		if joined, ok := findJoined(stated, out); ok {
			return joined, -1
		}
	}
	return found, missing
}

// findWhole looks for them line by line.
func findWhole(stated []Line, out *output) (found []string, missing int) {
	from := 0
	for i, want := range stated {
		if strings.TrimSpace(want.Text) == "" {
			continue
		}
		at, p := -1, newPattern(want)
		for k := from; k < len(out.lines); k++ {
			if p.matches(out.tokens(k, p.timed)) {
				at = k
				break
			}
		}
		if at < 0 {
			return found, i
		}
		found = append(found, out.lines[at])
		from = at + 1
		if want.Fragment {
			from = at
		}
	}
	return found, -1
}

// pattern is a stated line, cut into tokens.
type pattern struct {
	line   Line
	tokens []token
	timed  bool
}

// newPattern cuts a stated line once. Dots at the end of a prefix are dropped,
// since they stand for whatever follows.
func newPattern(want Line) pattern {
	p := pattern{line: want, timed: aboutTime.MatchString(want.Text)}
	p.tokens = tokens(want.Text[:min(len(want.Text), maxLine)], p.timed)
	for n := len(p.tokens); want.Prefix && n > 0 && p.tokens[n-1].text == "..."; n-- {
		p.tokens = p.tokens[:n-1]
	}
	if n := len(p.tokens); want.Prefix && n > 0 && p.tokens[n-1].number != nil {
		last := *p.tokens[n-1].number
		last.cut = true
		p.tokens[n-1].number = &last
	}
	return p
}

// matches compares the stated line with a printed one, token by token.
func (p pattern) matches(line []token) bool {
	if len(p.tokens) == 0 {
		return false
	}
	if p.line.Approximate && !p.line.Fragment && !p.line.Prefix && len(line) == len(p.tokens) && len(numbers(p.tokens)) >= manyNumbers {
		return roughly(p.tokens, line)
	}
	if value, ok := scalarOf(line); ok && !p.line.Fragment && !p.line.Prefix && singleValue(p.tokens) {
		return p.tokens[0].same(value, p.line.Approximate)
	}
	m := matcher{a: p.tokens, b: line, approximate: p.line.Approximate, whole: !p.line.Fragment && !p.line.Prefix}
	if !p.line.Fragment {
		return m.at(0, 0)
	}
	for i := range line {
		if m.at(0, i) {
			return true
		}
	}
	return false
}

// A list that the reporter calls approximate ("something like", "numbers vary")
// is met by one that is like it in most places (guesses: with half of the places
// a list of ones and zeros would pass for one of ones and large negatives).
const (
	manyNumbers = 4
	mostPlaces  = 0.75
)

// roughly compares an approximate list: everything but its numbers is equal, NaN
// and infinities stand where they were stated and nowhere else, and most of the
// other numbers have the stated sign, or are zero as stated. One gene of sixteen
// that happens to be zero makes no other result.
func roughly(stated, seen []token) bool {
	alike, total := 0, 0
	for i, t := range stated {
		n := seen[i].number
		if t.number == nil || n == nil {
			if !t.same(seen[i], true) {
				return false
			}
			continue
		}
		total++
		odd := func(c class) bool { return c == classNaN || c == classInf || c == classNegInf }
		switch {
		case (odd(t.number.class) || odd(n.class)) && t.number.class != n.class:
			return false
		case t.number.class == n.class && (t.number.value < 0) == (n.value < 0):
			alike++
		}
	}
	return float64(alike) >= mostPlaces*float64(total)
}

// matcher matches tokens a at a place of b, where dots in a stand for any run.
// What was found not to match is remembered: a line of many dots would else
// take exponential time.
type matcher struct {
	a, b               []token
	approximate, whole bool
	// failed: behind the dots before token i of a nothing matches at this place
	// of b or later.
	failed map[int]int
}

// at says whether the tokens from i on match those of the line from j on.
func (m *matcher) at(i, j int) bool {
	for ; i < len(m.a); i, j = i+1, j+1 {
		if m.a[i].text == "..." && m.a[i].number == nil {
			return m.dots(i+1, j)
		}
		if j >= len(m.b) || !m.a[i].same(m.b[j], m.approximate) {
			return false
		}
	}
	return !m.whole || j == len(m.b)
}

// dots tries every place where what follows the dots could go on.
func (m *matcher) dots(i, j int) bool {
	if i == len(m.a) {
		return true
	}
	end, known := m.failed[i]
	if !known {
		end = len(m.b)
	}
	for k := j; k < end; k++ {
		if m.at(i, k) {
			return true
		}
	}
	if m.failed == nil {
		m.failed = map[int]int{}
	}
	m.failed[i] = min(j, end)
	return false
}

// corresponding finds, for each stated line, the printed line that plays its
// part whatever its numbers are: the same words, or without words the same
// count of numbers, in order.
func corresponding(stated []Line, printed *output) [][]token {
	var out [][]token
	from := 0
	for _, want := range stated {
		a := tokens(want.Text, false)
		for k := from; k < len(printed.lines); k++ {
			b := printed.tokens(k, false)
			if !samePart(a, b, want.Fragment) {
				continue
			}
			out = append(out, b)
			from = k + 1
			break
		}
	}
	return out
}

// samePart says whether a printed line plays the part of a stated one.
func samePart(a, b []token, fragment bool) bool {
	la, lb := words(a), words(b)
	if len(la) == 0 {
		return len(lb) == 0 && (len(numbers(a)) == len(numbers(b)) || fragment) && len(numbers(b)) > 0
	}
	if fragment {
		return containsRun(lb, la)
	}
	return slices.Equal(la, lb)
}

// words are labels without what is a number's wrapper on some releases only.
func words(ts []token) []string {
	return slices.DeleteFunc(labels(ts), func(w string) bool {
		return w == "tensor" || w == "array" || w == "Array" || w == "dtype" || w == "None"
	})
}

// containsRun says whether the words occur side by side.
func containsRun(s, part []string) bool {
	for i := 0; i+len(part) <= len(s); i++ {
		if slices.Equal(s[i:i+len(part)], part) {
			return true
		}
	}
	return false
}
