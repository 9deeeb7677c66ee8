package environment

import (
	"regexp"
	"slices"

	"github.com/repgen/repgen/internal/pydist"
)

// need is a distribution that another one imports without declaring it, or
// declares as optional. It saves a failed run where the gap is well known;
// every other gap is found by the import error of a run.
type need struct {
	of   string
	when *regexp.Regexp // in the script; nil for always
	dist string
	why  string
}

// needs come from the import errors of clean environments; each names what it
// was seen with.
var needs = []need{
	{"diffusers", nil, "torch", "diffusers leaves its backend to the user"},
	{"transformers", regexp.MustCompile(`\bTF(?:Auto|[A-Z]\w+(?:Model|For|LM))\w*`), "tensorflow", "transformers leaves its backend to the user"},
	{"transformers", regexp.MustCompile(`\bFlax\w+`), "flax", "transformers leaves its backend to the user"},
	{"transformers", regexp.MustCompile(`\b(?:Auto)?\w*(?:Model|For[A-Z]\w+|LMHead\w*|Trainer|pipeline)\b`), "torch", "transformers leaves its backend to the user"},
	{"xgboost", regexp.MustCompile(`\bXGB\w+|xgboost\.sklearn`), "scikit-learn", "xgboost's estimators need scikit-learn and do not ask for it"},
	{"lightgbm", regexp.MustCompile(`\bLGBM\w+|lightgbm\.sklearn`), "scikit-learn", "lightgbm's estimators need scikit-learn and do not ask for it"},
	{"pandas", regexp.MustCompile(`\.(?:plot|hist|boxplot)\b`), "matplotlib", "pandas plots with matplotlib and does not ask for it"},
	{"pandas", regexp.MustCompile(`\b(?:read|to)_parquet\b`), "pyarrow", "pandas reads parquet with pyarrow and does not ask for it"},
	{"pandas", regexp.MustCompile(`\b(?:read|to)_excel\b`), "openpyxl", "pandas reads spreadsheets with openpyxl and does not ask for it"},
	{"pandas", regexp.MustCompile(`\.style\b`), "jinja2", "pandas styles with jinja2 and does not ask for it"},
	// Last, since rows above bring torch.
	{"torch", nil, "numpy", "torch warns at import without numpy and does not ask for it"},
}

// jaxUsers depend on jax; before jax itself depended on jaxlib, none of them
// brought it.
var jaxUsers = []string{
	"flax", "optax", "equinox", "dm-haiku", "numpyro", "chex", "brax", "distrax", "diffrax", "jaxopt",
	"blackjax", "orbax-checkpoint", "optimistix", "lineax", "jraph", "rlax", "penzai", "evosax",
}

// frameworks are the backends of keras by their name in KERAS_BACKEND.
var frameworks = map[string]string{"tensorflow": "tensorflow", "jax": "jax", "torch": "torch"}

// needs adds what the requirements need and do not ask for.
func (w *inference) needs() {
	w.kerasBackend()
	for _, n := range needs {
		if !w.has(n.of) || w.has(n.dist) || w.has(w.installedAs(n.dist)) {
			continue
		}
		if n.when != nil && !n.when.MatchString(w.in.Candidate.Script) {
			continue
		}
		if n.of == "transformers" && w.hasFramework() {
			continue
		}
		w.want(w.namedVariant(n.dist), WordUndeclared, n.why)
	}
	w.jaxlib()
}

func (w *inference) hasFramework() bool {
	for _, dist := range []string{"torch", "tensorflow", "flax"} {
		if w.has(dist) || w.has(w.installedAs(dist)) {
			return true
		}
	}
	return false
}

// namedVariant is the variant of a distribution that the report names, else
// the distribution itself.
func (w *inference) namedVariant(dist string) string {
	if _, ok := w.named[dist]; ok {
		return dist
	}
	for _, v := range pydist.Variants(dist) {
		if _, ok := w.named[v]; ok {
			return v
		}
	}
	return dist
}

// jaxlib adds jax's compiled half, in the version that goes with it: the extra
// "cpu" names it in old releases and is empty in new ones.
func (w *inference) jaxlib() {
	if !w.has("jax") {
		if !slices.ContainsFunc(jaxUsers, w.has) {
			return
		}
		w.want("jax", WordUndeclared, "the libraries of the script are built on jax")
	}
	if _, ok := w.named["jaxlib"]; ok || w.has("jaxlib") {
		w.want("jaxlib", WordUndeclared, "old releases of jax do not bring jaxlib")
		return
	}
	i := indexOf(w.spec.Requirements, "jax")
	r := &w.spec.Requirements[i]
	r.Extras = slices.DeleteFunc(r.Extras, func(e string) bool { return e != "cpu" && isAccelerator(e) })
	if !slices.Contains(r.Extras, "cpu") {
		r.Extras = append(r.Extras, "cpu")
	}
}

var accelerator = regexp.MustCompile(`^(?:cuda|tpu|rocm|gpu)`)

func isAccelerator(extra string) bool { return accelerator.MatchString(extra) }

var setsBackend = regexp.MustCompile(`KERAS_BACKEND["']?\s*[\],)]?\s*[=,]\s*["'](\w+)["']`)

// kerasBackend adds the framework under keras: the one that the report or the
// script sets, else the one it names, else keras' own default.
func (w *inference) kerasBackend() {
	if !w.has("keras") {
		return
	}
	backend := w.spec.Env["KERAS_BACKEND"]
	if m := setsBackend.FindStringSubmatch(w.in.Candidate.Script); m != nil {
		backend = m[1]
	}
	if dist, ok := frameworks[backend]; ok {
		w.backend(dist, "KERAS_BACKEND is "+backend)
		return
	}
	if w.has("tensorflow") || w.has(w.installedAs("tensorflow")) {
		return
	}
	if only := w.onlyNamedFramework(); only != "" && only != "tensorflow" && !w.oldKeras() {
		w.backend(only, "the only framework that the report names")
		w.setEnv("KERAS_BACKEND", only)
		w.edit("KERAS_BACKEND=%s: the only framework that the report names beside keras", only)
		return
	}
	w.backend("tensorflow", "keras runs on tensorflow unless told otherwise and does not ask for it")
}

func (w *inference) backend(dist, why string) {
	if dist == "tensorflow" {
		if w.has(w.installedAs(dist)) {
			return
		}
		dist = w.namedVariant(dist)
	}
	w.want(dist, WordUndeclared, why)
}

// oldKeras is true before keras 3, which knows tensorflow only.
func (w *inference) oldKeras() bool {
	v, ok := w.named["keras"]
	if !ok {
		return false
	}
	p, err := pydist.ParseVersion(v.Spec)
	return err == nil && len(p.Release()) > 0 && p.Release()[0] < 3
}

// onlyNamedFramework is the backend that the report names or the script
// imports, when there is exactly one.
func (w *inference) onlyNamedFramework() string {
	found := ""
	for _, dist := range []string{"tensorflow", "jax", "torch"} {
		_, named := w.named[w.namedVariant(dist)]
		if !named && !w.has(dist) {
			continue
		}
		if found != "" {
			return ""
		}
		found = dist
	}
	return found
}
