package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// axisReport is the tiny library's exception, as a reporter would file it.
const axisReport = `# total() fails with an int axis

With tinynet 1.2 I get this, Python 3.11:

` + "```python" + `
import tinynet

print(tinynet.total([[1, 2], [3, 4]], axis=1))
` + "```\n\n```" + `
Traceback (most recent call last):
  File "demo.py", line 3, in <module>
    print(tinynet.total([[1, 2], [3, 4]], axis=1))
  File "/home/me/venv/lib/python3.11/site-packages/tinynet/core.py", line 11, in total
    return [sum(row) for row in rows for _ in axis]
TypeError: 'int' object is not iterable
` + "```\n"

// TestIndexDown: an index that refuses, fails or never answers is our trouble
// and never a verdict.
func TestIndexDown(t *testing.T) {
	real(t)
	fails := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }))
	t.Cleanup(fails.Close)
	lies := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>log in here</html>")) }))
	t.Cleanup(lies.Close)
	for name, url := range map[string]string{"refuses": "http://127.0.0.1:9", "status 500": fails.URL, "a login page": lies.URL} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, nil)
			e := r.run("reproduce", "--json", "--index", url+"/simple", "--out", "run", r.file("report.md", axisReport))
			e.want(t, exitFailed, "failed")
			e.says(t, "index", "next: ")
			if p := e.result.Error; p == nil || p.What == "" || p.Why == "" || p.Next == "" {
				t.Errorf("the error is %+v", p)
			}
			if e.result.Run == nil {
				t.Error("the run folder is not named")
			}
		})
	}
}

// TestIndexHangs: one that takes the question and never answers can be left
// with Ctrl-C at once.
func TestIndexHangs(t *testing.T) {
	real(t)
	release := make(chan struct{})
	hangs := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(hangs.Close)
	t.Cleanup(func() { close(release) })
	r := newRig(t, nil)
	p := r.start("reproduce", "--json", "--index", hangs.URL+"/simple", "--out", "run", r.file("report.md", axisReport))
	sent := p.signalAt("environment: looking for uv", os.Interrupt)
	e := p.wait()
	if !<-sent {
		t.Fatalf("no progress:\n%s", e.err)
	}
	e.want(t, exitInterrupted, "failed")
}

// TestNoBubblewrap: without isolation nothing runs, and it says how to get it.
func TestNoBubblewrap(t *testing.T) {
	x := newIndex(t, tinyWheels()...)
	r := newRig(t, x)
	r.env["PATH"] = pathOf(t, r, "uv")
	e := r.run("reproduce", "--json", "--out", "run", r.file("report.md", axisReport))
	e.want(t, exitFailed, "failed")
	e.says(t, "nothing was run", "isolation", "bubblewrap", "apt-get install bubblewrap", "repgen doctor", "--unsafe-no-sandbox")
	if len(startedAt(t, r.path("run"))) != 0 {
		t.Error("something ran without isolation")
	}
	// Nor was anything chosen or downloaded for it.
	if _, err := os.Stat(filepath.Join(r.path("run"), "04-spec.json")); err == nil {
		t.Error("an environment was chosen that cannot be used")
	}
	e = r.run("env", "report.md")
	e.want(t, exitFailed)
	e.says(t, "nothing was run", "bubblewrap")
	if e = r.run("env", "explain", "report.md"); e.code != exitOK || !strings.Contains(e.out, "tinynet") {
		t.Errorf("env explain runs nothing and ended with %d:\n%s", e.code, e.err)
	}
	e = r.run("doctor")
	e.want(t, exitFailed)
	for _, want := range []string{"MISSING", "apt-get install bubblewrap", "until then reproduce", "--unsafe-no-sandbox runs WITHOUT isolation"} {
		if !strings.Contains(e.out, want) {
			t.Errorf("the doctor lacks %q:\n%s", want, e.out)
		}
	}
	// Not even a place for a cache keeps it from judging the isolation.
	home, cache := r.env["HOME"], r.env["REPGEN_CACHE_DIR"]
	delete(r.env, "HOME")
	delete(r.env, "REPGEN_CACHE_DIR")
	e = r.run("doctor")
	e.want(t, exitFailed)
	if !strings.Contains(e.out, "isolation: user-namespace") || !strings.Contains(e.out, "REPGEN_CACHE_DIR") {
		t.Errorf("the doctor without a home says:\n%s%s", e.out, e.err)
	}
	r.env["HOME"], r.env["REPGEN_CACHE_DIR"] = home, cache
	// With it the same run goes on.
	r.env["PATH"] = os.Getenv("PATH")
	r.run("reproduce", "--json", "--resume", "run").want(t, 0, "fixed", "regression")
}

// pathOf is a PATH with nothing but the named programs.
func pathOf(t testing.TB, r *rig, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		found := ""
		if name == "uv" {
			found = uvOf(t, r)
		} else if p, err := exec.LookPath(name); err == nil {
			found = p
		}
		if found == "" {
			t.Fatalf("%s is not here", name)
		}
		if err := os.Symlink(found, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// uvOf is the uv that the doctor found.
func uvOf(t testing.TB, r *rig) string {
	t.Helper()
	for line := range strings.Lines(r.run("doctor").out) {
		if f := strings.Fields(line); len(f) > 1 && f[1] == "uv" {
			return f[len(f)-1]
		}
	}
	t.Fatal("the doctor names no uv")
	return ""
}

// TestDoctorNamesWhatIsMissing: index and cache too, each with what to do.
func TestDoctorNamesWhatIsMissing(t *testing.T) {
	r := newRig(t, nil)
	r.env["UV_DEFAULT_INDEX"] = "http://127.0.0.1:9/simple"
	r.env["PATH"] = filepath.Dir(uvOf(t, r)) + ":" + r.env["PATH"]
	r.env["REPGEN_CACHE_DIR"] = filepath.Join(r.file("cachefile", "x"), "cache")
	e := r.run("doctor")
	e.want(t, exitFailed)
	for _, text := range []string{"MISSING  package index", "--index URL", "MISSING  cache folder", "REPGEN_CACHE_DIR"} {
		if !strings.Contains(e.out, text) {
			t.Errorf("the doctor does not say %q:\n%s", text, e.out)
		}
	}
}

// TestNoPythonAtAll: a machine without an interpreter says so. Root hides the
// system's own in a private mount namespace; elsewhere only the version that
// nobody has can be asked for (TestNoSuchPython).
func TestNoPythonAtAll(t *testing.T) {
	real(t)
	if os.Getuid() != 0 {
		t.Skip("only root may hide the system's interpreters; the checks run as root too")
	}
	x := newIndex(t, tinyWheels()...)
	r := newRig(t, x)
	report := r.file("report.md", axisReport)
	wrapper := r.file("bare.sh", bareMachine)
	r.env["PATH"] = pathOf(t, r, "uv", "bwrap")
	cmd := exec.Command("/usr/bin/unshare", "--mount", "/bin/sh", wrapper, r.exe, "reproduce", "--json", "--out", r.path("run"), report)
	cmd.Env = []string{"PATH=" + r.env["PATH"], "HOME=" + r.env["HOME"], "REPGEN_CACHE_DIR=" + r.path("cache"), "UV_DEFAULT_INDEX=" + x.URL + "/simple"}
	var problem strings.Builder
	cmd.Stderr = &problem
	out, _ := cmd.Output()
	if code := cmd.ProcessState.ExitCode(); code != 5 && code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	result := parseResult(t, string(out))
	if result.Headline != "env_unavailable" && result.Headline != "failed" {
		t.Errorf("headline %s", result.Headline)
	}
	said := problem.String() + strings.Join(result.Reasons, " ")
	if result.Error != nil {
		said += result.Error.Why + result.Error.Next
	}
	if !strings.Contains(said, "interpreter") && !strings.Contains(said, "Python") || !strings.Contains(said, "nstall") {
		t.Errorf("it does not say that there is no Python, and what to do:\n%s", said)
	}
	nothingRuns(t)
}

// bareMachine hides every interpreter by an empty file and runs its arguments.
const bareMachine = `
for p in /usr/bin/python* /usr/local/bin/python* /bin/python*; do
    if [ -x "$p" ]; then /bin/mount --bind /dev/null "$(/usr/bin/readlink -f "$p")"; fi
done
exec "$@"
`

// TestNoSuchPython: a version that nobody has here ends with a reason.
func TestNoSuchPython(t *testing.T) {
	x := newIndex(t, tinyWheels()...)
	r := newRig(t, x)
	e := r.run("reproduce", "--json", "--python", "3.4", "--out", "run", r.file("report.md", axisReport))
	e.want(t, 5, "env_unavailable")
	if e.result.Error == nil || !strings.Contains(e.result.Error.What+e.result.Error.Why+strings.Join(e.result.Reasons, " "), "3.4") {
		t.Errorf("the version is not named: %+v %v", e.result.Error, e.result.Reasons)
	}
}

// TestFullDisk: what was reached is kept, the message says what is full, and
// with room the run goes on.
func TestFullDisk(t *testing.T) {
	real(t)
	if os.Getuid() != 0 {
		t.Skip("only root may mount the small disk; the checks run as root too")
	}
	for _, where := range []string{"out", "cache"} {
		t.Run(where, func(t *testing.T) {
			x := newIndex(t, tinyWheels()...)
			r := newRig(t, x)
			disk := mountSmall(t, "size=256k")
			if where == "cache" {
				r.env["PATH"] = filepath.Dir(uvOf(t, r)) + ":" + r.env["PATH"]
				r.env["REPGEN_CACHE_DIR"] = filepath.Join(disk, "cache")
			}
			run := r.path("run")
			if where == "out" {
				run = filepath.Join(disk, "run")
			}
			e := r.run("reproduce", "--json", "--out", run, r.file("report.md", axisReport+strings.Repeat("more of the log\n", 4000)))
			e.want(t, exitFailed, "failed")
			e.says(t, "next: ")
			if all := e.err; !strings.Contains(all, "disk is full") && !strings.Contains(all, "no space left") && !strings.Contains(all, "No space left") {
				t.Errorf("it does not say that the disk is full:\n%s", all)
			}
			if err := unix.Mount("x", disk, "tmpfs", unix.MS_REMOUNT, "size=4g"); err != nil {
				t.Fatal(err)
			}
			r.run("reproduce", "--json", "--out", run, r.path("report.md")).want(t, 0, "fixed", "regression")
		})
	}
}

func mountSmall(t testing.TB, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("x", dir, "tmpfs", 0, options); err != nil {
		t.Fatalf("mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return dir
}

// TestReadOnlyCache: a cache that cannot be written, or that is no folder.
func TestReadOnlyCache(t *testing.T) {
	x := newIndex(t, tinyWheels()...)
	r := newRig(t, x)
	report := r.file("report.md", axisReport)
	closed := r.path("closed")
	if os.Getuid() == 0 {
		closed = mountSmall(t, "size=1m")
		if err := unix.Mount("x", closed, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
			t.Fatal(err)
		}
	} else if err := os.Mkdir(closed, 0o555); err != nil {
		t.Fatal(err)
	}
	r.env["PATH"] = filepath.Dir(uvOf(t, r)) + ":" + r.env["PATH"]
	for name, cache := range map[string]string{"read-only": closed, "a file": r.file("cachefile", "x")} {
		t.Run(name, func(t *testing.T) {
			r.env["REPGEN_CACHE_DIR"] = filepath.Join(cache, "cache")
			e := r.run("reproduce", "--json", "--out", r.path("run "+name), report)
			e.want(t, exitFailed, "failed")
			e.says(t, cache, "next: ", "REPGEN_CACHE_DIR")
		})
	}
}

// TestFolderInUse: the second of two runs in one folder is refused, the first
// is not disturbed.
func TestFolderInUse(t *testing.T) {
	x := newIndex(t, tinyWheels()...)
	r := newRig(t, x)
	report := r.file("report.md", strings.Replace(axisReport, "import tinynet\n\n", "import tinynet\nimport time\n\ntime.sleep(0.5)\n", 1))
	first := r.start("reproduce", "--json", "--out", "run", report)
	second := make(chan ended)
	go func() {
		first.waitFor("run: ")
		out, err := exec.Command(r.exe, "reproduce", "--json", "--out", r.path("run"), report).Output()
		e := ended{out: string(out)}
		if exit, ok := err.(*exec.ExitError); ok {
			e.code, e.err = exit.ExitCode(), string(exit.Stderr)
		}
		second <- e
	}()
	e := <-second
	e.want(t, exitFailed)
	e.says(t, "in use", "next: ")
	parseResult(t, e.out)
	first.wait().want(t, 0, "fixed", "regression")
}
