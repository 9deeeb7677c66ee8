package environment

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/pydist"
)

// cpuBuild maps a distribution to those that hold the same code without the
// libraries of an accelerator, the best first: a third of the size (tensorflow
// 2.15: 475 MB against 207 MB of wheel), and nothing here has a GPU anyway. Old
// builds for one cannot even be imported without its driver. tensorflow-cpu came
// with 1.15; before that, tensorflow itself was the build without.
var cpuBuild = map[string][]string{
	"tensorflow":       {"tensorflow-cpu"},
	"tensorflow-gpu":   {"tensorflow-cpu", "tensorflow"},
	"onnxruntime-gpu":  {"onnxruntime"},
	"faiss-gpu":        {"faiss-cpu"},
	"paddlepaddle-gpu": {"paddlepaddle"},
}

// cudaNamed are projects that name their builds after the version of CUDA
// ("mxnet-cu101mkl"); the plain name is the build without.
var cudaNamed = regexp.MustCompile(`^(mxnet|dgl|cntk)-(?:cu\d+(?:mkl)?|gpu)$`)

func cpuBuildsOf(name string) []string {
	if m := cudaNamed.FindStringSubmatch(name); m != nil {
		return []string{m[1]}
	}
	return cpuBuild[name]
}

// wantFull are distributions that declare the full build as a dependency, so
// that the CPU build would come beside it. (From their own metadata; what is
// missing here is found after resolving.)
var wantFull = map[string][]string{
	"tensorflow": {
		"tensorflow-text", "tf-keras", "tensorflow-hub", "keras-nlp", "keras-hub", "tensorflow-decision-forests",
		"tensorflow-recommenders", "tf-models-official", "tensorflow-io", "tensorflow-transform", "tfx",
		"tensorflow-federated", "tensorflow-quantum", "tensorflowjs", "deepface", "spleeter",
	},
}

// cpuBuilds replaces requirements by their CPU builds where the index has the
// wanted version of them.
func (w *inference) cpuBuilds(ctx context.Context) error {
	for i := range w.spec.Requirements {
		r := &w.spec.Requirements[i]
		if r.Word == WordFlag || r.Word == WordProject || slices.ContainsFunc(wantFull[r.Name], w.has) {
			continue
		}
		to, err := cpuVariant(ctx, w.index, *r, w.spec.Python, w.spec.AsOf)
		if err != nil {
			return err
		}
		if to == "" || w.has(to) {
			continue
		}
		w.edit("%s -> %s: the same code without GPU libraries", r.Name+r.Spec, to+r.Spec)
		if w.spec.Subject == r.Name {
			w.spec.Subject = to
		}
		r.Name = to
	}
	return nil
}

// cpuVariant is the CPU build to take in place of a requirement, "" for none.
// Both must have the same newest version that fits, or the swap would change
// what is tested.
func cpuVariant(ctx context.Context, index listings, r Requirement, python string, asOf time.Time) (string, error) {
	builds := cpuBuildsOf(r.Name)
	if len(builds) == 0 {
		return "", nil
	}
	plain, err := index.Releases(ctx, r.Name, python)
	if err != nil {
		return "", err
	}
	for _, to := range builds {
		cpu, err := index.Releases(ctx, to, python)
		if err != nil {
			return "", err
		}
		best, found := newestOrNear(cpu, r.Spec, asOf)
		if !found || (python != "" && !best.Wheel) {
			continue
		}
		// A name that has no fitting release of its own (tensorflow-gpu ended at
		// 2.12) does not hold back the one that has.
		if p, ok := newestOrNear(plain, r.Spec, asOf); !ok || sameVersion(p.Version, best.Version) {
			return to, nil
		}
	}
	return "", nil
}

// newestOrNear looks for the stand-in as well when an exact version is gone.
func newestOrNear(list []Release, spec string, asOf time.Time) (Release, bool) {
	if r, ok := newest(list, spec, asOf); ok {
		return r, true
	}
	if v := (Requirement{Spec: spec}).exact(); v != "" {
		return nearest(list, v)
	}
	return Release{}, false
}

// fits is pydist.Match for one specifier and many listed versions. Exact pins
// are the common case and are compared as text: both sides are normalised, and
// a label of the listed version is open unless the pin has one.
func fits(spec string) func(version string) bool {
	want := Requirement{Spec: spec}.exact()
	if spec == "" {
		return func(string) bool { return true }
	}
	if want == "" {
		return func(version string) bool { return pydist.Match(spec, version) }
	}
	labelled := strings.Contains(want, "+")
	return func(version string) bool {
		if version == want {
			return true
		}
		if !labelled {
			version, _, _ = strings.Cut(version, "+")
		}
		return version == want || sameVersion(version, want)
	}
}

func sameVersion(a, b string) bool {
	p, errA := pydist.ParseVersion(a)
	q, errB := pydist.ParseVersion(b)
	return errA == nil && errB == nil && p.Compare(q) == 0
}

// newest is the highest release that fits a specifier as of a day: stable and
// not yanked unless the specifier leaves nothing else. An exact pin is found
// whatever the day, since the solver can move the day.
func newest(list []Release, spec string, asOf time.Time) (Release, bool) {
	exact := Requirement{Spec: spec}.exact() != ""
	fit := fits(spec)
	for _, strict := range []bool{true, false} {
		for i := len(list) - 1; i >= 0; i-- {
			r := list[i]
			if !exact && r.Uploaded.After(asOf) {
				continue
			}
			if strict && (r.Pre || r.Yanked != "") {
				continue
			}
			if fit(r.Version) {
				return r, true
			}
		}
	}
	return Release{}, false
}
