package environment

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/environment/uv"
	"github.com/repgen/repgen/internal/pydist"
)

// neverBuilt are packages whose source builds take many minutes and a
// compiler zoo; another version or interpreter is always the better way.
var neverBuilt = []string{
	"numpy", "scipy", "torch", "torchvision", "torchaudio", "tensorflow", "tensorflow-cpu", "jaxlib", "pandas",
	"scikit-learn", "scikit-image", "matplotlib", "opencv-python", "opencv-python-headless", "grpcio", "h5py",
	"pyarrow", "xgboost", "lightgbm", "catboost", "onnx", "onnxruntime", "pytorch", "llvmlite", "numba", "pillow",
}

// repair makes one change for one failure of the resolver. Nil, nil: try
// again. The same failure twice gives the requirement up.
func (l *ladder) repair(ctx context.Context, f uv.Failure) (*Unavailable, error) {
	if f.Class == uv.OnlySdist {
		name, err := l.sourceAtFault(ctx, f)
		if err != nil {
			return nil, err
		}
		if name != f.Name {
			f.Name, f.Version = name, ""
		}
		if f.Version, err = l.sourceVersion(ctx, f); err != nil {
			return nil, err
		}
	}
	// Another interpreter makes it another question.
	signature := fmt.Sprintf("%s %s %s %s", l.python.Minor, f.Class, f.Name, f.Version)
	if f.Class == uv.Conflict {
		signature += f.Detail
	}
	l.tried[signature]++
	if l.tried[signature] > 1 {
		return l.giveUp(ctx, f)
	}
	switch f.Class {
	case uv.OnlySdist:
		return l.fromSource(ctx, f)
	case uv.AfterDate:
		return l.afterDate(ctx, f)
	case uv.WrongPython, uv.RequiresPython:
		return l.wrongPython(ctx, f)
	case uv.VersionMissing:
		return l.versionMissing(ctx, f)
	case uv.PackageMissing:
		return l.packageMissing(f)
	case uv.Yanked:
		return l.yanked(ctx, f)
	case uv.Conflict:
		return l.conflict(ctx, f)
	case uv.BadMetadata:
		return l.badMetadata(ctx, f)
	default: // build failed, parse, other
		return l.giveUp(ctx, f)
	}
}

// giveUp loosens what the failure names, and when that is nothing or the
// subject, everything but the subject. After that nothing is left to try.
func (l *ladder) giveUp(ctx context.Context, f uv.Failure) (*Unavailable, error) {
	if m := missingInText.FindStringSubmatch(f.Detail); m != nil && f.Class != uv.VersionMissing {
		g := f
		g.Class, g.Name, g.Version = uv.VersionMissing, pydist.Normalize(m[1]), m[2]
		return l.repair(ctx, g)
	}
	if f.Name != "" && !l.isProtected(f.Name) && l.loosen(rungConflict, f.Name, "the resolver failed on it: "+string(f.Class)) {
		return nil, nil
	}
	return l.onlySubject(ctx, f)
}

// onlySubject is the last rung: every pin but the subject's goes.
func (l *ladder) onlySubject(_ context.Context, f uv.Failure) (*Unavailable, error) {
	loosened := false
	for _, r := range slices.Concat(l.reqs, l.cons) {
		if r.Spec == "" || l.isProtected(r.Name) || r.Word == WordFlag {
			continue
		}
		loosened = l.loosen(rungSubject, r.Name, "the subject alone is pinned") || loosened
	}
	if loosened {
		return nil, nil
	}
	why := l.reason
	if why == "" {
		why = f.Detail
	}
	return l.unavailable(fmt.Sprintf("no set of packages holds %s: %s", l.wanted(), why), next(f)), nil
}

func (l *ladder) wanted() string {
	var out []string
	for _, r := range l.reqs {
		if r.Spec != "" {
			out = append(out, r.Name+r.Spec)
		}
	}
	if len(out) == 0 {
		return "what the script imports"
	}
	return strings.Join(out, ", ")
}

func next(f uv.Failure) string {
	switch f.Class {
	case uv.WrongPython, uv.RequiresPython:
		if len(f.Pythons) > 0 {
			return "install Python " + f.Pythons[len(f.Pythons)-1]
		}
		return "install another Python version"
	case uv.OnlySdist, uv.BuildFailed, uv.BadMetadata:
		return "name another version with --with, or a later --date"
	default:
		return "name other versions with --with, or another --date"
	}
}

// fromSource builds the one source package that has no wheel, in the sandbox.
func (l *ladder) fromSource(ctx context.Context, f uv.Failure) (*Unavailable, error) {
	version := f.Version
	if version == "" {
		v, err := l.newestSource(ctx, f.Name)
		if err != nil {
			return nil, err
		}
		version = v
	}
	why := fmt.Sprintf("%s %s has no wheel for Python %s", f.Name, version, l.python.Minor)
	if version == "" || slices.Contains(neverBuilt, f.Name) {
		return l.withoutWheel(ctx, f, why)
	}
	h, u, err := l.on.house(ctx, houseInput{name: f.Name, version: version, python: l.python, asOf: l.cutoff})
	if err != nil {
		return nil, fmt.Errorf("build %s %s from source: %w", f.Name, version, err)
	}
	if u != nil {
		ok, err := l.olderPython(ctx, f.Name, version, why+" and cannot be built there: "+u.Why)
		if err != nil || ok {
			return nil, err
		}
		return l.withoutWheel(ctx, f, why+" and cannot be built: "+u.Why)
	}
	l.move(f.Name, version, h, "built from source in the sandbox")
	return nil, nil
}

func (l *ladder) newestSource(ctx context.Context, name string) (string, error) {
	list, err := l.on.Releases(ctx, name, l.python.Minor)
	if err != nil {
		return "", err
	}
	version := l.newestInRange(name, list)
	if i := slices.IndexFunc(list, func(r Release) bool { return r.Version == version }); i >= 0 && list[i].Sdist {
		return version, nil
	}
	return "", nil
}

// withoutWheel handles a package that cannot be had for this interpreter.
func (l *ladder) withoutWheel(ctx context.Context, f uv.Failure, why string) (*Unavailable, error) {
	if !l.isProtected(f.Name) && l.loosen(rungConflict, f.Name, why) {
		return nil, nil
	}
	ok, err := l.nextPython(ctx, f.Name, why, f.Pythons, scoreWheel)
	if err != nil || ok {
		return nil, err
	}
	l.reason = why
	return l.onlySubject(ctx, f)
}

func (l *ladder) wrongPython(ctx context.Context, f uv.Failure) (*Unavailable, error) {
	why := fmt.Sprintf("%s %s does not go with Python %s", f.Name, f.Version, l.python.Minor)
	stated := l.spec.Python != "" && minorOf(l.spec.Python) == l.python.Minor
	if stated && !l.isProtected(f.Name) && l.loosen(rungConflict, f.Name, why) {
		return nil, nil
	}
	ok, err := l.nextPython(ctx, f.Name, why, f.Pythons, scoreSdist)
	if err != nil || ok {
		return nil, err
	}
	l.reason = why
	return l.giveUp(ctx, f)
}

// afterDate handles a pin, ours or one that ours brings, that the date hides.
func (l *ladder) afterDate(ctx context.Context, f uv.Failure) (*Unavailable, error) {
	list, err := l.on.Releases(ctx, f.Name, l.python.Minor)
	if err != nil {
		return nil, err
	}
	if f.Latest {
		if r, ok := l.openRelease(f, list); ok {
			l.newerThanDate(f.Name, r, list)
			return nil, nil
		}
	}
	i := slices.IndexFunc(list, func(r Release) bool { return f.Version != "" && sameVersion(r.Version, f.Version) })
	if i >= 0 {
		r := list[i]
		if f.Published.After(r.Uploaded) {
			r.Uploaded = f.Published // the file that fits came later than the first
		}
		l.newerThanDate(f.Name, r, list)
		return nil, nil
	}
	if f.Published.IsZero() {
		return l.giveUp(ctx, f)
	}
	l.moveDate(f.Name, Release{Version: f.Version, Uploaded: f.Published})
	return nil, nil
}

// versionMissing loosens a pin whose version is gone. Where it is gone from
// under a requirement (the index lost the jaxlib that a jax wants), the nearest
// release of that family stands in.
func (l *ladder) versionMissing(ctx context.Context, f uv.Failure) (*Unavailable, error) {
	list, err := l.on.Releases(ctx, f.Name, l.python.Minor)
	if err != nil {
		return nil, err
	}
	if r, _ := l.pinOf(f.Name); r != nil && r.Spec != "" && !l.isProtected(f.Name) && !l.dragsSubject(f.Name) {
		l.loosen(rungPreflight, f.Name, "the index does not have it")
		return nil, nil
	}
	if f.Version != "" && len(list) > 0 && (l.isProtected(f.Name) || l.dragsRequirement(f.Name)) {
		return l.standIn(ctx, f.Name, "=="+f.Version, list)
	}
	return l.giveUp(ctx, f)
}

func (l *ladder) packageMissing(f uv.Failure) (*Unavailable, error) {
	if r, constraint := l.pinOf(f.Name); r != nil {
		return l.noSuchProject(f.Name, constraint), nil
	}
	return l.unavailable(fmt.Sprintf("%s, which one of the packages needs, is not on the index", f.Name),
		"name an index that has it with --index"), nil
}

// yanked pins the newest release of a range whose releases were all withdrawn:
// the reporter had one of them.
func (l *ladder) yanked(ctx context.Context, f uv.Failure) (*Unavailable, error) {
	r, _ := l.pinOf(f.Name)
	list, err := l.on.Releases(ctx, f.Name, l.python.Minor)
	if err != nil {
		return nil, err
	}
	if r != nil && r.exact() == "" {
		if found, ok := newest(list, r.Spec, l.cutoff); ok {
			l.step(rungPreflight, r.Name, "%s%s -> ==%s: every release of that range was withdrawn", r.Name, r.Spec, found.Version)
			r.Spec = "==" + found.Version
			return nil, nil
		}
	}
	return l.giveUp(ctx, f)
}

// missingInText is a version that is gone, in a text whose first cause was
// another one.
var missingInText = regexp.MustCompile(`there is no version of ([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?==([0-9][A-Za-z0-9.!+-]*[A-Za-z0-9])`)

var pinInText = regexp.MustCompile(`([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?==`)

// conflict loosens, among the pins that the message names, one that is not the
// subject: a constraint before a requirement, the newest upload first.
func (l *ladder) conflict(ctx context.Context, f uv.Failure) (*Unavailable, error) {
	names := slices.Clone(f.Names)
	for _, m := range pinInText.FindAllStringSubmatch(f.Detail, -1) {
		names = append(names, pydist.Normalize(m[1]))
	}
	if f.Name != "" {
		names = append(names, f.Name)
	}
	var choice string
	var when time.Time
	var weight int
	for _, name := range names {
		r, constraint := l.pinOf(name)
		if r == nil || r.Spec == "" || l.isProtected(name) || r.Word == WordFlag {
			continue
		}
		uploaded, err := l.uploaded(ctx, *r)
		if err != nil {
			return nil, err
		}
		w := conflictWeight(*r, constraint, l.dragsSubject(name))
		if choice == "" || w > weight || w == weight && uploaded.After(when) {
			choice, when, weight = name, uploaded, w
		}
	}
	if choice == "" {
		return l.onlySubject(ctx, f)
	}
	l.loosen(rungConflict, choice, "it contradicts the others: "+clip(f.Detail, 200))
	return nil, nil
}

// conflictWeight orders pins by how little is lost without them.
func conflictWeight(r Requirement, constraint, family bool) int {
	switch {
	case constraint && !family:
		return 3
	case constraint:
		return 2
	case !family:
		return 1
	}
	return 0
}

func (l *ladder) uploaded(ctx context.Context, r Requirement) (time.Time, error) {
	list, err := l.on.Releases(ctx, r.Name, l.python.Minor)
	if err != nil {
		return time.Time{}, err
	}
	if found, ok := newest(list, r.Spec, l.cutoff); ok {
		return found.Uploaded, nil
	}
	return time.Time{}, nil
}
