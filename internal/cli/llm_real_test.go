package cli

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/repgen/repgen/internal/llm/llmtest/servers"
)

// A whole run with a server that refuses the key and repeats it in every form:
// the run fails with what to do, and the key stands nowhere.
func TestWrongKeyOfARun(t *testing.T) {
	m := newModelRig(t, axisScript)
	for _, p := range []servers.Protocol{servers.OpenAI, servers.Anthropic} {
		s := servers.New(t, servers.Options{Protocol: p, Does: servers.EchoesKey})
		m.env["OPENAI_BASE_URL"], m.env["OPENAI_API_KEY"] = s.URL, servers.Key
		m.env["ANTHROPIC_BASE_URL"], m.env["ANTHROPIC_API_KEY"] = s.URL, servers.Key
		out := "run-" + string(p)
		e := m.run("reproduce", "--json", "--verbose", "--llm", string(p)+":m", "--out", out, m.report)
		e.want(t, exitFailed, "failed")
		servers.NoKey(t, e.out+e.err)
		noKeyIn(t, m.path(out))
		if n := len(s.Asked()); n == 0 || n > 2 {
			t.Errorf("%s: asked %d times with a key that is refused", p, n)
		}
	}
}

// A real small model over a whole run: it need not succeed, but it must end in
// an honest headline, within its budget, with its tokens counted by the server.
func TestRealModelOfARun(t *testing.T) {
	m := newModelRig(t, axisScript)
	m.env["REPGEN_CONFIG"] = m.file("config.toml", fmt.Sprintf("[llm.tiny]\nbackend='openai'\nmodel='local'\nbase_url='%s'\ncontext_tokens=1500\n", servers.Local(t)))
	const budget = 8000
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	// Not by run, which wants nothing to be running afterwards: the model is.
	cmd := exec.CommandContext(ctx, m.exe, "reproduce", "--json", "--llm", "tiny", "--strategy", "zero-shot", "--attempts", "1",
		"--no-explain", "--budget-tokens", fmt.Sprint(budget), "--budget-calls", "2", "--out", "run", m.report)
	cmd.Dir = m.dir
	for k, v := range m.env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.Output()
	if code := cmd.ProcessState.ExitCode(); code != exitOK && code != exitDifferent {
		t.Fatalf("exit code %d, %v:\n%s\n%s", code, err, out, log.Bytes())
	}
	result := parseResult(t, string(out))
	model := result.Model
	if model == nil || model.Calls == 0 || model.Usage.Input == 0 || model.Usage.Input+model.Usage.Output > budget || model.Usage.Estimated {
		t.Errorf("the model's part: %+v", model)
	}
	t.Logf("%s: %+v", result.Headline, model)
}

// noKeyIn wants no form of the servers' key in any file below dir.
func noKeyIn(t *testing.T, dir string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if len(data) > 0 {
			files++
			servers.NoKey(t, string(data))
		}
		return err
	})
	if err != nil || files < 5 {
		t.Errorf("only %d files looked at: %v", files, err)
	}
}
