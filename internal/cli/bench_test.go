package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
)

// The benchmarks print ratios against a baseline that is measured in the same
// run, one pair after the other, as medians: on a busy machine plain times say
// nothing. `make bench` runs them.

// workload is a script whose run is measured with and without repgen.
type workload struct {
	name, script, versions string
	wanted                 string // the variable that asks for it, "" for always
}

// workloads go from nothing to the imports that matter. jax stands in for torch
// (0.5 GB to download instead of 5), unless REPGEN_BENCH_TORCH asks for that.
var workloads = []workload{
	{name: "empty", script: "print(1)", versions: "numpy==2.2.6"},
	{name: "numpy", script: "import numpy\nprint(numpy.zeros(2).sum() + 1)", versions: "numpy==2.2.6"},
	{name: "jax", script: "import jax\nprint(jax.numpy.zeros(2).sum() + 1)", versions: "jax==0.6.2\njaxlib==0.6.2\nnumpy==2.2.6\nscipy==1.15.3"},
	{name: "torch", script: "import torch\nprint(torch.zeros(2).sum() + 1)", versions: "torch==2.7.1", wanted: "REPGEN_BENCH_TORCH"},
}

// text is the workload as a report.
func (w workload) text() string {
	return "# a sum is off by one\n\n```python\n" + w.script + "\n```\n\nIt prints `1.0`, expected `2.0`.\n\n```\n" + w.versions + "\n```\n"
}

// lonely hides all releases, so that no control is searched for: a run is then
// the reported side alone.
type lonely struct{ proof.Solver }

func (lonely) Releases(context.Context, string, string) ([]environment.Release, error) {
	return nil, nil
}

// counted adds up what the sandbox took, bubblewrap's start included.
type counted struct {
	sandbox.Sandbox
	started int
	inside  time.Duration
}

func (c *counted) Run(ctx context.Context, cmd sandbox.Command, l sandbox.Limits) (sandbox.Execution, error) {
	began := time.Now()
	ex, err := c.Sandbox.Run(ctx, cmd, l)
	c.started++
	c.inside += time.Since(began)
	return ex, err
}

// subject is a workload whose environment is built and certified.
type subject struct {
	workload
	bare  *exec.Cmd
	count counted // of the last run
}

// newSubject builds the environment and the baseline: the same interpreter,
// packages and script without any of repgen, its bytecode cached as well.
func newSubject(b *testing.B, w workload) *subject {
	b.Helper()
	real(b)
	if w.wanted != "" && os.Getenv(w.wanted) == "" {
		b.Skipf("set %s=1 for it", w.wanted)
	}
	sharedCache(b)
	s := &subject{workload: w}
	r := s.reproduce(b) // fills the caches
	env, un, err := freshServices(b).envs.Build(b.Context(), r.Outcome.Lock)
	if err != nil || un != nil {
		b.Fatalf("build: %+v %v", un, err)
	}
	b.Cleanup(env.Release)
	s.bare = s.baseline(b, env)
	return s
}

// freshServices know as little as those of a process that has just begun.
func freshServices(b *testing.B) *services {
	b.Helper()
	var quiet bytes.Buffer
	sv, err := wireServices(b.Context(), streams{out: &quiet, err: &quiet}, place{}, show{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	return sv
}

// baseline is the command line of the bare script; it has run once.
func (s *subject) baseline(b *testing.B, env *environment.Environment) *exec.Cmd {
	b.Helper()
	dir := b.TempDir()
	script := filepath.Join(dir, "script.py")
	if err := os.WriteFile(script, []byte(s.script+"\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	site := filepath.Join(env.Dir, "lib", "python"+env.Python.Minor, "site-packages")
	c := exec.Command(env.Python.Path, script)
	c.Dir = dir
	c.Env = []string{"PYTHONPATH=" + site, "PYTHONPYCACHEPREFIX=" + filepath.Join(dir, "pyc"), "HOME=" + dir, "LANG=C.UTF-8"}
	if env.Python.Shared {
		c.Env = append(c.Env, "LD_LIBRARY_PATH="+filepath.Join(env.Python.Prefix, "lib"))
	}
	if out, err := again(c).CombinedOutput(); err != nil {
		b.Fatalf("the bare script: %v: %s", err, out)
	}
	return c
}

func again(c *exec.Cmd) *exec.Cmd {
	return &exec.Cmd{Path: c.Path, Args: c.Args, Env: c.Env, Dir: c.Dir}
}

// runBare times the baseline.
func (s *subject) runBare(b *testing.B) time.Duration {
	b.Helper()
	began := time.Now()
	if err := again(s.bare).Run(); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}

// reproduce takes the report the whole way with one execution.
func (s *subject) reproduce(b *testing.B) *pipeline.Run {
	b.Helper()
	sv := freshServices(b)
	s.count = counted{Sandbox: sv.sandbox}
	p := &pipeline.Pipeline{
		Specs: sv.envs, Solver: lonely{sv.envs}, Builder: sv.envs, Sandbox: &s.count, Version: versionText(),
	}
	rep, err := report.Read(strings.NewReader(s.text()), report.Source{Kind: "stdin", Name: "-"})
	if err != nil {
		b.Fatal(err)
	}
	dir := filepath.Join(b.TempDir(), "run")
	r, err := p.Reproduce(b.Context(), &pipeline.Request{Report: rep, Runs: 1, Limits: sandbox.DefaultLimits()}, dir)
	if err != nil {
		b.Fatal(err)
	}
	if r.Outcome == nil || r.Outcome.Lock == nil || len(r.Outcome.Evidence.Groups) == 0 {
		b.Fatalf("the run of %s ended as %s: %v", s.name, r.Result.Headline, r.Result.Reasons)
	}
	return r
}

// BenchmarkRun: all that repgen adds to a bare script on a built environment,
// from the report's text to the bundle. The aims: 150 ms, and 1.10 times the
// bare script where that imports torch.
func BenchmarkRun(b *testing.B) {
	for _, w := range workloads {
		b.Run(w.name, func(b *testing.B) {
			s := newSubject(b, w)
			var bare, whole, inside []time.Duration
			for b.Loop() {
				bare = append(bare, s.runBare(b))
				began := time.Now()
				s.reproduce(b)
				whole = append(whole, time.Since(began))
				inside = append(inside, s.count.inside)
			}
			compare(b, bare, whole)
			b.ReportMetric(ms(median(inside))-ms(median(bare)), "ms-of-it-sandbox")
		})
	}
}

// compare reports medians, and their ratio.
func compare(b *testing.B, base, ours []time.Duration) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ms(median(base)), "ms-bare")
	b.ReportMetric(ms(median(ours))-ms(median(base)), "ms-added")
	b.ReportMetric(float64(median(ours))/float64(median(base)), "x-bare")
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func median(d []time.Duration) time.Duration {
	s := slices.Sorted(slices.Values(d))
	return s[len(s)/2]
}

// BenchmarkSecondEnvironment: lock, environment and certificate of a question
// that was answered before, by a process that has just begun. The aim: 50 ms.
func BenchmarkSecondEnvironment(b *testing.B) {
	s := newSubject(b, workloads[2])
	spec := s.reproduce(b).Outcome.Spec
	var solve, build, certify, all []time.Duration
	for b.Loop() {
		sv := freshServices(b)
		if _, err := sv.sandbox.Layers(b.Context()); err != nil { // opening it is no part
			b.Fatal(err)
		}
		began := time.Now()
		lock, un, err := sv.envs.Solve(b.Context(), spec)
		if err != nil || un != nil {
			b.Fatal(un, err)
		}
		solved := time.Now()
		env, un, err := sv.envs.Build(b.Context(), lock)
		if err != nil || un != nil {
			b.Fatal(un, err)
		}
		built := time.Now()
		cert, err := sv.envs.Certify(b.Context(), env, spec)
		if err != nil || !cert.OK || !cert.Cached || env.Built {
			b.Fatalf("%+v %v", cert, err)
		}
		end := time.Now()
		env.Release()
		solve, build = append(solve, solved.Sub(began)), append(build, built.Sub(solved))
		certify, all = append(certify, end.Sub(built)), append(all, end.Sub(began))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ms(median(solve)), "ms-solve")
	b.ReportMetric(ms(median(build)), "ms-build")
	b.ReportMetric(ms(median(certify)), "ms-certify")
	b.ReportMetric(ms(median(all)), "ms-all")
}

// BenchmarkProcess is the program as a user starts it, on a made-up index with
// nothing to compare with; its own peak memory, children left out. The aim:
// 100 MB.
func BenchmarkProcess(b *testing.B) {
	real(b)
	x := newIndex(b, tinyWheels()...)
	r := newRig(b, x)
	file := r.file("report.md", axisReport)
	var start, wall []time.Duration
	peak := 0
	for i := 0; b.Loop(); i++ {
		began := time.Now()
		r.run("version").want(b, 0)
		start = append(start, time.Since(began))
		began = time.Now()
		p := r.start("reproduce", "--out", r.path("run"+strconv.Itoa(i)), file)
		top := highest(p.cmd.Process.Pid)
		p.wait().want(b, 0)
		wall = append(wall, time.Since(began))
		peak = max(peak, <-top)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ms(median(start)), "ms-version")
	b.ReportMetric(ms(median(wall)), "ms-whole")
	b.ReportMetric(float64(peak)/1024, "MB-peak")
}

// highest asks the kernel for a process's own peak in KiB until it is dead. It
// only grows, so the last answer counts; what wait(2) tells has children in it.
func highest(pid int) <-chan int {
	peak := make(chan int, 1)
	go func() {
		top := 0
		for {
			data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
			_, rest, ok := strings.Cut(string(data), "VmHWM:")
			if err != nil || !ok {
				peak <- top
				return
			}
			if n, err := strconv.Atoi(strings.Fields(rest)[0]); err == nil {
				top = max(top, n)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	return peak
}
