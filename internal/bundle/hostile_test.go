package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
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
