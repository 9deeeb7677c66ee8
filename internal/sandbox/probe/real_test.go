package probe

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "record testdata/channels from real interpreters (with REPGEN_REAL=1)")

// real skips unless real interpreters are wanted.
func real(t testing.TB) {
	t.Helper()
	if os.Getenv("REPGEN_REAL") == "" {
		t.Skip("set REPGEN_REAL=1 to run real interpreters")
	}
}

// interpreters are all of Python 3 at hand.
func interpreters(t testing.TB) []string {
	t.Helper()
	var found []string
	if home, err := os.UserHomeDir(); err == nil {
		dirs, _ := filepath.Glob(filepath.Join(home, ".pyenv/versions/3.*/bin/python"))
		found = append(found, dirs...)
	}
	if path, err := exec.LookPath("python3"); err == nil && len(found) == 0 {
		found = append(found, path)
	}
	if _, err := os.Stat("/usr/bin/python3"); err == nil {
		found = append(found, "/usr/bin/python3")
	}
	if len(found) == 0 {
		t.Fatal("no Python 3 found: install one (apt-get install python3)")
	}
	return found
}

// observed is one process under the observer.
type observed struct {
	rec            Record
	raw            []byte
	stdout, stderr string
	exit           int // -1 for a signal
	dir            string
}

// runner starts scripts under one interpreter.
type runner struct {
	python string
	args   []string
	opts   Options
	env    []string
}

func (r runner) run(t testing.TB, script string) observed {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata/scripts", script))
	if err != nil {
		t.Fatal(err)
	}
	return r.runText(t, string(content))
}

func (r runner) runText(t testing.TB, script string) observed {
	t.Helper()
	probeDir := filepath.Join(t.TempDir(), "observer")
	if err := Materialise(probeDir); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "reproduce.py"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	reader, writer, key, err := Channel()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.python, append(r.args, "reproduce.py")...)
	cmd.Dir = dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "PYTHONPATH=" + probeDir, "PYTHONIOENCODING=utf-8"}, r.env...)
	cmd.ExtraFiles = []*os.File{writer} // descriptor 3 of the child
	for name, value := range Env(r.opts, 3) {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = writer.Close()
	raw, err := ReadAll(reader, ChannelLimit)
	if err != nil {
		t.Fatal(err)
	}
	_ = reader.Close()
	_ = cmd.Wait() // the exit code is looked at below
	return observed{
		rec: Parse(raw, key), raw: bytes.ReplaceAll(raw, []byte(key), []byte("KEY")), stdout: stdout.String(),
		stderr: stderr.String(), exit: cmd.ProcessState.ExitCode(), dir: dir,
	}
}

// minor of "3.11.7" is 11.
func minor(t testing.TB, rec Record) int {
	t.Helper()
	parts := strings.Split(rec.Python, ".")
	if len(parts) < 2 {
		t.Fatalf("no Python version in the record: %+v", rec)
	}
	n, err := strconv.Atoi(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// scripts are what each script's record must say, on every interpreter.
var scripts = []struct {
	name  string
	opts  Options
	check func(t *testing.T, o observed)
}{
	{"clean.py", Options{Watch: []string{"value", "missing"}}, checkClean},
	{"control.py", Options{Control: true}, checkControl("True")},
	{"control.py", Options{}, checkControl("False")},
	{"chain.py", Options{Watch: []string{"local", `local[1]["k"]`}}, checkChain},
	{"replaced_hook.py", Options{}, checkReplacedHook},
	{"syntax_error.py", Options{}, checkSyntaxError},
	{"threads.py", Options{}, checkThreads},
	{"warn.py", Options{}, checkWarn},
	{"exit_text.py", Options{}, checkExitText},
	{"hard_exit.py", Options{}, checkHardExit},
	{"segfault.py", Options{}, checkSegfault},
	{"abort.py", Options{}, checkAbort},
	{"close_all.py", Options{}, checkCloseAll},
	{"fork.py", Options{}, checkFork},
	{"exec_other.py", Options{}, checkExec},
	{"forge.py", Options{}, checkForge},
	{"deeds.py", Options{}, checkDeeds},
	{"values.py", Options{Watch: []string{"box.items", "box.items[1]['k']", "box.items[-2]", "hostile[0]", "box.items.copy()"}}, checkValues},
	{"made_up.py", Options{}, checkMadeUp},
	{"recursion.py", Options{}, checkRecursion},
	{"group.py", Options{}, checkGroup},
	{"reentrant.py", Options{}, checkReentrant},
	{"shutdown_order.py", Options{Watch: []string{"state[0]", "state[1]"}}, checkShutdownOrder},
}

// recorded are those whose check needs the channel alone, so that it can be
// asked of a recorded one without any interpreter.
var recorded = []string{
	"chain.py", "syntax_error.py", "threads.py", "fork.py", "values.py", "group.py", "shutdown_order.py", "deeds.py", "forge.py",
}

func TestRealInterpreters(t *testing.T) {
	real(t)
	for _, python := range interpreters(t) {
		for _, s := range scripts {
			t.Run(filepath.Base(filepath.Dir(filepath.Dir(python)))+"/"+s.name, func(t *testing.T) {
				o := runner{python: python, opts: s.opts}.run(t, s.name)
				if !o.rec.Started {
					t.Fatalf("no start record; stderr: %s", o.stderr)
				}
				s.check(t, o)
				if t.Failed() {
					t.Logf("stdout: %s\nstderr: %s\nchannel: %s", o.stdout, o.stderr, o.raw)
				}
				if *update && slices.Contains(recorded, s.name) {
					record(t, s.name, o)
				}
			})
		}
	}
}

// record keeps a channel for the offline tests: temporary folders, the home of
// the interpreters and the key are masked.
func record(t *testing.T, script string, o observed) {
	t.Helper()
	raw := bytes.ReplaceAll(o.raw, []byte(o.dir), []byte("/box"))
	raw = regexp.MustCompile(`/[^" ]*/lib/python3`).ReplaceAll(raw, []byte("/py/lib/python3"))
	raw = regexp.MustCompile(`/[^" ]*/bin/python[0-9.]*`).ReplaceAll(raw, []byte("/py/bin/python"))
	name := fmt.Sprintf("%s-3.%d.txt", strings.TrimSuffix(script, ".py"), minor(t, o.rec))
	if err := os.WriteFile(filepath.Join("testdata/channels", name), raw, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestRealChained runs the sitecustomize that ours shadows.
func TestRealChained(t *testing.T) {
	real(t)
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "sitecustomize.py"), []byte("print('the other ran', __name__)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, python := range interpreters(t) {
		probeDir := t.TempDir()
		if err := Materialise(probeDir); err != nil {
			t.Fatal(err)
		}
		// #nosec: the interpreters of this machine
		cmd := exec.CommandContext(t.Context(), python, "-c", "import os, sitecustomize; print(os.environ['PYTHONPATH'], sitecustomize.__file__)")
		cmd.Env = []string{"PYTHONPATH=" + probeDir + ":" + other}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", python, err, out)
		}
		want := "the other ran sitecustomize\n" + other + " " + filepath.Join(other, "sitecustomize.py") + "\n"
		if string(out) != want {
			t.Errorf("%s: %q, want %q", python, out, want)
		}
	}
}

// TestRealSameOutput compares what a script prints with and without observer.
func TestRealSameOutput(t *testing.T) {
	real(t)
	for _, python := range interpreters(t) {
		for _, script := range []string{"chain.py", "warn.py", "threads.py", "exit_text.py", "syntax_error.py", "recursion.py", "group.py"} {
			with := runner{python: python}.run(t, script)
			cmd := exec.CommandContext(t.Context(), python, "reproduce.py")
			cmd.Dir = with.dir
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + with.dir, "PYTHONIOENCODING=utf-8"}
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			_ = cmd.Run() // the exit code is compared
			if stdout.String() != with.stdout || stderr.String() != with.stderr || cmd.ProcessState.ExitCode() != with.exit {
				t.Errorf("%s %s differs under the observer:\n%s%s---\n%s%s", python, script, with.stdout, with.stderr, &stdout, &stderr)
			}
		}
	}
}

// TestRealIsolatedMode: python -I loads no observer; that is no evidence.
func TestRealIsolatedMode(t *testing.T) {
	real(t)
	o := runner{python: interpreters(t)[0], args: []string{"-I"}}.run(t, "hard_exit.py")
	if o.rec.Started || o.rec.Ended || o.exit != 3 {
		t.Errorf("record of an unobserved process: %+v", o.rec)
	}
}

// TestRealWarningsAsErrors: -W error turns warnings into the exception.
func TestRealWarningsAsErrors(t *testing.T) {
	real(t)
	for _, python := range interpreters(t) {
		o := runner{python: python, args: []string{"-W", "error"}}.run(t, "warn.py")
		if len(o.rec.Exceptions) != 1 || o.rec.Exceptions[0].Type != "__main__.Careful" {
			t.Errorf("%s: %+v", python, o.rec.Exceptions)
		}
	}
}

func TestRealSeeds(t *testing.T) {
	real(t)
	o := runner{python: interpreters(t)[0], env: []string{"PYTHONHASHSEED=7"}}.run(t, "clean.py")
	if o.rec.Seeds["PYTHONHASHSEED"] != "7" {
		t.Errorf("seeds: %v", o.rec.Seeds)
	}
}

// TestRealNumPy makes an environment with numpy for the newest interpreter.
func TestRealNumPy(t *testing.T) {
	real(t)
	found := interpreters(t)
	base := slices.MaxFunc(found, func(a, b string) int { return strings.Compare(version(t, a), version(t, b)) })
	venv := filepath.Join(t.TempDir(), "venv")
	if out, err := exec.CommandContext(t.Context(), base, "-m", "venv", venv).CombinedOutput(); err != nil {
		t.Fatalf("make a virtual environment: %v: %s", err, out)
	}
	python := filepath.Join(venv, "bin/python")
	if out, err := exec.CommandContext(t.Context(), python, "-m", "pip", "install", "-q", "numpy").CombinedOutput(); err != nil {
		t.Fatalf("install numpy: %v: %s", err, out)
	}
	o := runner{python: python, opts: Options{Watch: []string{"a", "a[1]", "count[1, 2]", "count.T.shape"}}}.run(t, "arrays.py")
	checkArrays(t, o)
	if t.Failed() {
		t.Logf("stderr: %s\nchannel: %s", o.stderr, o.raw)
	}
}

// version of an interpreter, padded so that text order is version order.
func version(t *testing.T, python string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), python, "-c", "import sys; print('%03d%03d%03d' % sys.version_info[:3])").Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// BenchmarkRealStart is the whole process, with and without the observer: the
// difference is what it costs.
func BenchmarkRealStart(b *testing.B) {
	real(b)
	python := interpreters(b)[0]
	dir := b.TempDir()
	if err := Materialise(dir); err != nil {
		b.Fatal(err)
	}
	for _, env := range [][]string{{}, {"PYTHONPATH=" + dir, EnvFD + "=3", EnvOptions + "={}"}} {
		b.Run(fmt.Sprintf("observed=%v", len(env) > 0), func(b *testing.B) {
			for b.Loop() {
				ours, theirs, key, err := Channel()
				if err != nil {
					b.Fatal(err)
				}
				cmd := exec.CommandContext(b.Context(), python, "-c", "pass")
				cmd.Env = append([]string{"PYTHONDONTWRITEBYTECODE=1"}, env...)
				cmd.ExtraFiles = []*os.File{theirs}
				if err := cmd.Run(); err != nil {
					b.Fatal(err)
				}
				_ = theirs.Close()
				raw, err := ReadAll(ours, ChannelLimit)
				if rec := Parse(raw, key); err != nil || rec.Ended != (len(env) > 0) {
					b.Fatalf("record %+v: %v", rec, err)
				}
				_ = ours.Close()
			}
		})
	}
}
