package environment

import (
	"context"
	"slices"

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
		if ok && r.Sdist && !r.Wheel && !l.built[name+"=="+r.Version] {
			return name, nil
		}
	}
	return f.Name, nil
}
