package environment

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/triage"
)

func stated(dist, spec string, kind report.VersionKind, where string) report.Version {
	return report.Version{Name: dist, Dist: dist, Spec: spec, Kind: kind, Where: where, Role: report.RoleStated}
}

func called(v report.Version, role report.VersionRole) report.Version {
	v.Role = role
	return v
}

const (
	exact   = report.VersionExact
	partial = report.VersionPartial
)

// specWorld is an index for specs: only listings matter.
func specWorld() *world {
	w := newWorld("3.11")
	w.add("jax", "0.6.1", "2025-05-22")
	w.add("jax", "0.6.2", "2025-06-17")
	w.add("jaxlib", "0.6.2", "2025-06-17")
	w.add("jaxlib", "0.4.13", "2025-12-05")
	w.add("jaxlib", "0.4.18", "2023-10-01")
	w.add("keras", "3.10.0", "2025-05-20")
	w.add("numpy", "2.3.0", "2025-06-07")
	w.add("tensorflow", "2.15.0", "2023-11-14")
	w.add("tensorflow", "2.15.1", "2024-03-08")
	w.add("tensorflow-cpu", "2.15.0", "2023-11-14")
	w.add("tensorflow-cpu", "2.15.1", "2024-03-08")
	w.add("tensorflow", "2.10.1", "2022-11-16")
	w.add("tensorflow", "2.10.0", "2022-09-06")
	w.add("tensorflow-cpu", "2.10.0", "2022-09-06")
	w.add("tensorflow", "1.12.0", "2018-11-05")
	w.add("tensorflow-gpu", "1.12.0", "2018-11-05")
	w.add("tensorflow-gpu", "2.15.0", "2023-11-14")
	w.add("mxnet", "1.5.0", "2019-06-08")
	w.add("mxnet-cu101mkl", "1.5.0", "2019-06-08")
	w.add("scikit-learn", "1.6.0", "2024-12-09")
	w.add("xgboost", "2.1.3", "2024-11-26")
	w.add("torch", "2.2.1", "2024-02-22")
	return w
}

type specCase struct {
	name        string
	in          SpecInput
	imports     []string
	script      string
	versions    []report.Version
	env         []report.EnvVar
	subjects    []string
	want        string // requirements
	constraints string
	subject     string
	python      string
	asOf        string
	source      string
	vars        string
	edit        string
}

func (c specCase) input() SpecInput {
	in := c.in
	if in.Report == nil {
		in.Report = &report.Report{}
	}
	in.Report.Versions, in.Report.Env = c.versions, c.env
	if in.Decision == nil {
		in.Decision = &triage.Decision{}
	}
	in.Decision.Subjects = c.subjects
	if in.Candidate == nil {
		in.Candidate = &candidate.Candidate{}
	}
	in.Candidate.Imports, in.Candidate.Script = c.imports, c.script
	if c.script == "" {
		in.Candidate.Script = "import something"
	}
	in.Now = time.Date(2026, 11, 29, 12, 34, 56, 0, time.UTC)
	return in
}

func lines(list []Requirement) string {
	var out []string
	for _, r := range list {
		out = append(out, r.line())
	}
	return strings.Join(out, " ")
}

var specCases = []specCase{
	{
		name: "stated versions, one imported", imports: []string{"jax"}, subjects: []string{"jax"},
		versions: []report.Version{stated("jax", "0.6.2", exact, "list"), stated("jaxlib", "0.6.2", exact, "list"),
			stated("numpy", "2.3.0", exact, "list"), stated("python", "3.11", partial, "list")},
		want: "jax==0.6.2 jaxlib==0.6.2", constraints: "numpy==2.3.0", subject: "jax", python: "3.11 report",
		asOf: "2025-06-24T23:59:59Z", source: "release jax 0.6.2 + 7 days",
	},
	{
		name: "import name is not the distribution", imports: []string{"sklearn", "xgboost"}, subjects: []string{"xgboost"},
		versions: []report.Version{stated("xgboost", "2.1.3", exact, "prose"), stated("scikit-learn", "1.6.0", exact, "prose")},
		want:     "scikit-learn==1.6.0 xgboost==2.1.3", subject: "xgboost", python: " wheels",
		asOf: "2024-12-16T23:59:59Z", source: "release scikit-learn 1.6.0 + 7 days",
	},
	{
		name: "a good version is no pin, a bad one is", imports: []string{"jax"},
		versions: []report.Version{called(stated("jax", "0.6.1", exact, "prose"), report.RoleGood),
			called(stated("jax", "0.6.2", exact, "prose"), report.RoleBad),
			called(stated("numpy", "1.0", exact, "prose"), report.RoleMention)},
		want: "jax[cpu]==0.6.2", subject: "jax", python: " wheels", asOf: "2025-06-24T23:59:59Z",
		source: "release jax 0.6.2 + 7 days",
	},
	{
		name: "bad version named by triage", imports: []string{"jax"},
		in: SpecInput{Decision: &triage.Decision{Bad: []report.Version{stated("jax", "0.6.2", exact, "prose")},
			Good: []report.Version{stated("jax", "0.6.1", exact, "prose")}}},
		versions: []report.Version{stated("jax", "0.6.1", exact, "list")},
		want:     "jax[cpu]==0.6.2", subject: "jax", python: " wheels", asOf: "2025-05-29T23:59:59Z",
		source: "release jax 0.6.1 + 7 days",
	},
	{
		name: "partial version of a form, CPU build", imports: []string{"numpy", "tensorflow"}, subjects: []string{"tensorflow"},
		versions: []report.Version{stated("tensorflow", "2.15", partial, "form"), stated("python", "3.11", partial, "form")},
		want:     "numpy tensorflow-cpu==2.15.*", subject: "tensorflow-cpu", python: "3.11 report",
		asOf: "2023-11-21T23:59:59Z", source: "release tensorflow 2.15.0 + 7 days",
		edit: "tensorflow==2.15.* -> tensorflow-cpu==2.15.*",
	},
	{
		name: "no CPU build of that very version", imports: []string{"tensorflow"}, subjects: []string{"tensorflow"},
		versions: []report.Version{stated("tensorflow", "2.10.1", exact, "form")},
		want:     "tensorflow==2.10.1", subject: "tensorflow", python: " wheels",
		asOf: "2022-11-23T23:59:59Z", source: "release tensorflow 2.10.1 + 7 days",
	},
	{
		name: "before the CPU build there was, the plain name was one", imports: []string{"tensorflow"}, subjects: []string{"tensorflow"},
		versions: []report.Version{stated("tensorflow-gpu", "1.12.0", exact, "prose")},
		want:     "tensorflow==1.12.0", subject: "tensorflow", python: " wheels",
		asOf: "2018-11-12T23:59:59Z", source: "release tensorflow-gpu 1.12.0 + 7 days", edit: "tensorflow-gpu==1.12.0 -> tensorflow==1.12.0",
	},
	{
		name: "the CPU build comes before the plain name", imports: []string{"tensorflow"}, subjects: []string{"tensorflow"},
		versions: []report.Version{stated("tensorflow-gpu", "2.15.0", exact, "prose")},
		want:     "tensorflow-cpu==2.15.0", subject: "tensorflow-cpu", python: " wheels",
		asOf: "2023-11-21T23:59:59Z", source: "release tensorflow-gpu 2.15.0 + 7 days", edit: "tensorflow-gpu==2.15.0 -> tensorflow-cpu==2.15.0",
	},
	{
		name: "a build named after CUDA's version", imports: []string{"mxnet"}, subjects: []string{"mxnet"},
		versions: []report.Version{stated("mxnet-cu101mkl", "1.5.0", exact, "freeze")},
		want:     "mxnet==1.5.0", subject: "mxnet", python: " wheels",
		asOf: "2019-06-15T23:59:59Z", source: "release mxnet-cu101mkl 1.5.0 + 7 days", edit: "mxnet-cu101mkl==1.5.0 -> mxnet==1.5.0",
	},
	{
		name: "the user's own word beats the CPU build and the report", imports: []string{"tensorflow"},
		in:       SpecInput{With: []string{"tensorflow == 2.15.1"}, Date: time.Date(2024, 3, 9, 23, 59, 59, 0, time.UTC), Python: "3.10", Subject: "tensorflow"},
		versions: []report.Version{stated("tensorflow", "2.15", partial, "form"), stated("python", "3.11", partial, "form")},
		want:     "tensorflow==2.15.1", subject: "tensorflow", python: "3.10 flag", asOf: "2024-03-09T23:59:59Z", source: "flag",
	},
	{
		name: "the report has the code from a variant", imports: []string{"tensorflow"}, subjects: []string{"tensorflow"},
		versions: []report.Version{stated("tensorflow-cpu", "2.15.1", exact, "requirements")},
		want:     "tensorflow-cpu==2.15.1", subject: "tensorflow-cpu", python: " wheels",
		asOf: "2024-03-15T23:59:59Z", source: "release tensorflow-cpu 2.15.1 + 7 days", edit: "the report has it from tensorflow-cpu",
	},
	{
		name: "exact version refines a partial one", imports: []string{"tensorflow"},
		versions: []report.Version{stated("tensorflow", "2.15", partial, "prose"), stated("tensorflow", "2.15.1", exact, "freeze")},
		want:     "tensorflow-cpu==2.15.1", subject: "tensorflow-cpu", python: " wheels",
		asOf: "2024-03-15T23:59:59Z", source: "release tensorflow 2.15.1 + 7 days",
	},
	{
		name: "freeze: constraints, private lines dropped", imports: []string{"jax"}, subjects: []string{"jax"},
		versions: []report.Version{stated("jax", "0.6.2", exact, "freeze"), stated("scikit-learn", "1.6.0", exact, "freeze"),
			{Name: "mine", Dist: "mine", Spec: "@ file:///home/me/mine", Where: "freeze", Role: report.RoleStated, Local: true}},
		want: "jax[cpu]==0.6.2", constraints: "scikit-learn==1.6.0", subject: "jax", python: " wheels",
		asOf: "2025-06-24T23:59:59Z", source: "release jax 0.6.2 + 7 days", edit: "mine: from a private place, left out",
	},
	{
		name: "main is the newest of the date", imports: []string{"torch"},
		in:       SpecInput{Report: &report.Report{Created: time.Date(2024, 5, 1, 9, 0, 0, 0, time.UTC)}},
		versions: []report.Version{stated("torch", "main", report.VersionMoving, "prose")},
		want:     "torch numpy", subject: "torch", python: " wheels", asOf: "2024-05-01T23:59:59Z", source: "report",
		edit: "torch: the report says \"main\"",
	},
	{
		name: "nothing named: now, to the hour", imports: []string{"six"}, want: "six", subject: "six", python: " wheels",
		asOf: "2026-11-29T12:00:00Z", source: "now",
	},
	{
		name: "an upload that came back later says nothing of the day", imports: []string{"jaxlib"},
		versions: []report.Version{stated("jaxlib", "0.4.13", exact, "prose")},
		want:     "jaxlib==0.4.13", subject: "jaxlib", python: " wheels", asOf: "2026-11-29T12:00:00Z", source: "now",
	},
	{
		name: "a nightly is dated by its name", imports: []string{"tensorflow"}, subjects: []string{"tf-nightly"},
		versions: []report.Version{stated("tf-nightly", "2.16.0.dev20231201", exact, "prose")},
		want:     "tensorflow-cpu==2.16.0.dev20231201", subject: "tensorflow-cpu", python: " wheels",
		asOf: "2023-12-08T23:59:59Z", source: "release tf-nightly 2.16.0.dev20231201 + 7 days",
	},
	{
		name: "backend by variable", imports: []string{"keras"}, subjects: []string{"keras"},
		versions: []report.Version{stated("keras", "3.10.0", exact, "prose"), stated("jax", "0.6.2", exact, "prose")},
		env:      []report.EnvVar{{Name: "KERAS_BACKEND", Value: "jax", Where: "prose"}},
		want:     "keras==3.10.0 jax[cpu]==0.6.2", subject: "keras", python: " wheels", vars: "KERAS_BACKEND=jax",
		asOf: "2025-06-24T23:59:59Z", source: "release jax 0.6.2 + 7 days",
	},
	{
		name: "backend set in the script", imports: []string{"keras"}, script: `os.environ["KERAS_BACKEND"] = "jax"`,
		want: "keras jax[cpu]", subject: "keras", python: " wheels", asOf: "2026-11-29T12:00:00Z", source: "now",
	},
	{
		name: "the only framework named is the backend", imports: []string{"keras"},
		versions: []report.Version{stated("keras", "3.10.0", exact, "prose"), stated("jax", "0.6.2", exact, "prose")},
		want:     "keras==3.10.0 jax[cpu]==0.6.2", subject: "keras", python: " wheels", vars: "KERAS_BACKEND=jax",
		asOf: "2025-06-24T23:59:59Z", source: "release jax 0.6.2 + 7 days", edit: "KERAS_BACKEND=jax: the only framework",
	},
	{
		name: "keras without a word of its backend", imports: []string{"keras"},
		want: "keras tensorflow-cpu", subject: "keras", python: " wheels", asOf: "2026-11-29T12:00:00Z", source: "now",
	},
	{
		name: "old keras knows tensorflow only", imports: []string{"keras"},
		versions: []report.Version{stated("keras", "2.15.0", exact, "prose"), stated("torch", "2.2.1", exact, "prose")},
		want:     "keras==2.15.0 tensorflow-cpu", constraints: "torch==2.2.1", subject: "keras", python: " wheels",
		asOf: "2024-02-29T23:59:59Z", source: "release torch 2.2.1 + 7 days",
	},
	{
		name: "libraries on jax bring it", imports: []string{"equinox"},
		want: "equinox jax[cpu]", subject: "equinox", python: " wheels", asOf: "2026-11-29T12:00:00Z", source: "now",
	},
	{
		name: "estimators of xgboost", imports: []string{"xgboost"}, script: "m = xgboost.XGBClassifier()",
		want: "xgboost scikit-learn", subject: "xgboost", python: " wheels", asOf: "2026-11-29T12:00:00Z", source: "now",
	},
	{
		name: "transformers models", imports: []string{"transformers"}, script: "AutoModelForCausalLM.from_config(c)",
		want: "transformers torch numpy", subject: "transformers", python: " wheels", asOf: "2026-11-29T12:00:00Z", source: "now",
	},
	{
		name: "a namespace is resolved by its dotted name", imports: []string{"google"}, script: "from google.protobuf import message",
		want: "protobuf", subject: "protobuf", python: " wheels", asOf: "2026-11-29T12:00:00Z", source: "now",
	},
	{
		name: "install lines are requirements", imports: []string{"six"},
		in:   SpecInput{Candidate: &candidate.Candidate{Requirements: []string{"optuna==3.6.1", "git+https://example.invalid/x"}}},
		want: "six optuna==3.6.1", subject: "six", python: " wheels", asOf: "2026-11-29T12:00:00Z", source: "now",
		edit: "left out",
	},
	{
		name: "a subject that the script does not import", imports: []string{"tensorflow"}, subjects: []string{"protobuf"},
		versions: []report.Version{stated("tensorflow-cpu", "2.15.0", exact, "prose")},
		want:     "tensorflow-cpu==2.15.0", subject: "protobuf", python: " wheels",
		asOf: "2023-11-21T23:59:59Z", source: "release tensorflow-cpu 2.15.0 + 7 days",
	},
	{
		name: "a contradiction: a list over prose", imports: []string{"jax"},
		versions: []report.Version{stated("jax", "0.6.1", exact, "prose"), stated("jax", "0.6.2", exact, "freeze")},
		want:     "jax[cpu]==0.6.2", subject: "jax", python: " wheels", asOf: "2025-06-24T23:59:59Z", source: "release jax 0.6.2 + 7 days",
		edit: "jax: the report names 0.6.2 and 0.6.1; 0.6.2 taken: a list of packages over prose",
	},
	{
		name: "a contradiction: what fails over a list", imports: []string{"jax"},
		versions: []report.Version{stated("jax", "0.6.2", exact, "collect_env"), called(stated("jax", "0.6.1", exact, "prose"), report.RoleBad)},
		want:     "jax[cpu]==0.6.1", subject: "jax", python: " wheels", asOf: "2025-06-24T23:59:59Z", source: "release jax 0.6.2 + 7 days",
		edit: "jax: the report names 0.6.1 and 0.6.2; 0.6.1 taken: it is the one that is said to fail",
	},
	{
		name: "a contradiction: partial and exact", imports: []string{"tensorflow"},
		versions: []report.Version{stated("tensorflow", "2.10", partial, "prose"), stated("tensorflow", "2.15.1", exact, "show_versions")},
		want:     "tensorflow-cpu==2.15.1", subject: "tensorflow-cpu", python: " wheels", asOf: "2024-03-15T23:59:59Z", source: "release tensorflow 2.15.1 + 7 days",
		edit: "tensorflow: the report names 2.15.1 and 2.10; 2.15.1 taken: what a program printed over prose",
	},
	{
		name: "a Python that is younger than the newest package", imports: []string{"torch"},
		versions: []report.Version{stated("torch", "2.2.1", exact, "list"), stated("python", "3.13", partial, "list")},
		want:     "torch==2.2.1 numpy", subject: "torch", python: "3.13 report", asOf: "2025-04-05T23:59:59Z", source: "release of Python 3.13 + 180 days",
	},
	{
		name: "a Python of the same days", imports: []string{"torch"},
		versions: []report.Version{stated("torch", "2.2.1", exact, "list"), stated("python", "3.12", partial, "list")},
		want:     "torch==2.2.1 numpy", subject: "torch", python: "3.12 report", asOf: "2024-02-29T23:59:59Z", source: "release torch 2.2.1 + 7 days",
	},
	{
		name: "the standard library needs nothing", imports: []string{"os", "__main__"}, python: " wheels",
		asOf: "2026-11-29T12:00:00Z", source: "now",
	},
	{
		name: "variables that belong to the sandbox stay out", imports: []string{"six"},
		env: []report.EnvVar{{Name: "XLA_FLAGS", Value: "--x", Where: "shell"}, {Name: "LD_PRELOAD", Value: "/box/x.so", Where: "shell"},
			{Name: "PYTHONPATH", Value: "/box", Where: "shell"}, {Name: "SEEN", Value: "1", Where: "code"}},
		want: "six", subject: "six", python: " wheels", asOf: "2026-11-29T12:00:00Z", source: "now", vars: "SEEN=1 XLA_FLAGS=--x",
		edit: "variable LD_PRELOAD left out",
	},
}

func TestSpec(t *testing.T) {
	for _, c := range specCases {
		t.Run(c.name, func(t *testing.T) {
			s, u, err := inferSpec(t.Context(), specWorld(), c.input())
			if err != nil || u != nil {
				t.Fatalf("%v %v", u, err)
			}
			c.check(t, s)
		})
	}
}

func (c specCase) check(t *testing.T, s Spec) {
	t.Helper()
	equal := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s %q, want %q", what, got, want)
		}
	}
	equal("requirements", lines(s.Requirements), c.want)
	equal("constraints", lines(s.Constraints), c.constraints)
	equal("subject", s.Subject, c.subject)
	equal("python", s.Python+" "+s.PythonSource, c.python)
	equal("as of", s.AsOf.Format(time.RFC3339), c.asOf)
	equal("source", s.AsOfSource, c.source)
	var vars []string
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		vars = append(vars, name+"="+s.Env[name])
	}
	equal("variables", strings.Join(vars, " "), c.vars)
	if !strings.Contains(strings.Join(s.Edits, "\n"), c.edit) {
		t.Errorf("edits %q lack %q", s.Edits, c.edit)
	}
	for _, r := range slices.Concat(s.Requirements, s.Constraints) {
		if r.Word == "" || r.Why == "" {
			t.Errorf("%s: nobody's word, or no reason: %+v", r.Name, r)
		}
	}
}

func TestSpecLocalModule(t *testing.T) {
	_, u, err := inferSpec(t.Context(), specWorld(), specCase{imports: []string{"utils"}}.input())
	if err != nil || u == nil || !strings.Contains(u.Why, "utils") {
		t.Fatalf("%v %v", u, err)
	}
	// A user who names the distribution knows better.
	c := specCase{imports: []string{"utils"}, in: SpecInput{With: []string{"utils"}}}
	if s, u, err := inferSpec(t.Context(), specWorld(), c.input()); err != nil || u != nil || lines(s.Requirements) != "utils" {
		t.Errorf("%v %v %v", s.Requirements, u, err)
	}
}

func TestSpecErrors(t *testing.T) {
	for _, with := range []string{"", "a b", "x @ file:///etc", "--index-url=http://a", "x==1\n--pre", "x==one"} {
		c := specCase{imports: []string{"six"}, in: SpecInput{With: []string{with}}}
		if _, _, err := inferSpec(t.Context(), specWorld(), c.input()); err == nil {
			t.Errorf("--with %q was taken", with)
		}
	}
	w := specWorld()
	w.err = &IndexError{What: "down"}
	c := specCase{imports: []string{"jax"}, versions: []report.Version{stated("jax", "0.6.2", exact, "list")}}
	var index *IndexError
	if _, u, err := inferSpec(t.Context(), w, c.input()); u != nil || !errors.As(err, &index) {
		t.Errorf("index down: %v %v", u, err)
	}
}

// TestSpecOfNothing: an empty environment is none; a script of the standard
// library alone needs none.
func TestSpecOfNothing(t *testing.T) {
	_, u, err := inferSpec(t.Context(), specWorld(), SpecInput{})
	if err != nil || u == nil || !strings.Contains(u.Why, "nothing to build") || !strings.Contains(u.Next, "--subject") {
		t.Errorf("%+v %v", u, err)
	}
	s, u, err := inferSpec(t.Context(), specWorld(), SpecInput{Candidate: &candidate.Candidate{Script: "import os"}})
	if err != nil || u != nil || len(s.Requirements) != 0 || s.AsOfSource != "now" {
		t.Errorf("%+v %v %v", s, u, err)
	}
	// A fragment that imports nothing needs the subject all the same, and pins
	// of other packages are no more than bounds for it.
	in := SpecInput{Candidate: &candidate.Candidate{Script: "m = Thing(3)"}, Decision: &triage.Decision{Subjects: []string{"xgboost"}},
		Report: &report.Report{Versions: []report.Version{stated("scikit-learn", "1.6.0", exact, "prose")}}}
	s, u, err = inferSpec(t.Context(), specWorld(), in)
	if err != nil || u != nil || lines(s.Requirements) != "xgboost" || lines(s.Constraints) != "scikit-learn==1.6.0" || s.Subject != "xgboost" {
		t.Errorf("%+v %v %v", s, u, err)
	}
	// So does one that imports something else and leaves the subject's names
	// undefined; a script that defines all it uses does without it.
	for script, want := range map[string]string{
		"import numpy as np\nm = Thing(np.ones(3))":                  "numpy xgboost",
		"import numpy as np\nm = np.ones(3)\nprint(m.sum())":         "numpy",
		"import numpy as np\ndef f():\n    return Thing(np.ones(3))": "numpy xgboost",
	} {
		in.Candidate = &candidate.Candidate{Script: script, Imports: []string{"numpy"}}
		s, u, err = inferSpec(t.Context(), specWorld(), in)
		if err != nil || u != nil || lines(s.Requirements) != want {
			t.Errorf("%q: %q, want %q (%v %v)", script, lines(s.Requirements), want, u, err)
		}
	}
	// Without a script, what is named is what there is to build.
	s, u, err = inferSpec(t.Context(), specWorld(), SpecInput{Report: &report.Report{Versions: []report.Version{
		stated("scikit-learn", "1.6.0", exact, "prose"), stated("my-thing", "1.0", exact, "freeze")}}})
	if err != nil || u != nil || lines(s.Requirements) != "my-thing==1.0 scikit-learn==1.6.0" || len(s.Constraints) != 0 ||
		strings.Join(s.Imports, " ") != "sklearn" || s.Subject != "my-thing" {
		t.Errorf("%+v %v %v", s, u, err)
	}
}
