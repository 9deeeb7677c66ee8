package pysyntax

import (
	"regexp"
	"slices"
	"strings"
)

var (
	// opener is a statement that must have a suite; match and case are words of
	// the reporter's own in older sources, so they are none.
	opener = regexp.MustCompile(`^(async\s+)?(def|class|if|elif|else|for|while|with|try|except|finally)\b`)
	// tail is a comment behind a statement without quotes.
	tail = regexp.MustCompile(`\s*#.*$`)
)

// missingColon ends a header with its colon where the line below stands deeper:
// nothing else but a body can stand there. A header with quotes and a comment is
// left, since the comment's sign may stand inside a string.
func missingColon(src string, _ *File) (string, []Fix) {
	lines := strings.Split(src, "\n")
	ls, end := logicalLines(lines)
	if end.quote != "" || end.extra > 0 {
		return src, nil
	}
	fixed := slices.Clone(lines)
	for i, l := range ls {
		if l.empty || l.blank || !opener.MatchString(l.text) || !deeperBelow(ls, i) {
			continue
		}
		last := lines[l.last]
		code := last
		if strings.Contains(last, "#") {
			if strings.ContainsAny(last, `"'`) {
				continue
			}
			code = tail.ReplaceAllString(last, "")
		}
		if bare := strings.TrimRight(code, " \t"); bare != "" && !strings.HasSuffix(bare, ":") {
			fixed[l.last] = bare + ":" + last[len(bare):]
		}
	}
	return strings.Join(fixed, "\n"), inLines(lines, fixed, "colon", "a header without its colon")
}

// deeperBelow says whether the next line with code stands deeper than line i.
func deeperBelow(ls []logical, i int) bool {
	for _, l := range ls[i+1:] {
		if !l.empty && !l.blank {
			return len(l.indent) > len(ls[i].indent)
		}
	}
	return false
}
