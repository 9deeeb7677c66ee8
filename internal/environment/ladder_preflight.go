package environment

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/environment/pypi"
	"github.com/repgen/repgen/internal/pydist"
)

// preflight reads the listings of all pins and repairs in one go what they
// show: resolver calls cost a second each, listings a tenth.
func (l *ladder) preflight(ctx context.Context) (*Unavailable, error) {
	for _, name := range l.names() {
		if r, _ := l.pinOf(name); r == nil {
			continue // moved away with its family
		}
		if u, err := l.check(ctx, name); u != nil || err != nil {
			return u, err
		}
	}
	return nil, nil
}

// check repairs one pin.
func (l *ladder) check(ctx context.Context, name string) (*Unavailable, error) {
	r, constraint := l.pinOf(name)
	if r.Word == WordProject {
		return nil, nil // what the index has of that name is something else
	}
	list, err := l.on.Releases(ctx, name, l.python.Minor)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return l.noSuchProject(name, constraint), nil
	}
	l.local(r, list)
	if v := r.exact(); v != "" {
		if reason, bad := pypi.Denied(name, v); bad {
			return l.denied(name, v, reason), nil
		}
	}
	if r.exact() == "" {
		if handled, u := l.tooEarly(name, list); handled || u != nil {
			return u, nil
		}
	}
	if r.Spec == "" {
		return nil, nil
	}
	matching := matches(list, r.Spec)
	if len(matching) == 0 {
		return l.gone(ctx, name, list)
	}
	if !slices.ContainsFunc(matching, func(m Release) bool { return m.Wheel || m.Sdist }) {
		return l.notForPython(ctx, name)
	}
	l.after(name, matching, list)
	return nil, nil
}

func matches(list []Release, spec string) []Release {
	var out []Release
	fit := fits(spec)
	for _, r := range list {
		if fit(r.Version) {
			out = append(out, r)
		}
	}
	return out
}

// noSuchProject drops a name that no index has, unless the script imports it.
func (l *ladder) noSuchProject(name string, constraint bool) *Unavailable {
	r, _ := l.pinOf(name)
	if !constraint && (r.Word == WordFlag || l.imported(name) || l.isProtected(name)) {
		return l.unavailable(
			fmt.Sprintf("no distribution named %s is on the index (%s)", name, r.Why),
			"name the distribution that provides it with --with NAME, or an index that has it with --index")
	}
	l.step(rungPreflight, name, "%s left out: no distribution of that name on the index", name)
	l.drop(name)
	return nil
}

// imported is true when the script needs a distribution, directly or because
// another needs it undeclared.
func (l *ladder) imported(name string) bool {
	r, constraint := l.pinOf(name)
	if r == nil || constraint {
		return false
	}
	if r.Why == optionalWhy {
		return false
	}
	if r.Word == WordImport || r.Word == WordUndeclared || r.Why == importedWhy {
		return true
	}
	return slices.ContainsFunc(pydist.Imports(name), func(m string) bool { return slices.Contains(l.spec.Imports, m) })
}

// local removes a local label ("+cu117") that the index does not hold, and
// takes the CPU build where it does hold one.
func (l *ladder) local(r *Requirement, list []Release) {
	v := r.exact()
	base, label, ok := strings.Cut(v, "+")
	has := func(version string) bool {
		return slices.ContainsFunc(list, func(rel Release) bool { return rel.Version == version })
	}
	switch {
	case v == "":
	case has(base + "+cpu"):
		if label != "cpu" {
			l.step(rungPreflight, r.Name, "%s %s -> %s+cpu: the CPU build of the same release", r.Name, v, base)
		}
		r.Spec = "==" + base + "+cpu"
	case ok && !has(v):
		l.step(rungPreflight, r.Name, "%s %s -> %s: the index holds no build labelled %s", r.Name, v, base, label)
		r.Spec = "==" + base
	}
}

func (l *ladder) denied(name, version, reason string) *Unavailable {
	r, _ := l.pinOf(name)
	if l.isProtected(name) && r != nil && r.exact() != "" {
		return l.unavailable(fmt.Sprintf("%s %s is never installed: %s", name, version, reason), "")
	}
	if !l.loosen(rungPreflight, name, "this release is never installed: "+reason) {
		l.step(rungPreflight, name, "%s %s left out: this release is never installed: %s", name, version, reason)
	}
	l.extra = append(l.extra, name+"!="+version)
	return nil
}

// gone handles a version that the index does not list.
func (l *ladder) gone(ctx context.Context, name string, list []Release) (*Unavailable, error) {
	r, _ := l.pinOf(name)
	if r.Word == WordFlag {
		return l.unavailable(fmt.Sprintf("the index has no %s%s (newest: %s)", name, r.Spec, lastStable(list)), "ask for a release that exists"), nil
	}
	switch drags, err := l.movesSubject(ctx, *r, list); {
	case err != nil:
		return nil, err
	case l.isProtected(name) || drags:
		return l.standIn(ctx, name, r.Spec, list)
	case !l.dragsSubject(name) && r.exact() != "" && indexOf(l.reqs, name) >= 0 && l.nearby(name, r.exact(), list):
		return nil, nil
	}
	l.loosen(rungPreflight, name, "the index does not have it")
	return nil, nil
}

// nearby takes the release nearest to one that is gone in place of it, among
// those of the date: what is not the subject does not move the date. False
// when there is none.
func (l *ladder) nearby(name, gone string, list []Release) bool {
	r, ok := nearest(slices.DeleteFunc(withFiles(list), func(r Release) bool { return r.Uploaded.After(l.cutoff) }), gone)
	if ok {
		l.replace(name, gone, r, list)
	}
	return ok
}

// movesSubject is true when a member of the subject's family that is gone
// takes the subject along: its stand-in's version is one of the subject's too
// (jax and jaxlib). Families with numbers of their own (torch and torchvision)
// leave the member to the resolver, which knows what goes with the subject.
func (l *ladder) movesSubject(ctx context.Context, r Requirement, list []Release) (bool, error) {
	if !l.dragsSubject(r.Name) {
		return false, nil
	}
	to, ok := nearest(withFiles(list), strings.TrimSuffix(strings.TrimPrefix(r.Spec, "=="), ".*"))
	if !ok {
		return false, nil
	}
	of, err := l.on.Releases(ctx, l.spec.Subject, l.python.Minor)
	return slices.ContainsFunc(of, func(s Release) bool { return sameVersion(s.Version, to.Version) }), err
}

// dragsSubject is true for a member of the subject's family, which cannot be
// loosened alone: a newer jaxlib refuses an older jax.
func (l *ladder) dragsSubject(name string) bool {
	return slices.Contains(pydist.Family(l.spec.Subject), name) && l.spec.Subject != ""
}

// dragsRequirement is true for a member of the family of any requirement.
func (l *ladder) dragsRequirement(name string) bool {
	family := pydist.Family(name)
	return l.dragsSubject(name) || slices.ContainsFunc(l.reqs, func(r Requirement) bool { return slices.Contains(family, r.Name) })
}

func lastStable(list []Release) string {
	for i := len(list) - 1; i >= 0; i-- {
		if !list[i].Pre {
			return list[i].Version
		}
	}
	return "none"
}

// notForPython handles a pin without any file for the interpreter.
func (l *ladder) notForPython(ctx context.Context, name string) (*Unavailable, error) {
	r, _ := l.pinOf(name)
	why := fmt.Sprintf("%s%s has no file for Python %s", name, r.Spec, l.python.Minor)
	if !l.isProtected(name) {
		l.loosen(rungPreflight, name, why)
		return nil, nil
	}
	ok, err := l.nextPython(ctx, name, why, nil, scoreSdist)
	if err != nil || ok {
		return nil, err
	}
	return l.unavailable(why, "install a Python that it has wheels for (repgen doctor lists those found)"), nil
}

// after moves the date for an exact pin that is newer than it, or frees the
// project from the date when its upload time says nothing.
func (l *ladder) after(name string, matching, all []Release) {
	r, constraint := l.pinOf(name)
	m := matching[len(matching)-1]
	if r.exact() == "" || m.Uploaded.IsZero() || !m.Uploaded.After(l.cutoff) {
		return
	}
	// The user's own day outweighs a line of a list, but not the packages that
	// the script is about.
	if constraint && l.spec.AsOfSource == "flag" && !l.isProtected(name) && !reuploaded(all, m) {
		l.loosen(rungPreflight, name, "it is newer than the date")
		return
	}
	l.newerThanDate(name, m, all)
}

func (l *ladder) newerThanDate(name string, r Release, all []Release) {
	if reuploaded(all, r) {
		l.free(name, r.Version)
		return
	}
	l.moveDate(name, r)
}

// free exempts a project and its family from the date.
func (l *ladder) free(name, version string) {
	l.step(rungDate, name, "%s %s was uploaded again later than higher versions: the date does not bind it", name, version)
	if !slices.Contains(l.exempt, name) {
		l.exempt = append(l.exempt, name)
	}
}

func (l *ladder) moveDate(name string, r Release) {
	to := endOfDay(r.Uploaded)
	l.step(rungDate, "", "date moved from %s to %s, when %s %s was uploaded",
		l.cutoff.Format("2006-01-02"), to.Format("2006-01-02"), name, r.Version)
	l.cutoff = to
}
