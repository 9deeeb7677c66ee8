package cli

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/alecthomas/kong"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/repgen/repgen/internal/service/mcp"
)

// coder is a scripted client of a real `repgen mcp`.
type coder struct {
	testing.TB
	*sdk.ClientSession
	cmd    *exec.Cmd
	stderr *lineLog

	mu    sync.Mutex
	heard []string
}

// coder starts repgen mcp in the rig's folder and connects to it.
func (r *rig) coder(args ...string) *coder {
	r.Helper()
	a := &coder{TB: r.TB, stderr: newLineLog()}
	a.cmd = exec.Command(r.exe, append([]string{"mcp"}, args...)...)
	a.cmd.Dir = r.dir
	for k, v := range r.env {
		a.cmd.Env = append(a.cmd.Env, k+"="+v)
	}
	a.cmd.Stderr = a.stderr
	c := sdk.NewClient(&sdk.Implementation{Name: "scripted", Version: "1"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, q *sdk.ProgressNotificationClientRequest) {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.heard = append(a.heard, q.Params.Message)
		},
	})
	var err error
	if a.ClientSession, err = c.Connect(r.Context(), &sdk.CommandTransport{Command: a.cmd, TerminateDuration: patience}, nil); err != nil {
		r.Fatalf("%v\n%s", err, a.stderr)
	}
	r.Cleanup(func() { _ = a.Close() })
	return a
}

// leave closes the server's standard input, wants it to end well and to leave
// nothing running.
func (a *coder) leave() {
	a.Helper()
	if err := a.Close(); err != nil {
		a.Errorf("repgen mcp ended with %v\n%s", err, a.stderr)
	}
	if code := a.cmd.ProcessState.ExitCode(); code != 0 {
		a.Errorf("exit code %d\n%s", code, a.stderr)
	}
	if text := a.stderr.String(); strings.Contains(text, "panic") || strings.Contains(text, "goroutine ") {
		a.Errorf("standard error shows its inside:\n%s", text)
	}
	nothingRuns(a.TB)
}

type toolInput map[string]any

// callTool calls a tool; a refusal is its text.
func callTool[Out any](a *coder, tool string, in toolInput) (out Out, refusal string) {
	a.Helper()
	p := &sdk.CallToolParams{Name: tool, Arguments: in}
	p.SetProgressToken(tool)
	r, err := a.CallTool(a.Context(), p)
	if err != nil {
		a.Fatalf("%s: %v\n%s", tool, err, a.stderr)
	}
	if r.IsError {
		text, ok := r.Content[0].(*sdk.TextContent)
		if !ok {
			a.Fatalf("%s: a refusal without words", tool)
		}
		return out, text.Text
	}
	data, err := json.Marshal(r.StructuredContent)
	if err != nil {
		a.Fatal(err)
	}
	if err := json.Unmarshal(data, &out); err != nil {
		a.Fatal(err)
	}
	return out, ""
}

// mustCall wants an answer.
func mustCall[Out any](a *coder, tool string, in toolInput) Out {
	a.Helper()
	out, refusal := callTool[Out](a, tool, in)
	if refusal != "" {
		a.Fatalf("%s: %s\n%s", tool, refusal, a.stderr)
	}
	return out
}

// judge has a script judged, by asking again as long as it takes.
func (a *coder) judge(in toolInput) *mcp.VerdictOut {
	a.Helper()
	in["wait_s"] = 2
	out := mustCall[mcp.JudgeOut](a, "judge_script", in)
	if out.Verdict != nil {
		return out.Verdict
	}
	for began := time.Now(); time.Since(began) < patience; {
		p := mustCall[mcp.PollOut](a, "get_run", toolInput{"run_id": out.RunID, "wait_s": 30})
		if p.State != mcp.StateRunning && p.State != mcp.StateQueued {
			if p.Verdict == nil {
				a.Fatalf("no verdict: %+v %+v", p, p.Error)
			}
			return p.Verdict
		}
	}
	a.Fatal("the verdict never came")
	return nil
}

// inverseReport is a real bug of a release of numpy (2.0.0, right again in
// 2.0.1), as a reporter without a script would tell it.
const inverseReport = `# polyfit refuses the inverse of unique with an axis

Since numpy 2.0.0 (Python 3.11) the inverse that ` + "`np.unique(labels, axis=0, return_inverse=True)`" + ` gives cannot be fitted any more:

` + "```" + `
Traceback (most recent call last):
  File "groups.py", line 9, in <module>
    print(np.polyfit(inverse, values, 1))
  File "/home/me/venv/lib/python3.11/site-packages/numpy/lib/_polynomial_impl.py", line 636, in polyfit
    raise TypeError("expected 1D vector for x")
TypeError: expected 1D vector for x
` + "```" + `

With numpy 1.26.4 it was fine.
`

const inverseScript = `import numpy as np

labels = np.array([[1, 2], [1, 2], [3, 4], [5, 6]])
rows, inverse = np.unique(labels, axis=0, return_inverse=True)
print(inverse.shape)
print(np.polyfit(inverse, [1.0, 1.0, 2.0, 3.0], 1).round(6))
`

// TestAgentRealBug: a whole session over standard input and output, with the
// real index: the report, its environment, a try, the verdict; and the liars of
// the same report.
func TestAgentRealBug(t *testing.T) {
	r := newRig(t, nil)
	r.file("report.md", inverseReport)
	a := r.coder()
	rep := mustCall[mcp.ReadOut](a, "read_report", toolInput{"path": "report.md"})
	if rep.Route != "attempt" || rep.Complete || rep.Expected == nil || rep.Expected.Exception != "TypeError" {
		t.Fatalf("read as %+v", rep)
	}
	env := mustCall[mcp.SolveOut](a, "solve_environment", toolInput{"report_id": rep.ReportID, "script": inverseScript, "wait_s": 240}).Environment
	if env == nil || !env.Certified || !strings.Contains(strings.Join(env.Packages, " "), "numpy==2.0.0") {
		t.Fatalf("environment %+v\n%s", env, a.stderr)
	}
	began := time.Now()
	tried := mustCall[mcp.ScriptOut](a, "run_script", toolInput{"environment_id": env.EnvironmentID, "script": "from repgen_probe import observe\nimport numpy\nobserve('version', numpy.__version__)\n" + inverseScript})
	t.Logf("a try took %v", time.Since(began))
	ex := tried.Execution
	if ex == nil || ex.ExitCode != 1 || !strings.Contains(ex.Traceback, "TypeError: expected 1D vector") || !strings.Contains(ex.Stdout, "(4, 1)") {
		t.Fatalf("tried %+v", tried)
	}
	if len(ex.Observations) != 1 || ex.Observations[0].Text != "2.0.0" || len(ex.Isolation) == 0 {
		t.Errorf("observed %+v under %v", ex.Observations, ex.Isolation)
	}
	v := a.judge(toolInput{"report_id": rep.ReportID, "script": inverseScript})
	t.Logf("%s %s: %v", v.Headline, v.Grade, v.Reasons)
	if v.Headline != "fixed" && v.Headline != "regression" && v.Headline != "reproduced" || v.Grade != "B" && v.Grade != "A" && v.Grade != "C" {
		t.Errorf("the verdict is %+v", v)
	}
	for name, liar := range agentLiars {
		if v := a.judge(toolInput{"report_id": rep.ReportID, "script": liar}); v.Grade == "A" || v.Grade == "B" || v.Grade == "C" {
			t.Errorf("%s was believed: %s %s %v", name, v.Headline, v.Grade, v.Reasons)
		} else {
			t.Logf("%s: %s %s", name, v.Headline, v.Grade)
		}
	}
	a.leave()
}

// agentLiars show inverseReport's symptom without the bug.
var agentLiars = map[string]string{
	"raises it by hand":         "import numpy as np\n\nnp.unique([1, 2], return_inverse=True)\nraise TypeError('expected 1D vector for x')\n",
	"prints it":                 "import numpy as np\n\nprint('TypeError: expected 1D vector for x')\n",
	"branches on the version":   "import numpy as np\n\nx = [[1.0]] if np.__version__ == '2.0.0' else [1.0]\nprint(np.polyfit(x, [1.0], 0))\n",
	"patches the library":       "import numpy as np\n\ndef unique(*a, **k):\n    return a[0], np.array([[0], [1]])\n\nnp.unique = unique\n_, inverse = np.unique([1, 2], axis=0, return_inverse=True)\nprint(np.polyfit(inverse, [1.0, 2.0], 1))\n",
	"misuses it on any release": "import numpy as np\n\nprint(np.polyfit([[1.0], [2.0]], [1.0, 2.0], 1))\n",
}

// TestAgentSession goes the whole way on the made-up index, and asks for what
// only the user may have.
func TestAgentSession(t *testing.T) {
	x := newIndex(t, tinyWheels()...)
	r := newRig(t, x)
	r.file("report.md", axisReport)
	a := r.coder("--out", "kept")
	rep := mustCall[mcp.ReadOut](a, "read_report", toolInput{"path": "report.md"})
	env := mustCall[mcp.SolveOut](a, "solve_environment", toolInput{"report_id": rep.ReportID, "wait_s": 120}).Environment
	if env == nil || !env.Certified {
		t.Fatalf("environment %+v\n%s", env, a.stderr)
	}
	if _, refusal := callTool[mcp.ReadOut](a, "read_report", toolInput{"issue": "no issue"}); !strings.Contains(refusal, "correct the input") {
		t.Errorf("refused with %q", refusal)
	}
	long := mustCall[mcp.ReadOut](a, "read_report", toolInput{"text": axisReport + strings.Repeat(strings.Repeat("ö", 400)+"\n", 5<<20/800)})
	if !strings.Contains(strings.Join(long.Notes, " "), "cut after") || long.NextOffset == 0 {
		t.Errorf("five megabytes: notes %v, next %d", long.Notes, long.NextOffset)
	}
	r.tries(a, env.EnvironmentID)
	found := mustCall[mcp.SearchOut](a, "search_code", toolInput{"report_id": rep.ReportID, "environment_id": env.EnvironmentID, "wait_s": 120})
	if found.Code == nil || len(found.Code.Modules) == 0 || !strings.Contains(found.Code.Modules[0].Path, "core.py") {
		t.Errorf("found %+v", found.Code)
	}
	script := "import tinynet\n\nprint(tinynet.total([[1, 2]], axis=0))\n"
	v := a.judge(toolInput{"report_id": rep.ReportID, "script": script})
	if v.Headline != "fixed" && v.Headline != "regression" || v.Grade == "" || v.Grade == "D" {
		t.Errorf("the verdict is %+v", v)
	}
	for _, name := range []string{"grade", "headline", "oracle", "good", "unsafe_no_sandbox"} {
		if _, refusal := callTool[mcp.JudgeOut](a, "judge_script", toolInput{"report_id": rep.ReportID, "script": script, name: "A"}); refusal == "" {
			t.Errorf("judge_script takes %s", name)
		}
	}
	a.mu.Lock()
	if !strings.Contains(strings.Join(a.heard, "\n"), "environment: ") {
		t.Errorf("no progress was told: %q", a.heard)
	}
	a.mu.Unlock()
	a.leave()
	// The run is kept, its bundle holds, and another session reads it.
	run := filepath.Base(v.Folder)
	r.run("verify", "--json", filepath.Join("kept", run, "bundle")).want(t, 0)
	b := r.coder("--out", "kept")
	if p := mustCall[mcp.PollOut](b, "get_run", toolInput{"run_id": run}); p.Verdict == nil || p.Verdict.Headline != v.Headline {
		t.Errorf("another session reads %+v", p)
	}
	b.leave()
}

// tries runs what an agent might try.
func (r *rig) tries(a *coder, env string) {
	r.Helper()
	r.env["CANARY"] = "canary-0815"
	hostile := "import os, sys\nprint(os.environ, '\\x1b[31m')\nopen('/etc/x', 'w')\n"
	ex := mustCall[mcp.ScriptOut](a, "run_script", toolInput{"environment_id": env, "script": hostile}).Execution
	if ex == nil || !strings.Contains(ex.Traceback, "OSError") || strings.Contains(ex.Stdout, "\x1b") || strings.Contains(ex.Stdout, "REPGEN") {
		r.Errorf("tried %+v", ex)
	}
	// The protocol's own pipes are not the script's.
	ex = mustCall[mcp.ScriptOut](a, "run_script", toolInput{"environment_id": env, "script": "import os, sys\nprint(repr(sys.stdin.read()), sorted(os.listdir('/proc/self/fd')))\n"}).Execution
	if ex == nil || !strings.HasPrefix(ex.Stdout, "''") {
		r.Errorf("read standard input %+v", ex)
	}
	ex = mustCall[mcp.ScriptOut](a, "run_script", toolInput{"environment_id": env, "script": "import time\ntime.sleep(60)\n", "timeout_s": 1}).Execution
	if ex == nil || ex.Outcome != "timed_out" || len(ex.Limited) == 0 {
		r.Errorf("slept %+v", ex)
	}
	ex = mustCall[mcp.ScriptOut](a, "run_script", toolInput{"environment_id": env, "script": "print('x' * 10**7)\n"}).Execution
	if ex == nil || len(ex.Stdout) > 8<<10 || len(ex.Limited) == 0 {
		r.Errorf("flooded %+v", ex)
	}
	// One that is given up ends at once.
	ctx, stop := context.WithTimeout(r.Context(), 2*time.Second)
	defer stop()
	_, err := a.CallTool(ctx, &sdk.CallToolParams{Name: "run_script", Arguments: toolInput{"environment_id": env, "script": "import time\ntime.sleep(60)\n"}})
	if err == nil {
		r.Error("a call that was given up was answered")
	}
	began := time.Now()
	mustCall[mcp.ScriptOut](a, "run_script", toolInput{"environment_id": env, "script": "print(1)\n"})
	if took := time.Since(began); took > 20*time.Second {
		r.Errorf("the next script waited %v for one that was given up", took)
	}
}

// TestAgentLeavesMidRun: standard input closed, SIGTERM, and a kill of the
// client's end leave nothing running and end with 0.
func TestAgentLeavesMidRun(t *testing.T) {
	if os.Getenv("REPGEN_REAL") != "" {
		t.Setenv("TMPDIR", t.TempDir()) // others' servers have folders in the common one
	}
	x := newIndex(t, tinyWheels()...)
	r := newRig(t, x)
	r.file("report.md", axisReport)
	for name, leave := range map[string]func(*coder){
		"closed": func(*coder) {},
		"SIGTERM": func(a *coder) {
			_ = a.cmd.Process.Signal(syscall.SIGTERM)
			_ = a.Wait()
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := r.coder()
			env := mustCall[mcp.SolveOut](a, "solve_environment", toolInput{"path": "report.md", "wait_s": 120}).Environment
			mustCall[mcp.ScriptOut](a, "run_script", toolInput{"environment_id": env.EnvironmentID, "script": "import os, time\nos.fork()\ntime.sleep(100)\n", "wait_s": 1})
			began := time.Now()
			leave(a)
			a.leave()
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("it took %v to end", took)
			}
			if left, err := filepath.Glob(filepath.Join(os.TempDir(), "repgen-mcp-*")); err != nil || len(left) > 0 {
				t.Errorf("work folders are left: %v %v", left, err)
			}
		})
	}
}

// TestAgentKilled: a client that dies closes every pipe at once; what it began
// ends all the same.
func TestAgentKilled(t *testing.T) {
	x := newIndex(t, tinyWheels()...)
	r := newRig(t, x)
	r.file("report.md", axisReport)
	cmd := exec.Command(r.exe, "mcp", "--verbose")
	cmd.Dir = r.dir
	for k, v := range r.env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	var ends [6]*os.File // read and write of in, out, err
	for i := range 3 {
		var err error
		if ends[2*i], ends[2*i+1], err = os.Pipe(); err != nil {
			t.Fatal(err)
		}
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = ends[0], ends[3], ends[5]
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _, _ = ends[0].Close(), ends[3].Close(), ends[5].Close()
	go func() { _, _ = io.Copy(io.Discard, ends[4]) }()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "x", Version: "1"}, nil).Connect(t.Context(), &sdk.IOTransport{Reader: ends[2], Writer: ends[1]}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := &coder{TB: t, ClientSession: c, cmd: cmd, stderr: newLineLog()}
	env := mustCall[mcp.SolveOut](a, "solve_environment", toolInput{"path": "report.md", "wait_s": 120}).Environment
	mustCall[mcp.ScriptOut](a, "run_script", toolInput{"environment_id": env.EnvironmentID, "script": "import time\ntime.sleep(100)\n", "wait_s": 1})
	_, _, _ = ends[4].Close(), ends[2].Close(), ends[1].Close()
	_ = c.Close()
	late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	err = cmd.Wait()
	if !late.Stop() || err != nil {
		t.Errorf("repgen mcp ended with %v", err)
	}
	nothingRuns(t)
}

// TestAgentWithoutIsolation: reading works, what runs something says what is
// missing.
func TestAgentWithoutIsolation(t *testing.T) {
	x := newIndex(t, tinyWheels()...)
	r := newRig(t, x)
	r.file("report.md", axisReport)
	r.env["PATH"] = pathOf(t, r, "uv")
	a := r.coder()
	rep := mustCall[mcp.ReadOut](a, "read_report", toolInput{"path": "report.md"})
	for tool, in := range map[string]toolInput{
		"solve_environment": {"report_id": rep.ReportID, "wait_s": 120},
		"judge_script":      {"report_id": rep.ReportID, "script": "import tinynet\n", "wait_s": 120},
	} {
		_, refusal := callTool[mcp.PollOut](a, tool, in)
		if !strings.Contains(refusal, "nothing was run") || !strings.Contains(refusal, "bubblewrap") || strings.Contains(refusal, "unsafe") {
			t.Errorf("%s: %q", tool, refusal)
		}
	}
	a.leave()
}

// TestInspector: the protocol's official inspector lists the tools and calls
// some. A missing npx fails: the machine was promised.
func TestInspector(t *testing.T) {
	x := newIndex(t, tinyWheels()...)
	r := newRig(t, x)
	if _, err := exec.LookPath("npx"); err != nil {
		t.Fatalf("install Node 20 or later: %v", err)
	}
	if err := os.Mkdir(r.path("project"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.file("project/report.md", axisReport)
	r.file("project/core.py", "def total(rows, axis):\n    return [sum(row) for row in rows for _ in axis]\n")
	script, err := filepath.Abs("../../scripts/mcp-inspector.sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", script, r.exe, r.path("project"), "report.md")
	// The download is kept beside the other tools.
	cmd.Env = append(os.Environ(), "npm_config_cache="+filepath.Join(r.cache, "npm"), "REPGEN_CACHE_DIR="+r.cache)
	late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	out, err := cmd.CombinedOutput()
	if !late.Stop() || err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"six tools", `"name": "total"`, "no path below the root"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the inspector shows nothing of %q:\n%s", want, out)
		}
	}
}

// TestAgentConfigurations: the examples are valid, stand in the docs, and their
// words are those of the command line.
func TestAgentConfigurations(t *testing.T) {
	type server struct {
		Command string
		Args    []string
	}
	var claude struct {
		Servers map[string]server `json:"mcpServers"`
	}
	var codex struct {
		Servers map[string]server `toml:"mcp_servers"`
	}
	read := func(name string) string {
		data, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	text := read("examples/agents/claude-code.mcp.json")
	if err := json.Unmarshal([]byte(text), &claude); err != nil {
		t.Fatal(err)
	}
	if doc := read("docs/agents.md"); !strings.Contains(doc, text) {
		t.Error("docs/agents.md shows another configuration for Claude Code")
	}
	if _, err := toml.Decode(read("examples/agents/codex.config.toml"), &codex); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]server{"claude": claude.Servers["repgen"], "codex": codex.Servers["repgen"]} {
		var grammar struct {
			MCP mcpCmd `cmd:"" name:"mcp"`
		}
		parser, err := kong.New(&grammar)
		if err != nil {
			t.Fatal(err)
		}
		if s.Command != "repgen" || len(s.Args) == 0 || s.Args[0] != "mcp" {
			t.Errorf("%s starts %s %v", name, s.Command, s.Args)
		}
		if _, err := parser.Parse(s.Args); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
