package pypi

import (
	_ "embed" // the deny list
	"strings"
	"sync"

	"github.com/repgen/repgen/internal/pydist"
)

//go:embed denied.tsv
var deniedTable string

// denial is one row of the table.
type denial struct {
	versions []string // "*" for all
	day      string
	reason   string
}

var denials = sync.OnceValue(func() map[string][]denial { return parseDenials(deniedTable) })

// parseDenials reads the table; rows that are incomplete are skipped, and a
// test sees to it that there are none.
func parseDenials(table string) map[string][]denial {
	out := map[string][]denial{}
	for line := range strings.Lines(table) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cols := strings.Split(line, "\t")
		if len(cols) != 4 {
			continue
		}
		out[cols[0]] = append(out[cols[0]], denial{
			versions: strings.Split(cols[1], ","), day: cols[2], reason: cols[3],
		})
	}
	return out
}

// Denied says why a release must never be installed: it is known to be
// malicious. Version "" asks whether every version of the project is refused.
func Denied(name, version string) (reason string, bad bool) {
	for _, d := range denials()[pydist.Normalize(name)] {
		for _, v := range d.versions {
			if v == "*" || version != "" && pydist.Match("=="+v, version) {
				return d.day + ": " + d.reason, true
			}
		}
	}
	return "", false
}

// DeniedVersions lists the refused versions of a project, for constraints that
// keep a resolver away from them. All is true when no version may be used.
func DeniedVersions(name string) (versions []string, all bool) {
	for _, d := range denials()[pydist.Normalize(name)] {
		for _, v := range d.versions {
			if v == "*" {
				return nil, true
			}
			versions = append(versions, v)
		}
	}
	return versions, false
}

// DeniedNames lists the projects that the deny list knows.
func DeniedNames() []string {
	var out []string
	for name := range denials() {
		out = append(out, name)
	}
	return out
}
