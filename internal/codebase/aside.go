package codebase

import (
	"slices"
	"strings"
	"unicode"

	"github.com/repgen/repgen/internal/codebase/source"
)

// asideFolders are top-level folders that use a project's package, and in which
// its bugs are not fixed.
var asideFolders = []string{
	"examples", "example", "benchmarks", "benchmark", "docs", "doc", "guides", "tutorials", "tutorial", "notebooks", "demo", "demos",
	"scripts", "tools", "integration_tests",
}

// aside gives the folder of asideFolders that a file lies below; "" for others,
// for all in a collection of examples, and below a folder that the report is
// about: its title has the word, or its text the path.
func (s *search) aside() func(path string) string {
	if !s.x.isLibrary() {
		return func(string) string { return "" }
	}
	title := strings.FieldsFunc(strings.ToLower(s.q.Title), func(c rune) bool { return !unicode.IsLetter(c) && c != '_' })
	text := strings.ToLower(s.q.Title + "\n" + s.q.Observed)
	far := map[string]bool{}
	for _, folder := range asideFolders {
		one := strings.TrimSuffix(folder, "s")
		far[folder] = !strings.Contains(text, folder+"/") && !slices.Contains(title, one) && !slices.Contains(title, one+"s")
	}
	return func(path string) string {
		top, _, below := strings.Cut(path, "/")
		if below && far[top] {
			return top
		}
		return ""
	}
}

// isLibrary: the project has a package of its own at a usual root, so that what
// lies aside only uses it. A collection of examples has none.
func (x *Index) isLibrary() bool {
	return slices.ContainsFunc(x.store.Files(), func(f source.File) bool {
		top, rest, _ := strings.Cut(strings.TrimPrefix(f.Path, "src/"), "/")
		return rest == "__init__.py" && !slices.Contains(asideFolders, top) && !strings.HasPrefix(top, "test")
	})
}
