package environment

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/report"
)

// chooseVersions picks one version for each distribution that the report
// names, "python" included. What the reporter calls good, mentions in passing
// or has from a private place is none.
func (w *inference) chooseVersions() map[string]report.Version {
	byDist := map[string][]report.Version{}
	bad := slices.Clone(w.in.Decision.Bad)
	for i := range bad {
		bad[i].Role = report.RoleBad
	}
	var out skippedLines
	for _, v := range slices.Concat(bad, w.in.Report.Versions) {
		v.Dist = pydist.Normalize(v.Dist)
		if to, ok := nightlies[v.Dist]; ok {
			v.Dist = to
		}
		v, ok := w.fromList(v, &out)
		if !ok {
			continue
		}
		if v.Dist == "" || v.Role == report.RoleMention || w.isGood(v) || !usable(v) {
			continue
		}
		byDist[v.Dist] = append(byDist[v.Dist], v)
	}
	for _, text := range out.edits() {
		w.edit("%s", text)
	}
	chosen := make(map[string]report.Version, len(byDist))
	for dist, list := range byDist {
		chosen[dist] = w.chooseVersion(dist, list)
	}
	return chosen
}

func (w *inference) isGood(v report.Version) bool {
	if v.Role == report.RoleGood {
		return true
	}
	return slices.ContainsFunc(w.in.Decision.Good, func(g report.Version) bool {
		return pydist.Normalize(g.Dist) == v.Dist && g.Spec == v.Spec
	})
}

// chooseVersion takes the best-placed version and refines a partial one by an
// exact one that agrees with it ("keras 3" in the title, keras==3.3.3 below).
func (w *inference) chooseVersion(dist string, list []report.Version) report.Version {
	slices.SortStableFunc(list, func(a, b report.Version) int { return cmp.Compare(rank(a), rank(b)) })
	best := list[0]
	for _, v := range list {
		if v.Kind == report.VersionExact && best.Kind != report.VersionExact && pydist.Match(pin(best), v.Spec) {
			return v
		}
	}
	for _, v := range list[1:] {
		if contradict(best, v) {
			w.edit("%s: the report names %s and %s; %s taken: %s", dist, clip(best.Spec, 40), clip(v.Spec, 40), clip(best.Spec, 40), rankReason(best, v))
			break
		}
	}
	return best
}

// contradict is true for two versions of which at most one can be installed.
func contradict(a, b report.Version) bool {
	if a.Kind == report.VersionExact && b.Kind == report.VersionExact {
		return !sameVersion(looseLocal(a.Spec), looseLocal(b.Spec))
	}
	if b.Kind == report.VersionExact {
		a, b = b, a
	}
	return a.Kind == report.VersionExact && b.Kind == report.VersionPartial && !pydist.Match(pin(b), a.Spec)
}

// rank orders what to believe: a version over a moving target, one called bad
// over one merely stated, what a program printed or a line installed over what
// the reporter typed into a form or a list, and prose last: people round and
// misremember, and mention versions of other machines in passing.
func rank(v report.Version) int {
	r := 0
	if v.Kind == report.VersionMoving {
		r += 100
	}
	if v.Role != report.RoleBad {
		r += 10
	}
	switch v.Where {
	case "list", "form":
		r++
	case "prose":
		r += 2
	}
	return r
}

// rankReason says in words why a version was believed and another was not.
func rankReason(best, other report.Version) string {
	switch {
	case best.Role == report.RoleBad && other.Role != report.RoleBad:
		return "it is the one that is said to fail"
	case best.Where != other.Where:
		return fmt.Sprintf("%s over %s", words(best.Where), words(other.Where))
	}
	return "the first one"
}

func words(where string) string {
	switch where {
	case "collect_env", "show_versions", "printed":
		return "what a program printed"
	case "freeze", "conda", "requirements":
		return "a list of packages"
	case "install_line":
		return "an install line"
	case "wheel":
		return "the name of a wheel"
	}
	return where
}

// usable is false for a version that no index could have: what does not parse.
func usable(v report.Version) bool {
	switch v.Kind {
	case report.VersionMoving:
		return true
	case report.VersionRange:
		return validSpec(pin(v))
	default:
		_, err := pydist.ParseVersion(v.Spec)
		return err == nil
	}
}

// noOrderedLocal is a local suffix behind an ordering operator: no version
// specifier may hold one (PEP 440), and an installer refuses the whole list.
var noOrderedLocal = regexp.MustCompile(`((?:~=|[<>]=?)[^,+]*)\+[A-Za-z0-9._-]*`)

// pin is the specifier of a named version.
func pin(v report.Version) string {
	spec := strings.TrimSpace(v.Spec)
	switch v.Kind {
	case report.VersionMoving:
		return ""
	case report.VersionRange:
		return noOrderedLocal.ReplaceAllString(strings.Join(strings.Fields(spec), ""), "$1")
	case report.VersionPartial:
		return "==" + normal(spec) + ".*"
	default:
		return "==" + normal(spec)
	}
}

func normal(version string) string {
	p, err := pydist.ParseVersion(version)
	if err != nil {
		return version
	}
	return p.String()
}

// specOf is the specifier that the report gives for a distribution, and
// whether it names one.
func (w *inference) specOf(dist string) (string, bool) {
	v, ok := w.named[dist]
	if !ok {
		return "", false
	}
	if v.Kind == report.VersionMoving {
		w.edit("%s: the report says %q; the newest release as of the date is taken", dist, clip(v.Spec, 40))
	}
	return pin(v), true
}

var oneSpec = regexp.MustCompile(`^(===|==|~=|!=|<=|>=|<|>)\s*([A-Za-z0-9][A-Za-z0-9.!+_-]*?)(\.\*)?$`)

// validSpec keeps text from a report out of a requirements file unless it is
// nothing but version specifiers.
func validSpec(spec string) bool {
	if spec == "" {
		return true
	}
	if strings.ContainsAny(spec, "\n\r\t\v\f") {
		return false
	}
	for _, part := range strings.Split(spec, ",") {
		m := oneSpec.FindStringSubmatch(strings.TrimSpace(part))
		if m == nil {
			return false
		}
		if m[3] != "" && m[1] != "==" && m[1] != "!=" {
			return false
		}
		if _, err := pydist.ParseVersion(m[2]); err != nil {
			return false
		}
	}
	return true
}

func clip(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "..."
}
