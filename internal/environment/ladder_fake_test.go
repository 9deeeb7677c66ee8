package environment

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/environment/interp"
	"github.com/repgen/repgen/internal/environment/uv"
	"github.com/repgen/repgen/internal/pydist"
)

// fakeRelease is one release of the fake index. Wheels names the Python minor
// versions that have one, "any" for all; needs are requirements in pip's form.
type fakeRelease struct {
	version  string
	uploaded time.Time
	wheels   []string
	sdist    bool
	yanked   string
	needs    []string
	bad      []string // lines of its metadata that are refused until they are repaired
}

// world is a fake index, interpreters and resolver. The resolver takes the
// newest fitting release of everything and fails with the classes of the real
// one; it does not backtrack, which the cases here do not need.
type world struct {
	projects  map[string][]fakeRelease
	pythons   []interp.Interpreter
	built     []string // source builds, "name==version"
	noBuild   bool     // source builds fail
	noBuildOn []string // on these Pythons
	calls     int
	inputs    []uv.CompileInput
	fail      []uv.Failure // answers to give first
	err       error
}

func newWorld(minors ...string) *world {
	w := &world{projects: map[string][]fakeRelease{}}
	for _, m := range minors {
		w.pythons = append(w.pythons, interp.Interpreter{
			Path: "/opt/python" + m, Prefix: "/opt", Version: m + ".7", Minor: m,
			Tag: "cp" + strings.ReplaceAll(m, ".", ""), ABI: "cp" + strings.ReplaceAll(m, ".", ""), Arch: "x86_64",
		})
	}
	return w
}

func at(text string) time.Time {
	t, err := time.Parse("2006-01-02", text)
	if err != nil {
		panic(err)
	}
	return t
}

// add puts a release with wheels for all Pythons on the index.
func (w *world) add(name, version, uploaded string, needs ...string) *fakeRelease {
	list := append(w.projects[name], fakeRelease{version: version, uploaded: at(uploaded), wheels: []string{"any"}, needs: needs})
	slices.SortStableFunc(list, func(a, b fakeRelease) int {
		p, _ := pydist.ParseVersion(a.version)
		q, _ := pydist.ParseVersion(b.version)
		return p.Compare(q)
	})
	w.projects[name] = list
	for i := range list {
		if list[i].version == version {
			return &w.projects[name][i]
		}
	}
	return nil
}

func (r fakeRelease) wheelFor(minor string) bool {
	return slices.Contains(r.wheels, "any") || slices.Contains(r.wheels, minor)
}

func (w *world) Releases(_ context.Context, name, python string) ([]Release, error) {
	if w.err != nil {
		return nil, w.err
	}
	var out []Release
	for _, r := range w.projects[name] {
		v, _ := pydist.ParseVersion(r.version)
		out = append(out, Release{Version: r.version, Uploaded: r.uploaded, Yanked: r.yanked, Pre: v.IsPre(),
			Wheel: r.wheelFor(minorOf(python)), Sdist: r.sdist})
	}
	return out, nil
}

func (w *world) prefetch(context.Context, []string) error { return w.err }

func (w *world) interpreters(context.Context) ([]interp.Interpreter, error) { return w.pythons, nil }

func (w *world) house(_ context.Context, in houseInput) (house, *Unavailable, error) {
	if w.noBuild || slices.Contains(w.noBuildOn, in.python.Minor) {
		return house{}, &Unavailable{Why: "setup.py fails"}, nil
	}
	w.built = append(w.built, in.name+"=="+in.version)
	h := house{dir: "/wheels/" + in.name, fromIndex: in.fromIndex, hash: "sha256:built", builtAsOf: dayOf(in.asOf)}
	for _, r := range w.projects[in.name] {
		if r.version == in.version {
			h.repaired = r.bad
		}
	}
	return h, nil, nil
}

// compile resolves greedily: requirement by requirement, breadth first.
func (w *world) compile(_ context.Context, in uv.CompileInput) (uv.CompileResult, error) {
	w.calls++
	w.inputs = append(w.inputs, in)
	if len(w.fail) > 0 {
		f := w.fail[0]
		w.fail = w.fail[1:]
		return uv.CompileResult{Failure: f}, nil
	}
	bounds := map[string][]string{}
	for _, text := range in.Constraints {
		r, err := parseRequirement(text)
		if err != nil {
			return uv.CompileResult{}, fmt.Errorf("constraint %q: %w", text, err)
		}
		bounds[r.Name] = append(bounds[r.Name], r.Spec)
	}
	type want struct{ text, via string }
	var queue []want
	for _, text := range in.Requirements {
		queue = append(queue, want{text, "requirement"})
	}
	via := map[string][]string{}
	chosen := map[string]string{}
	prefer := map[string]string{}
	for _, p := range uv.ParseLock(in.Existing) {
		prefer[p.Name] = p.Version
	}
	for pass := 0; pass < 2; pass++ { // the second sees every bound
		chosen, via = map[string]string{}, map[string][]string{}
		for i := 0; i < len(queue); i++ {
			r, err := parseRequirement(queue[i].text)
			if err != nil {
				return uv.CompileResult{}, fmt.Errorf("requirement %q: %w", queue[i].text, err)
			}
			if r.Spec != "" && !slices.Contains(bounds[r.Name], r.Spec) {
				bounds[r.Name] = append(bounds[r.Name], r.Spec)
			}
			via[r.Name] = append(via[r.Name], queue[i].via)
			rel, f := w.pick(in, r.Name, bounds[r.Name], prefer[r.Name])
			if f != nil {
				return uv.CompileResult{Failure: *f}, nil
			}
			chosen[r.Name] = rel.version
			if pass == 0 {
				for _, n := range rel.needs {
					queue = append(queue, want{n, r.Name})
				}
			}
		}
	}
	res := uv.CompileResult{OK: true}
	for _, name := range sortedNames(chosen) {
		res.Text += name + "==" + chosen[name] + " \\\n    --hash=sha256:" + strings.Repeat("0", 64) + "\n"
		res.Packages = append(res.Packages, uv.Pinned{Name: name, Version: chosen[name], Via: via[name]})
	}
	return res, nil
}

func (w *world) pick(in uv.CompileInput, name string, bounds []string, prefer string) (fakeRelease, *uv.Failure) {
	list, ok := w.projects[name]
	if !ok {
		return fakeRelease{}, &uv.Failure{Class: uv.PackageMissing, Name: name}
	}
	minor := strings.TrimPrefix(in.Python, "/opt/python")
	spec := strings.Join(slices.DeleteFunc(slices.Clone(bounds), func(s string) bool { return s == "" }), ",")
	exact := ""
	for _, b := range bounds {
		if v := (Requirement{Spec: b}).exact(); v != "" {
			exact = v
		}
	}
	var inRange, inTime []fakeRelease
	for _, r := range list {
		if pydist.Match(spec, r.version) && (exact != "" || r.yanked == "") {
			inRange = append(inRange, r)
			if !r.uploaded.After(in.ExcludeNewer) || slices.Contains(in.Exempt, name) {
				inTime = append(inTime, r)
			}
		}
	}
	if len(inRange) == 0 {
		if exact != "" && !slices.ContainsFunc(list, func(r fakeRelease) bool { return r.version == exact }) {
			return fakeRelease{}, &uv.Failure{Class: uv.VersionMissing, Name: name, Version: exact}
		}
		return fakeRelease{}, &uv.Failure{Class: uv.Conflict, Name: name, Names: []string{name}, Detail: name + spec}
	}
	if len(inTime) == 0 {
		r := inRange[0]
		return fakeRelease{}, &uv.Failure{Class: uv.AfterDate, Name: name, Version: r.version, Published: r.uploaded}
	}
	for _, r := range inTime {
		if r.version == prefer && r.wheelFor(minor) {
			return r, nil
		}
	}
	for i := len(inTime) - 1; i >= 0; i-- {
		r := inTime[i]
		v, _ := pydist.ParseVersion(r.version)
		house := slices.Contains(in.FindLinks, "/wheels/"+name)
		if len(r.bad) > 0 && !house && r.wheelFor(minor) && exact == r.version {
			return fakeRelease{}, &uv.Failure{Class: uv.BadMetadata, Name: name, Version: r.version}
		}
		if (r.wheelFor(minor) || house && r.sdist) && (!v.IsPre() || exact == r.version) {
			return r, nil
		}
	}
	r := inTime[len(inTime)-1]
	if r.sdist {
		return fakeRelease{}, &uv.Failure{Class: uv.OnlySdist, Name: name, Version: r.version}
	}
	return fakeRelease{}, &uv.Failure{Class: uv.WrongPython, Name: name, Version: r.version, Pythons: r.wheels}
}

// solve climbs the ladder on a fake world.
func solve(t *testing.T, w *world, s Spec) (*Lock, *Unavailable) {
	t.Helper()
	lock, u, err := newLadder(w, s).climb(t.Context())
	if err != nil {
		t.Fatalf("solve: %v", err)
	}
	if (lock == nil) == (u == nil) {
		t.Fatalf("lock %v and unavailable %v", lock, u)
	}
	return lock, u
}

func req(text string, word Word) Requirement {
	r, err := parseRequirement(text)
	if err != nil {
		panic(err)
	}
	r.Word = word
	return r
}

func rungsOf(list []Rung) string {
	var out []string
	for _, r := range list {
		out = append(out, fmt.Sprintf("%d %s", r.Number, r.Result))
	}
	return strings.Join(out, ", ")
}
