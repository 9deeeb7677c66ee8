package environment

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/triage"
)

// listRow is one shape of version list, read from a report's own text and
// solved: on a fake index always, on the real one with REPGEN_REAL=1. What is
// expected is the same, since the fake index holds the real days.
type listRow struct {
	name     string
	text     string // the report; lists are fenced
	imports  []string
	subject  string
	date     string // the report's, "" for none
	want     string // "name==version ..." of those that matter
	python   string // minor; "" does not matter
	asOf     string // the lock's day
	standIns string
	rung     int
	edits    []string // each must be recorded, on the Spec or the lock
}

var listRows = []listRow{
	{
		name: "a pair that contradicts itself", imports: []string{"tensorflow"}, subject: "tensorflow", date: "2024-09-01",
		text: "```\ntensorflow==2.15.1\nnumpy==2.1.0\n```\npython 3.11\n",
		want: "tensorflow-cpu==2.15.1 numpy==1.26.4", python: "3.11", asOf: "2024-09-01", rung: 7, edits: []string{"numpy==2.1.0 no longer pinned: it contradicts"},
	},
	{
		name: "local versions", imports: []string{"torch", "torchvision"}, subject: "torch", date: "2023-02-01",
		text: "```\ntorch==1.13.1+cu117\ntorchvision==0.14.1+cu117\n```\n",
		want: "torch==1.13.1 torchvision==0.14.1", python: "3.10", asOf: "2023-02-01", rung: 2,
		edits: []string{"the index holds no build labelled cu117"},
	},
	{
		name: "conda list", imports: []string{"torch"}, subject: "torch", date: "2021-08-01",
		text: "`conda list`:\n```\n# packages in environment at /opt/conda:\n#\n# Name                    Version                   Build  Channel\n" +
			"_libgcc_mutex             0.1                        main\ncudatoolkit               11.1.74              h6bb024c_0    nvidia\n" +
			"mkl                       2021.3.0           h06a4308_520\nnumpy                     1.20.3           py38hf144106_0\n" +
			"openssl                   1.1.1k               h27cfd23_0\npytorch                   1.9.0           py3.8_cuda11.1_cudnn8.0.5_0    pytorch\n```\n",
		want: "torch==1.9.0 numpy==1.20.3", python: "3.8", asOf: "2021-08-01", rung: 1,
		edits: []string{"cudatoolkit, mkl: a part of the system that conda installs", "Python 3.8: the build of"},
	},
	{
		name: "conda env export", imports: []string{"torch"}, subject: "torch", date: "2021-08-01",
		text: "```\nname: base\nchannels:\n  - pytorch\ndependencies:\n  - cudatoolkit=11.1\n  - numpy=1.20.3=py38hf144106_0\n  - pytorch=1.9=py3.8_cuda11.1_cudnn8.0.5_0\n  - pip:\n    - torchvision==0.10.0\n```\n",
		want: "torch==1.9.0 numpy==1.20.3", python: "3.8", asOf: "2021-08-01", rung: 1, edits: []string{"cudatoolkit: a part of the system"},
	},
	{
		name: "nightly of its own name", imports: []string{"tensorflow"}, subject: "tensorflow", date: "2023-12-02",
		text: "```\ntf-nightly==2.16.0.dev20231201\n```\npython 3.11\n",
		want: "tensorflow-cpu==2.16.1", python: "3.11", asOf: "2024-03-09", rung: 6, standIns: "tensorflow-cpu",
		edits: []string{"tensorflow-cpu 2.16.1 stands in for 2.16.0.dev20231201"},
	},
	{
		name: "nightly with a label, companions first", imports: []string{"torchvision", "torch"}, subject: "torch", date: "2024-08-02",
		text: "```\ntorchvision==0.20.0.dev20240801+cu121\ntorch==2.5.0.dev20240801+cu121\n```\npython 3.11\n",
		want: "torch==2.5.0 torchvision==0.20.0", python: "3.11", asOf: "2024-10-17", rung: 6, standIns: "torch",
		edits: []string{"torch 2.5.0 stands in for 2.5.0.dev20240801"},
	},
	{
		name: "git tag and git commit", imports: []string{"transformers", "accelerate"}, subject: "transformers", date: "2023-06-10",
		text: "```\ntransformers @ git+https://example.invalid/hf/transformers@v4.30.0\n" +
			"-e git+https://example.invalid/hf/accelerate@0ab3c4d1f6b2ee8c8d2ef8e3ab77c1fd7b6f0d11#egg=accelerate\nnumpy==1.24.3\ntokenizers==0.13.3\n```\npython 3.10\n",
		want: "transformers==4.30.0 accelerate==0.20.3 numpy==1.24.3", python: "3.10", asOf: "2023-06-10", rung: 1,
		edits: []string{"transformers: git tag 4.30.0 taken as the release", "accelerate at 0ab3c4d: a git revision that is no release"},
	},
	{
		name: "removed versions", imports: []string{"jax"}, subject: "jax", date: "2022-11-22",
		text: "```\njax==0.3.25\njaxlib==0.3.25\nnumpy==1.23.5\n```\npython 3.9\n",
		want: "jax==0.4.13 jaxlib==0.4.13 numpy==1.23.5", python: "3.9", asOf: "2023-06-23", rung: 6, standIns: "jaxlib jax",
		edits: []string{"jax 0.4.13 stands in for 0.3.25", "jaxlib 0.4.13 was uploaded again"},
	},
	{
		name: "freeze with everything", imports: []string{"sklearn", "yaml"}, subject: "scikit-learn", date: "2023-02-10",
		text: "```\nabsl-py==1.4.0\ncertifi @ file:///croot/certifi_1665076670883/work/certifi\n-e git+ssh://git@host.invalid/me/privatething.git@main#egg=privatething\n" +
			"joblib==1.2.0\nmy-company-private-lib==3.1\nnumpy @ file:///home/c/numpy-1.23.5-cp310-cp310-manylinux_2_17_x86_64.whl#sha256=00\n" +
			"PyYAML @ file:///opt/conda/conda-bld/pyyaml_1/work\nscikit-learn==1.2.1\nscipy==1.10.0\ntb-nightly==2.12.0a20230209\nthreadpoolctl==3.1.0\n```\n",
		want: "scikit-learn==1.2.1 numpy==1.23.5 scipy==1.10.0 joblib==1.2.0 threadpoolctl==3.1.0 pyyaml==6.0", python: "3.10", asOf: "2023-02-10", rung: 2,
		edits: []string{"certifi, pyyaml: a file of the reporter's machine", "privatething at main: a git revision", "numpy: a file of version 1.23.5", "my-company-private-lib left out"},
	},
}

// listWorld holds what the rows need, with the days of the real index.
func listWorld() *world {
	w := newWorld("3.12", "3.11", "3.10", "3.9", "3.8")
	on := func(r *fakeRelease, minors ...string) { r.wheels = minors }
	on(w.add("numpy", "1.20.3", "2021-05-10"), "3.8", "3.9")
	on(w.add("numpy", "1.23.5", "2022-11-20"), "3.8", "3.9", "3.10", "3.11")
	on(w.add("numpy", "1.24.3", "2023-04-22"), "3.8", "3.9", "3.10", "3.11")
	on(w.add("numpy", "1.26.4", "2024-02-05"), "3.9", "3.10", "3.11", "3.12")
	on(w.add("numpy", "2.1.0", "2024-08-18"), "3.10", "3.11", "3.12")
	for _, tf := range []string{"tensorflow", "tensorflow-cpu"} {
		on(w.add(tf, "2.15.1", "2024-03-08", "numpy<2"), "3.9", "3.10", "3.11")
		on(w.add(tf, "2.16.1", "2024-03-09", "numpy<2"), "3.9", "3.10", "3.11", "3.12")
	}
	on(w.add("torch", "1.9.0", "2021-06-15"), "3.8", "3.9")
	on(w.add("torch", "1.13.1", "2022-12-15"), "3.8", "3.9", "3.10")
	on(w.add("torch", "2.0.1", "2023-05-08"), "3.8", "3.9", "3.10", "3.11")
	on(w.add("torch", "2.5.0", "2024-10-17"), "3.9", "3.10", "3.11", "3.12")
	on(w.add("torchvision", "0.10.0", "2021-06-15", "torch==1.9.0"), "3.8", "3.9")
	on(w.add("torchvision", "0.14.1", "2022-12-15", "torch==1.13.1"), "3.8", "3.9", "3.10")
	on(w.add("torchvision", "0.20.0", "2024-10-17", "torch==2.5.0"), "3.9", "3.10", "3.11", "3.12")
	w.add("transformers", "4.30.0", "2023-06-08", "numpy", "tokenizers")
	w.add("tokenizers", "0.13.3", "2023-04-05")
	w.add("accelerate", "0.20.3", "2023-06-08", "numpy")
	w.add("jax", "0.3.25", "2022-11-15", "numpy")
	w.add("jax", "0.4.13", "2023-06-23", "numpy")
	w.add("jaxlib", "0.4.13", "2025-12-05")
	w.add("jaxlib", "0.4.18", "2023-10-07")
	w.add("jaxlib", "0.8.0", "2024-11-01")
	on(w.add("scikit-learn", "1.2.1", "2023-01-24", "numpy", "scipy", "joblib", "threadpoolctl"), "3.8", "3.9", "3.10", "3.11")
	on(w.add("scipy", "1.10.0", "2023-01-03", "numpy"), "3.8", "3.9", "3.10", "3.11")
	w.add("joblib", "1.2.0", "2022-09-16")
	w.add("threadpoolctl", "3.1.0", "2022-01-31")
	w.add("absl-py", "1.4.0", "2023-01-11")
	w.add("pyyaml", "6.0", "2021-10-13")
	w.add("certifi", "2022.12.7", "2022-12-07")
	w.add("tensorboard", "2.12.0", "2023-02-09")
	return w
}

func (r listRow) input() SpecInput {
	rep := report.Parse([]byte("# a bug\n\n"+r.text), report.Source{})
	if r.date != "" {
		rep.Created = at(r.date)
	}
	return SpecInput{
		Report: rep, Decision: &triage.Decision{Subjects: []string{r.subject}}, Now: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC),
		Candidate: &candidate.Candidate{Imports: r.imports, Script: "import " + strings.Join(r.imports, ", ")},
	}
}

func (r listRow) check(t *testing.T, s Spec, lock *Lock) {
	t.Helper()
	for _, pin := range strings.Fields(r.want) {
		name, version, _ := strings.Cut(pin, "==")
		if got := lock.Version(name); got != version {
			t.Errorf("%s %q, want %s", name, got, version)
		}
	}
	if minorOf(lock.Python) != r.python && r.python != "" {
		t.Errorf("python %s, want %s", lock.Python, r.python)
	}
	if got := lock.AsOf.Format("2006-01-02"); got != r.asOf {
		t.Errorf("as of %s, want %s", got, r.asOf)
	}
	if got := strings.Join(lock.StandIns, " "); got != r.standIns {
		t.Errorf("stand-ins %q, want %q", got, r.standIns)
	}
	if lock.Rung != r.rung {
		t.Errorf("rung %d (%s), want %d", lock.Rung, rungsOf(lock.Rungs), r.rung)
	}
	all := strings.Join(append(s.Edits, lock.Edits...), "\n")
	for _, e := range r.edits {
		if !strings.Contains(all, e) {
			t.Errorf("%q is not recorded in\n%s", e, all)
		}
	}
	if t.Failed() {
		t.Logf("packages %s\nedits\n%s", packagesOf(lock), all)
	}
}

func TestLists(t *testing.T) {
	for _, r := range listRows {
		t.Run(r.name, func(t *testing.T) {
			w := listWorld()
			s, u, err := inferSpec(t.Context(), w, r.input())
			if err != nil || u != nil {
				t.Fatalf("spec: %v %v", u, err)
			}
			lock, u := solve(t, w, s)
			if u != nil {
				t.Fatalf("%s (%s)", u.Why, rungsOf(u.Rungs))
			}
			r.check(t, s, lock)
		})
	}
}

// TestRealLists resolves every row on the real index, and installs and imports
// the one of the removed versions: a resolve alone is no proof there.
func TestRealLists(t *testing.T) {
	m := realBench(t)
	for _, r := range listRows {
		t.Run(r.name, func(t *testing.T) {
			s, u, err := m.Spec(t.Context(), r.input())
			if err != nil || u != nil {
				t.Fatalf("spec: %v %v", u, err)
			}
			if r.subject != "jax" && os.Getenv("REPGEN_REAL") != "all" {
				r.check(t, s, realSolve(t, m, s))
				return
			}
			lock, c := certified(t, m, s)
			r.check(t, s, lock)
			if !c.OK {
				t.Errorf("certificate: %s", c.Why)
			}
		})
	}
}
