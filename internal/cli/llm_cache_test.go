package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/llm"
)

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
