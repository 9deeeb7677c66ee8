package proc

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const orphanVar = "PROC_TEST_ORPHAN"

// TestHelperRunsAChild is the program that the test below kills.
func TestHelperRunsAChild(t *testing.T) {
	if os.Getenv(orphanVar) == "" {
		t.Skip("only for TestDiesWithUs")
	}
	_, _ = Run(t.Context(), Spec{
		Argv: []string{"sleep", "600"}, Env: os.Environ(), DiesWithUs: true,
		OnStart: func(pid int) { _, _ = os.Stdout.WriteString("child " + strconv.Itoa(pid) + "\n") },
	})
}

// A program that is killed takes the child with it.
func TestDiesWithUs(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestHelperRunsAChild$")
	cmd.Env = append(os.Environ(), orphanVar+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := 0
	for lines := bufio.NewScanner(out); pid == 0 && lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "child "); ok {
			pid, _ = strconv.Atoi(text)
		}
	}
	if pid == 0 {
		t.Fatal("no child was started")
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	for range 2400 {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	_ = unix.Kill(pid, unix.SIGKILL)
	t.Error("the child lived on")
}
