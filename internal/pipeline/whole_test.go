package pipeline

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
)

// house is everything outside the pipeline, made up: an index with three
// releases of tinynet, environments that are only their lock, and a sandbox in
// which the script's text and the installed release say what comes.
type house struct {
	mu     sync.Mutex
	runs   []string
	asked  int
	behave func(script, version string) sandbox.Execution
}

func (h *house) Spec(_ context.Context, in environment.SpecInput) (environment.Spec, *environment.Unavailable, error) {
	return environment.Spec{Python: "3.11", Subject: "tinynet", Imports: in.Candidate.Imports, Requirements: []environment.Requirement{{Name: "tinynet", Spec: "==1.2", Word: environment.WordReporter}}, AsOf: time.Unix(0, 0).UTC(), AsOfSource: "report"}, nil, nil
}

func (h *house) lock(version string) *environment.Lock {
	return &environment.Lock{
		Python: "3.11.7", Rung: 1, Hash: "tinynet-" + version, Text: "tinynet==" + version + " --hash=sha256:00\n",
		Packages: []environment.Package{{Name: "tinynet", Version: version, Word: environment.WordReporter}},
	}
}

func (h *house) Solve(context.Context, environment.Spec) (*environment.Lock, *environment.Unavailable, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked++
	return h.lock("1.2"), nil, nil
}

func (h *house) Move(_ context.Context, _ environment.Spec, base *environment.Lock, name, version string) (*environment.Lock, []environment.Move, *environment.Unavailable, error) {
	return h.lock(version), []environment.Move{{Name: name, From: base.Version(name), To: version}}, nil, nil
}

func (h *house) Fix(context.Context, environment.Spec, *environment.Lock) (*environment.Lock, []environment.Move, *environment.Unavailable, error) {
	return nil, nil, &environment.Unavailable{Why: "no fix is named"}, nil
}

func (h *house) Add(_ context.Context, s environment.Spec, _ *environment.Lock, dist string) (environment.Spec, *environment.Lock, *environment.Unavailable, error) {
	return s, nil, &environment.Unavailable{Why: dist + " is not on the index"}, nil
}

func (h *house) Releases(context.Context, string, string) ([]environment.Release, error) {
	return []environment.Release{{Version: "1.1", Wheel: true}, {Version: "1.2", Wheel: true}, {Version: "1.3", Wheel: true}}, nil
}

func (h *house) Build(_ context.Context, l *environment.Lock) (*environment.Environment, *environment.Unavailable, error) {
	return &environment.Environment{Lock: *l}, nil, nil
}

func (h *house) Certify(context.Context, *environment.Environment, environment.Spec) (environment.Certificate, error) {
	return environment.Certificate{OK: true, Execution: ran("certificate\n")}, nil
}

func (h *house) Layers(context.Context) ([]sandbox.Layer, error) { return nil, nil }

func (h *house) Run(_ context.Context, c sandbox.Command, _ sandbox.Limits) (sandbox.Execution, error) {
	script, err := os.ReadFile(filepath.Join(c.Work, sandbox.ScriptNm))
	if err != nil {
		return sandbox.Execution{}, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.runs = append(h.runs, c.Label)
	return h.behave(string(script), strings.Fields(c.Label)[2]), nil
}

func ran(out string) sandbox.Execution {
	return sandbox.Execution{Outcome: sandbox.Exited, Stdout: out, Record: probe.Record{Started: true, Ended: true, Python: "3.11.7"}}
}

func (h *house) pipeline() *Pipeline {
	return &Pipeline{Specs: h, Solver: h, Builder: h, Sandbox: h, Version: "test", Build: "test", Key: someKey}
}

const sumReport = "# add gives the product\n\ntinynet 1.2, Python 3.11\n\n```python\nimport tinynet\n\n" +
	"print(\"sum:\", tinynet.add(2, 5))\n```\n\nResult: `sum: 10`, should be 7.\n"

// product is a library that multiplies on 1.1 and 1.2.
func product(_, version string) sandbox.Execution {
	if version == "1.3" {
		return ran("sum: 7\n")
	}
	return ran("sum: 10\n")
}

func parsed(t *testing.T, text string) *Request {
	t.Helper()
	return &Request{Report: report.Parse([]byte(text), report.Source{})}
}

// The whole way with everything outside made up: the result, its parts of time,
// the bundle, and a run taken up again that asks and runs nothing anew.
func TestWholeWayAndBack(t *testing.T) {
	h := &house{behave: product}
	dir := filepath.Join(t.TempDir(), "run")
	r, err := h.pipeline().Reproduce(t.Context(), parsed(t, sumReport), dir)
	if err != nil {
		t.Fatal(err)
	}
	if r.Result.Headline != oracle.Fixed || r.Result.Grade != "B" || r.Result.Bundle == nil {
		t.Fatalf("got %s %s: %v", r.Result.Headline, r.Result.Grade, r.Result.Reasons)
	}
	want := []string{"audit", "build", "choose", "controls", "runs", "solve"}
	if got := slices.Sorted(maps.Keys(r.Result.Cost.Stages)); !slices.Equal(got, want) {
		t.Errorf("parts of time: %v", got)
	}
	n, asked := len(h.runs), h.asked
	again, err := h.pipeline().Reproduce(t.Context(), parsed(t, sumReport), dir)
	if err != nil || len(h.runs) != n || h.asked != asked {
		t.Errorf("taken up again: %d executions and %d questions more, %v", len(h.runs)-n, h.asked-asked, err)
	}
	if again.Result.Headline != r.Result.Headline || again.Result.Hits != r.Result.Hits {
		t.Errorf("got %s, then %s", r.Result.Headline, again.Result.Headline)
	}
	kept, made, err := stored(t, dir, someKey).Result()
	if err != nil || !made || kept.Headline != oracle.Fixed {
		t.Errorf("the kept result is %+v, %v, %v", kept, made, err)
	}
}

// Other executions on the same folder, when the user asks for more of them.
func TestMoreRunsOfAKeptRun(t *testing.T) {
	h := &house{behave: product}
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := h.pipeline().Reproduce(t.Context(), parsed(t, sumReport), dir); err != nil {
		t.Fatal(err)
	}
	req := parsed(t, sumReport)
	req.Runs = 8
	before := len(h.runs)
	r, err := h.pipeline().Reproduce(t.Context(), req, dir)
	if err != nil || r.Result.Runs != 8 || len(h.runs)-before != 3 {
		t.Errorf("%d executions in all, %d of them new: %v", r.Result.Runs, len(h.runs)-before, err)
	}
}

// The second of two scripts is the one that fails: bundle and result are about
// it.
func TestFailingScriptGoesIntoTheBundle(t *testing.T) {
	text := "# add gives the product\n\ntinynet 1.2, Python 3.11\n\nOne way:\n\n```python\nimport tinynet\n\nprint(\"sum:\", tinynet.add(2, 2))\n```\n\n" +
		"Another way:\n\n```python\nimport tinynet\n\nprint(\"sum:\", tinynet.add(2, 5))\n```\n\nResult: `sum: 10`, should be 7.\n"
	h := &house{behave: func(script, version string) sandbox.Execution {
		if strings.Contains(script, "add(2, 5)") {
			return product(script, version)
		}
		return ran("sum: 4\n")
	}}
	r, err := h.pipeline().Reproduce(t.Context(), parsed(t, text), filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	if r.Result.Headline != oracle.Fixed {
		t.Fatalf("got %s: %v, blocks %v, others %v", r.Result.Headline, r.Result.Reasons, r.Decision.Blocks, r.Decision.Alternatives)
	}
	script, err := os.ReadFile(filepath.Join(*r.Result.Bundle, "reproduce.py"))
	if err != nil || !strings.Contains(string(script), "add(2, 5)") || strings.Contains(string(script), "add(2, 2)") {
		t.Errorf("the bundle's script: %v\n%s", err, script)
	}
}

// A contrast's script lies in the bundle, and the control line names it.
func TestContrastGoesIntoTheBundle(t *testing.T) {
	text := "# total skips the first element\n\ntinynet 1.2, Python 3.11\n\n```python\nimport tinynet\n\nt = tinynet.total([3, 4], workers=2)\nprint(\"total:\", t)\n```\n\n" +
		"Result: `total: 4`, should be 7. Without `workers=2` it is fine.\n"
	h := &house{behave: func(script, _ string) sandbox.Execution {
		if strings.Contains(script, "workers=2") {
			return ran("total: 4\n")
		}
		return ran("total: 7\n")
	}}
	var lines []string
	p := h.pipeline()
	p.Events = func(e Event) {
		if e.Stage == StageControl && e.State == "done" {
			lines = append(lines, e.Text)
		}
	}
	r, err := p.Reproduce(t.Context(), parsed(t, text), filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	if r.Result.Headline != oracle.Reproduced || r.Result.Grade != "C" {
		t.Fatalf("got %s %s: %v, contrasts %+v", r.Result.Headline, r.Result.Grade, r.Result.Reasons, r.Decision.Contrasts)
	}
	files, err := filepath.Glob(filepath.Join(*r.Result.Bundle, "controls", "*.py"))
	if err != nil || len(files) != 1 {
		t.Errorf("controls in the bundle: %v, %v", files, err)
	}
	if len(lines) != 1 || !strings.Contains(lines[0], "gone without") {
		t.Errorf("the control line: %q", lines)
	}
}

// An environment that cannot be had ends the run with its reason and a result.
func TestNoEnvironment(t *testing.T) {
	h := &house{behave: product}
	p := h.pipeline()
	p.Specs = nothing{}
	r, err := p.Reproduce(t.Context(), parsed(t, sumReport), filepath.Join(t.TempDir(), "run"))
	if err != nil || r.Result.Headline != oracle.EnvUnavailable || len(h.runs) != 0 {
		t.Fatalf("%v, %+v, %d executions", err, r.Result, len(h.runs))
	}
}

type nothing struct{}

func (nothing) Spec(context.Context, environment.SpecInput) (environment.Spec, *environment.Unavailable, error) {
	return environment.Spec{}, &environment.Unavailable{Why: "no index has tinynet"}, nil
}
