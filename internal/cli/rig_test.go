package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/system"
)

// patience is how long one process of repgen may take before the test kills
// it: no measure, only a bound for a machine that is very busy.
const patience = 15 * time.Minute

// rig runs repgen as its own process in a folder of its own, as a user would.
type rig struct {
	testing.TB
	dir   string
	exe   string
	env   map[string]string
	cache string
}

// newRig wants REPGEN_REAL and a machine that the doctor calls whole.
func newRig(t testing.TB, x *index) *rig {
	t.Helper()
	real(t)
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	r := &rig{TB: t, dir: t.TempDir(), cache: sharedCache(t)}
	r.exe = program(t)
	r.env = map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": filepath.Join(r.dir, "home"), "NO_COLOR": "1",
		"REPGEN_CACHE_DIR": r.cache, "TMPDIR": os.TempDir(),
	}
	if x != nil {
		r.env["UV_DEFAULT_INDEX"] = x.URL + "/simple"
	}
	if err := os.Mkdir(r.env["HOME"], 0o755); err != nil {
		t.Fatal(err)
	}
	return r
}

// program is this test binary under the name repgen; TestMain put it on PATH.
func program(t testing.TB) string {
	t.Helper()
	exe, err := exec.LookPath("repgen")
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// file writes a file of the rig's folder and returns its path.
func (r *rig) file(name, text string) string {
	r.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		r.Fatal(err)
	}
	return path
}

func (r *rig) path(name string) string { return filepath.Join(r.dir, name) }

// ended is a process of repgen that has ended.
type ended struct {
	code     int // -1 when a signal ended it
	out, err string
	result   *proof.Result // of --json, checked against the schema
}

// running is one under way.
type running struct {
	*rig
	cmd  *exec.Cmd
	args []string
	out  bytes.Buffer
	err  *lineLog
}

// run runs repgen to its end, wants nothing to be left running, and with
// --json a valid object.
func (r *rig) run(args ...string) ended {
	r.Helper()
	return r.start(args...).wait()
}

func (r *rig) start(args ...string) *running {
	r.Helper()
	p := &running{rig: r, args: args, err: newLineLog()}
	p.cmd = exec.Command(r.exe, args...)
	p.cmd.Dir = r.dir
	for k, v := range r.env {
		p.cmd.Env = append(p.cmd.Env, k+"="+v)
	}
	p.cmd.Stdout, p.cmd.Stderr = &p.out, p.err
	p.cmd.WaitDelay = 10 * time.Second // a descendant that holds the pipe is a fault of its own
	if err := p.cmd.Start(); err != nil {
		r.Fatal(err)
	}
	return p
}

func (p *running) wait() ended {
	p.Helper()
	late := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
	err := p.cmd.Wait()
	if !late.Stop() {
		p.Errorf("repgen %v was still running after %v", p.args, patience)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.Errorf("repgen %v: %v", p.args, err)
	}
	p.err.close()
	nothingRuns(p.TB)
	e := ended{code: p.cmd.ProcessState.ExitCode(), out: p.out.String(), err: p.err.String()}
	for _, text := range []string{"panic:", "goroutine ", "Traceback (most"} {
		if strings.Contains(e.err, text) {
			p.Errorf("repgen %v shows its inside:\n%s", p.args, e.err)
		}
	}
	if e.code >= 0 && slices.Contains(p.args, "--json") && (p.args[0] == "reproduce" || p.args[0] == "judge" || p.args[0] == "show") {
		e.result = parseResult(p.TB, e.out)
	}
	return e
}

// parseResult checks the one object of --json.
func parseResult(t testing.TB, out string) *proof.Result {
	t.Helper()
	if err := validResult([]byte(out)); err != nil {
		t.Errorf("the object does not follow docs/json.schema.json: %v\n%s", err, out)
		return &proof.Result{}
	}
	var r proof.Result
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

// want fails unless the process ended with a code, and with one of some
// headlines where it printed an object.
func (e ended) want(t testing.TB, code int, headlines ...string) {
	t.Helper()
	if e.code != code {
		t.Errorf("exit code %d, want %d\n%s%s", e.code, code, e.out, e.err)
	}
	if e.result != nil && len(headlines) > 0 && !slices.Contains(headlines, string(e.result.Headline)) {
		t.Errorf("headline %s, want one of %v: %v", e.result.Headline, headlines, e.result.Reasons)
	}
}

// says fails unless standard error holds every text.
func (e ended) says(t testing.TB, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(e.err, text) {
			t.Errorf("standard error lacks %q:\n%s", text, e.err)
		}
	}
}

// nothingRuns fails when a descendant of this test lives on. Orphans come to
// the test, which is their reaper, wherever they were started.
func nothingRuns(t testing.TB) {
	t.Helper()
	// The kernel takes a moment to end a namespace whose first process died.
	var left []string
	for range 600 {
		if left = descendants(t); len(left) == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("left running: %s", strings.Join(left, "; "))
}

// descendants lists living processes below this one.
func descendants(t testing.TB) []string {
	t.Helper()
	parent := map[int]int{}
	name := map[int]string{}
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		pid, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(filepath.Join("/proc", d.Name(), "stat"))
		if err != nil {
			continue // ended meanwhile
		}
		i := bytes.LastIndexByte(stat, ')')
		f := strings.Fields(string(stat[i+1:]))
		if len(f) < 2 {
			continue
		}
		up, _ := strconv.Atoi(f[1])
		if f[0] == "Z" && up == os.Getpid() {
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // an orphan of ours, dead already
			continue
		}
		parent[pid], name[pid] = up, f[0]+" "+string(stat[:i+1])
	}
	var left []string
	for pid := range parent {
		for up := parent[pid]; up > 1; up = parent[up] {
			if up == os.Getpid() {
				left = append(left, name[pid])
				break
			}
		}
	}
	return left
}

// lineLog keeps a stream and lets a test wait for a line of it.
type lineLog struct {
	mu    sync.Mutex
	text  strings.Builder
	ended bool
	more  *sync.Cond
}

func newLineLog() *lineLog {
	l := &lineLog{}
	l.more = sync.NewCond(&l.mu)
	return l
}

// Write implements io.Writer.
func (l *lineLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.more.Broadcast()
	return l.text.Write(b)
}

func (l *lineLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *lineLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	l.more.Broadcast()
}

// waitFor waits until standard error holds text; false when the process ended
// without saying it.
func (p *running) waitFor(text string) bool {
	l := p.err
	l.mu.Lock()
	defer l.mu.Unlock()
	for !strings.Contains(l.text.String(), text) && !l.ended {
		l.more.Wait()
	}
	return strings.Contains(l.text.String(), text)
}

// signalAt sends a signal when standard error first holds text. The channel
// says false when the process ended without saying it.
func (p *running) signalAt(text string, sig os.Signal) <-chan bool {
	sent := make(chan bool, 1)
	go func() {
		said := p.waitFor(text)
		if said {
			_ = p.cmd.Process.Signal(sig)
		}
		sent <- said
	}()
	return sent
}

// startedAt reads when each kept execution of a run began.
func startedAt(t testing.TB, run string) map[string]time.Time {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(run, "executions", "*", "execution.json"))
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]time.Time{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var kept struct{ Output struct{ Started time.Time } }
		if err := json.Unmarshal(data, &kept); err != nil || kept.Output.Started.IsZero() {
			t.Errorf("%s is no whole record: %v", f, err)
		}
		at[filepath.Base(filepath.Dir(f))] = kept.Output.Started
	}
	return at
}

// changeRequest changes what a run was asked for, as no flag can; it is a
// stranger's then.
func (r *rig) changeRequest(run string, change func(*pipeline.Request)) {
	r.Helper()
	path := filepath.Join(run, "00-request.json")
	var req pipeline.Request
	readJSON(r, path, &req)
	change(&req)
	if err := system.WriteJSON(path, req); err != nil {
		r.Fatal(err)
	}
}
