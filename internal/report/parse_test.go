package report

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// key is a compact form of the facts of a parse, for tables.
func versionKeys(r *Report) map[string]bool {
	out := map[string]bool{}
	for _, v := range r.Versions {
		out[fmt.Sprintf("%s %s %s %s", v.Dist, v.Spec, v.Kind, v.Role)] = true
	}
	return out
}

func statementKeys(r *Report) map[string]bool {
	out := map[string]bool{}
	for _, s := range r.Statements {
		key := fmt.Sprintf("%s %s %s: %s", s.Role, s.Kind, s.Where, s.Text)
		if s.Kind == SaysRelation {
			key = fmt.Sprintf("%s %s: %s", s.Role, s.Relation, s.Text)
		}
		if s.Approximate {
			key += " (approximate)"
		}
		out[key] = true
	}
	return out
}

// want is what a report must give; what a list leaves out is not asked.
type want struct {
	title      string
	kinds      string   // of the blocks, in order
	versions   []string // "dist spec kind role"
	no         []string // beginnings of version keys that must not be there
	statements []string
	unsaid     []string // beginnings of statement keys that must not be there
	env        string
	trace      string // kind and exception or signal of the first failure
	platform   string // "name=value" that must be there
}

var wants = map[string]want{
	"cases/jax-jit-exp-nan.md": {
		title: "jit loses a NaN in float64 since the last upgrade", kinds: "python output",
		versions:   []string{"jax 0.6.1 exact good", "jax 0.6.2 exact bad", "jax 0.6.2 exact stated", "jaxlib 0.6.2 exact stated", "numpy 2.2.4 exact stated", "python 3.11 partial stated"},
		no:         []string{"jaxlib 0.6.1"},
		statements: []string{"actual output block: eager : nan", "actual output block: jitted: 5.56e-310", "expected all_nan: Both should be nan"},
		unsaid:     []string{"expected value"}, platform: "device=CPU only",
	},
	"cases/keras-logsumexp-symbolic.md": {
		kinds: "repl", env: "KERAS_BACKEND=jax", trace: "exception TypeError",
		versions:   []string{"keras 3.10.0 exact stated", "jax 0.6.2 exact stated", "python 3.11 partial stated"},
		statements: []string{"actual output repl: (2,)", "actual output repl: (None,)", "actual exception block: TypeError"},
	},
	"cases/xgboost-sklearn-tags.md": {
		kinds: "python traceback", trace: "exception AttributeError",
		versions:   []string{"xgboost 2.1.3 exact stated", "scikit-learn 1.6.0 exact stated", "python 3.11 partial stated"},
		statements: []string{"actual exception block: AttributeError"}, unsaid: []string{"actual output"},
	},
	"cases/sklearn-isoforest-names-warning.md": {
		kinds: "python output versions", trace: "warning UserWarning",
		versions:   []string{"scikit-learn 1.2.1 exact stated", "python 3.11.1 exact stated", "pandas 1.5.3 exact stated", "threadpoolctl 3.1.0 exact stated"},
		no:         []string{"matplotlib", "cython"},
		statements: []string{"expected no_warning: no warning", "actual warning block: UserWarning: X does not have valid feature names, but IsolationForest was fitted with feature names", "actual output block: fitted 2"},
		unsaid:     []string{"actual output block: warnings.warn"},
	},
	"cases/equinox-rope-dtype.md": {
		kinds:      "python versions",
		versions:   []string{"equinox 0.11.5 exact stated", "jax 0.4.31 exact stated", "numpy 2.0.1 exact stated", "my-lm-experiments  moving stated"},
		statements: []string{"actual output inline: float16 -> float32", "expected output inline: float16 -> float16"},
	},
	"cases/tf-27-protobuf4-import.md": {
		kinds: "versions python traceback", trace: "import_error TypeError",
		versions: []string{"tensorflow-cpu 2.7.1 exact stated", "python 3.9 partial stated", "protobuf 3.20.x partial good"},
		no:       []string{"protobuf 3.19"},
		platform: "os=Debian 11",
	},
	"cases/tf-drawboxes-abort.md": {
		kinds: "python output", trace: "signal SIGABRT",
		versions:   []string{"tensorflow 2.15 partial stated", "python 3.11 partial stated"},
		no:         []string{"tensorflow 20.04"},
		statements: []string{"expected exception prose: error"}, platform: "os=Ubuntu 20.04",
	},
	"cases/pot-circle-rotation.md": {
		kinds:      "python output",
		versions:   []string{"pot 0.9.5 exact stated", "numpy 2.2.6 exact stated", "scipy 1.15.3 exact stated", "python 3.11.9 exact stated"},
		no:         []string{"glibc", "linux"},
		statements: []string{"expected same: Same number"}, unsaid: []string{"actual output"},
	},
	"cases/not-reproduced-keras-argmax.md": {
		kinds: "python", env: "KERAS_BACKEND=jax",
		versions:   []string{"keras 3.9.0 exact stated", "jax 0.5.3 exact stated"},
		no:         []string{"numpy"},
		statements: []string{"actual output inline: argmax: 1", "expected value prose: 2"},
	},
	"cases/needs-hardware-cuda-graph.md": {
		kinds: "python", versions: []string{"torch 2.8.0 exact stated", "python 3.11 partial stated"},
		no: []string{"torch 126", "driver"}, platform: "gpu=RTX 4090",
	},
	"form-nested-fence.md": {
		kinds: "python", versions: []string{"tensorflow 2.16.1 exact stated", "python 3.12.3 exact stated"},
		statements: []string{"actual output comment: 1.0", "expected value comment: nan"},
	},
	"bold-headings.md": {
		kinds: "python output output", statements: []string{"expected output block: 4", "actual output block: 3"},
		versions: []string{"torch 2.3.0 exact stated", "python 3.10 partial stated"},
	},
	"repl-tensor.md": {
		title: "Rounding of negative halves", kinds: "repl",
		statements: []string{"actual output repl: -0.5 -0.0", "actual output repl: -0.0", "expected value inline: -1.0"},
		versions:   []string{"numpy 1.24.3 exact stated", "python 3.8 partial stated"},
	},
	"ipython.md":           {kinds: "repl", statements: []string{"actual output repl: dtype('O')"}, versions: []string{"pandas 2.0.3 exact stated", "pandas 1.5.3 exact good"}},
	"notebook-cells.md":    {kinds: "repl", versions: []string{"seaborn 0.12.2 exact good", "seaborn 0.13.0 exact bad"}},
	"chained-traceback.md": {kinds: "traceback", trace: "exception OSError", versions: []string{"transformers 4.31.0 exact stated", "huggingface-hub 0.16.4 exact stated"}},
	"unfenced-traceback.txt": {
		kinds: "traceback", trace: "exception TypeError",
		versions: []string{"pandas 2.2.1 exact stated", "python 3.12 partial stated", "pandas 2.1.4 exact good"},
	},
	"mail.txt": {
		title: "convolve returns nan for empty kernels", kinds: "python", versions: []string{"scipy 1.12.0 exact stated"},
		statements: []string{"expected exception prose: ValueError"},
	},
	"front-matter.md": {title: "Tokenizer drops the last space", statements: []string{"expected output comment: ['a', ' ']", "actual value comment: ['a']"}},
	"filed-line.md":   {versions: []string{"lightgbm 4.3.0 exact stated"}, no: []string{"lightgbm 3.2", "lightgbm 12.5", "lightgbm 2.5", "lightgbm 10", "lightgbm 2024", "lightgbm 1.0"}},
	"pip-list.md":     {kinds: "python versions", versions: []string{"matplotlib 3.9.0 exact stated", "contourpy 1.2.1 exact stated"}, no: []string{"package"}},
	"conda-list.md":   {kinds: "versions versions", versions: []string{"torch 2.1.0 exact stated", "python 3.11.7 exact stated", "einops 0.7.0 exact stated", "python 3.11 partial stated"}},
	"jax-info.md":     {kinds: "python versions", versions: []string{"jax 0.4.26 exact stated", "python 3.10.14 exact stated"}},
	"install-lines.md": {
		kinds: "shell", env: "XLA_FLAGS=--xla_force_host_platform_device_count=2 JAX_ENABLE_X64=1",
		versions: []string{"numpyro 0.13.2 exact stated", "jax 0.4.23 exact stated", "funsor >=0.4 range stated", "optax 0.1.7 exact stated"},
	},
	"torch-form.md": {
		kinds: "python traceback", trace: "exception AssertionError",
		versions:   []string{"torch 2.3 partial bad", "torch 2.2.2 exact good", "torch 2.3.0+cpu exact stated", "python 3.11.9 exact stated", "numpy 1.26.4 exact stated"},
		no:         []string{"torch 22.04", "torch 11.4", "torch 3.29"},
		statements: []string{"actual value inline: nan", "actual output block: tensor([nan])", "actual exception block: AssertionError"},
	},
	"list-of-steps.md": {
		kinds: "python output", statements: []string{"actual output block: a    float64", "expected value prose: int64", "actual value prose: float64"},
		versions: []string{"pandas 2.2.0 exact stated", "pandas 2.1.4 exact good", "pandas 1.5.x partial good", "numpy 1.26.3 exact stated", "python 3.12.1 exact stated"},
		no:       []string{"pandas 0.9", "pandas 0.7", "pandas 3.5", "pandas 2.1 "},
	},
	"works-fails.md":            {versions: []string{"scipy 1.10.1 exact good", "scipy 1.11.0 exact bad", "scipy 1.11.4 exact bad", "python 3.9 partial stated"}},
	"moving.md":                 {versions: []string{"torch nightly moving stated", "transformers latest moving stated", "torch 2.4.0 exact good", "torch 2.5.0.dev20240801+cu121 exact stated"}, no: []string{"torch 12.1"}},
	"expected-actual-inline.md": {statements: []string{"actual value inline: 0.", "expected value inline: -0.", "expected value inline: tensor([-0.])", "actual value inline: tensor([0.])", "actual value prose: nan", "expected value prose: inf"}},
	"comments-in-code.md": {
		statements: []string{"actual output comment: 3", "expected value comment: 4", "actual value comment: nan", "actual exception comment: error", "actual exception comment: IndexError", "actual output comment: [-1 -1 -1]"},
		unsaid:     []string{"actual output comment: nothing"},
	},
	"crlf-bom.md": {kinds: "python output", versions: []string{"keras 3.4.1 exact stated"}, statements: []string{"actual output block: 1.0", "expected value prose: 1.5"}},
	"glued-fence.md": {
		kinds: "python versions", versions: []string{"scikit-learn 1.3.0 exact stated", "numpy 1.25.2 exact stated"},
	},
	"bash-output.md": {
		kinds: "python output shell python", statements: []string{"actual output block: [0. 2.]]", "actual output comment: False"},
	},
	"version-tuple.md": {
		kinds: "python output output", versions: []string{"scipy 1.14.0 exact stated", "numpy 2.0.1 exact stated", "python 3.12.1 exact stated"},
		no: []string{"1-14-0"}, statements: []string{"actual output block: np.float64(nan)"},
	},
	"no-error-message.md": {
		versions: []string{"scipy 1.10.1 exact stated", "numpy 1.24.4 exact stated", "python 3.8.17 exact stated"}, no: []string{"1-10-1"},
		unsaid: []string{"actual output block: None"},
	},
	"setext-details.md":        {title: "Cosine similarity is above one", kinds: "python", statements: []string{"actual value prose: 1.0000001"}, versions: []string{"torch 1.13.1+cpu exact stated"}},
	"warning-expected.md":      {trace: "warning FutureWarning", statements: []string{"expected no_warning: should not warn", "actual output block: dtype: int64"}},
	"pep723.md":                {versions: []string{"polars 0.20.6 exact stated", "numpy <2 range stated", "python 3.11.* partial stated"}, statements: []string{"actual output inline: 1", "expected value inline: None"}},
	"two-scripts.md":           {kinds: "python python", statements: []string{"actual exception prose: ValueError"}, versions: []string{"scikit-learn 1.3 partial stated", "python 3.9 partial stated"}},
	"diff-and-shell.md":        {kinds: "diff shell", env: "TF_ENABLE_ONEDNN_OPTS=0"},
	"only-question.txt":        {title: "is there a way to freeze only half of the embedding?"},
	"lightning-env.md":         {versions: []string{"torch 2.2.0 exact stated", "lightning 2.2.1 exact stated", "python 3.11.8 exact stated"}, no: []string{"release", "version"}},
	"requirements-indented.md": {kinds: "versions python", versions: []string{"torch 1.13.1+cu117 exact stated", "numpy <1.24 range stated", "private-tools 0a1b2c3 moving stated"}},
	"tracker-issue.json": {
		title: "Pad mode is ignored", versions: []string{"xarray 2024.11.0 exact stated", "xarray 2025.1.0 exact good"},
		statements: []string{"expected value inline: 2", "actual value inline: 1"}, unsaid: []string{"actual value inline: 3"},
	},
}

// TestKeyFacts asserts, report by report, what a reader would take from it.
func TestKeyFacts(t *testing.T) {
	for _, file := range reportFiles(t) {
		name := strings.TrimPrefix(file, "testdata/")
		w, ok := wants[name]
		if !ok {
			t.Errorf("%s has no asserted facts", name)
			continue
		}
		t.Run(name, func(t *testing.T) { checkFacts(t, parseFile(t, file), w) })
	}
}

func checkFacts(t *testing.T, r *Report, w want) {
	t.Helper()
	if w.title != "" && r.Title != w.title {
		t.Errorf("title %q, want %q", r.Title, w.title)
	}
	var kinds []string
	for _, b := range r.Blocks {
		kinds = append(kinds, string(b.Kind))
	}
	if got := strings.Join(kinds, " "); w.kinds != "" && got != w.kinds {
		t.Errorf("blocks %q, want %q", got, w.kinds)
	}
	checkKeys(t, "version", versionKeys(r), w.versions, w.no)
	checkKeys(t, "statement", statementKeys(r), w.statements, w.unsaid)
	var env []string
	for _, e := range r.Env {
		env = append(env, e.Name+"="+e.Value)
	}
	if got := strings.Join(env, " "); got != w.env {
		t.Errorf("environment %q, want %q", got, w.env)
	}
	if w.trace != "" {
		if len(r.Tracebacks) == 0 {
			t.Fatal("no failure was recognised")
		}
		s := r.Tracebacks[0].Symptom
		if got := fmt.Sprintf("%s %s%s", s.Kind, s.Exception, s.Signal); got != w.trace {
			t.Errorf("failure %q, want %q", got, w.trace)
		}
	}
	facts := map[string]bool{}
	for _, f := range r.Platform {
		facts[f.Name+"="+f.Value] = true
	}
	if w.platform != "" && !facts[w.platform] {
		t.Errorf("platform %v lacks %q", facts, w.platform)
	}
}

func checkKeys(t *testing.T, what string, got map[string]bool, must, mustNot []string) {
	t.Helper()
	for _, k := range must {
		if !got[k] {
			t.Errorf("no %s %q in %v", what, k, got)
		}
	}
	for k := range got {
		for _, prefix := range mustNot {
			if strings.HasPrefix(k, prefix) {
				t.Errorf("%s %q must not be there", what, k)
			}
		}
	}
}

func TestFrontMatterDates(t *testing.T) {
	for _, line := range []string{"Filed: 2024-03-05", "**Date:** 5 March 2024", "created_at: 2024-03-05T00:00:00Z", "- Reported: Mar 5, 2024", "---\ndate: 2024-03-05\n---"} {
		r := Parse([]byte(line+"\n\nSomething is wrong.\n"), Source{})
		if want := time.Date(2024, 3, 5, 0, 0, 0, 0, time.UTC); !r.Created.Equal(want) {
			t.Errorf("%q: created %v, want %v", line, r.Created, want)
		}
	}
	if r := Parse([]byte("# Title\n\nDate: soon, 2024 or so\n"), Source{}); !r.Created.IsZero() {
		t.Errorf("a date was made up: %v", r.Created)
	}
}

func TestPygadStyleLead(t *testing.T) {
	r := Parse([]byte("# Values leave the range\n\n```python\nimport pygad\nprint(pygad.x)\n```\n\nWith 3.5.0 I get something like\n\n```\nscore: 87.0\n```\n\n(numbers vary). Going back to 3.4.0 gives only 0/1 genes as before.\n"), Source{})
	if len(r.Blocks) != 2 {
		t.Fatalf("%d blocks", len(r.Blocks))
	}
	b := r.Blocks[1]
	if !b.Approximate || b.After == nil || b.After.Spec != "3.5.0" || b.Role != RoleActual {
		t.Errorf("block %+v", b)
	}
	checkKeys(t, "version", versionKeys(r), []string{"pygad 3.5.0 exact bad", "pygad 3.4.0 exact good"}, nil)
	checkKeys(t, "statement", statementKeys(r), []string{"actual output block: score: 87.0 (approximate)"}, nil)
	if r.Statements[0].Version == nil || r.Statements[0].Version.Spec != "3.5.0" {
		t.Errorf("statement %+v has no version", r.Statements[0])
	}
}

func TestCells(t *testing.T) {
	text := "```\n>>> def f(x):\n...     return x\n...\n>>> f(2)\n2\n>>> f(\n... 3)\n3\n>>>\n```\n"
	r := Parse([]byte(text), Source{})
	if len(r.Blocks) != 1 {
		t.Fatalf("%d blocks", len(r.Blocks))
	}
	want := []Cell{{Code: "def f(x):\n    return x"}, {Code: "f(2)", Output: "2"}, {Code: "f(\n3)", Output: "3"}}
	for i, c := range r.Blocks[0].Cells {
		if i >= len(want) || c.Code != want[i].Code || c.Output != want[i].Output {
			t.Errorf("cell %d is %+v", i, c)
		}
	}
	if len(r.Blocks[0].Cells) != len(want) {
		t.Errorf("%d cells, want %d", len(r.Blocks[0].Cells), len(want))
	}
	if s := r.Statements; len(s) != 2 || s[0].Line != 3 || s[1].Line != 5 {
		t.Errorf("statements %+v", s)
	}
}

func TestFrontMatterSaysWhereItWasFiled(t *testing.T) {
	for line, want := range map[string]string{
		"url: https://github.com/albumentations-team/albumentations/issues/1103": "albumentations-team/albumentations",
		`link: "https://github.com/jax-ml/jax/issues/442#issuecomment-1"`:        "jax-ml/jax",
		"issue: <https://www.github.com/PythonOT/POT/pull/230>":                  "PythonOT/POT",
		"repo: optuna/optuna":                              "optuna/optuna",
		"repository: https://github.com/lmcinnes/umap.git": "lmcinnes/umap",
		"url: optuna/optuna":                               "",
		"url: https://example.com/optuna/optuna/issues/1":  "",
		"url: https://github.com/optuna":                   "",
		"repo: my own":                                     "",
		"url: https://github.com/PythonOT/POT/blob/f6139428e70ce964de3bef703ef13aa/ot.py": "",
	} {
		r := Parse([]byte("---\ntitle: x\n"+line+"\n---\n\nIt breaks.\n"), Source{})
		if r.Repo != want {
			t.Errorf("%q: repo %q, want %q", line, r.Repo, want)
		}
	}
	// Only front matter speaks of the report itself; a tracker's own word stays.
	if r := Parse([]byte("# x\n\nrepo: optuna/optuna\n\nIt breaks.\n"), Source{}); r.Repo != "" {
		t.Errorf("a loose line: repo %q", r.Repo)
	}
	if r := FromIssue(Issue{Title: "x", Body: "---\nrepo: a/b\n---\nIt breaks.", Repo: "c/d"}, Source{}); r.Repo != "c/d" {
		t.Errorf("repo %q", r.Repo)
	}
}
