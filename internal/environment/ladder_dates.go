package environment

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/environment/uv"
	"github.com/repgen/repgen/internal/pydist"
)

// tooEarly handles a pin that leaves the version open when nothing that fits
// it was uploaded by the date. A range that somebody stated moves the date to
// its first release, as an exact version does. Where no version is stated, the
// date says that the package did not exist yet: an environment of another day
// would be a guess. Handled is false when there is something for that day.
func (l *ladder) tooEarly(name string, list []Release) (handled bool, u *Unavailable) {
	r, constraint := l.pinOf(name)
	if l.cutoff.IsZero() || slices.Contains(l.exempt, name) || l.goesWithPin(name) {
		return false, nil
	}
	first, ok := firstAfter(list, r.Spec, l)
	if !ok {
		return false, nil
	}
	switch {
	case r.Spec != "":
		l.newerThanDate(name, first, list)
		return true, nil
	case constraint, r.Why == optionalWhy, r.Word == WordUndeclared && !l.isProtected(name):
		l.step(rungPreflight, name, "%s left out: its first release is %s of %s, after the date", name, first.Version, first.Uploaded.UTC().Format(dayForm))
		l.drop(name)
		return true, nil
	}
	return true, l.unavailable(
		fmt.Sprintf("the first release of %s is %s of %s, after %s%s", name, first.Version, first.Uploaded.UTC().Format(dayForm),
			l.cutoff.UTC().Format(dayForm), datedBy(l.spec.AsOfSource)),
		fmt.Sprintf("give a day from %s on with --date, or the version with --with %s==VERSION", first.Uploaded.UTC().Format(dayForm), name))
}

const dayForm = "2006-01-02"

func datedBy(source string) string {
	switch {
	case source == "flag":
		return ", the day that --date gives"
	case source == "report":
		return ", the day of the report"
	case source != "" && source != "now":
		return " (" + source + ")"
	}
	return ""
}

// goesWithPin is true for a member of a family of which another one is pinned:
// its version follows from that one, whatever upload times the index gives it.
func (l *ladder) goesWithPin(name string) bool {
	for _, member := range pydist.Family(name) {
		if r, _ := l.pinOf(member); member != name && r != nil && r.Spec != "" {
			return true
		}
	}
	return false
}

// firstAfter is the earliest upload that fits a specifier, when all that fit
// were uploaded after the date; pre-releases count only where there is nothing
// else. False when one was there in time, or the index gives no times.
func firstAfter(list []Release, spec string, l *ladder) (Release, bool) {
	fit := fits(looseLocal(spec))
	var best, pre Release
	for _, r := range list {
		switch {
		case !fit(r.Version):
		case r.Uploaded.IsZero() || !r.Uploaded.After(l.cutoff):
			return Release{}, false
		case r.Pre:
			if pre.Version == "" || r.Uploaded.Before(pre.Uploaded) {
				pre = r
			}
		case best.Version == "" || r.Uploaded.Before(best.Uploaded):
			best = r
		}
	}
	if best.Version == "" {
		best = pre
	}
	return best, best.Version != ""
}

// drop removes a pin, requirement or constraint.
func (l *ladder) drop(name string) {
	byName := func(r Requirement) bool { return r.Name == name }
	l.reqs = slices.DeleteFunc(l.reqs, byName)
	l.cons = slices.DeleteFunc(l.cons, byName)
}

// openRelease is the release that moves the date when the resolver found none
// in time for a package that another one needs: the first upload after the date
// that fits what the message says is needed. The resolver itself names the
// newest of all, which would move the date by years.
func (l *ladder) openRelease(f uv.Failure, list []Release) (Release, bool) {
	r, ok := firstAfter(list, neededSpec(f.Detail, f.Name), l)
	return r, ok && !r.Uploaded.IsZero()
}

// neededSpec reads the specifier that a message asks of a name, "" for none.
func neededSpec(detail, name string) string {
	form, err := regexp.Compile(`(?:depends on|require) ` + strings.ReplaceAll(regexp.QuoteMeta(name), "-", "[-_.]") +
		`(?:\[[^\]]*\])?((?:[<>=!~]=?=?[0-9A-Za-z.*+!]+,?)+)`)
	if err != nil { // a quoted name always compiles
		return ""
	}
	m := form.FindStringSubmatch(detail)
	if m == nil {
		return ""
	}
	if spec := strings.TrimRight(m[1], ",."); validSpec(spec) {
		return spec
	}
	return ""
}
