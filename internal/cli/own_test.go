package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/report"
)

// needsHardware ends at triage: nothing is run for it, and no model is asked.
const needsHardware = "# torch.cuda.graph capture crashes on the GPU\n\n```python\nimport torch\n\ng = torch.cuda.CUDAGraph()\nx = torch.zeros(4, device=\"cuda\")\n" +
	"with torch.cuda.graph(g):\n    y = x * 2\ntorch.cuda.synchronize()\nprint(y)\n```\n\ntorch 2.8.0, RTX 4090\n"

// main1 runs the command line in this process.
func main1(args ...string) (code int, out, errOut string) {
	var o, e bytes.Buffer
	code = Main(args, strings.NewReader(""), &o, &e)
	return code, o.String(), e.String()
}

// ownRun is a finished run folder of this test's user.
func ownRun(t *testing.T, flags ...string) string {
	t.Helper()
	if os.Getenv("REPGEN_CACHE_DIR") == "" || !strings.HasPrefix(os.Getenv("REPGEN_CACHE_DIR"), os.TempDir()) {
		t.Setenv("REPGEN_CACHE_DIR", t.TempDir())
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "report.md")
	if err := os.WriteFile(file, []byte(needsHardware), 0o600); err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(dir, "run")
	args := append([]string{"reproduce", "--quiet", "--out", run, file}, flags...)
	if code, _, errOut := main1(args...); code != exitUnavailable {
		t.Fatalf("exit code %d: %s", code, errOut)
	}
	return run
}

// strangersRequest is a run folder that holds a request of somebody's and
// nothing else.
func strangersRequest(t *testing.T, change func(*pipeline.Request)) string {
	t.Helper()
	dir := t.TempDir()
	req := &pipeline.Request{Report: report.Parse([]byte(needsHardware), report.Source{})}
	change(req)
	data, err := json.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "00-request.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestModelOfAFolder: a stranger's folder starts no command and spends no key;
// the user's own asks whom he named when it was begun.
func TestModelOfAFolder(t *testing.T) {
	t.Setenv("REPGEN_CACHE_DIR", t.TempDir())
	t.Chdir(t.TempDir())
	t.Setenv("OPENAI_API_KEY", "sk-of-the-user")
	mark := filepath.Join(t.TempDir(), "ran")
	for _, model := range []string{"exec:touch " + mark, "openai:dear", "anthropic:dear", "replay:/etc", "mine"} {
		dir := strangersRequest(t, func(q *pipeline.Request) { q.Model = model })
		code, _, errOut := main1("reproduce", "--resume", dir)
		if code != exitUsage || !strings.Contains(errOut, "say --llm again") {
			t.Errorf("%s: exit code %d: %s", model, code, errOut)
		}
		if code, _, errOut := main1("reproduce", "--quiet", "--resume", dir, "--llm", "none"); code != exitUnavailable {
			t.Errorf("%s, without one: exit code %d: %s", model, code, errOut)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("%s: the folder now holds %v (%v)", model, entries, err)
		}
	}
	own := ownRun(t, "--llm", "exec:touch "+mark)
	for range 2 {
		f := runFlags{Resume: own}
		req, dir, err := f.load(t.Context(), streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard}, "")
		if err != nil || dir != own || req.Model != "exec:touch "+mark {
			t.Errorf("one's own: %q in %s, %v", req.Model, dir, err)
		}
		moved := own + "-moved"
		if err := os.Rename(own, moved); err != nil {
			t.Fatal(err)
		}
		own = moved
	}
	if _, err := os.Lstat(mark); err == nil {
		t.Error("a command ran")
	}
}

var projectOf = environment.ProjectSource{Dir: "/home/me", Revision: "v1"}

// TestStrangersWords: what a stranger's request says is read as the flags are,
// and is no reason to turn the isolation off.
func TestStrangersWords(t *testing.T) {
	t.Setenv("REPGEN_CACHE_DIR", t.TempDir())
	t.Chdir(t.TempDir())
	for name, c := range map[string]struct {
		change func(*pipeline.Request)
		code   int
		says   string
	}{
		"plain words":       {func(q *pipeline.Request) { q.Python, q.With, q.Good = "3.11", []string{"numpy<2"}, "1.2" }, exitUnavailable, notOwn},
		"no isolation":      {func(q *pipeline.Request) { q.Unsafe = true }, exitUnavailable, notOwn},
		"a file for Python": {func(q *pipeline.Request) { q.Python = "../python" }, exitUsage, "--python"},
		"an option":         {func(q *pipeline.Request) { q.With = []string{"-r /etc/passwd"} }, exitUsage, "--with"},
		"a further line":    {func(q *pipeline.Request) { q.With = []string{"six\n-r /etc/passwd"} }, exitUsage, "--with"},
		"an odd subject":    {func(q *pipeline.Request) { q.Subject = "--index-url" }, exitUsage, "--subject"},
		"an odd version":    {func(q *pipeline.Request) { q.Good = "1.0 -r x" }, exitUsage, "--good"},
		"a project":         {func(q *pipeline.Request) { q.Project = &projectOf }, exitUsage, "--project DIR"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errOut := main1("reproduce", "--resume", strangersRequest(t, c.change))
			if code != c.code || !strings.Contains(errOut, c.says) || strings.Contains(out+errOut, "unsafe") {
				t.Errorf("exit code %d\n%s%s", code, out, errOut)
			}
		})
	}
	if code, _, errOut := main1("reproduce", "--resume", ownRun(t), "--project", "x"); code != exitUsage || !strings.Contains(errOut, "exclude each other") {
		t.Errorf("one's own with another project: exit code %d: %s", code, errOut)
	}
}

// TestEffortOfAStranger: what it costs is the user's to say.
func TestEffortOfAStranger(t *testing.T) {
	t.Setenv("REPGEN_CACHE_DIR", t.TempDir())
	dir := strangersRequest(t, func(q *pipeline.Request) {
		q.Budget, q.Runs = 1000*time.Hour, 1000
		q.AgentBudget.Model.USD = 1e6
	})
	three := 3
	for want, f := range map[int]*runFlags{20: {Resume: dir}, 3: {Resume: dir, Runs: &three}} {
		req, to, err := f.load(t.Context(), streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard}, "")
		if err != nil || to != "" || req.Runs != want || req.Budget != defaultBudget || req.AgentBudget.Model.USD != 0 {
			t.Errorf("into %q: %+v, %v", to, req, err)
		}
	}
}

// TestOutOfAStranger: a run begins in no folder of somebody else's.
func TestOutOfAStranger(t *testing.T) {
	own := ownRun(t)
	report := filepath.Join(filepath.Dir(own), "report.md")
	t.Setenv("REPGEN_CACHE_DIR", t.TempDir()) // another user
	code, _, errOut := main1("reproduce", "--out", own, report)
	if code != exitUsage || !strings.Contains(errOut, "was not made by this user's repgen") || !strings.Contains(errOut, "choose another --out") {
		t.Errorf("exit code %d: %s", code, errOut)
	}
}

// TestShowOfAStranger: what a folder claims is shown as a claim.
func TestShowOfAStranger(t *testing.T) {
	own := ownRun(t)
	code, out, errOut := main1("show", "--json", own)
	if code != exitOK || strings.Contains(errOut, notOwn) || strings.Contains(out, `"foreign"`) {
		t.Errorf("one's own: exit code %d\n%s%s", code, out, errOut)
	}
	path := filepath.Join(own, "06-result.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(data), `"needs_hardware"`, `"fixed"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // changed, then another user's
		code, out, errOut = main1("show", "--json", own)
		if code != exitOK || !strings.Contains(errOut, notOwn) || !strings.Contains(out, `"foreign": true`) {
			t.Errorf("exit code %d\n%s%s", code, out, errOut)
		}
		if err := validResult([]byte(out)); err != nil {
			t.Error(err)
		}
		t.Setenv("REPGEN_CACHE_DIR", t.TempDir())
	}
}

// TestJudgedLink: a script in a run folder is no file of the host.
func TestJudgedLink(t *testing.T) {
	t.Setenv("REPGEN_CACHE_DIR", t.TempDir())
	t.Chdir(t.TempDir())
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("canary-of-the-host\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := strangersRequest(t, func(*pipeline.Request) {})
	script := filepath.Join(dir, pipeline.ScriptFile)
	if err := os.Symlink(secret, script); err != nil {
		t.Fatal(err)
	}
	report := filepath.Join(filepath.Dir(ownRun(t)), "report.md")
	for _, args := range [][]string{{script}, {"--from", dir}, {"--report", report, script}} {
		code, out, errOut := main1(append([]string{"judge", "--json"}, args...)...)
		if code != exitUsage || !strings.Contains(errOut, "a link") || strings.Contains(out+errOut, "canary") {
			t.Errorf("%v: exit code %d\n%s%s", args, code, out, errOut)
		}
	}
}

// TestBuildText: one program has one name, and no other has it.
func TestBuildText(t *testing.T) {
	if a := buildText(); a != buildText() || !strings.HasPrefix(a, versionText()+" ") || len(buildID()) != 12 {
		t.Errorf("build %q", a)
	}
	f, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if linked(f) == nil {
		t.Error("the linker's own hash is not found: the whole program is read at every start")
	}
	if linked(strings.NewReader("#!/bin/sh\n")) != nil {
		t.Error("a script has a build ID")
	}
}
