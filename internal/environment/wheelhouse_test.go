package environment

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/environment/interp"
	"github.com/repgen/repgen/internal/sandbox"
)

// sourceIndex serves one project, termcolor 1.1.0, as source only.
func sourceIndex(t *testing.T, archive []byte, hash string) string {
	t.Helper()
	if hash == "" {
		sum := sha256.Sum256(archive)
		hash = hex.EncodeToString(sum[:])
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/simple/termcolor/":
			w.Header().Set("Content-Type", "application/vnd.pypi.simple.v1+json")
			_, _ = fmt.Fprintf(w, `{"files":[{"filename":"termcolor-1.1.0.tar.gz","url":"/f","hashes":{"sha256":%q}},
				{"filename":"termcolor-1.0.0.tar.gz","url":"/f","hashes":{}}]}`, hash)
		case "/f":
			_, _ = w.Write(archive)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// builder is a fake run of wheelhouse.py that leaves these files in out.
func builder(t *testing.T, wheels ...string) func(sandbox.Command) sandbox.Execution {
	return func(c sandbox.Command) sandbox.Execution {
		for _, name := range wheels {
			write(t, filepath.Join(c.Work, "out", name), smallWheel(t), 0o644)
		}
		return sandbox.Execution{Outcome: sandbox.Exited}
	}
}

// smallWheel is what a build left.
func smallWheel(t *testing.T) string { return string(zipped(t, "termcolor.py", "x = 1\n")) }

const goodWheel = "termcolor-1.1.0-py3-none-any.whl"

func TestWheelhouse(t *testing.T) {
	archive := tarball(t, "termcolor-1.1.0/setup.py", "raise SystemExit('never on this machine')")
	w := newWorkshop(t, sourceIndex(t, archive, ""))
	w.box.run = func(c sandbox.Command) sandbox.Execution {
		var plan buildPlan
		if err := json.Unmarshal([]byte(read(t, filepath.Join(c.Work, "plan.json"))), &plan); err != nil {
			t.Error(err)
		}
		if plan.Archive != "termcolor-1.1.0.tar.gz" || plan.Backend != "" || strings.Join(plan.Have, " ") != "setuptools wheel" {
			t.Errorf("plan %+v", plan)
		}
		if got := read(t, filepath.Join(c.Work, plan.Archive)); got != string(archive) {
			t.Error("the archive is not the one of the index")
		}
		return builder(t, goodWheel)(c)
	}
	asOf := time.Date(2022, 2, 10, 0, 0, 0, 0, time.UTC)
	dir := ""
	for range 2 {
		got, no, err := w.wheelhouse(t.Context(), "TermColor", "1.1.0", w.python, asOf)
		if err != nil || no != nil || dir != "" && got != dir {
			t.Fatalf("%q %+v %v", got, no, err)
		}
		dir = got
	}
	if len(w.box.seen) != 1 {
		t.Errorf("built %d times", len(w.box.seen))
	}
	if got := read(t, filepath.Join(dir, goodWheel)); got != smallWheel(t) {
		t.Errorf("the wheel holds %q", got)
	}
	if log := read(t, w.log); !strings.Contains(log, "--exclude-newer 2022-02-10T23:59:59Z") || strings.Contains(log, "termcolor") {
		t.Errorf("uv saw the source package, or no date: %s", log)
	}
	if env := w.box.seen[0].Env; env["SOURCE_DATE_EPOCH"] == "" {
		t.Error("the build is not dated")
	}
}

// Build installs the wheel that was built here, by its own hash.
func TestBuildFromSource(t *testing.T) {
	w := newWorkshop(t, sourceIndex(t, tarball(t, "termcolor-1.1.0/setup.py", "x"), ""))
	w.box.run = builder(t, goodWheel)
	l := lockOf("3.11.7", "termcolor==1.1.0", "six==1.0")
	l.Packages[0].Sdist = true
	e := w.built(t, l)
	log := strings.Split(strings.TrimSpace(read(t, w.log)), "\n")
	last := log[len(log)-1]
	if !strings.Contains(last, "--find-links "+filepath.Join(w.opts.CacheDir, wheelStore, "termcolor-")) {
		t.Errorf("installed with %q", last)
	}
	text, links, err := w.installText(e)
	sum := sha256.Sum256([]byte(smallWheel(t)))
	if err != nil || len(links) != 1 || !strings.Contains(text, "--hash=sha256:"+hex.EncodeToString(sum[:])) {
		t.Errorf("%q %q %v", text, links, err)
	}
}

func TestWheelhouseRefusals(t *testing.T) {
	plain := tarball(t, "termcolor-1.1.0/setup.py", "x")
	exit := func(code int, stderr string) func(sandbox.Command) sandbox.Execution {
		return func(sandbox.Command) sandbox.Execution {
			return sandbox.Execution{Outcome: sandbox.Exited, ExitCode: code, Stderr: stderr}
		}
	}
	for _, c := range []struct {
		name, version string
		archive       []byte
		run           func(sandbox.Command) sandbox.Execution
		why           string
	}{
		{name: "torch", version: "1.0", why: "never built"},
		{name: "ultralytics", version: "8.3.41", why: "poisoned"},
		{name: "nothing", version: "1.0", why: "not on the index"},
		{name: "termcolor", version: "9.9", why: "no source package"},
		{name: "termcolor", version: "1.0.0", why: "with a hash"},
		{name: "termcolor", version: "1.1.0", run: exit(1, "Traceback\nerror: no compiler\n"), why: "error: no compiler"},
		{name: "termcolor", version: "1.1.0", run: builder(t), why: "nothing"},
		{name: "termcolor", version: "1.1.0", run: builder(t, goodWheel, "termcolor-1.1.0-py2-none-any.whl"), why: "2 wheels"},
		{name: "termcolor", version: "1.1.0", run: builder(t, "six-1.1.0-py3-none-any.whl"), why: "something else"},
		{name: "termcolor", version: "1.1.0", run: builder(t, "termcolor-2.0-py3-none-any.whl"), why: "something else"},
		{name: "termcolor", version: "1.1.0", archive: []byte("no archive"), why: "cannot be built"},
		{name: "termcolor", version: "1.1.0", archive: tarball(t, "a/pyproject.toml", "[build-system]\nrequires=[\"x @ file:///etc\"]"), why: "build requirement"},
		{name: "termcolor", version: "1.1.0", archive: tarball(t, "a/pyproject.toml", "[build-system]\nrequires=[\"nowheel\"]"), why: "cannot be had as wheels"},
	} {
		if c.archive == nil {
			c.archive = plain
		}
		w := newWorkshop(t, sourceIndex(t, c.archive, ""))
		w.box.run = c.run
		dir, no, err := w.wheelhouse(t.Context(), c.name, c.version, w.python, time.Now())
		if err != nil || no == nil || dir != "" || !strings.Contains(no.Why, c.why) {
			t.Errorf("%s %s: %q %+v %v; want %q", c.name, c.version, dir, no, err, c.why)
		}
	}
}

func TestWheelhouseWithoutSandbox(t *testing.T) {
	w := newWorkshop(t, "")
	w.opts.Sandbox = nil
	_, no, err := w.wheelhouse(t.Context(), "termcolor", "1.1.0", w.python, time.Time{})
	if err != nil || no == nil || !strings.Contains(no.Next, "doctor") {
		t.Errorf("%+v %v", no, err)
	}
}

func TestWheelhouseBadDownload(t *testing.T) {
	w := newWorkshop(t, sourceIndex(t, []byte("other"), strings.Repeat("0", 64)))
	_, no, err := w.wheelhouse(t.Context(), "termcolor", "1.1.0", w.python, time.Time{})
	var index *IndexError
	if no != nil || !errors.As(err, &index) || len(w.box.seen) != 0 {
		t.Errorf("%+v %v", no, err)
	}
}

// A backend may ask for more than its table says: once more is had, and what
// it asks for must be a plain requirement.
func TestWheelhouseAsksForMore(t *testing.T) {
	w := newWorkshop(t, sourceIndex(t, tarball(t, "a/setup.py", "x"), ""))
	wanted := `["cffi"]`
	w.box.run = func(c sandbox.Command) sandbox.Execution {
		if strings.Contains(read(t, filepath.Join(c.Work, "plan.json")), "cffi") {
			return builder(t, goodWheel)(c)
		}
		write(t, filepath.Join(c.Work, "wanted.json"), wanted, 0o644)
		return sandbox.Execution{Outcome: sandbox.Exited, ExitCode: 3}
	}
	if dir, no, err := w.wheelhouse(t.Context(), "termcolor", "1.1.0", w.python, time.Time{}); err != nil || no != nil || dir == "" {
		t.Fatalf("%+v %v", no, err)
	}
	for _, bad := range []string{`["x @ http://evil"]`, `["--index-url=x"]`, `["a\nb"]`} {
		wanted = bad
		w := newWorkshop(t, sourceIndex(t, tarball(t, "a/setup.py", bad), ""))
		w.box.run = func(c sandbox.Command) sandbox.Execution {
			write(t, filepath.Join(c.Work, "wanted.json"), bad, 0o644)
			return sandbox.Execution{Outcome: sandbox.Exited, ExitCode: 3}
		}
		if _, no, err := w.wheelhouse(t.Context(), "termcolor", "1.1.0", w.python, time.Time{}); err != nil || no == nil {
			t.Errorf("%s: %+v %v", bad, no, err)
		}
	}
}

// A build may leave links instead of files: nothing outside is read.
func TestTakeWheelFollowsNoLink(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	write(t, secret, "canary", 0o600)
	w := newWorkshop(t, sourceIndex(t, tarball(t, "a/setup.py", "x"), ""))
	w.box.run = func(c sandbox.Command) sandbox.Execution {
		if err := os.MkdirAll(filepath.Join(c.Work, "out"), 0o755); err != nil {
			t.Error(err)
		}
		if err := os.Symlink(secret, filepath.Join(c.Work, "out", goodWheel)); err != nil {
			t.Error(err)
		}
		return sandbox.Execution{Outcome: sandbox.Exited}
	}
	dir, no, err := w.wheelhouse(t.Context(), "termcolor", "1.1.0", w.python, time.Time{})
	if err == nil && no == nil {
		t.Errorf("a link was taken for a wheel: %s", dir)
	}
	w.box.run = func(c sandbox.Command) sandbox.Execution {
		if err := os.Symlink(filepath.Dir(secret), filepath.Join(c.Work, "out")); err != nil {
			t.Error(err)
		}
		return sandbox.Execution{Outcome: sandbox.Exited}
	}
	if dir, no, err := w.wheelhouse(t.Context(), "termcolor", "1.1.0", w.python, time.Time{}); err == nil && no == nil {
		t.Errorf("a link was taken for the folder: %s", dir)
	}
}

// A shared interpreter that is mounted away from its prefix is found by the
// linker; the system's own needs no word, and a static one has no library.
func TestLinkEnv(t *testing.T) {
	mounted := interp.Interpreter{Path: "/opt/pythons/3.6.15/bin/python3.6", Prefix: "/opt/pythons/3.6.15", Shared: true}
	if got := linkEnv(mounted)["LIBRARY_PATH"]; got != sandbox.PyDir+"/lib" {
		t.Errorf("mounted: %q", got)
	}
	static := mounted
	static.Shared = false
	system := interp.Interpreter{Path: "/usr/bin/python3", Prefix: "/usr", Shared: true}
	for name, python := range map[string]interp.Interpreter{"static": static, "system": system} {
		if got := linkEnv(python); len(got) != 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
}
