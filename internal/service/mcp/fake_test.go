package mcp

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/repgen/repgen/internal/codebase"
	"github.com/repgen/repgen/internal/codebase/chunk"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake plays every service; each func may be replaced.
type fake struct {
	fetch  func(ctx context.Context, ref string) (*report.Report, error)
	open   func(ctx context.Context, ask EnvironmentAsk, tell Tell) (*Opened, *environment.Unavailable, error)
	find   func(ctx context.Context, ask CodeAsk, tell Tell) (*codebase.CodeContext, error)
	judge  func(ctx context.Context, req *pipeline.Request, dir string, tell Tell) (*proof.Result, error)
	script func(ctx context.Context, c sandbox.Command, l sandbox.Limits) (sandbox.Execution, error)
}

func (f *fake) Fetch(ctx context.Context, ref string) (*report.Report, error) {
	return f.fetch(ctx, ref)
}

func (f *fake) Open(ctx context.Context, ask EnvironmentAsk, tell Tell) (*Opened, *environment.Unavailable, error) {
	return f.open(ctx, ask, tell)
}

func (f *fake) Search(ctx context.Context, ask CodeAsk, tell Tell) (*codebase.CodeContext, error) {
	return f.find(ctx, ask, tell)
}

func (f *fake) Judge(ctx context.Context, req *pipeline.Request, dir string, tell Tell) (*proof.Result, error) {
	return f.judge(ctx, req, dir, tell)
}

func (f *fake) Run(ctx context.Context, c sandbox.Command, l sandbox.Limits) (sandbox.Execution, error) {
	return f.script(ctx, c, l)
}

func (f *fake) Layers(context.Context) ([]sandbox.Layer, error) { return nil, nil }

// good is a fake in which everything goes well at once.
func good() *fake {
	return &fake{
		fetch: func(context.Context, string) (*report.Report, error) {
			return report.Parse([]byte(bugReport), report.Source{Kind: "github", Name: "acme/net#7"}), nil
		},
		open: func(_ context.Context, ask EnvironmentAsk, tell Tell) (*Opened, *environment.Unavailable, error) {
			tell("environment: solving")
			return opened("0123456789abcdef0123", ask.With...), nil, nil
		},
		find: func(context.Context, CodeAsk, Tell) (*codebase.CodeContext, error) {
			hit := codebase.Hit{Chunk: chunk.Chunk{Path: "net/core.py", Name: "total", StartLine: 3, EndLine: 9}}
			return &codebase.CodeContext{Project: "net", Mode: "lexical", Modules: []codebase.Module{
				{Path: "net/core.py", Chunks: []codebase.ChunkText{{Hit: hit, Text: "def total(): ...\n"}}},
			}}, nil
		},
		judge: func(_ context.Context, req *pipeline.Request, dir string, tell Tell) (*proof.Result, error) {
			tell("run: 5 of 5")
			r := &proof.Result{Schema: 1, Headline: oracle.Reproduced, Grade: "B", Hits: 5, Runs: 5, Reasons: []string{"5 of 5"}}
			return r, keepRun(dir, req, r)
		},
		script: func(context.Context, sandbox.Command, sandbox.Limits) (sandbox.Execution, error) {
			return sandbox.Execution{Outcome: sandbox.Exited, Stdout: "hello\n", Record: probe.Record{Started: true}}, nil
		},
	}
}

func opened(hash string, with ...string) *Opened {
	return &Opened{
		Env: &environment.Environment{Lock: environment.Lock{
			Hash: hash + strings.Join(with, ""), Python: "3.11.7", Packages: []environment.Package{{Name: "net", Version: "1.2"}},
		}},
		Spec: environment.Spec{Subject: "net"}, Certificate: environment.Certificate{OK: true},
	}
}

// keepRun writes what the pipeline would.
func keepRun(dir string, req *pipeline.Request, r *proof.Result) error {
	for name, v := range map[string]any{"00-request.json": req, "06-result.json": r} {
		data, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	event := `{"time":"2024-01-01T00:00:00Z","stage":"run","state":"done","text":"5 of 5"}` + "\n"
	return os.WriteFile(filepath.Join(dir, "events.jsonl"), []byte(event), 0o644)
}

const bugReport = `# total() fails with an int axis

tinynet 1.2, Python 3.11

` + "```python\nimport tinynet\n\ntinynet.total([[1, 2]], 0)\n```" + `

It raises:

` + "```\nTraceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n    tinynet.total([[1, 2]], 0)\n  File \"/x/site-packages/tinynet/core.py\", line 5, in total\n    return [a for a in axis]\nTypeError: 'int' object is not iterable\n```\n"

// client is a connected client with what it heard.
type client struct {
	testing.TB
	*sdk.ClientSession
	root, out string
	served    chan error
	stop      context.CancelFunc

	mu    sync.Mutex
	heard []string
}

// connect starts a server of f and connects to it.
func connect(t testing.TB, f *fake, change ...func(*Options)) *client {
	t.Helper()
	c := &client{TB: t, root: t.TempDir(), served: make(chan error, 1)}
	c.out = filepath.Join(t.TempDir(), "runs")
	o := Options{
		Tracker: f, Environments: f, Searcher: f, Judge: f, Sandbox: f, Root: c.root, Out: c.out, Version: "test",
		Request: pipeline.Request{Runs: 5, Good: "1.3", Limits: sandbox.Limits{Wall: time.Minute}},
	}
	for _, ch := range change {
		ch(&o)
	}
	server, mine := sdk.NewInMemoryTransports()
	ctx, stop := context.WithCancel(t.Context())
	c.stop = stop
	go func() { c.served <- Serve(ctx, server, o) }()
	listen := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.heard = append(c.heard, r.Params.Message)
		},
	})
	var err error
	if c.ClientSession, err = listen.Connect(t.Context(), mine, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Close()
		stop()
		select {
		case err := <-c.served:
			if err != nil {
				t.Errorf("the server ended with %v", err)
			}
			c.served <- nil
		case <-time.After(time.Minute):
			t.Error("the server did not end")
		}
	})
	return c
}

// said are the progress notifications so far.
func (c *client) said() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.heard, "\n")
}

// raw calls a tool.
func (c *client) raw(ctx context.Context, tool string, in any) (*sdk.CallToolResult, error) {
	p := &sdk.CallToolParams{Name: tool, Arguments: in}
	p.SetProgressToken("token")
	return c.CallTool(ctx, p)
}

type fields map[string]any

// call calls a tool that must answer.
func call[Out any](c *client, tool string, in any) Out {
	c.Helper()
	var out Out
	r, err := c.raw(c.Context(), tool, in)
	if err != nil {
		c.Fatalf("%s: %v", tool, err)
	}
	if r.IsError {
		c.Fatalf("%s: %s", tool, text(r))
	}
	data, err := json.Marshal(r.StructuredContent)
	if err != nil {
		c.Fatal(err)
	}
	if len(data) > maxAnswer {
		c.Errorf("%s: an answer of %d bytes", tool, len(data))
	}
	checkInert(c, text(r))
	if err := json.Unmarshal(data, &out); err != nil {
		c.Fatal(err)
	}
	return out
}

// refused calls a tool that must refuse with words about it.
func (c *client) refused(tool string, in any, words ...string) string {
	c.Helper()
	r, err := c.raw(c.Context(), tool, in)
	if err != nil {
		c.Fatalf("%s: %v", tool, err)
	}
	said := text(r)
	if !r.IsError {
		c.Fatalf("%s %v was not refused: %.300s", tool, in, said)
	}
	checkInert(c, said)
	for _, w := range words {
		if !strings.Contains(said, w) {
			c.Errorf("%s says nothing of %q: %s", tool, w, said)
		}
	}
	return said
}

func text(r *sdk.CallToolResult) string {
	var b strings.Builder
	for _, c := range r.Content {
		if t, ok := c.(*sdk.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// checkInert wants nothing that steers a terminal, escaped or not.
func checkInert(t testing.TB, s string) {
	t.Helper()
	for _, bad := range []string{"\x1b", `\u001b`, "\x00", `\u0000`, "\u202e", `\u202e`, "\x07", `\u0007`, "\u009b"} {
		if strings.Contains(s, bad) {
			t.Errorf("an answer holds %q", bad)
		}
	}
}

// file writes a file below the root.
func (c *client) file(name, content string) {
	c.Helper()
	path := filepath.Join(c.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		c.Fatal(err)
	}
}

// solved is the id of an environment.
func (c *client) solved() string {
	c.Helper()
	out := call[SolveOut](c, "solve_environment", fields{"text": bugReport})
	if out.State != StateDone || out.Environment == nil || out.Environment.EnvironmentID == "" {
		c.Fatalf("no environment: %+v", out)
	}
	return out.Environment.EnvironmentID
}
