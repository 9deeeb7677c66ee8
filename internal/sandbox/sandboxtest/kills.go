package sandboxtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/sandbox"
)

// What a victim says: before the run in the sandbox, and once the script runs.
const (
	startWord = "start"
	runWord   = "run"
)

// Victim runs a script that sleeps, and a child of it that left its group, until
// somebody kills the program. word is a folder; Kills looks for its name.
func Victim(s sandbox.Sandbox, word string) error {
	work, err := os.MkdirTemp(word, "work-")
	if err != nil {
		return err
	}
	go func() {
		for ; ; time.Sleep(time.Millisecond) {
			if _, err := os.Stat(filepath.Join(work, "ready")); err == nil {
				fmt.Println(runWord)
				return
			}
		}
	}()
	fmt.Println(startWord)
	c := script(`
import subprocess, sys, time
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", sys.argv[1]], start_new_session=True)
open("ready", "w"); time.sleep(600)`, word)
	c.Work = work
	ex, err := s.Run(context.Background(), c, sandbox.Limits{})
	return errors.Join(fmt.Errorf("nobody killed it: %s", ex.Outcome), err)
}

// startSpan covers a sandbox's start: an empty script takes some 25 ms from
// beginning to end.
const startSpan = 60 * time.Millisecond

// killCount is how often one campaign kills. REPGEN_KILLS asks for more: the
// races are narrow (one in 36 kills once), the time of everyday tests is too.
func killCount(t *testing.T) int {
	t.Helper()
	text := os.Getenv("REPGEN_KILLS")
	if text == "" {
		return 40
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("REPGEN_KILLS=%q is not a count", text)
	}
	return n
}

// Kills is a campaign of kill -9 against a program that calls Victim, at moments
// drawn evenly over the sandbox's start and, every fourth time, while the script
// runs. Nothing may be left of it: no process that shows the word, which must
// stand in the command line of the program and of bubblewrap.
func Kills(t *testing.T, word string, command func() *exec.Cmd) {
	t.Helper()
	Real(t)
	for i := range killCount(t) {
		await, delay := startWord, rand.N(startSpan)
		if i%4 == 3 {
			await, delay = runWord, rand.N(10*time.Millisecond)
		}
		killOnce(t, command(), await, delay)
	}
	Gone(t, word)
}

// killOnce starts the program and kills it so long after it said the word.
func killOnce(t *testing.T, cmd *exec.Cmd, await string, delay time.Duration) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != await {
	}
	if lines.Text() != await {
		_, _ = io.Copy(io.Discard, out)
		t.Fatalf("the program ended before %q: %v", await, cmd.Wait())
	}
	time.Sleep(delay)
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // "signal: killed"
}

// Marks are the executions that the programs with a file in dir never ended, at
// least one. Of their first processes none may live.
func Marks(t *testing.T, dir string) (marks []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		active, _, _ := strings.Cut("\n"+string(text), "\n.\n")
		for line := range strings.Lines(active) {
			if mark, _, ok := strings.Cut(line, " "); ok {
				Gone(t, mark)
				marks = append(marks, mark)
			}
		}
	}
	if len(marks) == 0 {
		t.Fatalf("no kill came while a run was under way: %v", files)
	}
	return marks
}
