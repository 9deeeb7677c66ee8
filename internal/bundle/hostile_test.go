package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/sandbox"
)

// seal gives a changed folder a manifest that fits it, as whoever forges a
// whole bundle would.
func seal(t testing.TB, dir string) {
	t.Helper()
	m := Manifest{Schema: Schema, Files: map[string]string{}}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == fileManifest {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		m.Files[filepath.ToSlash(rel)] = digest(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, fileManifest, string(data))
}

func put(t testing.TB, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestForgedFolders: each is refused in words, whatever it holds, and nothing
// outside of it is read.
func TestForgedFolders(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "record.json")
	put(t, filepath.Dir(secret), "record.json", `{"stdout": "canary-of-the-host"}`)
	for name, c := range map[string]struct {
		forge func(t *testing.T, dir string)
		want  string // part of a problem or of the error
	}{
		"an execution outside": {func(t *testing.T, dir string) {
			name := "executions/../../../../../.." + filepath.Dir(secret)
			replaceExecution(t, dir, name)
		}, "cannot be read"},
		"an absolute execution": {func(t *testing.T, dir string) { replaceExecution(t, dir, filepath.Dir(secret)) }, "cannot be read"},
		"a listed link": {func(t *testing.T, dir string) {
			path := filepath.Join(dir, fileReport)
			if err := errors.Join(os.Remove(path), os.Symlink(secret, path)); err != nil {
				t.Fatal(err)
			}
		}, "report.md: is no plain file"},
		"a linked folder": {func(t *testing.T, dir string) {
			if err := os.Symlink("/etc", filepath.Join(dir, "executions", "etc")); err != nil {
				t.Fatal(err)
			}
		}, "executions/etc: is no plain file"},
		"a pipe": {func(t *testing.T, dir string) {
			if err := unix.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
				t.Fatal(err)
			}
		}, "pipe: is no plain file"},
		"a huge file": {func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(dir, fileReport), maxFile+1); err != nil {
				t.Fatal(err)
			}
		}, "report.md: is too large"},
		"a manifest that is a pipe": {func(t *testing.T, dir string) {
			path := filepath.Join(dir, fileManifest)
			if err := errors.Join(os.Remove(path), unix.Mkfifo(path, 0o644)); err != nil {
				t.Fatal(err)
			}
		}, "no plain file"},
		"a manifest that is a link": {func(t *testing.T, dir string) {
			path := filepath.Join(dir, fileManifest)
			if err := errors.Join(os.Remove(path), os.Symlink("/dev/zero", path)); err != nil {
				t.Fatal(err)
			}
		}, "no plain file"},
		"a manifest that is no JSON": {func(t *testing.T, dir string) { put(t, dir, fileManifest, "{") }, "damaged"},
		"a manifest of a list":       {func(t *testing.T, dir string) { put(t, dir, fileManifest, "[]") }, "damaged"},
		"a newer layout":             {func(t *testing.T, dir string) { put(t, dir, fileManifest, `{"schema": 2}`) }, "update repgen"},
		"too many files": {func(t *testing.T, dir string) {
			for i := range maxFiles + 1 {
				put(t, dir, fmt.Sprintf("f%d", i), "")
			}
		}, "more than 5000 files"},
		"too many folders": {func(t *testing.T, dir string) {
			for i := range maxFiles + 1 {
				if err := os.Mkdir(filepath.Join(dir, fmt.Sprintf("d%d", i)), 0o755); err != nil {
					t.Fatal(err)
				}
			}
		}, "more than 5000 files"},
		"no script":   {func(t *testing.T, dir string) { put(t, dir, fileScript, "print()"); seal(t, dir) }, "the script is missing"},
		"null inside": {func(t *testing.T, dir string) { put(t, dir, fileEvidence, "null"); seal(t, dir) }, "missing"},
		"a claim without evidence": {func(t *testing.T, dir string) {
			change(t, dir, fileEvidence, func(ev map[string]any) { ev["executions"] = [][]string{} })
		}, "recorded executions say"},
		"a lock with an index": {func(t *testing.T, dir string) { setLock(t, dir, "--index-url http://127.0.0.1:1/\nlib==1.2\n") }, "no pinned version"},
		"a lock with a URL":    {func(t *testing.T, dir string) { setLock(t, dir, "lib @ http://127.0.0.1:1/lib.whl\n") }, "no pinned version"},
		"a lock with a file":   {func(t *testing.T, dir string) { setLock(t, dir, "-r /etc/passwd\n") }, "no pinned version"},
		"more executions than groups": {func(t *testing.T, dir string) {
			change(t, dir, fileEvidence, func(ev map[string]any) { ev["executions"] = [][]string{{}, {}, {"x"}, {"y"}} })
		}, "more executions than groups"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, _ := write(t)
			c.forge(t, dir)
			b, tampered, err := Read(dir)
			if b != nil && len(tampered) == 0 {
				t.Fatal("it is believed")
			}
			if said := fmt.Sprint(tampered, err); !strings.Contains(said, c.want) || strings.Contains(said, "canary") {
				t.Errorf("it says %s, want %q", said, c.want)
			}
		})
	}
}

func replaceExecution(t *testing.T, dir, name string) {
	change(t, dir, fileEvidence, func(ev map[string]any) { ev["executions"] = [][]string{{name}} })
}

// change edits a JSON file and makes the manifest fit.
func change(t testing.TB, dir, name string, edit func(map[string]any)) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	edit(v)
	if data, err = json.Marshal(v); err != nil {
		t.Fatal(err)
	}
	put(t, dir, name, string(data))
	seal(t, dir)
}

func setLock(t *testing.T, dir, text string) {
	change(t, dir, fileEvidence, func(ev map[string]any) {
		ev["outcome"].(map[string]any)["lock"].(map[string]any)["text"] = text
	})
}

func TestLockLines(t *testing.T) {
	for line, odd := range map[string]bool{
		"": false, "lib==1.2": false, "lib-x.y_z==1!2.0rc1+cpu.cxx11 \\": false, "    --hash=sha256:00ff \\": false,
		"lib==1.2 --hash=sha256:0a": false, "lib": true, "lib>=1": true, "-e .": true, "lib==1.2 ; os": true,
		"lib==1.2 --index-url=x": true, "# lib": true, "lib @ file:///x": true, "--find-links x": true, "lib==1.2\r": true,
	} {
		if _, got := oddLock(&environment.Lock{Text: line + "\n"}); got != odd {
			t.Errorf("%q: odd %v, want %v", line, got, odd)
		}
	}
}

// TestLimitsAreBounded: a bundle cannot lift the limits of who verifies it.
func TestLimitsAreBounded(t *testing.T) {
	d := sandbox.DefaultLimits()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64()
		in := sandbox.Limits{Wall: time.Duration(n.Draw(t, "wall")), MemoryBytes: n.Draw(t, "memory"), Pids: int(n.Draw(t, "pids")), OutputBytes: n.Draw(t, "output"), DiskBytes: n.Draw(t, "disk")}
		got := bounded(in)
		if got.Wall <= 0 || got.Wall > maxWall || got.MemoryBytes <= 0 || got.MemoryBytes > d.MemoryBytes || got.Pids <= 0 || got.Pids > d.Pids ||
			got.OutputBytes <= 0 || got.OutputBytes > d.OutputBytes || got.DiskBytes <= 0 || got.DiskBytes > d.DiskBytes {
			t.Fatalf("%+v became %+v", in, got)
		}
	})
	if small := (sandbox.Limits{Wall: time.Second, Pids: 3}).WithDefaults(); bounded(small) != small {
		t.Errorf("smaller limits changed: %+v", bounded(small))
	}
}

// FuzzRead: whatever a forged bundle holds, reading it ends in a bundle or in
// words, never in a panic, and a believed one has consistent parts.
func FuzzRead(f *testing.F) {
	for _, name := range []string{fileEvidence, fileOracle, fileCandidate, fileVerdict} {
		for _, text := range []string{"null", "{}", "[]", `{"outcome": {}}`, `{"oracle": "printed_output"}`, `{"oracle": "exception", "symptom": {"kind": "exception"}}`,
			`{"outcome": {"evidence": {"groups": [{}, {}]}, "verdict": {"control": 99}}, "executions": [["x"]]}`} {
			f.Add(name, []byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		switch name {
		case fileEvidence, fileOracle, fileCandidate, fileVerdict:
		default:
			return
		}
		dir, _ := write(t)
		put(t, dir, name, string(data))
		seal(t, dir)
		b, tampered, err := Read(dir)
		if err == nil && len(tampered) == 0 && (b == nil || b.Candidate == nil || b.Outcome == nil || b.Result == nil) {
			t.Errorf("a bundle without its parts: %+v", b)
		}
	})
}
