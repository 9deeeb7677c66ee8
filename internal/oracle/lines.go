package oracle

import (
	"regexp"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/sandbox"
)

// aboutTime recognises a claim whose timings are the point.
var aboutTime = regexp.MustCompile(`(?i)\b(?:took|takes|time|elapsed|slower|faster|seconds|duration|it/s)\b`)

// outputLines are the printed lines of an execution, empty ones left out:
// stdout first, then stderr, where logging writes.
func outputLines(ex sandbox.Execution) []string {
	var out []string
	for _, text := range []string{ex.Stdout, ex.Stderr} {
		for l := range strings.SplitSeq(text, "\n") {
			if l = strings.TrimSpace(l); l != "" {
				out = append(out, l)
			}
		}
	}
	return out
}

// findLines looks for the stated lines in the output, in order. Fragments may
// share a line. It returns the lines that carried them, and the index of the
// first that is missing or -1.
func findLines(stated []Line, output []string) (found []string, missing int) {
	from := 0
	for i, want := range stated {
		if strings.TrimSpace(want.Text) == "" {
			continue
		}
		at := -1
		for k := from; k < len(output); k++ {
			if lineMatches(want, output[k]) {
				at = k
				break
			}
		}
		if at < 0 {
			return found, i
		}
		found = append(found, output[at])
		from = at + 1
		if want.Fragment {
			from = at
		}
	}
	return found, -1
}

// lineMatches compares a stated line with a printed one, token by token.
func lineMatches(want Line, line string) bool {
	keep := aboutTime.MatchString(want.Text)
	a, b := tokens(want.Text, keep), tokens(line, keep)
	if want.Prefix {
		a = dropDots(a)
	}
	if len(a) == 0 {
		return false
	}
	switch {
	case want.Fragment:
		for i := range b {
			if _, ok := matchAt(a, b[i:], want.Approximate); ok {
				return true
			}
		}
		return false
	case want.Prefix:
		_, ok := matchAt(a, b, want.Approximate)
		return ok
	}
	n, ok := matchAt(a, b, want.Approximate)
	return ok && n == len(b)
}

func dropDots(ts []token) []token {
	for len(ts) > 0 && ts[len(ts)-1].text == "..." {
		ts = ts[:len(ts)-1]
	}
	return ts
}

// matchAt matches a at the beginning of b and says how much of b it took. Dots
// between tokens stand for anything.
func matchAt(a, b []token, approximate bool) (int, bool) {
	j := 0
	for i := range a {
		if a[i].text == "..." && a[i].number == nil {
			rest := a[i+1:]
			if len(rest) == 0 {
				return len(b), true
			}
			for k := j; k < len(b); k++ {
				if n, ok := matchAt(rest, b[k:], approximate); ok {
					return k + n, true
				}
			}
			return 0, false
		}
		if j >= len(b) || !a[i].same(b[j], approximate) {
			return 0, false
		}
		j++
	}
	return j, true
}

// corresponding finds, for each stated line, the printed line that plays its
// part whatever its numbers are: the same words, or without words the same
// count of numbers, in order.
func corresponding(stated []Line, output []string) [][]token {
	var out [][]token
	from := 0
	for _, want := range stated {
		a := tokens(want.Text, false)
		for k := from; k < len(output); k++ {
			b := tokens(output[k], false)
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

func containsRun(s, part []string) bool {
	for i := 0; i+len(part) <= len(s); i++ {
		if slices.Equal(s[i:i+len(part)], part) {
			return true
		}
	}
	return false
}
