package pypi

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// fakeIndex answers for termcolor; fail makes it answer with a status first.
type fakeIndex struct {
	asked  atomic.Int32
	status atomic.Int32 // 0: works
	once   atomic.Bool  // status holds for one request only
}

func (f *fakeIndex) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.asked.Add(1)
	if s := f.status.Load(); s != 0 {
		if f.once.Load() {
			f.status.Store(0)
		}
		w.WriteHeader(int(s))
		return
	}
	switch r.URL.Path {
	case "/simple/termcolor/":
		w.Header().Set("Content-Type", "application/vnd.pypi.simple.v1+json")
		http.ServeFile(w, r, "testdata/termcolor.json")
	case "/simple/old/":
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<a href="/f/old-1.0.tar.gz">old-1.0.tar.gz</a>`))
	case "/f/data":
		_, _ = w.Write([]byte("hello"))
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func start(t *testing.T) (*fakeIndex, string) {
	t.Helper()
	f := &fakeIndex{}
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return f, s.URL
}

func TestProjectIsCached(t *testing.T) {
	fake, address := start(t)
	dir, now := t.TempDir(), time.Now()
	o := Options{Indexes: []string{address + "/simple/"}, CacheDir: dir, Now: func() time.Time { return now }}
	c := New(o)
	for range 3 {
		p, err := c.Project(t.Context(), "TermColor")
		if err != nil || p.Name != "termcolor" || len(p.Files) != 5 || p.Stale {
			t.Fatalf("%+v, %v", p, err)
		}
	}
	if _, err := New(o).Project(t.Context(), "termcolor"); err != nil {
		t.Fatal(err)
	}
	if n := fake.asked.Load(); n != 1 {
		t.Errorf("asked %d times, want once", n)
	}
	now = now.Add(2 * DefaultTTL)
	if _, err := c.Project(t.Context(), "termcolor"); err != nil || fake.asked.Load() != 2 {
		t.Errorf("an old listing is not refreshed: asked %d, %v", fake.asked.Load(), err)
	}
	fake.status.Store(http.StatusForbidden)
	now = now.Add(2 * DefaultTTL)
	p, err := c.Project(t.Context(), "termcolor")
	if err != nil || !p.Stale {
		t.Errorf("an old listing has to serve when the index is down: %+v %v", p, err)
	}
}

func TestProjectMissing(t *testing.T) {
	fake, address := start(t)
	c := New(Options{Indexes: []string{address + "/simple"}, CacheDir: t.TempDir()})
	for _, name := range []string{"nothing", "nothing", "../etc", "", strings.Repeat("a", 300)} {
		if _, err := c.Project(t.Context(), name); !errors.Is(err, ErrNotFound) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if n := fake.asked.Load(); n != 1 {
		t.Errorf("asked %d times: absence is cached and strange names are not asked for", n)
	}
}

func TestProjectRetries(t *testing.T) {
	fake, address := start(t)
	fake.status.Store(http.StatusServiceUnavailable)
	fake.once.Store(true)
	c := New(Options{Indexes: []string{address + "/simple"}})
	if _, err := c.Project(t.Context(), "termcolor"); err != nil {
		t.Fatal(err)
	}
	if n := fake.asked.Load(); n != 2 {
		t.Errorf("asked %d times", n)
	}
}

func TestProjectErrors(t *testing.T) {
	fake, address := start(t)
	withSecret := strings.Replace(address, "://", "://user:hunter2@", 1)
	c := New(Options{Indexes: []string{withSecret + "/simple"}})
	fake.status.Store(http.StatusUnauthorized)
	_, err := c.Project(t.Context(), "termcolor")
	if err == nil || !strings.Contains(err.Error(), "refuses the credentials") {
		t.Errorf("refused: %v", err)
	}
	dead := New(Options{Indexes: []string{"http://user:hunter2@127.0.0.1:1/simple"}})
	_, err = dead.Project(t.Context(), "termcolor")
	if err == nil || errors.Is(err, ErrNotFound) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("dead index: %v", err)
	}
	if _, err := New(Options{}).Project(t.Context(), "x"); err == nil || errors.Is(err, ErrNotFound) {
		t.Errorf("no index: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := dead.Project(ctx, "other"); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestSecondIndex(t *testing.T) {
	_, address := start(t)
	c := New(Options{Indexes: []string{address + "/other", address + "/simple"}})
	p, err := c.Project(t.Context(), "old")
	if err != nil || len(p.Files) != 1 || p.Files[0].Version != "1.0" {
		t.Errorf("%+v %v", p, err)
	}
	if err := c.Prefetch(t.Context(), []string{"old", "termcolor", "nothing"}); err != nil {
		t.Errorf("prefetch: %v", err)
	}
}

func TestDamagedCache(t *testing.T) {
	_, address := start(t)
	dir := t.TempDir()
	o := Options{Indexes: []string{address + "/simple"}, CacheDir: dir}
	if _, err := New(o).Project(t.Context(), "termcolor"); err != nil {
		t.Fatal(err)
	}
	kept, err := filepath.Glob(filepath.Join(dir, "*", "*", "termcolor.json"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept: %v %v", kept, err)
	}
	if err := os.WriteFile(kept[0], []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if p, err := New(o).Project(t.Context(), "termcolor"); err != nil || len(p.Files) != 5 {
		t.Errorf("%+v %v", p, err)
	}
}

func TestDownload(t *testing.T) {
	_, address := start(t)
	c := New(Options{Indexes: []string{address + "/simple"}})
	const hello = "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
	dst := filepath.Join(t.TempDir(), "file")
	f := File{Filename: "data", URL: address + "/f/data", Hash: hello}
	if err := c.Download(t.Context(), f, dst); err != nil {
		t.Fatal(err)
	}
	if got := string(read(t, dst)); got != "hello" {
		t.Errorf("got %q", got)
	}
	if err := c.Download(t.Context(), f, dst); err == nil {
		t.Error("an existing file was written over")
	}
	for name, bad := range map[string]File{
		"hash":    {URL: f.URL, Hash: "sha256:00"},
		"no hash": {URL: f.URL},
		"absent":  {URL: address + "/f/none", Hash: hello},
	} {
		dst := filepath.Join(t.TempDir(), "file")
		if err := c.Download(t.Context(), bad, dst); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := os.Stat(dst); err == nil {
			t.Errorf("%s: a file was left", name)
		}
	}
}

func TestDenied(t *testing.T) {
	for _, c := range []struct {
		name, version string
		want          bool
	}{
		{"ultralytics", "8.3.41", true}, {"Ultralytics", "8.3.43", false}, {"lightning", "2.6.3", true},
		{"lightning", "2.6.1", false}, {"torchtriton", "3.0.0", true}, {"torchtriton", "", true},
		{"lightning", "", false}, {"numpy", "1.0", false},
	} {
		reason, bad := Denied(c.name, c.version)
		if bad != c.want || bad != (reason != "") {
			t.Errorf("%s %s: %t %q", c.name, c.version, bad, reason)
		}
	}
	if v, all := DeniedVersions("ultralytics"); all || len(v) != 4 {
		t.Errorf("ultralytics: %v %t", v, all)
	}
	if _, all := DeniedVersions("torchtriton"); !all {
		t.Error("torchtriton has no good version")
	}
}

func TestDeniedTable(t *testing.T) {
	rows := 0
	for line := range strings.Lines(deniedTable) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		rows++
		cols := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(cols) != 4 || cols[1] == "" || cols[3] == "" {
			t.Errorf("row is not name, versions, day, reason: %q", line)
			continue
		}
		if _, err := time.Parse("2006-01-02", cols[2]); err != nil {
			t.Errorf("%s: %v", cols[0], err)
		}
	}
	if rows < 10 || len(DeniedNames()) < 10 {
		t.Errorf("%d rows, %d names", rows, len(DeniedNames()))
	}
}
