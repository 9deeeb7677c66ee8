package pysyntax

import (
	"regexp"
	"slices"
	"strings"
)

// notebookOut is what a notebook printed of a cell. To Python it is an
// annotation of an item of Out, which nothing but a notebook has.
var notebookOut = regexp.MustCompile(`^[ \t]*Out\[\d*\]: ?\S`)

// printedLines turns such lines into comments where Out is nobody's name. Python
// reads them, so no other repair sees them: they fail when they run.
func printedLines(src string, f *File) (string, []Fix) {
	if !strings.Contains(src, "Out[") || !slices.ContainsFunc(f.Undefined(), func(n Name) bool { return n.Name == "Out" }) {
		return src, nil
	}
	lines, inString := strings.Split(src, "\n"), f.StringLines()
	fixed := slices.Clone(lines)
	for i, line := range lines {
		if !inString[i+1] && notebookOut.MatchString(line) {
			fixed[i] = "# " + strings.TrimLeft(line, " \t")
		}
	}
	made := inLines(lines, fixed, "leftover", "what a notebook printed is no code")
	if out := strings.Join(fixed, "\n"); len(Parse(out).SyntaxErrors) <= len(f.SyntaxErrors) {
		return out, made
	}
	return src, nil
}
