package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden parses anew")

// TestGolden compares the parse of every report in testdata with the JSON
// beside it; the text itself is left out of the JSON.
func TestGolden(t *testing.T) {
	files := reportFiles(t)
	if len(files) < 35 {
		t.Fatalf("only %d reports in testdata", len(files))
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			r := parseFile(t, file)
			r.Text = ""
			got, err := json.MarshalIndent(r, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			golden := strings.TrimSuffix(file, filepath.Ext(file)) + ".golden.json"
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s differs from its golden parse (go test -run Golden -update writes it anew):\n%s", file, firstDifference(string(want), string(got)))
			}
		})
	}
}

func reportFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, pattern := range []string{"testdata/*.md", "testdata/*.txt", "testdata/tracker-*.json", "testdata/cases/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			if !strings.HasSuffix(f, ".golden.json") {
				files = append(files, f)
			}
		}
	}
	return files
}

func parseFile(t *testing.T, file string) *Report {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return Parse(raw, Source{Kind: "file", Name: filepath.Base(file)})
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range g {
		if i >= len(w) || w[i] != g[i] {
			from := max(0, i-4)
			return "want\n" + strings.Join(w[min(from, len(w)):min(len(w), i+4)], "\n") + "\ngot\n" + strings.Join(g[from:min(len(g), i+4)], "\n")
		}
	}
	return "the golden parse is longer"
}
