package triage

import (
	"slices"
	"sort"

	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// versionPrinted is a version that the script printed inside a pasted output.
type versionPrinted struct {
	version report.Version
	role    report.VersionRole
}

// outputsByVersion finds the blocks into which the outputs of several releases
// were pasted, each below the version that the script prints first, and whose
// side each is. No execution can print them all: taken together they would be
// missed on every release, and the symptom denied.
func outputsByVersion(rd *reading) map[int][]versionPrinted {
	found := map[int][]versionPrinted{}
	for i, b := range rd.r.Blocks {
		if b.Kind != report.BlockOutput {
			continue
		}
		var inside []versionPrinted
		for _, v := range rd.r.Versions {
			if v.Where == "printed" && v.Span.Start >= b.Span.Start && v.Span.End <= b.Span.End {
				inside = append(inside, versionPrinted{version: v})
			}
		}
		sort.SliceStable(inside, func(a, b int) bool { return inside[a].version.Span.Start < inside[b].version.Span.Start })
		if severalReleases(inside) {
			takeSides(rd, inside)
			found[i] = inside
		}
	}
	return found
}

// severalReleases: one package, and more than one version of it.
func severalReleases(inside []versionPrinted) bool {
	differ := false
	for _, p := range inside {
		if !same(p.version.Dist, inside[0].version.Dist) {
			return false // a list of what is installed
		}
		differ = differ || p.version.Spec != inside[0].version.Spec
	}
	return differ
}

// broken: the report says that something was right before.
var broken = lazyre.New(`(?i)\b(?:regress\w*|used to|no longer|broke(?:n)?|stopped|changed|worked)\b`)

// takeSides gives each version the side that the report's words give it. In a
// report of something that went wrong later, the one release that the words name
// is the bad one, and what is shown beside it is how it was: but only where it
// is the younger, since the list of what is installed may name the good one.
func takeSides(rd *reading, inside []versionPrinted) {
	sided, named := false, map[string]bool{}
	for k := range inside {
		for _, v := range rd.r.Versions {
			if !same(v.Dist, inside[k].version.Dist) || v.Spec != inside[k].version.Spec {
				continue
			}
			if v.Role == report.RoleGood || v.Role == report.RoleBad {
				inside[k].role, sided = v.Role, true
			}
			if v.Where != "printed" {
				named[v.Spec] = true
			}
		}
	}
	if !broken.MatchString(rd.r.Title) && !broken.MatchString(rd.prose) || !sided && (len(named) != 1 || !named[youngest(inside)]) {
		return
	}
	bad := hasRole(inside, report.RoleBad)
	for k := len(inside) - 1; k >= 0; k-- {
		switch p := &inside[k]; {
		case p.role != "":
		case !sided && named[p.version.Spec]:
			p.role = report.RoleBad
		case !sided || bad:
			p.role = report.RoleGood
		case !hasRole(inside, report.RoleBad):
			p.role = report.RoleBad // the last one shown; of more than one nobody can print all
		}
	}
}

// youngest is the highest version of them, "" where one cannot be ordered.
func youngest(inside []versionPrinted) string {
	var best pydist.Version
	spec := ""
	for _, p := range inside {
		v, err := pydist.ParseVersion(p.version.Spec)
		if err != nil {
			return ""
		}
		if spec == "" || v.Compare(best) > 0 {
			best, spec = v, p.version.Spec
		}
	}
	return spec
}

func hasRole(inside []versionPrinted, role report.VersionRole) bool {
	return slices.ContainsFunc(inside, func(p versionPrinted) bool { return p.role == role })
}

// ofVersion gives a line of such a block the version above it. It is no claim
// where it stands above all of them, or where nobody says which side it is.
func ofVersion(st report.Statement, inside []versionPrinted) (report.Statement, bool) {
	for k := len(inside) - 1; k >= 0; k-- {
		if inside[k].version.Span.Start > st.Span.Start {
			continue
		}
		v := inside[k].version
		v.Role = inside[k].role
		st.Version, st.Role = &v, report.RoleActual
		return st, v.Role == report.RoleGood || v.Role == report.RoleBad
	}
	return st, false
}
