package symptom

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// headerEnd stands between the headers of a log and the log itself.
const headerEnd = "====\n"

// TestCorpus reads testdata/logs/*.log: above the line of equals signs what is
// expected (one block for each symptom) and, behind "#", which interpreter
// printed the log and who changed it; below it the log. -update rewrites the
// expected blocks.
func TestCorpus(t *testing.T) {
	files, logs := corpus(t)
	if len(files) < 120 {
		t.Errorf("only %d logs", len(files))
	}
	for i, file := range files {
		notes, want, log := logs[i].notes, logs[i].want, logs[i].log
		t.Run(strings.TrimSuffix(filepath.Base(file), ".log"), func(t *testing.T) {
			found := FromText(log)
			checkSpans(t, log, found)
			got := headers(found)
			if *update {
				if err := os.WriteFile(file, []byte(notes+got+headerEnd+log), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != want {
				t.Errorf("found\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// corpusLog is one file of the corpus in its parts.
type corpusLog struct{ notes, want, log string }

func corpus(t testing.TB) (files []string, logs []corpusLog) {
	t.Helper()
	files, err := filepath.Glob("testdata/logs/*.log")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		head, log, ok := strings.Cut("\n"+string(data), "\n"+headerEnd)
		if !ok {
			t.Fatalf("%s has no line %q", file, headerEnd)
		}
		c := corpusLog{log: log}
		for row := range strings.Lines(strings.TrimPrefix(head, "\n") + "\n") {
			if strings.HasPrefix(row, "#") {
				c.notes += row
			} else {
				c.want += row
			}
		}
		logs = append(logs, c)
	}
	return files, logs
}

// headers writes what identifies each symptom, a block for each.
func headers(found []Symptom) string {
	if len(found) == 0 {
		return "kind: none\n"
	}
	var b strings.Builder
	for i, s := range found {
		if i > 0 {
			b.WriteString("--\n")
		}
		header(&b, s)
	}
	return b.String()
}

func header(b *strings.Builder, s Symptom) {
	row := func(key, value string) {
		if value != "" {
			fmt.Fprintf(b, "%s: %s\n", key, value)
		}
	}
	row("kind", string(s.Kind))
	row("exception", s.Exception)
	row("message", firstLine(s.Message))
	if n := strings.Count(s.Message, "\n"); n > 0 {
		row("message lines", fmt.Sprint(n+1))
	}
	row("signal", s.Signal)
	row("fatal", s.FatalLine)
	if f, ok := Innermost(s.Frames); ok {
		row("frame", strings.TrimSpace(f.Where+" "+frameText(f)))
		row("frames", fmt.Sprint(len(s.Frames)))
	}
	for _, c := range s.Chain {
		row("chain", strings.TrimSuffix(c.Exception+": "+firstLine(c.Message), ": "))
	}
	if s.Truncated {
		row("truncated", "yes")
	}
}
