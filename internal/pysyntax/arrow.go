package pysyntax

import (
	"regexp"
	"slices"
	"strings"
)

// answer is a statement and, behind an arrow, what it gave: "print(f(x)) -> 0.5".
var answer = regexp.MustCompile(`^([ \t]*\S.*?[)\]\w"'])([ \t]+)(-+>|=+>|→)[ \t]+\S.*$`)

// answers makes comments of what people write behind an arrow to say what a line
// gives. Only a line that is no code with it and is code without is touched.
func answers(src string, f *File) (string, []Fix) {
	if !strings.Contains(src, ">") && !strings.Contains(src, "→") {
		return src, nil
	}
	lines := strings.Split(src, "\n")
	fixed, inString := slices.Clone(lines), f.StringLines()
	for i, line := range lines {
		m := answer.FindStringSubmatchIndex(line)
		if m == nil || inString[i+1] || !parsesNot(line) || parsesNot(line[:m[3]]) {
			continue
		}
		fixed[i] = line[:m[3]] + "  # " + line[m[6]:]
	}
	return strings.Join(fixed, "\n"), inLines(lines, fixed, "answer", "what a line gives is no code")
}
