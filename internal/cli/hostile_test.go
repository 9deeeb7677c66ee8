package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/sandbox"
)

// nasty are scripts that attack the machine instead of showing a bug. want
// lists honest headlines; none of them shows the reported exception.
var nasty = []struct {
	name, script string
	outcome      sandbox.Outcome // of the first execution, "" for any
	want         []string
}{
	{"prints a gigabyte", `
while True:
    print("x" * (1 << 20))
`, sandbox.OutputLimit, []string{"exhausted"}},
	{"writes a gigabyte to standard error", `
import sys
for _ in range(1 << 10):
    sys.stderr.write("e" * (1 << 20))
`, sandbox.OutputLimit, []string{"exhausted"}},
	{"prints escape sequences", `
print("\x1b]0;owned\x07\x1b[2J\u202e\x9b31mhello")
raise KeyError("\x1b[31mred\u202e")
`, sandbox.Exited, []string{"different_failure"}},
	{"forks for ever", `
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
`, "", []string{"exhausted"}},
	{"leaves a daemon", `
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(3600)
    os._exit(0)
`, sandbox.Exited, []string{"not_reproduced", "failed"}},
	{"sleeps for ever", `
import time
time.sleep(10 ** 6)
`, sandbox.TimedOut, []string{"exhausted"}},
	{"ignores every signal", `
import signal, time
for s in range(1, 65):
    try:
        signal.signal(s, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    time.sleep(1)
`, sandbox.TimedOut, []string{"exhausted"}},
	{"eats memory", `
x = []
while True:
    x.append(bytearray(b"1" * (16 << 20)))
`, sandbox.OutOfMemory, []string{"exhausted"}},
	{"kills its parent", `
import os, signal
os.kill(os.getppid(), signal.SIGKILL)
os.kill(1, signal.SIGKILL)
`, "", []string{"not_reproduced", "hostile", "different_failure", "failed", "exhausted"}},
	{"kills everybody", `
import os, signal
os.kill(-1, signal.SIGKILL)
`, "", []string{"not_reproduced", "hostile", "different_failure", "failed", "exhausted"}},
	{"writes one huge file", `
with open("big", "wb") as f:
    while True:
        f.write(b"0" * (1 << 20))
`, "", []string{"different_failure", "exhausted", "env_unavailable"}},
	{"writes many files", `
i = 0
while True:
    with open("f%d" % i, "wb") as f:
        f.write(b"0" * (1 << 20))
    i += 1
`, "", []string{"different_failure", "exhausted"}},
	{"closes all descriptors", `
import os
os.closerange(0, 4096)
`, "", []string{"not_reproduced", "failed", "hostile"}},
	{"leaves without a word", `
import os
os._exit(0)
`, sandbox.Exited, []string{"not_reproduced", "failed"}},
	{"leaves as if killed", `
import os
os._exit(139)
`, sandbox.Exited, []string{"not_reproduced", "different_failure", "failed"}},
	{"removes its folder", `
import os, shutil
shutil.rmtree("/box", ignore_errors=True)
shutil.rmtree("/env", ignore_errors=True)
os.symlink("/etc/passwd", "/box/reproduce.py") if os.path.isdir("/box") else None
`, sandbox.Exited, []string{"not_reproduced"}},
}

// nastyReport is the tiny exception with another script.
func nastyReport(script string) string {
	i := strings.Index(axisReport, "print(")
	j := strings.Index(axisReport[i:], "\n```") + i
	return axisReport[:i] + "print(tinynet.add(1, 2))\n" + strings.TrimSpace(script) + axisReport[j:]
}

// small are limits that a test can reach in a moment.
func small(l *sandbox.Limits) {
	l.MemoryBytes, l.FileBytes, l.DiskBytes, l.Pids = 256<<20, 16<<20, 48<<20, 64
}

// TestNastyScripts: each ends by its limit, with an honest result, and leaves
// nothing running.
func TestNastyScripts(t *testing.T) {
	x := newIndex(t, tinyWheels()...)
	r := newRig(t, x)
	for i, n := range nasty {
		t.Run(n.name, func(t *testing.T) {
			run := r.path(fmt.Sprintf("run%d", i))
			report := r.file(fmt.Sprintf("report%d.md", i), nastyReport(n.script))
			e := r.runSmall(t, run, report)
			if e.result == nil {
				t.Fatalf("no object, exit code %d\n%s", e.code, e.err)
			}
			e.want(t, proof.ExitCode(e.result), n.want...)
			for _, ex := range executionsOf(t, *e.result.Run) {
				if n.outcome != "" && ex.Outcome != n.outcome && strings.HasPrefix(ex.Label, "reported") {
					t.Errorf("%s ended %s %s, want %s", ex.Label, ex.Outcome, ex.LimitHit, n.outcome)
				}
				if len(ex.Stdout) > 2<<20 || len(ex.Stderr) > 2<<20 {
					t.Errorf("%d and %d bytes of output were kept", len(ex.Stdout), len(ex.Stderr))
				}
			}
			harmless(t, e.out)
			harmless(t, e.err)
		})
	}
}

// runSmall starts a run under small limits, which no flag gives: the request is
// written by a first run that is stopped by a missing isolation, then changed.
// The second run goes on from it as from a stranger's, in a folder of its own.
func (r *rig) runSmall(t *testing.T, run, report string) ended {
	t.Helper()
	path := r.env["PATH"]
	r.env["PATH"] = t.TempDir()
	r.run("reproduce", "--quiet", "--runs", "1", "--run-timeout", "3s", "--out", run, report).want(t, exitFailed)
	r.env["PATH"] = path
	r.changeRequest(run, func(q *pipeline.Request) { small(&q.Limits) })
	return r.run("reproduce", "--json", "--resume", run)
}

// harmless wants no byte that steers a terminal.
func harmless(t *testing.T, text string) {
	t.Helper()
	for _, c := range text {
		if steers(c) {
			t.Errorf("the control character %U reaches the terminal", c)
			return
		}
	}
}

// executionsOf reads the kept executions of a run.
func executionsOf(t *testing.T, run string) []sandbox.Execution {
	t.Helper()
	var list []sandbox.Execution
	for key := range startedAt(t, run) {
		data, err := os.ReadFile(run + "/executions/" + key + "/execution.json")
		if err != nil {
			t.Fatal(err)
		}
		var kept struct{ Output sandbox.Execution }
		if err := json.Unmarshal(data, &kept); err != nil {
			t.Fatal(err)
		}
		list = append(list, kept.Output)
	}
	return list
}
