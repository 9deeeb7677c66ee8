package environment

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/environment/uv"
)

// sourceAtFault is the distribution to build when the resolver names several
// that have no wheels. It tries old releases on its way and names theirs first;
// the one that decides is the one whose newest release has none. The resolver's
// own word stays where the index cannot tell.
func (l *ladder) sourceAtFault(ctx context.Context, f uv.Failure) (name string, err error) {
	if len(f.Sdists) < 2 {
		return f.Name, nil
	}
	for _, name := range f.Sdists {
		if slices.Contains(neverBuilt, name) {
			continue
		}
		list, err := l.on.Releases(ctx, name, l.python.Minor)
		if err != nil {
			return "", err
		}
		spec := ""
		if r, _ := l.pinOf(name); r != nil {
			spec = r.Spec
		}
		r, ok := newest(list, spec, l.cutoff)
		if ok && r.Sdist && !r.Wheel && !l.hasBuilt(name, r.Version) {
			return name, nil
		}
	}
	return f.Name, nil
}

// sourceVersion is the release of it to build. Where nobody pins the one that
// the resolver names, that is the oldest it met on its way down, and old releases
// of what needs it come with it; an installer of the day took the newest.
func (l *ladder) sourceVersion(ctx context.Context, f uv.Failure) (string, error) {
	spec := ""
	if r, _ := l.pinOf(f.Name); r != nil {
		if r.exact() != "" {
			return f.Version, nil
		}
		spec = r.Spec
	}
	if f.Version == "" || strings.Contains(f.Detail, "depends on "+f.Name+"==") {
		return f.Version, nil
	}
	list, err := l.on.Releases(ctx, f.Name, l.python.Minor)
	if err != nil {
		return "", err
	}
	if r, ok := newest(list, spec, l.cutoff); ok && r.Sdist && !r.Wheel && !l.hasBuilt(f.Name, r.Version) {
		return r.Version, nil
	}
	return f.Version, nil
}

func (l *ladder) hasBuilt(name, version string) bool {
	_, ok := l.built[name+"=="+version]
	return ok
}

// move puts a wheel of our own before the index's. One whose metadata had to
// be repaired stands on a rung of its own, since installers of today refuse
// the release as it is.
func (l *ladder) move(name, version string, h house, how string) {
	l.links = append(l.links, h.dir)
	l.built[name+"=="+version] = h
	if len(h.repaired) == 0 {
		l.step(rungSource, name, "%s %s %s", name, version, how)
		return
	}
	l.step(rungMetadata, name, "%s %s %s, its metadata repaired: %s", name, version, how, clip(strings.Join(h.repaired, ", "), 300))
}

// badMetadata replaces a release whose metadata the resolver refuses by the
// same one with its bad lines repaired. Where it refuses a whole range that
// nobody pinned, the newest of the day is what an installer of then took.
func (l *ladder) badMetadata(ctx context.Context, f uv.Failure) (*Unavailable, error) {
	version := f.Version
	if r, _ := l.pinOf(f.Name); version == "" && r != nil {
		version = r.exact()
	}
	if f.Name == "" {
		return l.giveUp(ctx, f)
	}
	list, err := l.on.Releases(ctx, f.Name, l.python.Minor)
	if err != nil {
		return nil, err
	}
	if version == "" {
		version = l.newestInRange(f.Name, list)
	}
	if version == "" || l.hasBuilt(f.Name, version) {
		return l.giveUp(ctx, f)
	}
	i := slices.IndexFunc(list, func(r Release) bool { return sameVersion(r.Version, version) })
	if i < 0 {
		return l.giveUp(ctx, f)
	}
	if !list[i].Wheel {
		f.Version = version
		return l.fromSource(ctx, f)
	}
	h, u, err := l.on.house(ctx, houseInput{name: f.Name, version: version, python: l.python, asOf: l.cutoff, fromIndex: true})
	if err != nil {
		return nil, fmt.Errorf("repair the metadata of %s %s: %w", f.Name, version, err)
	}
	if u != nil {
		l.reason = u.Why
		return l.giveUp(ctx, f)
	}
	l.move(f.Name, version, h, "taken from the index")
	return nil, nil
}

// newestInRange is the newest release of the day that the requirement on it
// allows, "" where none is.
func (l *ladder) newestInRange(name string, list []Release) string {
	spec := ""
	if r, _ := l.pinOf(name); r != nil {
		spec = r.Spec
	}
	r, ok := newest(list, spec, l.cutoff)
	if !ok {
		return ""
	}
	return r.Version
}

// olderPython leaves an interpreter that is younger than a source which does
// not build with it: what builds on none of its day builds on no other.
func (l *ladder) olderPython(ctx context.Context, name, version, why string) (bool, error) {
	list, err := l.on.Releases(ctx, name, l.python.Minor)
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(list, func(r Release) bool { return sameVersion(r.Version, version) })
	if i < 0 || list[i].Uploaded.IsZero() || !l.isProtected(name) {
		return false, nil
	}
	var older []string
	for _, p := range l.pythons {
		if released, ok := releasedOn(p.Minor); ok && released.Before(list[i].Uploaded) {
			older = append(older, p.Minor)
		}
	}
	if len(older) == 0 || slices.Contains(older, l.python.Minor) {
		return false, nil
	}
	return l.nextPython(ctx, name, why, older, scoreSdist)
}
