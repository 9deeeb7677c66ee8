package environment

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/environment/interp"
	"github.com/repgen/repgen/internal/environment/stublib"
	"github.com/repgen/repgen/internal/environment/uv"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/symptom"
)

// A CUDA build of torch takes 4.9 GB, of which 3.3 GB are libraries that do
// nothing without a GPU (measured: torch 2.2.1, libraries 2,852 MB, triton 419
// MB). Where the report is not about them, they are left out of the environment
// that is built here, and stub libraries stand in for them. The lock keeps all
// packages: its text has to make a working environment anywhere.

// stubVersion is part of the key of an environment with stubs: it grows when
// the same needs would give other files.
const stubVersion = "1"

// cudaPackage is a distribution that only a GPU needs: the toolkit's libraries
// ("nvidia-cublas-cu12", from CUDA 13 on without the number) and the compiler
// of kernels.
var cudaPackage = regexp.MustCompile(`^(?:nvidia-(?:cublas|cuda-cupti|cuda-nvrtc|cuda-runtime|cudnn|cufft|cufile|curand|cusolver|cusparse|cusparselt|nccl|nvjitlink|nvshmem|nvtx)(?:-cu[0-9]+)?|cuda-toolkit|cuda-bindings|cuda-pathfinder|triton|pytorch-triton)$`)

// lightHosts are the packages that bring those along and are known to run
// without them. torch asks its loader for them, xgboost opens its one (nccl)
// when it computes on several GPUs.
var lightHosts = []string{"torch", "xgboost"}

// cudaUsers open CUDA's libraries by themselves, by paths of their own, when
// they are imported: where one is locked, everything is installed. The list is
// a guess beyond the first two.
var cudaUsers = regexp.MustCompile(`^(?:jax-cuda.*|cupy.*|tensorflow|tensorrt.*|torch-tensorrt|bitsandbytes|flash-attn|vllm|sglang|nvidia-(?:dali|modelopt|cutlass|cudnn-frontend).*|cudf.*|cuml.*|pycuda|numba-cuda|cuda-python|deepspeed|apex|triton-.*)$`)

// aboutCUDA is a symptom that the real libraries may have a part in.
var aboutCUDA = regexp.MustCompile(`(?i)cuda|cudnn|cublas|cufft|cusolver|cusparse|nccl|nvrtc|nvidia|triton|\bgpus?\b`)

// usesTriton is a script that torch may compile for: it then says in its log
// whether triton is there (torch 2.9 and newer, seen), though on a CPU it
// compiles without it.
var usesTriton = regexp.MustCompile(`triton|torch\.compile|\.compile\(|_?(?:dynamo|inductor)|flop_counter`)

// How much of CUDA's packages a Spec wants.
const (
	cudaTriton = "triton"
	cudaAll    = "all"
)

// wantsCUDA: where the reported symptom speaks of CUDA, everything is installed
// as the reporter had it.
func (w *inference) wantsCUDA() string {
	e := w.in.Decision.Expectation
	switch {
	case e != nil && (aboutCUDA.MatchString(e.Wanted) || speaksOfCUDA(e.Symptom)):
		return cudaAll
	case usesTriton.MatchString(w.in.Candidate.Script):
		return cudaTriton
	}
	return ""
}

func speaksOfCUDA(s symptom.Symptom) bool {
	if aboutCUDA.MatchString(s.Exception) || aboutCUDA.MatchString(s.Message) || aboutCUDA.MatchString(s.FatalLine) {
		return true
	}
	for _, f := range s.Frames {
		if aboutCUDA.MatchString(f.File) || aboutCUDA.MatchString(f.Function) {
			return true
		}
	}
	return slices.ContainsFunc(s.Chain, speaksOfCUDA)
}

// leaveOut decides which packages of a solved lock are not installed here, says
// so in its edits and settles its hash.
func (m *Manager) leaveOut(ctx context.Context, s Spec, l *Lock) error {
	python, ok, err := m.interpreter(ctx, l.Python)
	if err != nil {
		return err
	}
	l.LeftOut = nil
	if ok && s.CUDA != cudaAll {
		l.LeftOut = onlyForGPU(l, python)
	}
	if s.CUDA == cudaTriton {
		l.LeftOut = slices.DeleteFunc(l.LeftOut, func(n string) bool { return strings.HasSuffix(n, "triton") })
	}
	// A lock that was made from another one carries its words.
	l.Edits = slices.DeleteFunc(slices.Clone(l.Edits), func(e string) bool { return strings.HasPrefix(e, leftOutEdit) })
	if len(l.LeftOut) > 0 {
		l.Edits = append(l.Edits, fmt.Sprintf("%s: CPU only (%d packages are left out where it is built here)", leftOutEdit, len(l.LeftOut)))
		l.Hash = lockHash(l, python)
	}
	return nil
}

// leftOutEdit begins the edit that records it. The code under test is the same
// files, so no package becomes a stand-in by it.
const leftOutEdit = "CUDA libraries replaced by stubs"

// onlyForGPU are the packages of a lock that are left out: none where somebody
// asked for one by name, where another user of them is locked, or on a machine
// that the stubs are not written for.
func onlyForGPU(l *Lock, p interp.Interpreter) []string {
	if p.Arch != "x86_64" || !slices.ContainsFunc(lightHosts, func(n string) bool { return l.Version(n) != "" }) {
		return nil
	}
	var out []string
	for _, pkg := range l.Packages {
		if cudaUsers.MatchString(pkg.Name) {
			return nil
		}
		if !cudaPackage.MatchString(pkg.Name) {
			continue
		}
		if i := indexOf(l.Requirements, pkg.Name); i >= 0 {
			return nil
		}
		out = append(out, pkg.Name)
	}
	return out
}

// leftOut is LeftOut without what a stranger's lock may not leave out.
func (l *Lock) leftOut() []string {
	return slices.DeleteFunc(slices.Clone(l.LeftOut), func(n string) bool { return !cudaPackage.MatchString(n) })
}

// addStubs writes a library for each one that the installed files want of what
// was left out. They lie beside torch's own: that is where its files look
// (their run path holds $ORIGIN in every release from 1.13 to 2.7, read here),
// and other packages find what is loaded already.
func addStubs(ctx context.Context, env string, e *Environment) (int, error) {
	site := sitePackages(env, e.Python.Minor)
	libs, err := stublib.Needs(ctx, site)
	if err != nil {
		return 0, fmt.Errorf("make stub libraries: %w", err)
	}
	if len(libs) == 0 {
		return 0, nil
	}
	dir, err := os.OpenRoot(site)
	if err != nil {
		return 0, fmt.Errorf("make stub libraries: %w", err)
	}
	defer func() { _ = dir.Close() }()
	facts := stubFacts(&e.Lock)
	for _, l := range libs {
		if err := writeNew(dir, filepath.Join("torch", "lib", l.Soname), stublib.Write(l, facts.Code), 0o755); err != nil {
			return 0, fmt.Errorf("make stub libraries: %w", err)
		}
	}
	return len(libs), nil
}

// stubFacts are the versions of what was left out, for who asks for them.
func stubFacts(l *Lock) stublib.Facts {
	var f stublib.Facts
	for _, p := range l.Packages {
		var n [3]int
		for i, part := range strings.SplitN(p.Version, ".", 4) {
			if i < len(n) {
				n[i], _ = strconv.Atoi(part) // what is no number counts as zero
			}
		}
		switch {
		case strings.HasPrefix(p.Name, "nvidia-cudnn"):
			f.CUDNN = n
		case strings.HasPrefix(p.Name, "nvidia-nccl"):
			f.NCCL = n
		case strings.HasPrefix(p.Name, "nvidia-cuda-runtime"):
			f.Runtime = [2]int{n[0], n[1]}
		}
	}
	return f
}

// lighten puts stubs in place of what was left out. When that fails, what was
// left out is installed after all: larger, and the same to a script.
func (m *Manager) lighten(ctx context.Context, tool *uv.Tool, in uv.InstallInput, e *Environment, t target) error {
	if len(e.Lock.leftOut()) == 0 {
		return nil
	}
	n, err := addStubs(ctx, t.filled, e)
	if err == nil {
		m.log.Debug("stub libraries written", "libraries", n)
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	m.log.Warn("CUDA's libraries are installed: no stubs can stand in for them", "error", err)
	m.progress(Event{Stage: "build", Text: "installing CUDA's libraries: no stubs can stand in for them"})
	e.Lock.LeftOut = nil
	if err := m.makeWheels(ctx, e); err != nil {
		return err
	}
	if in.Text, in.FindLinks, err = m.installText(e); err != nil {
		return err
	}
	return m.installChecked(ctx, tool, in, t)
}

// builtLock is the lock as it was built: an entry of the store may hold all
// packages although its key says that some are left out (see lighten).
func builtLock(entry string, l Lock) Lock {
	var kept Lock
	data, err := os.ReadFile(filepath.Join(entry, "lock.json"))
	if err == nil && json.Unmarshal(data, &kept) == nil && kept.Hash == l.Hash {
		l.LeftOut = kept.LeftOut
	}
	return l
}

// certified are the modules that a certificate imports: with stubs, torch
// itself too, whoever imports it in the end.
func (e *Environment) certified(imports []string) []string {
	if len(e.Lock.leftOut()) == 0 || e.Lock.Version("torch") == "" || slices.Contains(imports, "torch") {
		return imports
	}
	return append(slices.Clone(imports), "torch")
}

// stubCheck is what a certificate computes where stubs stand in: a product, its
// gradient and a decomposition go through each library that torch computes with.
func (e *Environment) stubCheck() string {
	if len(e.Lock.leftOut()) == 0 || e.Lock.Version("torch") == "" {
		return ""
	}
	return "x = torch.eye(3).requires_grad_()\n(x @ x).sum().backward()\ntorch.svd(x.detach())\n"
}

// loaderTrouble are the loader's words for a library that is not what a file
// was linked with.
var loaderTrouble = regexp.MustCompile(`undefined symbol|cannot open shared object file|version .* not found|invalid ELF header|file too short|not found in the system path`)

// blamesStubs says whether a certificate failed in a way that stubs could be
// the cause of: a loader that misses something, or a crash at import.
func blamesStubs(e *Environment, x sandbox.Execution) bool {
	if len(e.Lock.leftOut()) == 0 {
		return false
	}
	if x.Outcome == sandbox.Signaled {
		return true
	}
	for _, ex := range x.Record.Exceptions {
		if loaderTrouble.MatchString(ex.Message) {
			return true
		}
	}
	return loaderTrouble.MatchString(x.Stderr)
}

// withCUDA makes e the environment with everything that was left out.
func (m *Manager) withCUDA(ctx context.Context, e *Environment) error {
	m.log.Warn("the environment does not import with stub libraries, building it with CUDA's own")
	m.progress(Event{Stage: "build", Text: "building with CUDA's own libraries: the stubs do not serve"})
	lock := e.Lock
	lock.LeftOut = nil
	full, no, err := m.Build(ctx, &lock)
	if err != nil {
		return err
	}
	if no != nil {
		return fmt.Errorf("build with CUDA's own libraries: %s", no.Why)
	}
	full.Env = e.Env
	e.Release()
	*e = *full
	return nil
}
