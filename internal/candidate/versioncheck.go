package candidate

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
)

// leaveVersionChecks takes out asserts that only say with which release the
// reporter ran ("assert lib.__version__ == '1.2'"): that is a fact for the
// environment, and on every other release they fail before anything is shown.
func (c *Candidate) leaveVersionChecks() {
	if !strings.Contains(c.Script, "version") {
		return
	}
	p := pysyntax.Split(c.Script)
	var modules []string
	for _, imp := range p.File.Imports {
		modules = append(modules, firstOf(imp.Module), imp.Alias)
		for _, n := range imp.Names {
			modules = append(modules, n.Name, n.Alias)
		}
	}
	var changes []replacement
	for _, s := range p.Statements {
		if s.Kind != "assert" || s.Line != s.EndLine || !versionText.MatchString(s.Text) {
			continue
		}
		other := func(read string) bool {
			return !slices.Contains(modules, firstOf(read)) && !strings.Contains(strings.ToLower(read), "version")
		}
		if !slices.ContainsFunc(s.Reads, other) && !strings.Contains(s.Text, "(lambda") {
			changes = append(changes, replacement{s.Span, "pass", s.Line})
		}
	}
	c.apply(changes, "version_check", "the release is the environment's business", harmless)
}
