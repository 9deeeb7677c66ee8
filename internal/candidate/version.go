package candidate

import (
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	// versionSource are names that hold a version; versionText the same inside
	// an expression that is more than a name.
	versionSource = lazyre.New(`(^|\.)(__version__|__version_info__|version_info|hexversion)(\.|$)` +
		`|^sys\.version(\.|$)|^(importlib\.metadata|importlib_metadata)\.(version|distribution|metadata)$` +
		`|^pkg_resources\.(get_distribution|require|parse_version|working_set)|^packaging\.version\.` +
		`|^distutils\.version\.|^platform\.python_version|^[a-z_]\w*\.version\.\w*version\w*$`)
	versionText = lazyre.New(`\b__version__\b|\bversion_info\b|get_distribution\(|\bmetadata\.version\(`)
)

// branching are the kinds of condition through which a version can decide what
// the script does.
var branching = map[string]bool{
	"if": true, "while": true, "ternary": true, "assert": true, "match": true,
	"filter": true, "compare": true, "logic": true, "index": true,
}

// versionBranches: a script that looks at the version can show anything on the
// release that it wants to look bad. Printing a version is fine.
func versionBranches(r *reader) {
	holds := r.versionNames()
	isVersion := func(name string) bool {
		return holds[name] || holds[firstOf(name)] || versionSource.MatchString(r.resolve(name))
	}
	for _, cond := range r.f.Conditions {
		if !branching[cond.Kind] {
			continue
		}
		found := versionText.FindString(cond.Text)
		for _, name := range cond.Reads {
			if isVersion(name) {
				found = name
			}
		}
		if found != "" {
			r.refuse(cond.Line, "branches on a version (%s)", clip(oneLine(cond.Text)))
		}
	}
	for _, call := range r.f.Calls { // {...}.get(version): a branch by another name
		if call.Method != "get" && call.Method != "pop" && call.Method != "setdefault" {
			continue
		}
		for _, name := range call.ArgReads {
			if isVersion(name) {
				r.refuse(call.Line, "branches on a version (%s)", clip(call.Func))
			}
		}
	}
}

// versionNames are the variables that were assigned a version or something
// computed from one.
func (r *reader) versionNames() map[string]bool {
	holds := map[string]bool{}
	for changed := true; changed; {
		changed = false
		for _, a := range r.f.Assigns {
			if a.Kind != "name" || holds[a.Target] {
				continue
			}
			from := versionText.MatchString(a.Value)
			for _, name := range a.Reads {
				from = from || holds[firstOf(name)] || versionSource.MatchString(r.resolve(name))
			}
			if from {
				holds[a.Target], changed = true, true
			}
		}
	}
	return holds
}

func firstOf(dotted string) string {
	first, _, _ := strings.Cut(dotted, ".")
	return first
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// OnlyVersions refuses printed claims of a script that prints nothing but
// versions: these differ between releases by themselves.
func (c *Candidate) OnlyVersions(e *oracle.Expectation) []string {
	if e == nil || e.Oracle != oracle.OraclePrinted && e.Oracle != oracle.OracleDifferential {
		return nil
	}
	f, seen := pysyntax.Parse(c.Script), false
	for _, p := range f.Prints {
		for _, arg := range p.Args {
			switch _, literal := unquoted(arg); {
			case versionText.MatchString(arg):
				seen = true
			case !literal:
				return nil
			}
		}
	}
	if !seen {
		return nil
	}
	return []string{"prints nothing but versions, which differ between releases by themselves"}
}
