package oracle

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
)

var record = flag.Bool("record", false, "with REPGEN_REAL=1: run the scripts of testdata and write their executions")

// interpreter is REPGEN_TEST_PYTHON (one that has numpy) or python3.
func interpreter(t *testing.T) string {
	t.Helper()
	if p := os.Getenv("REPGEN_TEST_PYTHON"); p != "" {
		return p
	}
	p, err := exec.LookPath("python3")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestRecord runs every script of testdata against both releases of the little
// library there. With -record the executions are written, which the offline
// tests judge; else the run alone proves that they can still be had.
func TestRecord(t *testing.T) {
	if os.Getenv("REPGEN_REAL") == "" {
		t.Skip("set REPGEN_REAL=1 to run the scripts of testdata with a real interpreter")
	}
	observer := t.TempDir()
	if err := probe.Materialise(observer); err != nil {
		t.Fatal(err)
	}
	python := interpreter(t)
	for _, dir := range []string{"scripts", "liars"} {
		scripts, err := filepath.Glob(filepath.Join("testdata", dir, "*.py"))
		if err != nil || len(scripts) == 0 {
			t.Fatalf("no scripts: %v", err)
		}
		for _, script := range scripts {
			for _, release := range []string{"bad", "good"} {
				name := strings.TrimSuffix(filepath.Base(script), ".py")
				t.Run(dir+"/"+name+"/"+release, func(t *testing.T) {
					ex := runScript(t, python, observer, script, release)
					if *record {
						writeExecution(t, filepath.Join("testdata", dir, name+"."+release+".json"), ex)
					}
				})
			}
		}
	}
}

func writeExecution(t *testing.T, file string, ex sandbox.Execution) {
	t.Helper()
	text, err := json.MarshalIndent(ex, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(text, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// runScript is the least that makes an Execution: no isolation, one limit, and
// the places of this machine replaced by those inside a sandbox.
func runScript(t *testing.T, python, observer, script, release string) sandbox.Execution {
	t.Helper()
	work := t.TempDir()
	source, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(work, sandbox.ScriptNm), source, 0o644); err != nil {
		t.Fatal(err)
	}
	lib, err := filepath.Abs(filepath.Join("testdata", "lib", release, "site-packages"))
	if err != nil {
		t.Fatal(err)
	}
	r, w, key, err := probe.Channel()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, sandbox.ScriptNm)
	cmd.Dir = work
	cmd.ExtraFiles = []*os.File{w}
	cmd.Env = []string{"PYTHONPATH=" + observer + ":" + lib, "PATH=/usr/bin", "PYTHONDONTWRITEBYTECODE=1", "PYTHONHASHSEED=0", "OMP_NUM_THREADS=1"}
	for k, v := range probe.Env(probe.Options{Watch: watched(string(source)), StackAfter: stacksAfter(t, string(source))}, 3) {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	killer := time.AfterFunc(2*time.Second, func() { _ = cmd.Process.Kill() })
	raw, err := probe.ReadAll(r, probe.ChannelLimit)
	if err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	inTime, took := killer.Stop(), time.Since(began)
	clean := places(t, python, work, lib)
	ex := sandbox.Execution{Label: release, Argv: []string{"python", sandbox.ScriptNm}, Outcome: sandbox.Exited}
	ex.Stdout, ex.Stderr = clean.Replace(stdout.String()), clean.Replace(stderr.String())
	ex.Record = probe.Parse([]byte(clean.Replace(string(raw))), key)
	ex.Record.PeakRSS = 0
	if strings.Contains(ex.Stdout, " took ") {
		ex.WallSeconds = took.Seconds()
		ex.CPUSeconds = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	}
	ending(&ex, err, inTime)
	return ex
}

func ending(ex *sandbox.Execution, err error, inTime bool) {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return
	}
	status, _ := exit.Sys().(syscall.WaitStatus) // always, on Linux
	switch {
	case !inTime:
		ex.Outcome, ex.LimitHit = sandbox.TimedOut, "wall 2s"
	case status.Signaled():
		ex.Outcome = sandbox.Signaled
		ex.Signal = map[syscall.Signal]string{syscall.SIGABRT: "SIGABRT", syscall.SIGKILL: "SIGKILL", syscall.SIGSEGV: "SIGSEGV"}[status.Signal()]
	default:
		ex.ExitCode = exit.ExitCode()
	}
}

// stacksAfter is the second from which stacks are sampled, 0 for never.
func stacksAfter(t *testing.T, source string) float64 {
	t.Helper()
	first, _, _ := strings.Cut(source, "\n")
	text, ok := strings.CutPrefix(first, "# stacks: ")
	if !ok {
		return 0
	}
	after, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return after
}

func watched(source string) []string {
	first, _, _ := strings.Cut(source, "\n")
	list, ok := strings.CutPrefix(first, "# watch: ")
	if !ok {
		return nil
	}
	return strings.Split(list, ", ")
}

// places maps this machine's folders to those of the sandbox.
func places(t *testing.T, python, work, lib string) *strings.Replacer {
	t.Helper()
	out, err := exec.Command(python, "-c", "import sys, sysconfig; p = sysconfig.get_paths(); print(p['stdlib'], p['purelib'])").Output()
	if err != nil {
		t.Fatal(err)
	}
	dirs := strings.Fields(string(out))
	return strings.NewReplacer(
		work, sandbox.WorkDir, lib, sandbox.EnvDir+"/lib/python3.11/site-packages",
		dirs[1], sandbox.EnvDir+"/lib/python3.11/site-packages", dirs[0], sandbox.PyDir+"/lib/python3.11",
	)
}
