package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/sandbox/probe"
)

var update = flag.Bool("update", false, "record testdata/logs from a real interpreter (with REPGEN_REAL=1)")

// interpreters are all of Python 3 at hand; the newest comes last.
func interpreters(t testing.TB) []string {
	t.Helper()
	if os.Getenv("REPGEN_REAL") == "" {
		t.Skip("set REPGEN_REAL=1 to run real interpreters")
	}
	home, _ := os.UserHomeDir()
	found, _ := filepath.Glob(filepath.Join(home, ".pyenv/versions/3.*/bin/python"))
	if python, err := exec.LookPath("python3"); err == nil {
		found = append(found, python)
	}
	if len(found) == 0 {
		t.Fatal("no Python 3 found: install one (apt-get install python3)")
	}
	return found
}

// executed is one process.
type executed struct {
	rec            probe.Record
	stdout, stderr string
	exit           int
	took           time.Duration
}

// execute runs a script as the sandbox would, with a folder of packages.
func execute(t testing.TB, python, script, packages string, opts probe.Options) executed {
	t.Helper()
	observer, work := filepath.Join(t.TempDir(), "observer"), t.TempDir()
	if err := probe.Materialise(observer); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(work, "reproduce.py"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	ours, theirs, key, err := probe.Channel()
	if err != nil {
		t.Fatal(err)
	}
	var args []string
	if opts.Audit {
		args = probe.AuditArgs()
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, python, append(args, "reproduce.py")...)
	cmd.Dir = work
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + work, "PYTHONHASHSEED=0", "PYTHONPATH=" + observer + ":" + packages}
	for name, value := range probe.Env(opts, 3) {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.ExtraFiles = []*os.File{theirs}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = theirs.Close()
	raw, err := probe.ReadAll(ours, probe.ChannelLimit)
	if err != nil {
		t.Fatal(err)
	}
	_ = ours.Close()
	_ = cmd.Wait() // the exit code is looked at by the test
	return executed{probe.Parse(raw, key), stdout.String(), stderr.String(), cmd.ProcessState.ExitCode(), time.Since(began)}
}

func packages(t testing.TB, release string) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("testdata", release, "site-packages"))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestRealScripts is TestScripts with real interpreters: all of it with the first
// one, which leaves the logs with -update, and a part with each other.
func TestRealScripts(t *testing.T) {
	scripts, _ := filepath.Glob("testdata/scripts/*.py")
	for i, python := range interpreters(t) {
		name := filepath.Base(filepath.Dir(filepath.Dir(python)))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for j, script := range scripts {
				if i > 0 && j%8 != i%8 {
					continue
				}
				base := strings.TrimSuffix(filepath.Base(script), ".py")
				t.Run(base, func(t *testing.T) {
					logs := map[string]*Log{}
					for side, release := range map[string]string{"reported": "1", "control": "2", "again": "1"} {
						ex := execute(t, python, script, packages(t, release), probe.Options{Audit: true})
						l, err := Read(ex.rec)
						if err != nil {
							t.Fatalf("%s: %v\n%s", side, err, ex.stderr)
						}
						logs[side] = l
						if *update && i == 0 {
							save(t, base+"-"+side, ex.rec.Audit)
						}
					}
					check(t, script, Compare(logs["reported"], logs["control"], logs["again"], readWanted(t, script).suspect))
				})
			}
		})
	}
}

func save(t *testing.T, name string, parts []json.RawMessage) {
	t.Helper()
	data, err := json.Marshal(parts)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("testdata/logs", name+".json"), append(data, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestRealHostile: objects that must not be asked, iterators that must not be
// consumed, floods, children, threads, frames: a script does and prints the same
// with the recorder in it, and the record ends in order.
func TestRealHostile(t *testing.T) {
	pythons := interpreters(t)
	scripts, err := filepath.Glob("testdata/hostile/*.py")
	if err != nil || len(scripts) < 7 {
		t.Fatalf("%d scripts: %v", len(scripts), err)
	}
	cuts := map[string]string{"million": "events", "recursion": "depth"}
	for i, python := range pythons {
		for j, script := range scripts {
			if i > 1 && i%len(scripts) != j {
				continue
			}
			name := strings.TrimSuffix(filepath.Base(script), ".py")
			t.Run(name+" "+filepath.Base(filepath.Dir(filepath.Dir(python))), func(t *testing.T) {
				t.Parallel()
				cold := execute(t, python, script, packages(t, "1"), probe.Options{})
				ex := execute(t, python, script, packages(t, "1"), probe.Options{Audit: true})
				if ex.stdout != cold.stdout || ex.exit != cold.exit || ex.rec.Forged {
					t.Errorf("exit %d, forged %v\n%.2000s\n%s\nwithout the recorder: exit %d\n%.2000s", ex.exit, ex.rec.Forged, ex.stdout, ex.stderr, cold.exit, cold.stdout)
				}
				l, err := Read(ex.rec)
				if err != nil || l.Cut != cuts[name] || !l.Ended && l.Cut == "" {
					t.Errorf("%v, cut %q, want %q", err, l.Cut, cuts[name])
				}
				for _, q := range l.Questions {
					if q.Site.Kind == "call" && (strings.HasPrefix(q.Site.Text, "work") && name == "forks") {
						t.Errorf("a child or a thread was recorded: %+v", q)
					}
				}
			})
		}
	}
}

// TestRealReleases: scripts over two real releases of numpy, and what the recorder
// costs them.
func TestRealReleases(t *testing.T) {
	interpreters(t)
	python := os.Getenv("REPGEN_TEST_PYTHON")
	if python == "" {
		t.Skip("scripts/test-real.sh makes the interpreter that this needs")
	}
	dirs := map[string]string{}
	for _, version := range []string{"1.26.4", "2.0.2"} {
		dirs[version] = filepath.Join(t.TempDir(), "site-packages")
		out, err := exec.CommandContext(t.Context(), python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--target", dirs[version], "numpy=="+version).CombinedOutput()
		if err != nil {
			t.Fatalf("install numpy %s: %v\n%s", version, err, out)
		}
	}
	scripts, err := filepath.Glob("testdata/releases/*.py")
	if err != nil || len(scripts) < 7 {
		t.Fatalf("%d scripts: %v", len(scripts), err)
	}
	for _, script := range scripts {
		t.Run(filepath.Base(script), func(t *testing.T) {
			text, err := os.ReadFile(script)
			if err != nil {
				t.Fatal(err)
			}
			var reported, control string
			if _, err := fmt.Sscanf(strings.Split(string(text), "\n")[1], "# numpy %s %s", &reported, &control); err != nil {
				t.Fatal(err)
			}
			logs := make([]*Log, 3)
			for i, release := range []string{reported, control, reported} {
				cold := execute(t, python, script, dirs[release], probe.Options{})
				ex := execute(t, python, script, dirs[release], probe.Options{Audit: true})
				if logs[i], err = Read(ex.rec); err != nil || ex.exit != cold.exit || ex.stdout != cold.stdout && !strings.Contains(script, "chance") {
					t.Fatalf("exit %d, without the recorder %d: %v\n%s\n%s\n%s", ex.exit, cold.exit, err, ex.stdout, cold.stdout, ex.stderr)
				}
				t.Logf("numpy %s: %v, audited %v", release, cold.took, ex.took)
			}
			suspect := readWanted(t, script).suspect
			suspect.Modules = []string{"numpy"}
			check(t, script, Compare(logs[0], logs[1], logs[2], suspect))
		})
	}
}

// BenchmarkRealAudit is the cost of the recorder: an execution with and without.
func BenchmarkRealAudit(b *testing.B) {
	python := interpreters(b)[0]
	for name, script := range map[string]string{"helper": "testdata/scripts/honest-helper.py", "million": "testdata/hostile/million.py"} {
		for _, on := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/audit=%v", name, on), func(b *testing.B) {
				took := time.Duration(0)
				for b.Loop() {
					took += execute(b, python, script, packages(b, "1"), probe.Options{Audit: on}).took
				}
				b.ReportMetric(took.Seconds()/float64(b.N)*1000, "ms/run")
			})
		}
	}
}
