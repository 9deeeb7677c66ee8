package environment

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/environment/interp"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/triage"
)

func TestOnlyForGPU(t *testing.T) {
	amd64 := interp.Interpreter{Arch: "x86_64"}
	tests := []struct {
		name string
		pins string
		reqs string
		arch interp.Interpreter
		want string
	}{
		{"torch of CUDA 11", "torch==2.0.1 nvidia-cublas-cu11==11.10 nvidia-cuda-nvrtc-cu11==11.7 triton==2.0 numpy==1.26", "torch", amd64, "nvidia-cublas-cu11 nvidia-cuda-nvrtc-cu11 triton"},
		{"torch of CUDA 13", "torch==2.14.1 cuda-toolkit==13.0 nvidia-cublas==13.1 nvidia-cudnn-cu13==9.2 nvidia-nccl-cu13==2.3", "torch", amd64, "cuda-toolkit nvidia-cublas nvidia-cudnn-cu13 nvidia-nccl-cu13"},
		{"xgboost alone", "xgboost==2.1.0 nvidia-nccl-cu12==2.20 numpy==2.0", "xgboost", amd64, "nvidia-nccl-cu12"},
		{"a CPU build", "torch==2.2.1+cpu numpy==1.26", "torch", amd64, ""},
		{"no host for them", "rapids==1.0 nvidia-cublas-cu12==12.1", "rapids", amd64, ""},
		{"asked for by name", "torch==2.2.1 nvidia-cublas-cu12==12.1 triton==2.2", "torch triton", amd64, ""},
		{"another user", "torch==2.2.1 nvidia-cublas-cu12==12.1 cupy-cuda12x==13.0", "torch", amd64, ""},
		{"jax on CUDA beside it", "torch==2.2.1 nvidia-cublas-cu12==12.1 jax-cuda12-plugin==0.4.30", "torch", amd64, ""},
		{"another machine", "torch==2.2.1 nvidia-cublas-cu12==12.1", "torch", interp.Interpreter{Arch: "aarch64"}, ""},
	}
	for _, tt := range tests {
		l := lockOf("3.11.7", strings.Fields(tt.pins)...)
		for _, r := range strings.Fields(tt.reqs) {
			l.Requirements = append(l.Requirements, Requirement{Name: r})
		}
		if got := strings.Join(onlyForGPU(l, tt.arch), " "); got != tt.want {
			t.Errorf("%s: left out %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestWantsCUDA(t *testing.T) {
	expect := func(s symptom.Symptom) *triage.Decision {
		return &triage.Decision{Expectation: &oracle.Expectation{Symptom: s}}
	}
	tests := []struct {
		name     string
		decision *triage.Decision
		script   string
		want     string
	}{
		{"nothing of it", expect(symptom.Symptom{Exception: "ValueError", Message: "expected 2D input"}), "import torch", ""},
		{"no expectation", &triage.Decision{}, "import torch", ""},
		{"the message", expect(symptom.Symptom{Message: "CUDA error: no kernel image is available"}), "", cudaAll},
		{"the class", expect(symptom.Symptom{Exception: "torch.cuda.OutOfMemoryError"}), "", cudaAll},
		{"a frame", expect(symptom.Symptom{Frames: []symptom.Frame{{File: "torch/backends/cudnn/__init__.py"}}}), "", cudaAll},
		{"a cause", expect(symptom.Symptom{Message: "boom", Chain: []symptom.Symptom{{Message: "cuDNN version incompatibility"}}}), "", cudaAll},
		{"a fatal line", expect(symptom.Symptom{Signal: "SIGABRT", FatalLine: "NCCL error in: ProcessGroupNCCL.cpp"}), "", cudaAll},
		{"compiled code", expect(symptom.Symptom{Message: "boom"}), "f = torch.compile(f)", cudaTriton},
		{"a word like gpus", expect(symptom.Symptom{Message: "gpustat is no module"}), "", ""},
	}
	for _, tt := range tests {
		w := newInference(nil, SpecInput{Decision: tt.decision, Candidate: &candidate.Candidate{Script: tt.script}})
		if got := w.wantsCUDA(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// torchLock is one with what only a GPU needs.
func torchLock() *Lock {
	l := lockOf("3.11.7", "nvidia-cudnn-cu12==8.9.2.26", "nvidia-nccl-cu12==2.19.3", "torch==2.2.1", "triton==2.2.0")
	l.Requirements = []Requirement{{Name: "torch", Spec: "==2.2.1"}}
	l.Text, l.Hash = "the whole text", "h"
	return l
}

func TestLeaveOut(t *testing.T) {
	w := newWorkshop(t, "")
	full, light, compiler := torchLock(), torchLock(), torchLock()
	for _, c := range []struct {
		lock *Lock
		spec Spec
		want []string
	}{
		{full, Spec{CUDA: cudaAll}, nil},
		{light, Spec{}, []string{"nvidia-cudnn-cu12", "nvidia-nccl-cu12", "triton"}},
		{compiler, Spec{CUDA: cudaTriton}, []string{"nvidia-cudnn-cu12", "nvidia-nccl-cu12"}},
	} {
		for range 2 { // a lock made from this one says it once
			if err := w.leaveOut(t.Context(), c.spec, c.lock); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(c.lock.LeftOut, c.want) {
			t.Errorf("left out %v, want %v", c.lock.LeftOut, c.want)
		}
		said := slices.DeleteFunc(slices.Clone(c.lock.Edits), func(e string) bool { return !strings.Contains(e, "replaced by stubs: CPU only") })
		if len(said) != min(1, len(c.want)) {
			t.Errorf("edits %q", c.lock.Edits)
		}
		if len(c.lock.StandIns) > 0 || c.lock.Text != "the whole text" {
			t.Errorf("%+v", c.lock)
		}
	}
	if full.Hash == light.Hash || light.Hash == compiler.Hash || full.Hash != "h" {
		t.Errorf("keys %s, %s, %s", full.Hash, light.Hash, compiler.Hash)
	}
}

// importer puts a library that asks for two of CUDA's into what the fake uv
// installs as torch.
func (w *workshop) importer(t *testing.T) {
	t.Helper()
	so, err := filepath.Abs("stublib/testdata/importer.so")
	if err != nil {
		t.Fatal(err)
	}
	w.box.run = func(sandbox.Command) sandbox.Execution { return sandbox.Execution{Outcome: sandbox.Exited} }
	script := read(t, w.tools.uv.Path)
	script += `
if [ -n "$env" ]; then for site in "$env"/lib/python*/site-packages; do
  mkdir -p "$site/torch/lib"; cp ` + so + ` "$site/torch/lib/libtorch_cuda.so"; done; fi
`
	write(t, w.tools.uv.Path, script, 0o755)
}

func TestBuildWithStubs(t *testing.T) {
	w := newWorkshop(t, "")
	w.importer(t)
	l := torchLock()
	if err := w.leaveOut(t.Context(), Spec{}, l); err != nil {
		t.Fatal(err)
	}
	e := w.built(t, l)
	site := sitePackages(e.Dir, "3.11")
	for _, name := range []string{"torch/lib/libcudart.so.12", "torch/lib/libnccl.so.2"} {
		if _, err := os.Stat(filepath.Join(site, name)); err != nil {
			t.Error(err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(site, "nvidia*")); err != nil || len(left) > 0 {
		t.Errorf("installed all the same: %v %v", left, err)
	}
	// A certificate computes with torch, and misses nothing that was left out.
	cert, err := w.Certify(t.Context(), e, Spec{Imports: []string{"numpy"}})
	if err != nil || !cert.OK {
		t.Errorf("%+v %v", cert, err)
	}
	for _, line := range []string{"import numpy\n", "import torch\n", ".backward()\n", "torch.svd("} {
		if !strings.Contains(cert.Script, line) {
			t.Errorf("the certificate lacks %q:\n%s", line, cert.Script)
		}
	}
	if err := w.Verify(t.Context(), e.Key); err != nil {
		t.Errorf("stubs are taken for damage: %v", err)
	}
}

// A certificate that fails in the loader is given again with the real libraries.
func TestStubsThatDoNotServe(t *testing.T) {
	w := newWorkshop(t, "")
	w.importer(t)
	w.box.run = func(c sandbox.Command) sandbox.Execution {
		for _, m := range c.Mounts {
			if names, err := filepath.Glob(filepath.Join(m.Host, "lib/python3.11/site-packages/nvidia-nccl*")); err == nil && len(names) > 0 {
				return sandbox.Execution{Outcome: sandbox.Exited}
			}
		}
		return sandbox.Execution{Outcome: sandbox.Exited, ExitCode: 1, Record: probe.Record{
			Exceptions: []probe.Exception{{Type: "ImportError", Message: "libtorch_cuda.so: undefined symbol: cudnnNew"}},
		}}
	}
	l := torchLock()
	if err := w.leaveOut(t.Context(), Spec{}, l); err != nil {
		t.Fatal(err)
	}
	e := w.built(t, l)
	light := e.Key
	cert, err := w.Certify(t.Context(), e, Spec{Imports: []string{"torch"}})
	if err != nil || !cert.OK {
		t.Fatalf("%+v %v", cert, err)
	}
	if e.Key == light || len(e.Lock.LeftOut) > 0 {
		t.Errorf("still the one with stubs: %+v", e.Lock)
	}
}

// Without a place for the stubs, what was left out is installed after all, and
// whoever finds the entry later knows it.
func TestNoPlaceForStubs(t *testing.T) {
	w := newWorkshop(t, "")
	so, err := filepath.Abs("stublib/testdata/importer.so")
	if err != nil {
		t.Fatal(err)
	}
	script := read(t, w.tools.uv.Path) + `
if [ -n "$env" ]; then for site in "$env"/lib/python*/site-packages; do cp ` + so + ` "$site/libx.so"; done; fi
`
	write(t, w.tools.uv.Path, script, 0o755)
	l := torchLock()
	if err := w.leaveOut(t.Context(), Spec{}, l); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		e := w.built(t, l)
		have, err := installedVersions(e.Dir, "3.11")
		if err != nil || have["nvidia-nccl-cu12"] != "2.19.3" || have["triton"] == "" {
			t.Errorf("installed %v %v", have, err)
		}
		if len(e.Lock.LeftOut) > 0 {
			t.Errorf("says that %v are left out", e.Lock.LeftOut)
		}
		e.Release()
	}
}

// A stranger's lock may leave out nothing but what only a GPU needs.
func TestLeftOutOfAStranger(t *testing.T) {
	var l Lock
	if err := json.Unmarshal([]byte(`{"left_out": ["numpy", "triton", "nvidia-ml-py", "../x"]}`), &l); err != nil {
		t.Fatal(err)
	}
	if got := l.leftOut(); !slices.Equal(got, []string{"triton"}) {
		t.Errorf("left out %v", got)
	}
}

func TestStubFacts(t *testing.T) {
	l := lockOf("3.11", "nvidia-cudnn-cu12==8.9.2.26", "nvidia-nccl-cu12==2.19.3", "nvidia-cuda-runtime-cu12==12.1.105", "torch==2.2.1")
	f := stubFacts(l)
	if f.CUDNN != [3]int{8, 9, 2} || f.NCCL != [3]int{2, 19, 3} || f.Runtime != [2]int{12, 1} {
		t.Errorf("%+v", f)
	}
}
