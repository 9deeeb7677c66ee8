package candidate

import (
	"fmt"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/triage/reach"
)

// reaches lists what the script reaches for, as data: whether a reach is an
// attack is decided by whoever knows the report.
func reaches(f *pysyntax.File) []string {
	var found []string
	for _, r := range reach.In(f) {
		found = addOnce(found, fmt.Sprintf("line %d: %s", r.Line, r))
	}
	return found
}
