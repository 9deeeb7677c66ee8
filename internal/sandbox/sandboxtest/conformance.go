package sandboxtest

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
)

// Conformance runs the contract of sandbox.Sandbox against an adapter.
func Conformance(t *testing.T, open func(t *testing.T) sandbox.Sandbox) {
	Real(t)
	tests := map[string]func(*testing.T, sandbox.Sandbox){
		"exit codes": exitCodes, "signals": signals, "time-out": timeOut, "cpu": cpuLimit,
		"output": outputCap, "flood": outputFlood, "environment": exactEnvironment,
		"stdin": standardInput, "work": workFolder, "private work": privateWork, "cancel": cancellation,
		"memory": memoryLimit, "file size": fileSize, "disk": diskLimit, "observer": observer,
		"no observer": noObserver, "mounts": mounts, "together": together, "missing": missingCommand,
		"clean output": cleanOutput, "record": fullRecord, "done already": doneAlready,
		"background": background, "memory curve": memoryCurve, "stacks": stackSamples,
		"hidden space": hiddenDisk, "many files": manyFiles,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func exitCodes(t *testing.T, s sandbox.Sandbox) {
	// 130, 137, 139 and 141 are what a shell makes of signals.
	for code, want := range map[string]int{
		"": 0, "import sys; sys.exit(3)": 3, "import sys; sys.exit(139)": 139,
		"import os; os._exit(137)": 137, "import sys; sys.exit(130)": 130, "import sys; sys.exit(141)": 141,
		"raise ValueError('broken')": 1, "import sys; sys.exit('text')": 1,
	} {
		ex := run(t, s, script(code), limits())
		wantExit(t, ex, want)
		if strings.Contains(code, "ValueError") && !strings.Contains(ex.Stderr, "ValueError: broken") {
			t.Errorf("stderr %q", ex.Stderr)
		}
	}
}

func signals(t *testing.T, s sandbox.Sandbox) {
	self := func(sig string) string {
		return "import os, signal; signal.signal(signal.SIGINT, signal.SIG_DFL); signal.signal(signal.SIGPIPE, signal.SIG_DFL);" +
			"os.kill(os.getpid(), signal." + sig + "); import time; time.sleep(5)"
	}
	for code, want := range map[string]string{
		"import os; os.abort()":              "SIGABRT",
		"import ctypes; ctypes.string_at(0)": "SIGSEGV",
		self("SIGTERM"):                      "SIGTERM", self("SIGKILL"): "SIGKILL",
		self("SIGINT"): "SIGINT", self("SIGPIPE"): "SIGPIPE", self("SIGFPE"): "SIGFPE",
	} {
		ex := run(t, s, script(code), limits())
		wantOutcome(t, ex, sandbox.Signaled)
		if ex.Signal != want || ex.OOMKills != 0 {
			t.Errorf("signal %s, oom kills %d, want %s", ex.Signal, ex.OOMKills, want)
		}
	}
}

func timeOut(t *testing.T, s sandbox.Sandbox) {
	word := Token(t)
	l := limits()
	l.Wall = 700 * time.Millisecond
	ex := run(t, s, script(`
import subprocess, sys, time, signal
for s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(s, signal.SIG_IGN)
p = [subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", sys.argv[1]]) for _ in range(3)]
print("ready", flush=True)
time.sleep(600)`, word), l)
	wantOutcome(t, ex, sandbox.TimedOut)
	if !strings.HasPrefix(ex.LimitHit, "wall") || ex.WallSeconds < 0.7 {
		t.Errorf("limit %q after %v s", ex.LimitHit, ex.WallSeconds)
	}
	Gone(t, word)
}

func cpuLimit(t *testing.T, s sandbox.Sandbox) {
	l := limits()
	l.CPU = time.Second
	ex := run(t, s, script("while True: pass"), l)
	wantOutcome(t, ex, sandbox.TimedOut)
	if !strings.HasPrefix(ex.LimitHit, "cpu") || ex.CPUSeconds < 0.9 {
		t.Errorf("limit %q after %v s of cpu", ex.LimitHit, ex.CPUSeconds)
	}
}

func outputCap(t *testing.T, s sandbox.Sandbox) {
	l := limits()
	l.OutputBytes = 1000
	ex := run(t, s, script("import sys; print('first' + 'x' * 4000 + 'last'); print('e', file=sys.stderr)"), l)
	wantExit(t, ex, 0)
	if !ex.StdoutTruncated || ex.StderrTruncated {
		t.Errorf("truncated %v, %v", ex.StdoutTruncated, ex.StderrTruncated)
	}
	if !strings.HasPrefix(ex.Stdout, "first") || !strings.HasSuffix(ex.Stdout, "last\n") || len(ex.Stdout) > 1100 {
		t.Errorf("kept %d bytes: %.20q", len(ex.Stdout), ex.Stdout)
	}
}

func outputFlood(t *testing.T, s sandbox.Sandbox) {
	l := limits()
	l.OutputBytes = 10000
	for _, stream := range []string{"1", "2"} {
		ex := run(t, s, script("import os, sys\nwhile True: os.write(int(sys.argv[1]), b'y' * 4096)", stream), l)
		wantOutcome(t, ex, sandbox.OutputLimit)
	}
}

func exactEnvironment(t *testing.T, s sandbox.Sandbox) {
	c := script("import os, json; print(json.dumps(dict(os.environ)))")
	c.Env = map[string]string{"A": "1 2\n3", "LANG": "C.UTF-8", "EMPTY": ""}
	ex := run(t, s, c, limits())
	wantExit(t, ex, 0)
	var got map[string]string
	if err := json.Unmarshal([]byte(ex.Stdout), &got); err != nil {
		t.Fatal(err)
	}
	want := c.Environment(nil)
	for _, k := range []string{"HOME", "TMPDIR", "XDG_CACHE_HOME", "MPLCONFIGDIR", "NUMBA_CACHE_DIR"} {
		if got[k] == "" {
			t.Errorf("%s is not set", k)
		}
		delete(got, k) // a host path without isolation
		delete(want, k)
	}
	if !maps.Equal(got, want) {
		t.Errorf("environment %v, want %v", got, want)
	}
}

func standardInput(t *testing.T, s sandbox.Sandbox) {
	big := strings.Repeat("0123456789", 20000) // more than a pipe holds
	c := script("import sys; d = sys.stdin.read(); print(len(d), d[-3:])")
	c.Stdin = []byte(big)
	ex := run(t, s, c, limits())
	wantExit(t, ex, 0)
	if ex.Stdout != "200000 789\n" {
		t.Errorf("stdout %q", ex.Stdout)
	}
	c.Stdin = nil
	if ex := run(t, s, c, limits()); ex.Stdout != "0 \n" {
		t.Errorf("without input: %q", ex.Stdout)
	}
	// A script that does not read must not hang the run.
	c = script("print('done')")
	c.Stdin = []byte(big)
	wantExit(t, run(t, s, c, limits()), 0)
}

func workFolder(t *testing.T, s sandbox.Sandbox) {
	work := t.TempDir()
	if err := os.WriteFile(filepath.Join(work, "in.txt"), []byte("given"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := script("import sys; open('sub.txt','w').write(open('in.txt').read() + ' back'); print(open(sys.argv[1]).read())",
		sandbox.WorkDir+"/in.txt")
	c.Work = work
	ex := run(t, s, c, limits())
	wantExit(t, ex, 0)
	data, err := sandbox.ReadFile(work, "sub.txt", 100)
	if err != nil || string(data) != "given back" {
		t.Errorf("read back %q, %v", data, err)
	}
	if _, err := os.Stat(filepath.Join(work, "in.txt")); err != nil {
		t.Errorf("the folder's own file: %v", err)
	}
}

func privateWork(t *testing.T, s sandbox.Sandbox) {
	code := "import os; print(os.listdir('.')); os.makedirs('a/b'); open('a/b/c','w'); os.chmod('a', 0)"
	for range 2 {
		ex := run(t, s, script(code), limits())
		wantExit(t, ex, 0)
		if ex.Stdout != "[]\n" {
			t.Errorf("folder was not empty: %s", ex.Stdout)
		}
	}
}

func cancellation(t *testing.T, s sandbox.Sandbox) {
	word := Token(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := script("import time; open('ready','w'); time.sleep(600)", word)
	c.Work = t.TempDir()
	cancelWhen(t, cancel, filepath.Join(c.Work, "ready"))
	ex, err := s.Run(ctx, c, limits())
	if !errors.Is(err, context.Canceled) || ex.Outcome != sandbox.Canceled {
		t.Errorf("outcome %s, error %v", ex.Outcome, err)
	}
	Gone(t, word)
}

func doneAlready(t *testing.T, s sandbox.Sandbox) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	work := t.TempDir()
	c := script("open('ran','w')")
	c.Work = work
	if _, err := s.Run(ctx, c, limits()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(work, "ran")); err == nil {
		t.Error("the script ran under a cancelled context")
	}
}

func memoryLimit(t *testing.T, s sandbox.Sandbox) {
	l := limits()
	l.MemoryBytes = 100 << 20
	ex := run(t, s, script(`
x = []
while True: x.append(b"x" * (8 << 20))`), l)
	wantOutcome(t, ex, sandbox.OutOfMemory)
	if ex.OOMKills == 0 || !strings.HasPrefix(ex.LimitHit, "memory") {
		t.Errorf("oom kills %d, limit %q", ex.OOMKills, ex.LimitHit)
	}
	if ex.PeakMemory < 50<<20 {
		t.Errorf("peak memory %d", ex.PeakMemory)
	}
}

func fileSize(t *testing.T, s sandbox.Sandbox) {
	l := limits()
	l.FileBytes = 1 << 20
	ex := run(t, s, script(`
try:
    open("big", "wb").write(b"x" * (3 << 20))
except OSError as e:
    print(e.errno)`), l)
	wantExit(t, ex, 0)
	if ex.Stdout != "27\n" { // EFBIG; Python ignores SIGXFSZ
		t.Errorf("stdout %q", ex.Stdout)
	}
}

func diskLimit(t *testing.T, s sandbox.Sandbox) {
	l := limits()
	l.DiskBytes = 20 << 20
	ex := run(t, s, script(`
i = 0
while True:
    with open("f%d" % i, "wb") as f: f.write(b"x" * (1 << 20))
    i = (i + 1) % 200`), l)
	wantOutcome(t, ex, sandbox.DiskLimit)
}

func observer(t *testing.T, s sandbox.Sandbox) {
	c := script("raise KeyError('seen')")
	c.Probe = &probe.Options{}
	c.Env = map[string]string{"PYTHONPATH": sandbox.WorkDir + "/own"}
	ex := run(t, s, c, limits())
	wantExit(t, ex, 1)
	if !ex.Record.Started {
		t.Fatalf("no record: %+v", ex.Record)
	}
	if n := len(ex.Record.Exceptions); n != 1 || ex.Record.Exceptions[0].Type != "KeyError" {
		t.Errorf("exceptions: %+v", ex.Record.Exceptions)
	}
	if !strings.HasSuffix(ex.Env["PYTHONPATH"], sandbox.WorkDir+"/own") {
		t.Errorf("PYTHONPATH %q", ex.Env["PYTHONPATH"])
	}
}

func noObserver(t *testing.T, s sandbox.Sandbox) {
	// The streams and the folder being listed: nothing else is handed on.
	ex := run(t, s, script("import os; print(sorted(int(f) for f in os.listdir('/proc/self/fd')))"), limits())
	wantExit(t, ex, 0)
	if ex.Stdout != "[0, 1, 2, 3]\n" || ex.Record.Started {
		t.Errorf("open descriptors %s, record %v", ex.Stdout, ex.Record.Started)
	}
}

func mounts(t *testing.T, s sandbox.Sandbox) {
	outer, inner := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{filepath.Join(outer, "a"): "outer", filepath.Join(inner, "b"): "inner"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(outer, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := script("import sys; print(*[open(a).read() for a in sys.argv[1:]])", "/data/a", "/data/sub/b")
	c.Mounts = []sandbox.Mount{{Host: inner, Guest: "/data/sub"}, {Host: outer, Guest: "/data"}}
	ex := run(t, s, c, limits())
	wantExit(t, ex, 0)
	if ex.Stdout != "outer inner\n" {
		t.Errorf("stdout %q", ex.Stdout)
	}
}

func together(t *testing.T, s sandbox.Sandbox) {
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			ex, err := s.Run(t.Context(), script("import sys; open('me','w').write(sys.argv[1]); print(open('me').read()); sys.exit(int(sys.argv[1]))",
				string(rune('0'+i))), limits())
			if err != nil || ex.ExitCode != i || ex.Stdout != string(rune('0'+i))+"\n" {
				t.Errorf("run %d: %v exit %d, stdout %q", i, err, ex.ExitCode, ex.Stdout)
			}
		})
	}
	wg.Wait()
}

func missingCommand(t *testing.T, s sandbox.Sandbox) {
	for _, name := range []string{"/nowhere/python", "no-such-command"} {
		ex, err := s.Run(t.Context(), sandbox.Command{Argv: []string{name}}, limits())
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: outcome %q, error %v", name, ex.Outcome, err)
		}
	}
	if _, err := s.Run(t.Context(), sandbox.Command{}, limits()); err == nil {
		t.Error("an empty command ran")
	}
}

func cleanOutput(t *testing.T, s sandbox.Sandbox) {
	ex := run(t, s, script(`import sys; sys.stdout.buffer.write(b"a\x1b[31mred\x1b[0m\x1b]0;title\x07b\r\nc\xff\x00\x08\n")`), limits())
	wantExit(t, ex, 0)
	if ex.Stdout != "aredb\nc\ufffd\n" {
		t.Errorf("stdout %q", ex.Stdout)
	}
}

func fullRecord(t *testing.T, s sandbox.Sandbox) {
	c := script("x = bytearray(60 << 20)\nsum(range(3000000))")
	c.Label = "candidate 1/1"
	before := time.Now()
	ex := run(t, s, c, sandbox.Limits{})
	wantExit(t, ex, 0)
	layers, err := s.Layers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case ex.Label != c.Label || len(ex.Argv) != 3:
		t.Errorf("label %q, argv %v", ex.Label, ex.Argv)
	case len(ex.Layers) != 9 || len(layers) != 9:
		t.Errorf("layers %v, %v", ex.Layers, layers)
	case ex.Limits != sandbox.DefaultLimits():
		t.Errorf("limits %+v", ex.Limits)
	case ex.CPUSeconds <= 0 || ex.WallSeconds <= 0 || ex.PeakMemory < 60<<20:
		t.Errorf("cpu %v, wall %v, peak %d", ex.CPUSeconds, ex.WallSeconds, ex.PeakMemory)
	case ex.Started.Before(before.Add(-time.Second)) || ex.Started.After(time.Now()):
		t.Errorf("started %v", ex.Started)
	}
}

// background: what a script leaves running ends with it, also when it holds
// the output open.
func background(t *testing.T, s sandbox.Sandbox) {
	word := Token(t)
	ex := run(t, s, script(`
import subprocess, sys
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", sys.argv[1]])
print("gone")`, word), limits())
	wantExit(t, ex, 0)
	if ex.Stdout != "gone\n" || ex.WallSeconds > 30 {
		t.Errorf("stdout %q after %v s", ex.Stdout, ex.WallSeconds)
	}
	Gone(t, word)
}
