package environment

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pydist"
)

// nightlies are the projects of development builds and what they build.
var nightlies = map[string]string{
	"tf-nightly": "tensorflow", "tf-nightly-cpu": "tensorflow-cpu", "jax-nightly": "jax", "jaxlib-nightly": "jaxlib",
	"keras-nightly": "keras", "tfp-nightly": "tensorflow-probability", "torch-nightly": "torch",
	"tf-nightly-gpu": "tensorflow", "pytorch-nightly": "torch", "torchvision-nightly": "torchvision", "torchaudio-nightly": "torchaudio",
	"tb-nightly": "tensorboard", "tf-estimator-nightly": "tensorflow-estimator", "keras-nlp-nightly": "keras-nlp",
	"keras-cv-nightly": "keras-cv", "tfds-nightly": "tensorflow-datasets", "scikit-learn-nightly": "scikit-learn",
}

// standIn takes the nearest stable release in place of a version that is gone:
// the first at or above its base version, else the last below. The family
// moves along. What stands in is recorded, since it never decides a verdict
// when it is the subject.
func (l *ladder) standIn(ctx context.Context, name, spec string, list []Release) (*Unavailable, error) {
	gone := strings.TrimPrefix(spec, "==")
	// Those with a file for this Python come before the others.
	r, ok := nearest(withFiles(list), strings.TrimSuffix(gone, ".*"))
	if !ok {
		r, ok = nearest(list, strings.TrimSuffix(gone, ".*"))
	}
	if !ok {
		return l.unavailable(fmt.Sprintf("the index has no %s%s and no release near it", name, spec), "name another release with --with"), nil
	}
	l.replace(name, gone, r, list)
	return nil, l.moveFamily(ctx, name, r.Version)
}

func withFiles(list []Release) []Release {
	return slices.DeleteFunc(slices.Clone(list), func(r Release) bool { return !r.Wheel && !r.Sdist })
}

func (l *ladder) replace(name, gone string, r Release, list []Release) {
	l.step(rungStandIn, name, "%s %s stands in for %s, which cannot be had", name, r.Version, gone)
	if p, _ := l.pinOf(name); p != nil {
		if p.Spec != "" { // somebody asked for it
			l.standIns = append(l.standIns, name)
		}
		p.Spec, p.Word = "=="+r.Version, WordRelaxed
		p.Why = fmt.Sprintf("stands in for %s, which cannot be had", gone)
	} else {
		l.cons = append(l.cons, Requirement{Name: name, Spec: "==" + r.Version, Word: WordRelaxed,
			Why: fmt.Sprintf("stands in for %s, which cannot be had", gone)})
	}
	if r.Uploaded.After(l.cutoff) {
		l.newerThanDate(name, r, list)
	}
}

// moveFamily gives the pinned members of a family the version that a stand-in
// has, where they have it too: jax and jaxlib, torch and its companions do not
// work apart. A member without that version is left to the resolver.
func (l *ladder) moveFamily(ctx context.Context, name, version string) error {
	for _, member := range pydist.Family(name) {
		r, _ := l.pinOf(member)
		if member == name || r == nil || r.Spec == "" || pydist.Match(r.Spec, version) {
			continue
		}
		list, err := l.on.Releases(ctx, member, l.python.Minor)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(list, func(m Release) bool { return sameVersion(m.Version, version) })
		if i < 0 && l.isProtected(member) {
			continue // what the verdict is about is never left to the resolver
		}
		if i < 0 {
			l.loosen(rungStandIn, member, "it goes with "+name)
			continue
		}
		l.replace(member, strings.TrimPrefix(r.Spec, "=="), list[i], list)
	}
	return nil
}

// nearest is the first stable release at or above a version, else the last
// below it.
func nearest(list []Release, version string) (Release, bool) {
	want, err := pydist.ParseVersion(version)
	if err != nil {
		return Release{}, false
	}
	base := want.Release()
	var below Release
	found := false
	for _, r := range list {
		v, err := pydist.ParseVersion(r.Version)
		if err != nil || r.Pre || r.Yanked != "" {
			continue
		}
		if slices.Compare(v.Release(), base) >= 0 {
			return r, true
		}
		below, found = r, true
	}
	return below, found
}

// withoutNightlies renames development projects to what they build, before
// anything else: their versions live for days only.
func (l *ladder) withoutNightlies() {
	for i := range l.reqs {
		to, ok := nightlies[l.reqs[i].Name]
		if !ok || indexOf(l.reqs, to) >= 0 {
			continue
		}
		l.step(rungPreflight, to, "%s -> %s: development builds are kept for days only", l.reqs[i].Name, to)
		if l.isProtected(l.reqs[i].Name) {
			l.protected = append(l.protected, to)
			l.spec.Subject = to
		}
		l.reqs[i].Name = to
	}
}
