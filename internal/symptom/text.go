package symptom

import (
	"sort"
	"strings"
)

// FromText finds every failure in a log or in a whole report: Python
// tracebacks in all forms, warnings, fatal signals and native log lines. The
// result is in the order of the text; spans are byte offsets into it. Text
// that holds no failure gives nil; there is no error.
func FromText(text string) []Symptom {
	var out []Symptom
	for _, lines := range streams(text) {
		s := &scanner{lines: lines}
		s.run()
		out = append(out, s.out...)
		if len(out) >= maxSymptoms {
			out = out[:maxSymptoms]
			break
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Start < out[j].Start })
	return out
}

// scanner walks over the lines of one process.
type scanner struct {
	lines []line
	out   []Symptom
	// pending is the index in out of a native fatal line that waits for the
	// signal that follows it, or -1.
	pending     int
	pendingLine int
	bareTries   int
	depth       int // of tracebacks inside messages
}

// hint is a cheap test that comes before a recogniser's patterns: nearly all
// lines of nearly all logs are no failure, and patterns are slow.
type hint func(t string) bool

func hasAny(parts ...string) hint {
	return func(t string) bool {
		for _, p := range parts {
			if strings.Contains(t, p) {
				return true
			}
		}
		return false
	}
}

// recogniser tries to read a failure that starts at line i. It returns the
// first line after it; ok is false when there is none here.
type recogniser func(s *scanner, i int) (next int, ok bool)

// The order matters: what holds frames comes before what is one line.
var recognisers = []struct {
	hint hint
	try  recogniser
}{
	{hasAny("Traceback (most recent call last)"), (*scanner).traceback},
	{hasAny("File ", " in ", "In [", "In["), (*scanner).headless},
	{hasAny("E  "), (*scanner).pytest},
	{hasAny("Fatal Python error", "Windows fatal exception"), (*scanner).faulthandler},
	{hasAny("Timeout (", "Thread "), (*scanner).stackDump},
	{hasAny("Warning:"), (*scanner).warning},
	{hintFatal, (*scanner).fatalLine},
	{hintSignal, (*scanner).signal},
	{hasAny("Error: ", "Exception: ", "Interrupt: ", "Exit: ", "Iteration: ", "Group: ", "Warning: "), (*scanner).bare},
}

func (s *scanner) run() {
	s.pending = -1
	for i := 0; i < len(s.lines) && len(s.out) < maxSymptoms; {
		i = s.step(i)
	}
}

func (s *scanner) step(i int) int {
	if blank(s.lines[i].text) {
		return i + 1
	}
	for _, r := range recognisers {
		if !r.hint(s.lines[i].text) {
			continue
		}
		if next, ok := r.try(s, i); ok {
			return max(next, i+1)
		}
	}
	return i + 1
}

// text returns line i, or "" beyond the end.
func (s *scanner) text(i int) string {
	if i < 0 || i >= len(s.lines) {
		return ""
	}
	return s.lines[i].text
}

// span sets the byte span of the lines [from, to).
func (s *scanner) span(sym *Symptom, from, to int) {
	to = min(max(to, from+1), len(s.lines))
	sym.Start, sym.End = s.lines[from].start, s.lines[to-1].end
}

func (s *scanner) add(sym Symptom) { s.out = append(s.out, sym) }
