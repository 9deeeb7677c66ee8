package triage

import (
	"fmt"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/triage/reach"
)

// reached is what code of the report reaches for, with its place.
type reached struct {
	kind reach.Kind
	text string
	span report.Span
}

// reachesOf looks at all code of the report, not only at the chosen script: a
// steering text may point at any block. A process alone, and whose it is, decide
// nothing: many a script starts another.
func reachesOf(r *report.Report) []reached {
	var found []reached
	for _, b := range r.Blocks {
		var all []reach.Reach
		switch b.Kind {
		case report.BlockPython, report.BlockREPL:
			all = reach.In(pysyntax.Parse(blockSource(b)))
		case report.BlockShell:
			all = reach.InShell(b.Text)
		}
		for _, one := range all {
			if one.Kind != reach.Process && one.Kind != reach.User {
				found = append(found, reached{one.Kind, fmt.Sprintf("line %d: %s", one.Line, shorten(one.Name, 80)), b.Span})
			}
		}
	}
	return found
}
