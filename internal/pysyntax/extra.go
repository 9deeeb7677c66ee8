package pysyntax

import (
	"slices"
	"strings"
)

// extraIndentation takes a run of lines that stand deeper than the statement
// before them, which opens no block, back to where that statement stands. Lines
// deeper still keep their distance. Where the run ends is where the text goes
// back out, so nothing is guessed but that the reporter meant one level.
func extraIndentation(src string, f *File) (string, []Fix) {
	lines := strings.Split(src, "\n")
	ls, end := logicalLines(lines)
	if end.quote != "" || end.extra > 0 {
		return src, nil
	}
	inString := f.StringLines()
	fixed := slices.Clone(lines)
	open := 0 // indentation of the statement before
	opens := false
	for i := 0; i < len(ls); i++ {
		l := ls[i]
		if l.blank {
			continue
		}
		if deeper := len(l.indent) - open; deeper > 0 && !opens {
			i = outdent(ls, fixed, i, open, deeper, inString)
			l = ls[i]
			open, opens = len(l.indent)-deeper, strings.HasSuffix(l.text, ":")
			continue
		}
		open, opens = len(l.indent), strings.HasSuffix(l.text, ":")
	}
	return strings.Join(fixed, "\n"), inLines(lines, fixed, "indent", "it stood deeper than the statement before it, which opens no block")
}

// outdent moves the run that begins at i and says where it ends.
func outdent(ls []logical, fixed []string, i, open, deeper int, inString map[int]bool) int {
	last := i
	for ; i < len(ls) && (ls[i].blank || len(ls[i].indent) >= open+deeper); i++ {
		if ls[i].blank {
			continue
		}
		last = i
		for k := ls[i].first; k <= ls[i].last; k++ {
			if blanks := len(fixed[k]) - len(strings.TrimLeft(fixed[k], " \t")); k == ls[i].first || blanks >= deeper && !inString[k+1] {
				fixed[k] = fixed[k][deeper:]
			}
		}
	}
	return last
}
