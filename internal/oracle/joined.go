package oracle

import "strings"

// maxJoined is how many lines one value may go over (a guess): behind them a
// bracket that nobody closed joins no more.
const maxJoined = 200

// A notebook breaks the lines of a long value otherwise than an interpreter
// does, and other versions of numpy otherwise than one another. What stands
// inside one pair of brackets is therefore compared as one line as well, where it
// was not found line by line.
func findJoined(stated []Line, out *output) (found []string, ok bool) {
	want, joinedWant := joinStated(stated)
	lines, joinedOut := joinLines(out.lines)
	if !joinedWant && !joinedOut {
		return nil, false
	}
	whole := &output{lines: lines, plain: make([][]token, len(lines)), timed: make([][]token, len(lines))}
	found, missing := findWhole(want, whole)
	return found, missing < 0
}

// joinLines joins the lines of each value in brackets; more is false where none
// goes over several.
func joinLines(lines []string) (out []string, more bool) {
	open := openings(lines)
	for i := 0; i < len(lines); {
		n := linesOfValue(open[i:])
		out = append(out, strings.Join(lines[i:i+n], " "))
		more = more || n > 1
		i += n
	}
	return out, more
}

// joinStated does so with stated lines, but for fragments and cut ones.
func joinStated(stated []Line) (out []Line, more bool) {
	texts := make([]string, len(stated))
	for i, l := range stated {
		texts[i] = l.Text
	}
	open := openings(texts)
	for i, l := range stated {
		if l.Fragment || l.Prefix {
			open[i] = maxJoined * maxLine // never closed
		}
	}
	for i := 0; i < len(stated); {
		one, n := stated[i], linesOfValue(open[i:])
		if n > 1 {
			one.Text = strings.Join(texts[i:i+n], " ")
			for _, l := range stated[i : i+n] {
				one.Approximate = one.Approximate || l.Approximate
			}
			more = true
		}
		out = append(out, one)
		i += n
	}
	return out, more
}

// openings is how many brackets more each line opens than it closes.
func openings(lines []string) []int {
	out := make([]int, len(lines))
	for i, l := range lines {
		for _, c := range []byte(l) {
			switch c {
			case '(', '[', '{':
				out[i]++
			case ')', ']', '}':
				out[i]--
			}
		}
	}
	return out
}

// linesOfValue is how many lines the value goes over that begins on the first
// one: up to where its brackets are closed, 1 when they never are.
func linesOfValue(open []int) int {
	depth := 0
	for i, n := range open[:min(len(open), maxJoined)] {
		if depth += n; depth < 0 {
			return 1
		}
		if depth == 0 {
			return i + 1
		}
	}
	return 1
}
