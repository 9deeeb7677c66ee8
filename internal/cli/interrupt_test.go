package cli

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/proof"
)

// slowReport keeps each stage long enough to be interrupted there.
func slowReport(seconds string) string {
	return strings.Replace(axisReport, "import tinynet\n\n", "import tinynet\nimport time\n\ntime.sleep("+seconds+")\n", 1)
}

// verdictOf is what must not depend on how often a run was interrupted.
type verdictOf struct {
	headline, grade string
	hits, runs      int
	versions        string
}

func verdict(r *proof.Result) verdictOf {
	v := verdictOf{headline: string(r.Headline), grade: string(r.Grade), hits: r.Hits, runs: r.Runs}
	for _, side := range r.Versions {
		v.versions += side.Package + " " + side.Version + " " + side.Symptom + "; "
	}
	return v
}

// undisturbed is the verdict of a run that nobody interrupts, and how long it
// took.
func undisturbed(r *rig, report string) (verdictOf, time.Duration) {
	r.Helper()
	began := time.Now()
	e := r.run("reproduce", "--json", "--out", "undisturbed", report)
	took := lastEvent(r, "undisturbed").Sub(began)
	e.want(r, 0, "fixed", "regression")
	return verdict(e.result), took
}

// lastEvent is when a run said its last word. What comes after is flushed to
// the disk, which a busy machine may take long for.
func lastEvent(r *rig, run string) time.Time {
	r.Helper()
	data, err := os.ReadFile(r.path(filepath.Join(run, "events.jsonl")))
	if err != nil {
		r.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	var e pipeline.Event
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &e); err != nil {
		r.Fatal(err)
	}
	return e.Time
}

// TestInterruptAtEachStage: Ctrl-C ends every stage at once, prints the object,
// leaves nothing running, and the run goes on to the same verdict.
func TestInterruptAtEachStage(t *testing.T) {
	x := newIndex(t, tinyWheels()...)
	r := newRig(t, x)
	report := r.file("report.md", slowReport("0.7"))
	want, _ := undisturbed(r, report)
	stages := map[string]string{
		"versions": "environment: choosing versions", "solve": "environment: looking for uv",
		"run": "run: reported tinynet 1.2: 1 of 1", "control": "control: newest tinynet 1.3: 0 of 1",
	}
	for name, line := range stages {
		for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
			if sig == syscall.SIGTERM && name != "run" {
				continue
			}
			t.Run(name+" "+sig.String(), func(t *testing.T) {
				r.interruptAndResume(t, name+sig.String(), report, line, sig, want)
			})
		}
	}
}

func (r *rig) interruptAndResume(t *testing.T, name, report, line string, sig os.Signal, want verdictOf) {
	run := r.path(name)
	p := r.start("reproduce", "--json", "--out", run, report)
	sent := p.signalAt(line, sig)
	e := p.wait()
	if !<-sent {
		t.Fatalf("it never said %q:\n%s", line, e.err)
	}
	e.want(t, exitInterrupted, "failed")
	e.says(t, "interrupted", "--resume")
	if e.result.Run == nil || *e.result.Run != run {
		t.Errorf("the run folder is not named: %v", e.result.Run)
	}
	before := startedAt(t, run)
	e = r.run("reproduce", "--json", "--resume", run)
	e.want(t, 0)
	if got := verdict(e.result); got != want {
		t.Errorf("resumed to %+v, undisturbed %+v", got, want)
	}
	keptAll(t, run, before)
}

// keptAll wants every execution that was finished before to be the same one.
func keptAll(t *testing.T, run string, before map[string]time.Time) {
	t.Helper()
	after := startedAt(t, run)
	for key, at := range before {
		if !after[key].Equal(at) {
			t.Errorf("the execution %s ran again: %v, then %v", key, at, after[key])
		}
	}
	if entries, err := filepath.Glob(filepath.Join(run, "work", "*")); err != nil || len(entries) > 0 {
		t.Errorf("work folders were left: %v %v", entries, err)
	}
}

// TestInterruptWhileReading: a report that never comes can be given up.
func TestInterruptWhileReading(t *testing.T) {
	r := newRig(t, nil)
	pipe := r.path("pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"-", pipe} {
		cmd := exec.Command(r.exe, "reproduce", "--json", name)
		cmd.Dir = r.dir
		in, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		// Who writes: both ends of the named pipe, so that opening it never waits.
		writer := w
		if name == pipe {
			if writer, err = os.OpenFile(pipe, os.O_RDWR, 0); err != nil {
				t.Fatal(err)
			}
		}
		cmd.Stdin, cmd.WaitDelay = in, time.Second
		var out strings.Builder
		cmd.Stdout = &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// It prints nothing before it reads: it reads once these words are gone.
		if _, err := writer.WriteString("# A report\n"); err != nil {
			t.Fatal(err)
		}
		waitForReader(t, writer)
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		_, _, _ = writer.Close(), w.Close(), in.Close()
		if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
			t.Errorf("%s: exit code %d", name, code)
		}
		parseResult(t, out.String())
	}
	nothingRuns(t)
}

// waitForReader waits until a pipe is empty.
func waitForReader(t *testing.T, pipe *os.File) {
	t.Helper()
	for range 6000 {
		n, err := unix.IoctlGetInt(int(pipe.Fd()), unix.TIOCINQ) // bytes that nobody has read
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("nobody reads")
}

// TestSecondInterrupt: who presses Ctrl-C twice is not kept waiting, and even
// then nothing is left running.
func TestSecondInterrupt(t *testing.T) {
	x := newIndex(t, tinyWheels()...)
	r := newRig(t, x)
	report := r.file("report.md", slowReport("600"))
	p := r.start("reproduce", "--out", "run", report)
	go func() {
		for p.waitForRecord("run") {
			_ = p.cmd.Process.Signal(os.Interrupt)
			time.Sleep(time.Millisecond)
			_ = p.cmd.Process.Signal(os.Interrupt)
			return
		}
	}()
	if e := p.wait(); e.code != exitInterrupted && e.code != -1 {
		t.Errorf("exit code %d\n%s", e.code, e.err)
	}
}

// waitForRecord waits until a work folder of the run holds a script.
func (p *running) waitForRecord(run string) bool {
	for began := time.Now(); time.Since(began) < patience; {
		if found, _ := filepath.Glob(filepath.Join(p.dir, run, "work", "*", "reproduce.py")); len(found) > 0 {
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
	return false
}

// TestKilledAnywhere: kill -9 at ten random moments, then going on, ends in the
// same verdict; what had finished is not run again.
func TestKilledAnywhere(t *testing.T) {
	x := newIndex(t, tinyWheels()...)
	r := newRig(t, x)
	report := r.file("report.md", slowReport("0.2"))
	want, took := undisturbed(r, report)
	const seed = 20240317
	random := rand.New(rand.NewPCG(seed, 0))
	for i := range 10 {
		run := r.path("killed" + string(rune('0'+i)))
		p := r.start("reproduce", "--json", "--out", run, report)
		moment := time.Duration(random.Int64N(int64(took)))
		time.AfterFunc(moment, func() { _ = p.cmd.Process.Kill() })
		p.wait()
		before := startedAt(t, run)
		e := r.goOn(run, report, i%2 == 0)
		e.want(t, 0)
		if got := verdict(e.result); got != want {
			t.Errorf("killed after %v it ends as %+v, undisturbed %+v", moment, got, want)
		}
		keptAll(t, run, before)
		if i == 9 {
			r.run("verify", "--json", filepath.Join(run, "bundle")).want(t, 0)
		}
		t.Logf("killed after %v with %d finished executions", moment, len(before))
	}
}

// goOn resumes a killed run, by its folder or by giving the report again. A run
// that was killed before it wrote its request is none yet.
func (r *rig) goOn(run, report string, byFolder bool) ended {
	if _, err := os.Stat(filepath.Join(run, "00-request.json")); err == nil && byFolder {
		return r.run("reproduce", "--json", "--resume", run)
	}
	return r.run("reproduce", "--json", "--out", run, report)
}
