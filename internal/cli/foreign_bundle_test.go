package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/bundle"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/system"
	"github.com/repgen/repgen/internal/triage"
)

// copied is a folder of its own with what another one holds.
func copied(t testing.TB, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return to
}

// editJSON changes a file as its forger would.
func editJSON(t testing.TB, path string, edit func(map[string]any)) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	edit(v)
	if err := system.WriteJSON(path, v); err != nil {
		t.Fatal(err)
	}
}

// reseal gives a forged bundle a manifest that fits it.
func reseal(t testing.TB, dir string) {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "manifest.json" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		sum := sha256.Sum256(data)
		files[filepath.ToSlash(name)] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := system.WriteJSON(filepath.Join(dir, "manifest.json"), map[string]any{"schema": 1, "repgen": "forged", "files": files}); err != nil {
		t.Fatal(err)
	}
}

// outcomeOf forges the outcome in a bundle's evidence.
func outcomeOf(t testing.TB, dir string, edit func(map[string]any)) {
	t.Helper()
	editJSON(t, filepath.Join(dir, "evidence.json"), func(v map[string]any) { edit(v["outcome"].(map[string]any)) })
}

// strangersBundle is a bundle that another user's repgen made.
func strangersBundle(t *testing.T, r *rig) string {
	t.Helper()
	r.env["REPGEN_CACHE_DIR"] = newCache(t, r.cache)
	defer func() { r.env["REPGEN_CACHE_DIR"] = r.cache }()
	e := r.run("reproduce", "--json", "--out", "strangers", r.file("report.md", axisReport))
	e.want(t, exitOK, "fixed", "regression")
	return r.path("strangers/bundle")
}

// verified is what verify --json says.
func (e ended) verified(t testing.TB) verification {
	t.Helper()
	var v verification
	if err := json.Unmarshal([]byte(e.out), &v); err != nil {
		t.Fatalf("%v\n%s%s", err, e.out, e.err)
	}
	return v
}

// TestForgedBundles: verify says "same" of what it ran again itself, and of
// nothing else.
func TestForgedBundles(t *testing.T) {
	x := newIndex(t, tinyWheels()...)
	r := newRig(t, x)
	honest := strangersBundle(t, r)
	for name, c := range map[string]struct {
		forge func(t *testing.T, dir string)
		want  string // the result
	}{
		"all locks null": {func(t *testing.T, dir string) {
			outcomeOf(t, dir, func(o map[string]any) {
				for i := range o["locks"].([]any) {
					o["locks"].([]any)[i] = nil
				}
			})
		}, "tampered"},
		"no locks": {func(t *testing.T, dir string) {
			outcomeOf(t, dir, func(o map[string]any) { o["locks"] = []any{} })
		}, "tampered"},
		"no locks, another script": {func(t *testing.T, dir string) {
			outcomeOf(t, dir, func(o map[string]any) { o["locks"] = []any{} })
			path := filepath.Join(dir, "reproduce.py")
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(strings.Replace(string(data), "axis=1", "axis=(0,)", 1)), 0o644); err != nil {
				t.Fatal(err)
			}
		}, "tampered"},
		"no lock for the reported side, no control": {func(t *testing.T, dir string) {
			outcomeOf(t, dir, func(o map[string]any) {
				o["locks"].([]any)[0] = nil
				o["verdict"].(map[string]any)["control"] = -1
			})
		}, "tampered"},
		"another control than the verdict's": {func(t *testing.T, dir string) {
			outcomeOf(t, dir, func(o map[string]any) { o["verdict"].(map[string]any)["control"] = -1 })
		}, "same"},
		"an environment that cannot be had, with a claim": {func(t *testing.T, dir string) {
			outcomeOf(t, dir, func(o map[string]any) {
				o["unavailable"] = map[string]any{"why": "x"}
				o["locks"] = []any{}
			})
		}, "tampered"},
		"a byte of memory": {func(t *testing.T, dir string) {
			outcomeOf(t, dir, func(o map[string]any) { o["limits"].(map[string]any)["memory_bytes"] = 1 })
		}, "same"},
		"limits of one each": {func(t *testing.T, dir string) {
			outcomeOf(t, dir, func(o map[string]any) {
				o["limits"] = map[string]any{"wall": 1e10, "cpu": 1, "memory_bytes": 1, "pids": 1, "output_bytes": 1, "file_bytes": 1, "disk_bytes": 1}
			})
		}, "same"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := copied(t, honest)
			c.forge(t, dir)
			reseal(t, dir)
			e := r.run("verify", "--json", dir)
			v := e.verified(t)
			if v.Result != c.want {
				t.Errorf("verify says %s, want %s:\n%s%s", v.Result, c.want, e.out, e.err)
			}
			if strings.Contains(e.out+e.err, "unsafe") {
				t.Errorf("it names the way without isolation:\n%s%s", e.out, e.err)
			}
		})
	}
}

// wheelInBundle puts a wheel into a bundle and makes its locks take it for a
// package that the index has.
func wheelInBundle(t *testing.T, dir string, w wheel) string {
	t.Helper()
	data := w.build(t)
	sum := sha256.Sum256(data)
	hash := "sha256:" + hex.EncodeToString(sum[:])
	if err := os.MkdirAll(filepath.Join(dir, "wheels"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "wheels", w.filename()), data, 0o644); err != nil {
		t.Fatal(err)
	}
	eachLock(t, dir, func(l map[string]any) {
		for _, p := range l["packages"].([]any) {
			if p := p.(map[string]any); p["name"] == w.name && p["version"] == w.version {
				for _, old := range p["hashes"].([]any) {
					l["text"] = strings.ReplaceAll(l["text"].(string), old.(string), hash)
				}
				p["wheel"], p["hashes"] = w.filename(), []string{hash}
			}
		}
	})
	return hash
}

func eachLock(t testing.TB, dir string, edit func(map[string]any)) {
	t.Helper()
	outcomeOf(t, dir, func(o map[string]any) {
		for _, l := range append([]any{o["lock"]}, o["locks"].([]any)...) {
			if l, ok := l.(map[string]any); ok {
				edit(l)
			}
		}
	})
}

// trojan shows the symptom in whatever version it says it is.
func trojan() wheel {
	for _, w := range tinyWheels() {
		if w.name == "tinynet" && w.version == "1.2" {
			w.files["tinynet/extra.py"] = "mine = True\n"
			return w
		}
	}
	panic("no tinynet 1.2")
}

// projectInBundle writes a bundle anew whose wheel is said to be a project's, as
// somebody with repgen at hand could: all that a person reads or runs in it follows
// from the forged evidence.
func projectInBundle(t *testing.T, honest string, w wheel) (dir, hash string) {
	t.Helper()
	b, tampered, err := bundle.Read(honest)
	if err != nil || len(tampered) > 0 {
		t.Fatal(err, tampered)
	}
	data := w.build(t)
	sum := sha256.Sum256(data)
	hash = "sha256:" + hex.EncodeToString(sum[:])
	b.Outcome.Spec.Project = &environment.ProjectSource{Name: w.name, Version: w.version}
	for _, l := range append([]*environment.Lock{b.Outcome.Lock}, b.Outcome.Locks...) {
		for i := range l.Packages {
			if p := &l.Packages[i]; p.Name == w.name && p.Version == w.version {
				l.Text = strings.ReplaceAll(l.Text, p.Hashes[0], hash)
				p.Wheel, p.Hashes = w.filename(), []string{hash}
			}
		}
	}
	dir = filepath.Join(t.TempDir(), "bundle")
	_, err = bundle.Write(dir, bundle.Content{
		Report: b.Report, Candidate: b.Candidate, Outcome: b.Outcome, Result: proof.View(&triage.Decision{}, b.Candidate, b.Outcome), Version: b.Repgen,
		Wheel: func(environment.Package) ([]byte, error) { return data, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir, hash
}

// TestWheelStandsInForARelease: what is not the index's is named, and refused
// unless it is the project under test.
func TestWheelStandsInForARelease(t *testing.T) {
	x := newIndex(t, tinyWheels()...)
	r := newRig(t, x)
	honest := strangersBundle(t, r)
	t.Run("a release", func(t *testing.T) {
		dir := copied(t, honest)
		wheelInBundle(t, dir, trojan())
		reseal(t, dir)
		e := r.run("verify", "--json", dir)
		if v := e.verified(t); v.Result != "tampered" || !strings.Contains(strings.Join(v.Tampered, "\n"), "tinynet 1.2") {
			t.Errorf("verify says %s: %v", v.Result, v.Tampered)
		}
	})
	t.Run("said to be a project", func(t *testing.T) {
		dir, _ := projectInBundle(t, honest, trojan())
		e := r.run("verify", dir)
		e.want(t, exitOK)
		if !strings.Contains(e.out, "tinynet 1.2") || !strings.Contains(e.out, "from the bundle") {
			t.Errorf("the wheel is not named:\n%s", e.out)
		}
	})
}

// TestTwoStepInjection: a wheel that an earlier bundle left in the store makes
// no name of a package an option of the installer.
func TestTwoStepInjection(t *testing.T) {
	x := newIndex(t, tinyWheels()...)
	r := newRig(t, x)
	honest := strangersBundle(t, r)
	canary := r.file("canary.txt", "canary-of-the-host-4711\n")
	first, hash := projectInBundle(t, honest, trojan())
	r.run("verify", first).want(t, exitOK)

	second := copied(t, first)
	if err := os.RemoveAll(filepath.Join(second, "wheels")); err != nil {
		t.Fatal(err)
	}
	eachLock(t, second, func(l map[string]any) {
		l["rung"] = 7
		l["text"] = "" // another environment than the one that is in the store
		for _, p := range l["packages"].([]any) {
			l["text"] = l["text"].(string) + p.(map[string]any)["name"].(string) + "==" + p.(map[string]any)["version"].(string) + "\n"
		}
		l["packages"] = append(l["packages"].([]any), map[string]any{
			"name": "-r " + canary + "\ntinynet", "version": "1.2", "wheel": "tinynet-1.2-py3-none-any.whl", "hashes": []string{hash}, "word": "resolver",
		})
	})
	reseal(t, second)
	e := r.run("verify", "--json", second)
	if v := e.verified(t); v.Result != "tampered" {
		t.Errorf("verify says %s:\n%s%s", v.Result, e.out, e.err)
	}
	if strings.Contains(e.out+e.err, "canary-of-the-host") {
		t.Errorf("the installer read a file of the host:\n%s%s", e.out, e.err)
	}
}

// TestVerifyWithoutIsolation: a bundle makes nobody turn the isolation off.
func TestVerifyWithoutIsolation(t *testing.T) {
	x := newIndex(t, tinyWheels()...)
	r := newRig(t, x)
	honest := strangersBundle(t, r)
	r.env["PATH"] = t.TempDir()
	e := r.run("verify", "--json", honest)
	e.want(t, exitFailed)
	if v := e.verified(t); v.Result != "could_not" || strings.Contains(e.out+e.err, "unsafe") {
		t.Errorf("verify says %s:\n%s%s", v.Result, e.out, e.err)
	}
}

func readJSON(t testing.TB, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// TestVerifyEnds: what was not run in time shows nothing.
func TestVerifyEnds(t *testing.T) {
	x := newIndex(t, tinyWheels()...)
	r := newRig(t, x)
	honest := strangersBundle(t, r)
	e := r.run("verify", "--json", "--budget-time", "1ns", honest)
	e.want(t, exitFailed)
	if v := e.verified(t); v.Result != "could_not" || v.Error == nil || !strings.Contains(v.Error.Next, "--budget-time") {
		t.Errorf("verify says %s: %+v", v.Result, v.Error)
	}
	r.run("verify", "--budget-time", "-1s", honest).want(t, exitUsage)
}

// TestVerifySaysWhatItRan: the same is a word about executions.
func TestVerifySaysWhatItRan(t *testing.T) {
	x := newIndex(t, tinyWheels()...)
	r := newRig(t, x)
	honest := strangersBundle(t, r)
	e := r.run("verify", "--json", honest)
	e.want(t, exitOK)
	ran := map[string]proof.Ran{}
	for _, g := range e.verified(t).Ran {
		ran[g.Side] = g
	}
	if g := ran["reported"]; g.Executions < 3 || g.Version != "1.2" {
		t.Errorf("the reported side: %+v", g)
	}
	others := 0
	for side, g := range ran {
		if side != "reported" && side != "neutral" && g.Executions >= 3 {
			others++
		}
	}
	if others == 0 {
		t.Errorf("no control ran: %+v", ran)
	}
}
