package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/codebase"
)

// TestIndexEvents checks that an estimate of the code alone does not pass for
// one of everything.
func TestIndexEvents(t *testing.T) {
	for text, p := range map[string]codebase.Progress{
		"embedding, 5s left of the code, tests come after (3 of 3)": {Stage: codebase.StageEmbed, Done: 3, Total: 3, Left: 5 * time.Second, Code: true},
		"embedding, 5s left (3 of 3)":                               {Stage: codebase.StageEmbed, Done: 3, Total: 3, Left: 5 * time.Second},
		"embedding (3 of 3)":                                        {Stage: codebase.StageEmbed, Done: 3, Total: 3},
	} {
		var b bytes.Buffer
		progress := (show{}).progress(streams{err: &b})
		indexEvents(progress)(p)
		progress.Close()
		if !strings.Contains(b.String(), text) {
			t.Errorf("it lacks %q: %q", text, b.String())
		}
	}
}

// TestNamed checks that advice names the command that was called.
func TestNamed(t *testing.T) {
	for path, want := range map[string]string{"search <dir>": "repgen search --help", "models pull <name>": "repgen models pull --help", "doctor": "repgen doctor --help", "": "repgen COMMAND --help"} {
		p, _ := explain(usage("no such flag"))
		if got := (streams{command: words(path)}).named(p).Next; got != want {
			t.Errorf("%q: %q, not %q", path, got, want)
		}
	}
}
