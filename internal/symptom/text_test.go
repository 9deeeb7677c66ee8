package symptom

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the expected files of testdata")

// TestLogs reads every log of testdata/logs and compares what was found with
// the file of the same name: one recogniser, a folder of logs.
func TestLogs(t *testing.T) {
	files, err := filepath.Glob("testdata/logs/*.txt")
	if err != nil || len(files) < 20 {
		t.Fatalf("found %d logs: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found := FromText(string(text))
			checkSpans(t, string(text), found)
			got, err := json.MarshalIndent(found, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(file, ".txt") + ".json"
			if *update {
				if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if strings.TrimSpace(string(want)) != string(got) {
				t.Errorf("found\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func checkSpans(t *testing.T, text string, found []Symptom) {
	t.Helper()
	for _, s := range found {
		if s.Start < 0 || s.End > len(text) || s.Start >= s.End {
			t.Errorf("span %d-%d of %d bytes", s.Start, s.End, len(text))
		}
	}
}
