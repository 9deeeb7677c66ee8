package mcp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/codebase"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/symptom"
)

func TestToolsListed(t *testing.T) {
	c := connect(t, good())
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if tool.OutputSchema == nil || tool.InputSchema == nil || tool.Description == "" {
			t.Errorf("%s lacks a schema or a description", tool.Name)
		}
		in := fmt.Sprint(tool.InputSchema)
		for _, word := range []string{"grade", "oracle", "expectation", "headline", "good", "fixed", "unsafe"} {
			if strings.Contains(strings.ToLower(in), word+":") {
				t.Errorf("an input of %s is named %s", tool.Name, word)
			}
		}
	}
	slices.Sort(names)
	want := []string{"get_run", "judge_script", "read_report", "run_script", "search_code", "solve_environment"}
	if !slices.Equal(names, want) {
		t.Errorf("tools %v, want %v", names, want)
	}
}

// TestDocumented: docs/agents.md names each tool and each of its inputs.
func TestDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, good())
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		names := []string{tool.Name}
		schema, ok := tool.InputSchema.(map[string]any)
		if !ok {
			t.Fatalf("%s has the schema %T", tool.Name, tool.InputSchema)
		}
		properties, ok := schema["properties"].(map[string]any)
		if !ok {
			t.Fatalf("%s has no inputs", tool.Name)
		}
		for name := range properties {
			names = append(names, name)
		}
		for _, name := range names {
			if !strings.Contains(string(doc), "`"+name+"`") {
				t.Errorf("docs/agents.md does not name %s of %s", name, tool.Name)
			}
		}
	}
}

// TestOnlyJudgeHasVerdicts: no other tool's answer has a field for one.
func TestOnlyJudgeHasVerdicts(t *testing.T) {
	c := connect(t, good())
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		has := strings.Contains(fmt.Sprint(tool.OutputSchema), "grade:")
		if want := tool.Name == "judge_script" || tool.Name == "get_run"; has != want {
			t.Errorf("%s: a grade in its answer: %v", tool.Name, has)
		}
	}
}

func TestReadReport(t *testing.T) {
	c := connect(t, good())
	c.file("bugs/one.md", bugReport)
	for name, in := range map[string]fields{
		"text given by the client": {"text": bugReport},
		"file bugs/one.md":         {"path": "bugs/one.md"},
		"issue acme/net#7":         {"issue": "acme/net#7"},
	} {
		out := call[ReadOut](c, "read_report", in)
		if out.Origin != name || out.Route != "attempt" || !out.Complete || len(out.Failures) != 1 || len(out.Versions) == 0 {
			t.Errorf("%s: %+v", name, out)
		}
		if out.Expected == nil || out.Expected.Exception != "TypeError" || !strings.Contains(out.Notice, "untrusted") {
			t.Errorf("%s: expected %+v, notice %q", name, out.Expected, out.Notice)
		}
		again := call[ReadOut](c, "read_report", fields{"report_id": out.ReportID})
		if again.Text != out.Text || again.Origin != name {
			t.Errorf("%s: read again as %+v", name, again)
		}
	}
}

func TestReadReportRefuses(t *testing.T) {
	c := connect(t, good())
	outside := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(outside, []byte(bugReport), 0o644); err != nil {
		t.Fatal(err)
	}
	c.file(".env", "KEY=1")
	c.file("sub/.git/config", "x")
	c.file("blank.md", "  \n")
	c.file("binary.md", "\x00\x01\x02")
	for link, target := range map[string]string{"link.md": outside, "up": "..", "loop.md": "loop.md"} {
		if err := os.Symlink(target, filepath.Join(c.root, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(c.root, "pipe.md"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		"../secret.md", "/etc/passwd", outside, "a/../../x", "link.md", "up/" + filepath.Base(c.root) + "/blank.md", "loop.md", "pipe.md", ".env", "sub/.git/config",
		"none.md", ".", "blank.md", "binary.md", "a\x00b", strings.Repeat("a/", 3000), "\x1b[31mred", "..", "sub/..\\..\\x",
	} {
		said := c.refused("read_report", fields{"path": path})
		if strings.Contains(said, c.root) || strings.Contains(said, filepath.Dir(outside)) && path != outside {
			t.Errorf("%q: a path of the host is told: %s", path, said)
		}
	}
	c.refused("read_report", fields{}, "which report", "next:")
	c.refused("read_report", fields{"text": bugReport, "path": "x.md"}, "more than once")
	c.refused("read_report", fields{"report_id": "report-1"}, "no report of this session")
	c.refused("read_report", fields{"text": bugReport, "offset": -1}, "offset")
	c.refused("read_report", fields{"text": bugReport, "offset": 1 << 30}, "offset")
	c.refused("read_report", fields{"text": " \n "}, "which report")
	c.refused("read_report", fields{"text": "a\x00b\x00"}, "binary")
	c.refused("read_report", fields{"text": 3})
	c.refused("read_report", fields{"text": bugReport, "grade": "A"}, "grade")
}

// TestReadLongReport: the text is read in windows that lose nothing. (Five
// megabytes are sent to the real server, which is not slowed by the race
// detector.)
func TestReadLongReport(t *testing.T) {
	c := connect(t, good())
	long := bugReport + "\x1b[31mred\x1b[0m \u202e\n" + strings.Repeat(strings.Repeat("ö", 400)+"\n", 50)
	out := call[ReadOut](c, "read_report", fields{"text": long})
	got, next := out.Text, out.NextOffset
	if next == 0 {
		t.Fatal("the whole text in one window")
	}
	for windows := 1; next != 0; windows++ {
		more := call[ReadOut](c, "read_report", fields{"report_id": out.ReportID, "offset": next})
		if more.NextOffset != 0 && more.NextOffset <= next || more.Text == "" || windows > 20 {
			t.Fatalf("window %d begins at %d, the next at %d", windows, next, more.NextOffset)
		}
		got, next = got+more.Text, more.NextOffset
	}
	if want := strings.NewReplacer("\x1b[31m", "", "\x1b[0m", "", "\u202e", "").Replace(long); got != want {
		t.Errorf("%d bytes of %d came through", len(got), len(want))
	}
}

func TestPinnedReport(t *testing.T) {
	pinned := report.Parse([]byte(bugReport), report.Source{Kind: "file", Name: "bug.md"})
	c := connect(t, good(), func(o *Options) { o.Report = pinned })
	out := call[ReadOut](c, "read_report", fields{})
	if out.Origin != "named by the user" {
		t.Errorf("origin %q", out.Origin)
	}
	call[ReadOut](c, "read_report", fields{"report_id": out.ReportID})
	for _, in := range []fields{{"text": "# another"}, {"path": "x.md"}, {"issue": "a/b#1"}, {"report_id": "report-2"}} {
		c.refused("read_report", in, "one report")
	}
	c.refused("judge_script", fields{"text": "# mine", "script": "import net"}, "one report")
	if v := call[JudgeOut](c, "judge_script", fields{"script": "import net"}).Verdict; v == nil || strings.Contains(v.Notice, "not checked") {
		t.Errorf("verdict %+v", v)
	}
}

func TestSolveEnvironment(t *testing.T) {
	f := good()
	var asked EnvironmentAsk
	inner := f.open
	f.open = func(ctx context.Context, ask EnvironmentAsk, tell Tell) (*Opened, *environment.Unavailable, error) {
		asked = ask
		return inner(ctx, ask, tell)
	}
	c := connect(t, f)
	in := fields{"text": bugReport, "python": "3.11", "date": "2024-05-01", "with": []string{"scipy<1.12", "jax[cpu] ==0.4.1, !=0.4.3"}, "script": "import net"}
	out := call[SolveOut](c, "solve_environment", in)
	if e := out.Environment; e == nil || !e.Certified || !slices.Equal(e.Packages, []string{"net==1.2"}) || e.Subject != "net" {
		t.Errorf("environment %+v", out)
	}
	if asked.Python != "3.11" || asked.Date != "2024-05-01" || len(asked.With) != 2 || asked.Script != "import net" {
		t.Errorf("asked %+v", asked)
	}
	if one, two := c.solved(), c.solved(); one != two {
		t.Errorf("equal locks have the ids %s and %s", one, two)
	}
	for word, in := range map[string]fields{
		"python":         {"text": bugReport, "python": "3; rm -rf /"},
		"date":           {"text": bugReport, "date": "yesterday"},
		"requirement":    {"text": bugReport, "with": []string{"--index-url=http://x"}},
		"no requirement": {"text": bugReport, "with": []string{"net @ http://x/y.whl"}},
		"at most":        {"text": bugReport, "with": strings.Fields(strings.Repeat("a ", 51))},
		"empty":          {"text": bugReport, "script": " "},
	} {
		c.refused("solve_environment", in, word, "next:")
	}
	for _, with := range []string{"-r x.txt", "./local", "net==1\nscipy", "a;b", "git+https://x", "a=b", ""} {
		c.refused("solve_environment", fields{"text": bugReport, "with": []string{with}}, "no requirement")
	}
}

func TestEnvironmentUnavailable(t *testing.T) {
	f := good()
	f.open = func(context.Context, EnvironmentAsk, Tell) (*Opened, *environment.Unavailable, error) {
		return nil, &environment.Unavailable{Why: "no wheel \x1b[2J", Next: "try --python"}, nil
	}
	c := connect(t, f)
	out := call[SolveOut](c, "solve_environment", fields{"text": bugReport})
	if e := out.Environment; e == nil || e.Unavailable == nil || e.EnvironmentID != "" || out.State != StateDone {
		t.Errorf("%+v", out)
	}
}

// TestFailClosed: no isolation, no run, and the words for the user.
func TestFailClosed(t *testing.T) {
	f := good()
	missing := &sandbox.LayerError{Layer: "network", Why: "user namespaces are off", Fix: "turn them on"}
	c := connect(t, f, func(o *Options) {
		o.Explain = func(err error) Problem {
			var l *sandbox.LayerError
			if !errors.As(err, &l) {
				return Problem{What: "lost: " + err.Error()}
			}
			return Problem{What: "nothing was run: " + l.Layer, Why: l.Why, Next: l.Fix}
		}
	})
	env := c.solved()
	f.open = func(context.Context, EnvironmentAsk, Tell) (*Opened, *environment.Unavailable, error) {
		return nil, nil, fmt.Errorf("prepare: %w", missing)
	}
	f.script = func(context.Context, sandbox.Command, sandbox.Limits) (sandbox.Execution, error) {
		return sandbox.Execution{}, missing
	}
	f.judge = func(context.Context, *pipeline.Request, string, Tell) (*proof.Result, error) { return nil, missing }
	for tool, in := range map[string]fields{
		"solve_environment": {"text": bugReport},
		"run_script":        {"environment_id": env, "script": "print(1)"},
		"judge_script":      {"text": bugReport, "script": "print(1)"},
	} {
		c.refused(tool, in, "nothing was run: network", "why: user namespaces are off", "next: turn them on")
	}
	if left, err := os.ReadDir(c.out); err != nil || len(left) != 0 {
		t.Errorf("folders of runs that never began: %v %v", left, err)
	}
}

func TestRunScript(t *testing.T) {
	f := good()
	var got sandbox.Command
	var limits sandbox.Limits
	var script string
	f.script = func(_ context.Context, cmd sandbox.Command, l sandbox.Limits) (sandbox.Execution, error) {
		got, limits = cmd, l
		data, err := os.ReadFile(filepath.Join(cmd.Work, sandbox.ScriptNm))
		script = string(data)
		return hostileExecution(), err
	}
	c := connect(t, f)
	env := c.solved()
	out := call[ScriptOut](c, "run_script", fields{"environment_id": env, "script": "print(1)\n", "timeout_s": 2.5, "control": true})
	ex := out.Execution
	if ex == nil || ex.Verdict != "none" || !strings.Contains(ex.Notice, "no verdict") {
		t.Fatalf("%+v", out)
	}
	if script != "print(1)\n" || limits.Wall != 2500*time.Millisecond || got.Probe == nil || !got.Probe.Control || got.Argv[0] != "/env/bin/python" {
		t.Errorf("ran %q, %v, %+v", script, limits.Wall, got)
	}
	if _, err := os.Stat(got.Work); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the work folder is left: %v", err)
	}
	if len(ex.Observations) < 5 || len(ex.Observations[0].Values) != maxValues+1 {
		t.Errorf("%d observations, the first with %d values", len(ex.Observations), len(ex.Observations[0].Values))
	}
	limited := strings.Join(ex.Limited, "; ")
	for _, want := range []string{"wall 2s", "memory limit", "stdout", "more observations", "observer's channel"} {
		if !strings.Contains(limited, want) {
			t.Errorf("limited says nothing of %q: %s", want, limited)
		}
	}
	if !strings.Contains(ex.Traceback, "ValueError") || !strings.Contains(ex.Traceback, "caused by KeyError") || !strings.Contains(ex.Traceback, "… 188 frames") {
		t.Errorf("traceback:\n%s", ex.Traceback)
	}
	if !slices.Equal(ex.Attempts, []string{"connect 10.0.0.1:80"}) {
		t.Errorf("attempts %v", ex.Attempts)
	}
	call[ScriptOut](c, "run_script", fields{"environment_id": env, "script": "print(1)", "timeout_s": 1e9})
	if limits.Wall != time.Minute {
		t.Errorf("a client took %v", limits.Wall)
	}
}

// hostileExecution floods every field.
func hostileExecution() sandbox.Execution {
	flood := strings.Repeat("A\x1b[31m\x00\u202eB ", 200_000)
	frames := make([]probe.Frame, 200)
	for i := range frames {
		frames[i] = probe.Frame{File: "/env/lib/python3.11/site-packages/net/core.py", Line: i, Function: flood[:100], Source: flood[:2000]}
	}
	ex := sandbox.Execution{
		Outcome: sandbox.TimedOut, LimitHit: "wall 2s", OOMKills: 2, Stdout: flood, Stderr: flood, StdoutTruncated: true,
		Record: probe.Record{Started: true, Forged: true, Exceptions: []probe.Exception{{
			Type: "ValueError", Message: flood, Frames: frames, Notes: []string{flood, flood, flood, flood, flood},
			Chain: []probe.Exception{{Type: "KeyError", Message: flood, Link: "cause", Frames: frames}, {Link: "context"}, {Link: "member"}, {}, {}},
		}}, Attempts: []probe.Attempt{{Kind: "connect", Detail: "10.0.0.1:80", Script: true}, {Kind: "subprocess", Detail: "ldconfig"}}},
	}
	for range 100 {
		values := slices.Repeat([]string{flood[:1000]}, 64)
		ex.Record.Observations = append(ex.Record.Observations, probe.Observation{Name: flood, Kind: "array", Type: flood, Text: flood, Values: values, Shape: make([]int, 32)})
		ex.Record.Warnings = append(ex.Record.Warnings, probe.Warning{Category: flood, Message: flood, File: flood})
	}
	return ex
}

func TestRunScriptRefuses(t *testing.T) {
	c := connect(t, good())
	env := c.solved()
	c.refused("run_script", fields{"environment_id": "env-none", "script": "print(1)"}, "no environment", "solve_environment")
	c.refused("run_script", fields{"environment_id": env, "script": " \n"}, "empty")
	c.refused("run_script", fields{"environment_id": env, "script": "a\x00b"}, "NUL")
	c.refused("run_script", fields{"environment_id": env, "script": strings.Repeat("#", maxScript+1)}, "bytes")
	c.refused("run_script", fields{"environment_id": env, "script": "print(1)", "timeout_s": -1}, "timeout_s")
	c.refused("run_script", fields{"environment_id": env, "script": "print(1)", "env": fields{"LD_PRELOAD": "x"}}, "env")
	c.refused("run_script", fields{"script": "print(1)"}, "environment_id")
}

func TestSearchCode(t *testing.T) {
	f := good()
	var asked CodeAsk
	inner := f.find
	f.find = func(ctx context.Context, ask CodeAsk, tell Tell) (*codebase.CodeContext, error) {
		asked = ask
		return inner(ctx, ask, tell)
	}
	c := connect(t, f)
	c.file("net/core.py", "x = 1\n")
	env := c.solved()
	out := call[SearchOut](c, "search_code", fields{"query": "total axis", "dir": "net"})
	if out.Code == nil || len(out.Code.Modules) != 1 || out.Code.Modules[0].Pieces[0].Name != "total" || filepath.Base(asked.Dir) != "net" {
		t.Errorf("%+v of %+v", out, asked)
	}
	call[SearchOut](c, "search_code", fields{"text": bugReport})
	if asked.Env != nil || asked.Query.Empty() || filepath.Base(asked.Dir) != filepath.Base(c.root) {
		t.Errorf("asked %+v", asked)
	}
	call[SearchOut](c, "search_code", fields{"text": bugReport, "environment_id": env})
	if asked.Env == nil || asked.Package != "net" || asked.Dir != "" {
		t.Errorf("asked %+v", asked)
	}
	if err := os.Symlink("/etc", filepath.Join(c.root, "etc")); err != nil {
		t.Fatal(err)
	}
	for word, in := range map[string]fields{
		"exclude each other": {"query": "x", "text": bugReport},
		"dir and env":        {"query": "x", "dir": ".", "environment_id": env},
		"no path below":      {"query": "x", "dir": "../.."},
		"cannot be read":     {"query": "x", "dir": "etc"},
		"no folder":          {"query": "x", "dir": "net/core.py"},
		"which report":       {"dir": "."},
		"at most":            {"query": strings.Repeat("x", maxQuery+1)},
		"no package":         {"query": "x", "environment_id": env, "package": "../x"},
		"no environment":     {"query": "x", "environment_id": "env-1"},
	} {
		c.refused("search_code", in, word)
	}
}

func TestSearchIsBounded(t *testing.T) {
	f := good()
	f.find = func(context.Context, CodeAsk, Tell) (*codebase.CodeContext, error) {
		big := strings.Repeat("x = '\x1b[0m'\n", 10_000)
		m := codebase.Module{Path: "a.py", Loop: &codebase.LoopText{Text: big}}
		for range 5 {
			m.Chunks = append(m.Chunks, codebase.ChunkText{Text: big})
			m.Dependencies = append(m.Dependencies, codebase.DepText{Text: big})
		}
		return &codebase.CodeContext{Modules: []codebase.Module{m, m, m, m, m}}, nil
	}
	c := connect(t, f)
	out := call[SearchOut](c, "search_code", fields{"query": "x"})
	if len(out.Code.Modules) != 1 || !out.Code.Modules[0].Pieces[0].Cut || !strings.Contains(strings.Join(out.Code.Notices, ""), "left out") {
		t.Errorf("%d modules, %v", len(out.Code.Modules), out.Code.Notices)
	}
}

func TestJudgeScript(t *testing.T) {
	f := good()
	var got pipeline.Request
	inner := f.judge
	f.judge = func(ctx context.Context, req *pipeline.Request, dir string, tell Tell) (*proof.Result, error) {
		got = *req
		return inner(ctx, req, dir, tell)
	}
	c := connect(t, f)
	out := call[JudgeOut](c, "judge_script", fields{"text": bugReport, "script": "import net\nnet.total([[1]], 0)\n", "trigger": "axis=0"})
	v := out.Verdict
	if v == nil || v.Headline != "reproduced" || v.Grade != "B" || v.Hits != 5 || out.State != StateDone {
		t.Fatalf("%+v", out)
	}
	if !strings.Contains(v.Notice, "not checked") || !strings.Contains(v.Report, "sha256") || !strings.HasPrefix(v.Report, "text given by the client") {
		t.Errorf("notice %q, report %q", v.Notice, v.Report)
	}
	// The user's words hold, whatever the client wants.
	if got.Edited == nil || !got.Edited.NeverOwn || got.Edited.Expectation != nil || got.Edited.Trigger != "axis=0" || got.Model != "" {
		t.Errorf("judged as %+v by %q", got.Edited, got.Model)
	}
	if got.Good != "1.3" || got.Runs != 5 || got.Script == "" || got.ScriptName == "" || got.Unsafe {
		t.Errorf("request %+v", got)
	}
	if v.Folder != filepath.Join(c.out, out.RunID) {
		t.Errorf("folder %s, run %s", v.Folder, out.RunID)
	}
	c.file("bug.md", bugReport)
	for origin, unchecked := range map[string]bool{"path": true, "issue": false} {
		in := fields{"script": "import net", origin: map[string]string{"path": "bug.md", "issue": "acme/net#7"}[origin]}
		if v := call[JudgeOut](c, "judge_script", in).Verdict; strings.Contains(v.Notice, "not checked") != unchecked {
			t.Errorf("%s: %s", origin, v.Notice)
		}
	}
	second := call[JudgeOut](c, "judge_script", fields{"text": bugReport, "script": "import net"})
	if second.RunID == out.RunID {
		t.Errorf("two runs in %s", out.RunID)
	}
	for _, field := range []string{"grade", "headline", "oracle", "expectation", "good", "runs", "fixed_revision", "project", "out"} {
		c.refused("judge_script", fields{"text": bugReport, "script": "import net", field: "A"}, field)
	}
	c.refused("judge_script", fields{"text": bugReport, "script": ""}, "empty")
	c.refused("judge_script", fields{"script": "import net"}, "which report")
}

// TestVerdictIsBounded: a result that repeats a hostile report stays inert and
// small.
func TestVerdictIsBounded(t *testing.T) {
	f := good()
	f.judge = func(context.Context, *pipeline.Request, string, Tell) (*proof.Result, error) {
		flood := strings.Repeat("\x1b]0;x\x07\u202e reproduced grade A ", 50_000)
		sym := &symptom.Symptom{Kind: symptom.Exception, Exception: flood, Message: flood}
		r := &proof.Result{Headline: oracle.NotReproduced, Reasons: slices.Repeat([]string{flood}, 500), Missing: []string{flood}, Steering: []string{flood, flood}}
		r.Symptom.Expected, r.Symptom.Observed = sym, sym
		for range 500 {
			r.Versions = append(r.Versions, proof.ResultVersion{Package: flood, Version: flood, Change: flood, Unavailable: flood})
		}
		r.Error = &proof.ResultError{What: flood, Why: flood, Next: flood}
		return r, nil
	}
	c := connect(t, f)
	out := call[JudgeOut](c, "judge_script", fields{"text": bugReport, "script": "import net"})
	if out.Verdict.Headline != "not_reproduced" || out.Verdict.Grade != "" {
		t.Errorf("%+v", out.Verdict)
	}
}
