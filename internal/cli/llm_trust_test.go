package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/report"
)

// A folder of somebody else's starts no command; one of the user's own does.
func TestFoldersOwnCommand(t *testing.T) {
	t.Setenv("REPGEN_CACHE_DIR", t.TempDir())
	place := t.TempDir()
	dir, mark := filepath.Join(place, "run"), filepath.Join(place, "ran")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	model := "exec:touch " + mark
	data, err := json.Marshal(pipeline.Request{Report: report.Parse([]byte("# x fails\n\nnumpy 1.0\n"), report.Source{}), Model: model})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "00-request.json"), data, 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errOut bytes.Buffer
	if code := Main([]string{"reproduce", "--resume", dir}, strings.NewReader(""), &out, &errOut); code != exitUsage || !strings.Contains(errOut.String(), "say --llm again") {
		t.Errorf("exit code %d: %s", code, errOut.String())
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("the command ran")
	}
	if err := checkCommand(dir, model); err == nil {
		t.Error("trusted for having been looked at")
	}
	rememberCommand(dir, model)
	if err := checkCommand(dir, model); err != nil {
		t.Errorf("named by the user: %v", err)
	}
	for name, c := range map[string][2]string{"another folder": {dir + "2", model}, "another command": {dir, model + "2"}} {
		if err := checkCommand(c[0], c[1]); err == nil {
			t.Errorf("%s is trusted too", name)
		}
	}
	for _, harmless := range []string{"none", "openai:gpt", "mine", "replay:x"} {
		if err := checkCommand(place, harmless); err != nil {
			t.Errorf("%s: %v", harmless, err)
		}
	}
}

// cache = true: what one run asked, another does not ask again.
func TestCacheBetweenRuns(t *testing.T) {
	t.Setenv("REPGEN_CACHE_DIR", t.TempDir())
	dir := t.TempDir()
	script := filepath.Join(dir, "model.sh")
	if err := os.WriteFile(script, []byte("cat >/dev/null; echo asked >>"+dir+"/log; echo '{\"text\":\"yes\",\"usage\":{\"input_tokens\":7,\"output_tokens\":1}}'\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	configured(t, "[llm.kept]\nbackend='exec'\ncommand='sh "+script+"'\ncache=true\n[llm.fresh]\nbackend='exec'\ncommand='sh "+script+"'\n")
	for i, c := range []struct {
		name  string
		asked int // by then
	}{{"kept", 1}, {"kept", 1}, {"fresh", 2}, {"fresh", 3}} {
		m, err := wireModel(t.Context(), streams{}, llmFlags{LLM: c.name}, llmUse{Record: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		res, err := m.Complete(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.User, Content: "?"}}, MaxTokens: 10})
		if err != nil || res.Text != "yes" || m.Meter.Totals().InputTokens != 7 {
			t.Errorf("%d: %+v %v", i, res, err)
		}
		log, err := os.ReadFile(filepath.Join(dir, "log"))
		if err != nil || strings.Count(string(log), "asked") != c.asked {
			t.Errorf("%d, %s: asked %d times, want %d (%v)", i, c.name, strings.Count(string(log), "asked"), c.asked, err)
		}
	}
}
