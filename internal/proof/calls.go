package proof

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// judgedCalls are the names by which the script's lines with the judged call
// are known: the calls that the report's prose speaks of, and the variables
// made by them. It is nil when the prose names none of the script's calls, or
// all of them: then every line may be the judged one.
func judgedCalls(r *report.Report, script string) []string {
	f := pysyntax.Parse(script)
	said := wordsOf(r)
	var judged, others []string
	for _, c := range f.Calls {
		name := c.Method
		if name == "" {
			name = c.Func
		}
		switch {
		case name == "" || name == "print" || slices.Contains(judged, name):
		case said[name]:
			judged = append(judged, name)
		case f.Imported(c.Func):
			others = append(others, name)
		}
	}
	if len(judged) == 0 || len(others) == 0 {
		return nil
	}
	return withProducts(f, judged)
}

// withProducts adds the variables whose values come from the named calls, so
// that "layer = Norm(8); layer(x)" is a use of Norm.
func withProducts(f *pysyntax.File, names []string) []string {
	for changed := true; changed; {
		changed = false
		for _, a := range f.Assigns {
			if a.Kind != "name" || slices.Contains(names, a.Target) {
				continue
			}
			if slices.ContainsFunc(identifiers(a.Value), func(w string) bool { return slices.Contains(names, w) }) {
				names = append(names, a.Target)
				changed = true
			}
		}
	}
	return names
}

var identifier = lazyre.New(`[A-Za-z_]\w*`)

func identifiers(text string) []string { return identifier.FindAllString(text, -1) }

// wordsOf are the identifiers in a report's title and prose.
func wordsOf(r *report.Report) map[string]bool {
	words := map[string]bool{}
	for _, w := range identifiers(prose(r)) {
		words[w] = true
	}
	return words
}

// prose is a report's title and text without its blocks.
func prose(r *report.Report) string {
	parts, at := []string{r.Title}, 0
	for _, b := range r.Blocks {
		if b.Span.Start >= at && b.Span.Within(r.Text) {
			parts = append(parts, r.Text[at:b.Span.Start])
			at = b.Span.End
		}
	}
	return strings.Join(append(parts, r.Text[at:]), "\n")
}
