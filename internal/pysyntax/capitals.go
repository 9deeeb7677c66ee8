package pysyntax

import (
	"regexp"
	"slices"
	"strings"
)

// capital is a keyword that a phone or a word processor wrote with a capital, in
// a statement that is one in every other respect.
var capital = regexp.MustCompile(`^([ \t]*)(Import [A-Za-z_][\w.]*(?: as \w+)?\s*$|From [A-Za-z_.][\w.]* import \S|Def \w+\(|Class \w+[(:]|For .+ in .+:|While .+:|If .+:|With .+:)`)

// capitals writes them small.
func capitals(src string, f *File) (string, []Fix) {
	lines, inString := strings.Split(src, "\n"), f.StringLines()
	fixed := slices.Clone(lines)
	for i, line := range lines {
		if m := capital.FindStringSubmatchIndex(line); m != nil && !inString[i+1] {
			fixed[i] = line[:m[4]] + strings.ToLower(line[m[4]:m[4]+1]) + line[m[4]+1:]
		}
	}
	return strings.Join(fixed, "\n"), inLines(lines, fixed, "capital", "keywords are written small")
}
