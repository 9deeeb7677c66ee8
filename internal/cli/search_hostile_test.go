package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestSearchOddNames: a file's name must neither steer the terminal nor begin a
// line of its own, whatever the form of the answer.
func TestSearchOddNames(t *testing.T) {
	t.Setenv("REPGEN_CACHE_DIR", t.TempDir())
	dir := t.TempDir()
	for _, name := range []string{"plain.py", "two\n1. 9.000  lines.py", "red\x1b[31m\x1b]0;title\x07.py", "back\rto.py", "turn\u202eyp.py", "raw\xff\x9b31m.py"} {
		text := "def training_step():\n    \"\"\"\x1b[2J\x9b \u202e\"\"\"\n    return 1\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			if runtime.GOOS != "linux" {
				t.Skip("this system's files take no such names: " + err.Error())
			}
			t.Fatal(err)
		}
	}
	for name, flags := range map[string][]string{
		"list": nil, "files": {"--files"}, "explain": {"--explain"}, "context": {"--context"},
		"names": {"-q"}, "names of the context": {"-q", "--context"}, "json": {"--json"}, "json of the context": {"--json", "--context"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			args := append([]string{"search", dir, "--lexical", "--query", "training_step"}, flags...)
			if code := Main(args, strings.NewReader(""), &out, &errs); code != 0 {
				t.Fatalf("exit %d: %s", code, errs.String())
			}
			for _, r := range out.String() + errs.String() {
				if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == '\u202e' {
					t.Errorf("%U is written: %q", r, out.String())
					break
				}
			}
			if flags != nil && strings.HasPrefix(name, "json") && !json.Valid(out.Bytes()) {
				t.Errorf("no JSON: %s", out.String())
			}
			if flags != nil && flags[0] == "-q" {
				for line := range strings.Lines(out.String()) {
					if strings.HasPrefix(line, "1. 9.000") {
						t.Errorf("a name begins a line: %q", out.String())
					}
				}
			}
		})
	}
}
