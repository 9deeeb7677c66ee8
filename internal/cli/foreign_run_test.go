package cli

import (
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// strangersRun is a run folder that another user's repgen made, with its
// environment still to be built here.
func strangersRun(t *testing.T, r *rig, args ...string) string {
	t.Helper()
	r.env["REPGEN_CACHE_DIR"] = newCache(t, r.cache)
	defer func() { r.env["REPGEN_CACHE_DIR"] = r.cache }()
	args = append([]string{"reproduce", "--quiet", "--out", "strangers"}, args...)
	r.run(append(args, r.file("report.md", axisReport))...).want(t, exitOK)
	return r.path("strangers")
}

// eachAnswer forges the locks in what a run folder remembers of the index, so
// that what was reached with them is to be reached again.
func eachAnswer(t *testing.T, dir string, edit func(lock map[string]any)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "answers", "solve-*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no answers in %s (%v)", dir, err)
	}
	for _, file := range files {
		editJSON(t, file, func(v map[string]any) {
			if out, ok := v["output"].(map[string]any); ok {
				v = out
			}
			lock := v["lock"].(map[string]any)
			lock["text"] = lock["text"].(string) + "\n" // another environment than the one in the store
			edit(lock)
		})
	}
	for _, name := range []string{"05-outcome.json", "06-result.json"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

func firstPackage(lock map[string]any) map[string]any {
	return lock["packages"].([]any)[0].(map[string]any)
}

// mustNotExist fails when something was written where nothing should be.
func mustNotExist(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s was made (%v)", path, err)
	}
}

// TestResumeOfAStrangersRun: what somebody else's folder asks for is all that is
// taken from it.
func TestResumeOfAStrangersRun(t *testing.T) {
	x := newIndex(t, tinyWheels()...)
	r := newRig(t, x)
	theirs := strangersRun(t, r)

	// resumed goes on with a forged copy and wants the honest verdict.
	resumed := func(t *testing.T, dir string, args ...string) ended {
		t.Helper()
		e := r.run(append([]string{"reproduce", "--json", "--resume", dir}, args...)...)
		e.want(t, exitOK, "fixed", "regression")
		e.says(t, "was not made by this user's repgen")
		if e.result != nil && (e.result.Run == nil || strings.HasPrefix(*e.result.Run, dir)) {
			t.Errorf("it went on in the folder itself: %v", e.result.Run)
		}
		return e
	}
	t.Run("a file of the host", func(t *testing.T) {
		dir := copied(t, theirs)
		canary := r.file("canary.txt", "canary-of-the-host-4711\n")
		eachAnswer(t, dir, func(l map[string]any) {
			p := firstPackage(l)
			p["name"] = "-r " + canary + "\n" + p["name"].(string)
		})
		if e := resumed(t, dir); strings.Contains(e.out+e.err, "canary-of-the-host") {
			t.Errorf("the installer read a file of the host:\n%s%s", e.out, e.err)
		}
	})
	t.Run("an address", func(t *testing.T) {
		dir := copied(t, theirs)
		var asked atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
		defer server.Close()
		eachAnswer(t, dir, func(l map[string]any) {
			p := firstPackage(l)
			p["name"] = "evil @ " + server.URL + "/evil-1.0-py3-none-any.whl --hash=" + p["hashes"].([]any)[0].(string) + "\n" + p["name"].(string)
		})
		resumed(t, dir)
		if n := asked.Load(); n > 0 {
			t.Errorf("%d requests to a stranger's address", n)
		}
	})
	t.Run("an outcome", func(t *testing.T) {
		dir := copied(t, theirs)
		editJSON(t, filepath.Join(dir, "05-outcome.json"), func(v map[string]any) {
			v["output"].(map[string]any)["outcome"].(map[string]any)["verdict"].(map[string]any)["grade"] = "A"
		})
		if e := resumed(t, dir); e.result.Grade != "B" {
			t.Errorf("grade %s is believed", e.result.Grade)
		}
	})
	t.Run("a project", func(t *testing.T) {
		dir := copied(t, theirs)
		p := newTree(r)
		editJSON(t, filepath.Join(dir, "00-request.json"), func(v map[string]any) { v["project"] = map[string]any{"dir": p.dir, "revision": "HEAD~1"} })
		e := r.run("reproduce", "--json", "--resume", dir)
		e.want(t, exitUsage, "failed")
		e.says(t, "--project")
		e = r.run("reproduce", "--json", "--resume", dir, "--project", p.dir, "--revision", "HEAD~1", "--fixed-revision", "HEAD")
		if e.want(t, exitOK, "fixed"); e.result.Grade != "A" {
			t.Errorf("grade %s with the project that was named", e.result.Grade)
		}
	})
	t.Run("limits", func(t *testing.T) {
		dir := copied(t, theirs)
		editJSON(t, filepath.Join(dir, "00-request.json"), func(v map[string]any) {
			v["limits"] = map[string]any{"wall": 1e17, "cpu": 1e17, "memory_bytes": 1 << 45, "pids": 1000000, "output_bytes": 1 << 45, "file_bytes": 1, "disk_bytes": 1 << 45}
		})
		if err := os.Remove(filepath.Join(dir, "05-outcome.json")); err != nil {
			t.Fatal(err)
		}
		e := resumed(t, dir)
		var ev struct {
			Outcome struct {
				Limits map[string]int64 `json:"limits"`
			} `json:"outcome"`
		}
		readJSON(t, filepath.Join(*e.result.Bundle, "evidence.json"), &ev)
		if l := ev.Outcome.Limits; l["memory_bytes"] > 8<<30 || l["pids"] > 512 || l["disk_bytes"] > 4<<30 || l["file_bytes"] < 1<<20 || l["wall"] > 3600e9 {
			t.Errorf("limits %v", l)
		}
	})
	t.Run("executions without number, and without isolation", func(t *testing.T) {
		dir := copied(t, theirs)
		editJSON(t, filepath.Join(dir, "00-request.json"), func(v map[string]any) { v["runs"], v["unsafe"] = 100000000, true })
		e := resumed(t, dir)
		if strings.Contains(e.err, "unsafe") || e.result == nil || e.result.Runs > 20 {
			t.Errorf("it ends with %d: %s", e.code, e.err)
		}
	})
	t.Run("a report that was not parsed from its text", func(t *testing.T) {
		dir := copied(t, theirs)
		editJSON(t, filepath.Join(dir, "00-request.json"), func(v map[string]any) {
			for _, b := range v["report"].(map[string]any)["blocks"].([]any) {
				b.(map[string]any)["span"] = map[string]any{"start": -5, "end": 1 << 40}
			}
		})
		resumed(t, dir)
	})
}

// TestLinksInARunFolder: nothing is read or written through them, in anybody's
// folder, not even one's own.
func TestLinksInARunFolder(t *testing.T) {
	x := newIndex(t, tinyWheels()...)
	r := newRig(t, x)
	r.run("reproduce", "--quiet", "--out", "own", r.file("report.md", axisReport)).want(t, exitOK)
	rc := r.file("bashrc", "# mine\n")
	secret := r.file("secret", "canary-of-the-host-4711\n")
	for name, c := range map[string]struct {
		link string // in the run folder
		to   string
		hard bool
	}{
		"events":                {"events.jsonl", rc, false},
		"events, a hard link":   {"events.jsonl", rc, true},
		"trajectory":            {"trajectory.jsonl", rc, true},
		"lock":                  {".lock", r.path("lock-outside"), false},
		"executions":            {"executions", r.path("executions-outside"), false},
		"answers":               {"answers", r.path("answers-outside"), false},
		"work":                  {"work", r.path("work-outside"), false},
		"bundle":                {"bundle", r.path("bundle-outside"), false},
		"the script of a model": {"candidate.py", secret, false},
		"the result":            {"06-result.json", secret, false},
		"a device":              {"llm", "/dev/zero", false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := copied(t, r.path("own"))
			path := filepath.Join(dir, c.link)
			made := os.Symlink
			if c.hard {
				made = os.Link
			}
			if err := errors.Join(os.RemoveAll(path), made(c.to, path)); err != nil {
				t.Fatal(err)
			}
			outside := strings.HasSuffix(c.to, "-outside")
			if outside && c.link != ".lock" {
				if err := os.MkdirAll(c.to, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			before, _ := os.ReadFile(rc)
			for _, args := range [][]string{
				{"reproduce", "--json", "--resume", dir}, {"reproduce", "--json", "--out", dir, r.path("report.md")},
				{"show", dir}, {"show", "--html", r.path("page.html"), dir}, {"judge", "--out", r.path("judged"), filepath.Join(dir, "candidate.py")}, {"verify", dir},
			} {
				e := r.run(args...)
				page, _ := os.ReadFile(r.path("page.html"))
				if strings.Contains(e.out+e.err+string(page), "canary-of-the-host") {
					t.Errorf("%v reads through the link:\n%s%s", args, e.out, e.err)
				}
				if args[0] == "reproduce" && !c.hard && c.link != "work" {
					e.want(t, exitUsage)
					e.says(t, "link")
				}
			}
			if after, err := os.ReadFile(rc); err != nil || string(after) != string(before) {
				t.Errorf("the file outside now holds %q (%v)", after, err)
			}
			if entries, err := os.ReadDir(c.to); err == nil && outside && len(entries) > 0 {
				t.Errorf("written outside: %v", entries)
			}
			if c.link == ".lock" {
				mustNotExist(t, c.to)
			}
		})
	}
}

// TestOwnRunsAreKnown: a folder is this user's wherever it lies now, and what
// was changed in it is made again.
func TestOwnRunsAreKnown(t *testing.T) {
	x := newIndex(t, tinyWheels()...)
	r := newRig(t, x)
	r.run("reproduce", "--quiet", "--out", "own", r.file("report.md", axisReport)).want(t, exitOK)
	resume := func(t *testing.T, dir string) ended {
		t.Helper()
		e := r.run("reproduce", "--json", "--resume", dir)
		e.want(t, exitOK, "fixed", "regression")
		if e.result.Run == nil || *e.result.Run != dir || strings.Contains(e.err, "not made by") {
			t.Errorf("it is not known: run %v\n%s", e.result.Run, e.err)
		}
		return e
	}
	again := func(e ended) bool { return strings.Contains(e.err, "show it") }
	t.Run("a copy", func(t *testing.T) {
		if e := resume(t, copied(t, r.path("own"))); again(e) {
			t.Errorf("it was run again:\n%s", e.err)
		}
	})
	t.Run("moved", func(t *testing.T) {
		to := filepath.Join(t.TempDir(), "moved")
		if err := os.Rename(copied(t, r.path("own")), to); err != nil {
			t.Fatal(err)
		}
		if e := resume(t, to); again(e) {
			t.Errorf("it was run again:\n%s", e.err)
		}
	})
	t.Run("an outcome of a stranger's", func(t *testing.T) {
		dir := copied(t, r.path("own"))
		editJSON(t, filepath.Join(dir, "05-outcome.json"), func(v map[string]any) {
			v["output"].(map[string]any)["outcome"].(map[string]any)["verdict"].(map[string]any)["grade"] = "A"
		})
		if e := resume(t, dir); e.result.Grade != "B" {
			t.Errorf("grade %s is believed", e.result.Grade)
		}
	})
	t.Run("executions of a stranger's", func(t *testing.T) {
		dir := copied(t, r.path("own"))
		files, err := filepath.Glob(filepath.Join(dir, "executions", "newest-*", "execution.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no executions (%v)", err)
		}
		if err := os.Remove(filepath.Join(dir, "05-outcome.json")); err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			editJSON(t, f, func(v map[string]any) {
				if out, ok := v["output"].(map[string]any); ok {
					v = out
				}
				v["exit_code"], v["outcome"] = 77, "signaled"
			})
		}
		if e := resume(t, dir); !again(e) {
			t.Error("forged executions are believed")
		}
	})
	t.Run("the marker alone", func(t *testing.T) {
		// A stranger who was sent one of this user's folders puts its marks on his
		// own: the request with its seal, and all else forged.
		dir := copied(t, r.path("own"))
		eachAnswer(t, dir, func(l map[string]any) {
			p := firstPackage(l)
			p["name"] = "-r " + r.file("canary.txt", "canary-of-the-host-4711\n") + "\n" + p["name"].(string)
		})
		if e := resume(t, dir); strings.Contains(e.out+e.err, "canary-of-the-host") {
			t.Errorf("the installer read a file of the host:\n%s%s", e.out, e.err)
		}
	})
}
