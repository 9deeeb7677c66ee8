package llm_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest"
)

// recordInto makes the test's own program a run that records until it is killed.
const recordInto = "REPGEN_TEST_RECORD_INTO"

func numbered(i int) llm.Request { return llmtest.Request(fmt.Sprint("question ", i)) }

// recordForEver asks one question after the other.
func recordForEver(dir string) {
	m := llm.Recorded(llmtest.Scripted(map[string]llmtest.Reply{"": llmtest.Func(func(n int, r llm.Request) string {
		return r.Messages[1].Content + strings.Repeat(" and so on", 20_000)
	})}), dir)
	for i := 0; ; i++ {
		if _, err := m.Complete(context.Background(), numbered(i)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// A run that is killed at any instant has the records of all calls that ended,
// and nothing of the one under way.
func TestKilled(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	before := 0
	for i := range 6 {
		c := exec.Command(program)
		c.Env = append(os.Environ(), recordInto+"="+dir)
		c.Stderr = os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		// It goes on where the last one was killed, and records at least one more.
		for deadline := time.Now().Add(2 * time.Minute); len(whole(t, dir)) <= before && time.Now().Before(deadline); {
			time.Sleep(5 * time.Millisecond)
		}
		time.Sleep(time.Duration(i*7) * time.Millisecond)
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait() // killed
		n := len(whole(t, dir))
		if n <= before {
			t.Fatalf("run %d recorded nothing: %d files", i, n)
		}
		before = n
		back := counting()
		m := llm.Recorded(back, dir)
		for k := range n {
			if got := text(t, m, numbered(k)); !strings.HasPrefix(got, fmt.Sprint("question ", k, " and")) {
				t.Fatalf("question %d of %d: %.30q", k, n, got)
			}
		}
		if len(back.Asked()) != 0 {
			t.Fatalf("%d of %d calls were repeated", len(back.Asked()), n)
		}
	}
	for _, name := range names(t, dir) {
		if strings.HasPrefix(name, ".") {
			t.Errorf("%s is left", name)
		}
	}
}

// whole are the records in a folder.
func whole(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "[0-9]*.json"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}
