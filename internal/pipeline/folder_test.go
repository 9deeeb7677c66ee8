package pipeline

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
)

func request(text string) *Request {
	return &Request{Report: &report.Report{Title: "Some Title: it fails!", Text: text}}
}

// someKey is the user's in these tests.
var someKey = Key(strings.Repeat("k", keyBytes))

func openFolder(dir string, req *Request) (*folder, error) {
	return (&Pipeline{Key: someKey, Build: "test"}).openFolder(dir, req)
}

func open(t *testing.T, dir string, req *Request) *folder {
	t.Helper()
	f, err := openFolder(dir, req)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFolderIsLockedWhileOpen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	f := open(t, dir, request("a"))
	if _, err := openFolder(dir, request("a")); !errors.Is(err, ErrInUse) {
		t.Errorf("a second opener got %v", err)
	}
	f.close()
	open(t, dir, request("a")).close()
}

func TestFolderOfAnotherReportIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	open(t, dir, request("a")).close()
	if _, err := openFolder(dir, request("b")); !errors.Is(err, ErrOtherReport) {
		t.Errorf("another report got %v", err)
	}
	judged := request("a")
	judged.Script = "print()"
	if _, err := openFolder(dir, judged); !errors.Is(err, ErrOtherReport) {
		t.Errorf("the same report with somebody's script got %v", err)
	}
}

func TestForeignFolderIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "thesis.tex"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := openFolder(dir, request("a")); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("got %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder now holds %v, %v", entries, err)
	}
}

func TestStageIsKeptWhileItsInputIsTheSame(t *testing.T) {
	f := open(t, filepath.Join(t.TempDir(), "run"), request("a"))
	builds := 0
	build := func() (string, error) { builds++; return "made", nil }
	for range 3 {
		if got, err := stage(f, "x", "input", build); err != nil || got != "made" {
			t.Fatal(got, err)
		}
	}
	if builds != 1 {
		t.Errorf("built %d times", builds)
	}
	if _, err := stage(f, "x", "other input", build); err != nil || builds != 2 {
		t.Errorf("another input was built %d times in all, %v", builds, err)
	}
	if err := os.WriteFile(filepath.Join(f.files.Dir, "x.json"), []byte(`{"input": "tor`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := stage(f, "x", "other input", build); err != nil || builds != 3 {
		t.Errorf("a torn file was believed (%d builds, %v)", builds, err)
	}
}

func TestFailedStageKeepsNothing(t *testing.T) {
	f := open(t, filepath.Join(t.TempDir(), "run"), request("a"))
	boom := errors.New("boom")
	if _, err := stage(f, "x", 1, func() (int, error) { return 0, boom }); !errors.Is(err, boom) {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(f.files.Dir, "x.json")); !errors.Is(err, os.ErrNotExist) {
		t.Error("a failed stage left a file")
	}
}

func TestJournalBelievesOnlyWholeRecords(t *testing.T) {
	f := open(t, filepath.Join(t.TempDir(), "run"), request("a"))
	j := journal{f.keeper}
	if err := j.Save("k", sandbox.Execution{Stdout: "out\n", ExitCode: 3, Outcome: sandbox.Exited}); err != nil {
		t.Fatal(err)
	}
	if ex, ok := j.Load("k"); !ok || ex.ExitCode != 3 || ex.Stdout != "out\n" {
		t.Errorf("came back as %+v, %v", ex, ok)
	}
	if err := os.WriteFile(filepath.Join(f.files.Dir, recordOf("k")+".json"), []byte(`{"label": "tor`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, ok := j.Load("k"); ok {
		t.Error("a torn record was believed")
	}
	if _, ok := j.Load("never"); ok {
		t.Error("a record that was never written was found")
	}
}

// asked counts what reaches the index.
type asked struct{ n int }

func (a *asked) Solve(context.Context, environment.Spec) (*environment.Lock, *environment.Unavailable, error) {
	a.n++
	return &environment.Lock{Hash: "h"}, nil, nil
}

func (a *asked) Move(context.Context, environment.Spec, *environment.Lock, string, string) (*environment.Lock, []environment.Move, *environment.Unavailable, error) {
	a.n++
	return nil, nil, &environment.Unavailable{Why: "no wheel"}, nil
}

func (a *asked) Fix(context.Context, environment.Spec, *environment.Lock) (*environment.Lock, []environment.Move, *environment.Unavailable, error) {
	a.n++
	return &environment.Lock{Hash: "fixed"}, []environment.Move{{Name: "x", To: "2"}}, nil, nil
}

func (a *asked) Add(_ context.Context, s environment.Spec, _ *environment.Lock, dist string) (environment.Spec, *environment.Lock, *environment.Unavailable, error) {
	a.n++
	s.Subject = dist
	return s, &environment.Lock{Hash: "added"}, nil, nil
}

func (a *asked) Releases(context.Context, string, string) ([]environment.Release, error) {
	a.n++
	return nil, errors.New("index down")
}

// A resumed run sees the answers that the killed one got; errors are asked
// again.
func TestAnswersAreRemembered(t *testing.T) {
	a := &asked{}
	m := memo{keeper: open(t, filepath.Join(t.TempDir(), "run"), request("a")).keeper, solver: a}
	ctx := t.Context()
	for range 2 {
		l, _, err := m.Solve(ctx, environment.Spec{Subject: "x"})
		if err != nil || l.Hash != "h" {
			t.Fatal(l, err)
		}
		if _, _, un, err := m.Move(ctx, environment.Spec{}, l, "x", "2"); err != nil || un == nil || un.Why != "no wheel" {
			t.Fatal(un, err)
		}
		if s, added, _, err := m.Add(ctx, environment.Spec{}, l, "dep"); err != nil || s.Subject != "dep" || added.Hash != "added" {
			t.Fatal(s, err)
		}
		if fixed, moves, _, err := m.Fix(ctx, environment.Spec{}, l); err != nil || fixed.Hash != "fixed" || len(moves) != 1 {
			t.Fatal(fixed, moves, err)
		}
	}
	if a.n != 4 {
		t.Errorf("asked %d times, want 4", a.n)
	}
	for range 2 {
		if _, err := m.Releases(ctx, "x", "3.11"); err == nil {
			t.Fatal("an error was turned into an answer")
		}
	}
	if a.n != 6 {
		t.Errorf("an error was remembered: asked %d times, want 6", a.n)
	}
}

func TestDefaultDir(t *testing.T) {
	root := t.TempDir()
	first := DefaultDir(root, request("a"))
	if filepath.Base(first) != "some-title-it-fails" {
		t.Errorf("got %s", first)
	}
	if err := os.Mkdir(first, 0o755); err != nil {
		t.Fatal(err)
	}
	if second := DefaultDir(root, request("a")); filepath.Base(second) != "some-title-it-fails-2" {
		t.Errorf("got %s", second)
	}
	odd := request("a")
	odd.Report.Title = "../../etc: \u202e"
	if dir := DefaultDir(root, odd); filepath.Dir(dir) != root {
		t.Errorf("a title led out of the folder: %s", dir)
	}
}

func TestReportersOwnScriptIsRecognised(t *testing.T) {
	own := &candidate.Candidate{Original: "import lib\n\nfor x in lib.f():\n    print(x)\nassert x > 0\n", Script: "import lib\nimport numpy as np\n\nfor x in lib.f():\n    print(x)\nassert x > 0\n"}
	script := own.Original
	for given, want := range map[string]bool{
		strings.ReplaceAll(script, "\n", "\r\n"):                      true,
		"\n\n" + script + "\n \n":                                     true,
		"# mine\n" + script:                                           true,
		own.Script:                                                    true,
		script + "print('reproduced')\n":                              false,
		strings.Replace(script, "assert", "    assert", 1):            false, // into the loop
		strings.Replace(script, "    print", "print", 1):              false,
		strings.Replace(script, "import lib\n\n", "import lib\n", 1):  false,
		strings.Replace(script, "x > 0", "x  > 0", 1):                 false,
		strings.Replace(script, "\n    print(x)\n", " print(x)\n", 1): false,
		strings.Replace(script, "import lib\n", "import lib \\\n", 1): false,
		"import evil\n# --- the script, as it was run ---\n" + script: false,
		// A bundle's header is comments, which are no other script.
		"# /// script\n# dependencies = []\n# ///\n\n# --- the script, as it was run ---\n" + script: true,
		"# a comment\nlib = None\nimport lib\nprint(lib.f())\n":                                      false,
	} {
		if got := sameScript(given, own); got != want {
			t.Errorf("%q: got %v", given, got)
		}
	}
}
