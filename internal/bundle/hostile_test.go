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
	"github.com/repgen/repgen/internal/environment/uv"
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

// TestLockLines: a lock has the one form in which we write it.
func TestLockLines(t *testing.T) {
	hash := someHash
	for text, odd := range map[string]bool{
		"": false, "lib==1.2\n": false, "lib-x==1!2.0rc1+cpu.cxx11 \\\n    --hash=" + hash + "\n": false,
		"lib==1.2 --hash=" + hash + "\n": true, "lib\n": true, "lib>=1\n": true, "-e .\n": true, "lib==1.2 ; os\n": true, "lib==1.2 --index-url=x\n": true,
		"# lib\n": true, "lib @ file:///x\n": true, "--find-links x\n": true, "lib==1.2\r\n": true, "lib==1.2": true, "\n": true, "Lib==1.2\n": true,
		"lib==1.2 \\\n    --hash=sha256:00\n": true,
	} {
		l := &environment.Lock{Python: "3.11", Text: text}
		for _, p := range uv.ParseLock(text) {
			l.Packages = append(l.Packages, environment.Package{Name: p.Name, Version: p.Version, Hashes: p.Hashes})
		}
		if why := oddLock(l, ""); (why != "") != odd {
			t.Errorf("%q: %q, odd %v", text, why, odd)
		}
	}
}

// TestLimitsAreBounded: a bundle neither lifts the limits of who verifies it nor
// lowers them until nothing runs.
func TestLimitsAreBounded(t *testing.T) {
	d := sandbox.DefaultLimits()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64()
		in := sandbox.Limits{
			Wall: time.Duration(n.Draw(t, "wall")), CPU: time.Duration(n.Draw(t, "cpu")), MemoryBytes: n.Draw(t, "memory"), Pids: int(n.Draw(t, "pids")),
			OutputBytes: n.Draw(t, "output"), FileBytes: n.Draw(t, "file"), DiskBytes: n.Draw(t, "disk"), Files: int(n.Draw(t, "files")),
		}
		got := Bounded(in)
		if got.Wall < time.Second || got.Wall > maxWall || got.CPU < time.Second || got.CPU > maxWall || got.MemoryBytes < 64<<20 || got.MemoryBytes > d.MemoryBytes ||
			got.Pids < 8 || got.Pids > d.Pids || got.OutputBytes < 4<<10 || got.OutputBytes > d.OutputBytes || got.FileBytes < 64<<10 || got.FileBytes > d.FileBytes ||
			got.DiskBytes < 1<<20 || got.DiskBytes > d.DiskBytes || got.Files < 100 || got.Files > d.Files {
			t.Fatalf("%+v became %+v", in, got)
		}
	})
	if small := (sandbox.Limits{Wall: 3 * time.Second, Pids: 64, MemoryBytes: 300 << 20}).WithDefaults(); Bounded(small) != small {
		t.Errorf("smaller limits changed: %+v", Bounded(small))
	}
	if got := Bounded(sandbox.Limits{Wall: 1, MemoryBytes: 1, Pids: 1, OutputBytes: 1, FileBytes: 1, DiskBytes: 1, Files: 1, CPU: 1}); got != floors {
		t.Errorf("limits of one each became %+v", got)
	}
	if got := Bounded(sandbox.Limits{}); got != d {
		t.Errorf("no limits became %+v", got)
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
	dir, err := Write(filepath.Join(f.TempDir(), "bundle"), sample(f))
	if err != nil {
		f.Fatal(err)
	}
	honest, err := os.ReadFile(filepath.Join(dir, fileEvidence))
	if err != nil {
		f.Fatal(err)
	}
	for _, more := range []string{"", `, "wheel": "lib-1.2-py3-none-any.whl"`, `, "name": "-r /etc/passwd\nlib"`} {
		f.Add(fileEvidence, []byte(strings.ReplaceAll(string(honest), `"version": "1.2",`, `"version": "1.2"`+more+",")))
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
		if err != nil || len(tampered) > 0 || !b.Judged() {
			return
		}
		for i, g := range b.Outcome.Evidence.Groups {
			l := b.Outcome.Locks[i]
			if len(g.Executions) > 0 && l == nil {
				t.Errorf("%s has no lock to run again with", g.Side)
			}
			if l == nil {
				continue
			}
			for _, p := range l.Packages {
				if _, err := uv.FormatLock([]uv.Pinned{{Name: p.Name, Version: p.Version, Hashes: p.Hashes}}); err != nil || p.Wheel != "" && b.Outcome.Spec.Project == nil {
					t.Errorf("%+v is believed", p)
				}
			}
		}
	})
}
