package triage

import (
	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/report"
)

// contrast sorts the versions that the reporter calls good or bad; the user's
// own word for a good one comes first. Where a good version of something is
// named and its bad one is not, the stated version of it is the bad one.
func contrast(rd *reading, subjects []string) (good, bad []report.Version) {
	if rd.opts.Good != "" && len(subjects) > 0 {
		good = append(good, report.Version{
			Name: subjects[0], Dist: subjects[0], Spec: rd.opts.Good,
			Kind: report.VersionExact, Where: "flag", Role: report.RoleGood,
		})
	}
	for _, v := range rd.r.Versions {
		switch {
		case v.Local, v.Dist == "":
		case v.Role == report.RoleGood:
			good = addVersion(good, v)
		case v.Role == report.RoleBad:
			bad = addVersion(bad, v)
		}
	}
	for _, g := range good {
		if hasDist(bad, g.Dist) {
			continue
		}
		if v, ok := statedVersion(rd.r, g); ok {
			bad = addVersion(bad, v)
		}
	}
	return good, bad
}

func addVersion(list []report.Version, v report.Version) []report.Version {
	for _, have := range list {
		if same(have.Dist, v.Dist) && have.Spec == v.Spec {
			return list
		}
	}
	return append(list, v)
}

func hasDist(list []report.Version, dist string) bool {
	for _, v := range list {
		if same(v.Dist, dist) {
			return true
		}
	}
	return false
}

func same(a, b string) bool { return pydist.Normalize(a) == pydist.Normalize(b) }

// statedVersion is the version of the reporter's own environment that stands
// against the good one.
func statedVersion(r *report.Report, good report.Version) (report.Version, bool) {
	for _, v := range r.Versions {
		if v.Role == report.RoleStated && !v.Local && same(v.Dist, good.Dist) && v.Spec != good.Spec {
			return v, true
		}
	}
	return report.Version{}, false
}

// hasVersion: the report states a version of dist or of a variant of it.
func hasVersion(r *report.Report, dist string) bool {
	names := setOf(append(pydist.Variants(dist), dist)...)
	for _, v := range r.Versions {
		if names[pydist.Normalize(v.Dist)] && v.Role != report.RoleGood && v.Role != report.RoleMention {
			return true
		}
	}
	return false
}
