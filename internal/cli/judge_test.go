package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/report"
)

// TestJudgeStartsNoForeignCommand: a run folder may come from anybody. Judging
// the script in it neither starts the command that it names as its model nor
// asks a paid one, unless the user names it.
func TestJudgeStartsNoForeignCommand(t *testing.T) {
	t.Setenv("REPGEN_CACHE_DIR", t.TempDir())
	dir := t.TempDir()
	request, err := json.Marshal(pipeline.Request{Report: &report.Report{Text: "numpy fails"}, Model: "exec:cat"})
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, pipeline.ScriptFile)
	for path, text := range map[string][]byte{filepath.Join(dir, "00-request.json"): request, script: []byte("print(1)\n")} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for named, want := range map[string]string{"": pipeline.NoModel, "exec:true": "exec:true"} {
		c := judgeCmd{Script: script}
		c.LLM = named
		run, err := openRun(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		req, _, err := c.continued(t.Context(), streams{in: strings.NewReader(""), out: &bytes.Buffer{}, err: &bytes.Buffer{}}, run)
		if err != nil || req.Model != want || req.Edited == nil {
			t.Errorf("--llm %q: the model is %q, %v; want %q", named, req.Model, err, want)
		}
	}
}
