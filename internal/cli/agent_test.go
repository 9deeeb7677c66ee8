package cli

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/agent"
	"github.com/repgen/repgen/internal/codebase"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/triage"
)

func quietAuthor() *author {
	return &author{s: streams{in: strings.NewReader(""), out: new(bytes.Buffer), err: new(bytes.Buffer)}}
}

// A model that is gone since the run began is an ending, not a lost run.
func TestModelThatIsGone(t *testing.T) {
	t.Setenv("REPGEN_CONFIG", filepath.Join(t.TempDir(), "none.toml"))
	d := pipeline.Desk{Dir: t.TempDir(), Model: "replay:" + filepath.Join(t.TempDir(), "nothing"), Progress: func(string) {}}
	res, err := quietAuthor().Write(t.Context(), d, agent.Input{Decision: &triage.Decision{}, Strategy: agent.Auto})
	if err != nil || res.Ending != agent.ModelFailed || res.Failure == nil || res.Failure.Next == "" {
		t.Errorf("got %+v, %v", res, err)
	}
}

// The prompt and the answer fit a small model's window together.
func TestPromptFitsTheWindow(t *testing.T) {
	for _, c := range []struct {
		window int
		given  agent.Budget
	}{{2048, agent.Budget{}}, {8192, agent.Budget{}}, {200000, agent.Budget{}}, {8192, agent.Budget{Prompt: 1000, Answer: 500}}, {0, agent.Budget{Prompt: 7}}} {
		b := c.given
		fit(&b, c.window)
		if c.window == 0 {
			if b != c.given {
				t.Errorf("an unknown window changed %+v", b)
			}
			continue
		}
		if b.Prompt+b.Answer > c.window || b.Prompt <= 0 || b.Answer <= 0 {
			t.Errorf("window %d: %+v", c.window, b)
		}
		if c.given.Prompt > 0 && (b.Prompt > c.given.Prompt || b.Answer > c.given.Answer) {
			t.Errorf("window %d: more than asked for: %+v", c.window, b)
		}
	}
}

func TestRestOfALimit(t *testing.T) {
	spent := llm.Totals{Calls: 3, InputTokens: 80, OutputTokens: 20, USD: 0.5}
	for _, c := range []struct {
		limit llm.Limit
		left  llm.Limit
		ok    bool
	}{
		{llm.Limit{}, llm.Limit{}, true},
		{llm.Limit{None: true}, llm.Limit{None: true}, false},
		{llm.Limit{Calls: 3}, llm.Limit{}, false},
		{llm.Limit{Calls: 5}, llm.Limit{Calls: 2}, true},
		{llm.Limit{Tokens: 100}, llm.Limit{}, false},
		{llm.Limit{Tokens: 150, USD: 1}, llm.Limit{Tokens: 50, USD: 0.5}, true},
		{llm.Limit{USD: 0.5}, llm.Limit{}, false},
	} {
		left, ok := rest(c.limit, spent)
		if ok != c.ok || ok && left != c.left {
			t.Errorf("%+v: got %+v, %v", c.limit, left, ok)
		}
	}
}

// parrot is a model that streams its answer in pieces.
type parrot struct{ pieces []string }

func (p parrot) Info() llm.Info { return llm.Info{Backend: "made-up", Model: "parrot"} }

func (p parrot) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	for _, piece := range p.pieces {
		r.OnText(piece)
	}
	temperature := -1.0
	if r.Temperature != nil {
		temperature = *r.Temperature
	}
	return llm.Response{Text: strings.Join(p.pieces, ""), Seconds: temperature}, nil
}

// What is shown while an answer comes is one inert line; who asked hears all.
func TestLiveLine(t *testing.T) {
	var live []string
	heard := ""
	m := (&wiredModel{Model: parrot{[]string{"import \x1b[31mtinynet\n", strings.Repeat("x", 500)}}, Temperature: ptr(0.25)}).shown(func(s string) { live = append(live, s) })
	res, err := m.Complete(t.Context(), llm.Request{Purpose: "generate", OnText: func(s string) { heard += s }})
	if err != nil || heard != res.Text || res.Seconds != 0.25 {
		t.Errorf("heard %d of %d bytes, temperature %v, %v", len(heard), len(res.Text), res.Seconds, err)
	}
	if len(live) != 1 || live[0] != "generate (20 bytes): import tinynet" {
		t.Errorf("live: %q", live)
	}
	for _, line := range live {
		if strings.ContainsAny(line, "\x1b\n") {
			t.Errorf("a line that steers: %q", line)
		}
	}
}

// The code that a model sees comes from the project that the user names, and
// what is missing is said once.
func TestCodeForTheModel(t *testing.T) {
	t.Setenv("REPGEN_CACHE_DIR", t.TempDir())
	var said []string
	dir := madeProject(t)
	rep := report.Parse([]byte("# Training fails in `fit`\n\nThe loss of the batch is wrong in pond/net.py.\n"), report.Source{})
	f := &finder{author: quietAuthor(), report: rep, desk: pipeline.Desk{Project: &environment.ProjectSource{Dir: dir}, Progress: func(s string) { said = append(said, s) }}}
	for range 2 {
		cc, err := f.find(t.Context(), nil, nil)
		if err != nil || len(cc.Modules) == 0 || cc.Modules[0].Path != "pond/net.py" {
			t.Fatalf("got %+v, %v", cc, err)
		}
	}
	if err := f.close(); err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(said, "\n"); strings.Count(text, "embedding model") != 1 {
		t.Errorf("said: %q", said)
	}
	cc, err := f.find(t.Context(), nil, []codebase.Part{codebase.PartBM25, codebase.PartANN})
	if err != nil || cc == nil {
		t.Errorf("without both searches: %v", err)
	}
	if err := f.close(); err != nil {
		t.Fatal(err)
	}
}

// No environment, no subject, no Python: a context without code, and why.
func TestNoCodeForTheModel(t *testing.T) {
	t.Setenv("REPGEN_CACHE_DIR", t.TempDir())
	rep := report.Parse([]byte("# It fails\n"), report.Source{})
	for name, project := range map[string]*environment.ProjectSource{"nothing": nil, "an empty folder": {Dir: t.TempDir()}} {
		said := 0
		f := &finder{author: quietAuthor(), report: rep, desk: pipeline.Desk{Project: project, Progress: func(string) { said++ }}}
		cc, err := f.find(t.Context(), nil, nil)
		if err != nil || len(cc.Modules) != 0 || len(cc.Notices) == 0 || said == 0 {
			t.Errorf("%s: %+v, %v", name, cc, err)
		}
		if err := f.close(); err != nil {
			t.Fatal(err)
		}
	}
	f := &finder{author: quietAuthor(), report: rep, desk: pipeline.Desk{Project: &environment.ProjectSource{Dir: filepath.Join(t.TempDir(), "gone")}, Progress: func(string) {}}}
	if _, err := f.find(t.Context(), nil, nil); err == nil {
		t.Error("a project that is gone was searched")
	}
	if err := errors.Join(f.close(), f.close()); err != nil {
		t.Error(err)
	}
}
