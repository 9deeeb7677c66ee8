package environment

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/candidate"
)

// kept is a Manager with an empty cache and a question that needs no index.
func kept(t *testing.T) (*Manager, SpecInput) {
	t.Helper()
	m, err := Open(t.Context(), Options{CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return m, SpecInput{
		Candidate: &candidate.Candidate{Imports: []string{"numpy"}, Script: "import numpy"},
		Date:      time.Date(2025, 7, 1, 23, 59, 59, 0, time.UTC),
		Now:       time.Date(2026, 3, 4, 10, 10, 0, 0, time.UTC),
	}
}

func specOf(t *testing.T, m *Manager, in SpecInput) Spec {
	t.Helper()
	s, u, err := m.Spec(t.Context(), in)
	if err != nil || u != nil {
		t.Fatalf("spec: %v %v", u, err)
	}
	return s
}

// mark changes the one kept answer, so that it can be told from a new one.
func mark(t *testing.T, m *Manager, change func(string) string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(m.opts.CacheDir, "specs", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("kept answers: %v %v", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[0], []byte(change(string(data))), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestKeptSpec(t *testing.T) {
	marked := func(text string) string { return strings.Replace(text, `"flag"`, `"kept"`, 1) }
	tests := map[string]struct {
		change func(string) string
		ask    func(*testing.T, *SpecInput)
		want   string
	}{
		"the same question":    {marked, func(*testing.T, *SpecInput) {}, "kept"},
		"within the hour":      {marked, func(_ *testing.T, in *SpecInput) { in.Now = in.Now.Add(40 * time.Minute) }, "kept"},
		"another hour":         {marked, func(_ *testing.T, in *SpecInput) { in.Now = in.Now.Add(time.Hour) }, "flag"},
		"before it was made":   {marked, func(_ *testing.T, in *SpecInput) { in.Now = in.Now.Add(-time.Minute) }, "flag"},
		"another script":       {marked, func(_ *testing.T, in *SpecInput) { in.Candidate.Script += "\n" }, "flag"},
		"another index":        {marked, func(t *testing.T, _ *SpecInput) { t.Setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple") }, "flag"},
		"a torn file":          {func(text string) string { return text[:len(text)/2] }, func(*testing.T, *SpecInput) {}, "flag"},
		"an empty file":        {func(string) string { return "" }, func(*testing.T, *SpecInput) {}, "flag"},
		"a file of other data": {func(string) string { return `{"spec": {"as_of_source": "kept"}}` }, func(*testing.T, *SpecInput) {}, "flag"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m, in := kept(t)
			specOf(t, m, in)
			mark(t, m, tt.change)
			tt.ask(t, &in)
			if s := specOf(t, m, in); s.AsOfSource != tt.want || len(s.Requirements) != 1 {
				t.Errorf("answered by %q, want %q: %+v", s.AsOfSource, tt.want, s)
			}
		})
	}
}

// TestKeptSpecIsTheSame: what comes from disk solves to the same lock, so its
// content must survive the way there.
func TestKeptSpecIsTheSame(t *testing.T) {
	m, in := kept(t)
	path := func(s Spec) string {
		m.tools.found = true
		p, err := m.solvePath(t.Context(), "solve", s, nil)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if first, second := path(specOf(t, m, in)), path(specOf(t, m, in)); first != second {
		t.Errorf("%s, then %s", first, second)
	}
}

func TestUnavailableIsNotKept(t *testing.T) {
	m, in := kept(t)
	in.With = []string{"not a requirement !!"}
	for range 2 {
		if _, _, err := m.Spec(t.Context(), in); err == nil {
			t.Fatal("no error")
		}
	}
	if left, err := filepath.Glob(filepath.Join(m.opts.CacheDir, "specs", "*")); err != nil || len(left) > 0 {
		t.Errorf("kept: %v %v", left, err)
	}
}

// A cache that cannot be written costs time only.
func TestSpecWithoutCache(t *testing.T) {
	m, in := kept(t)
	if err := os.WriteFile(filepath.Join(m.opts.CacheDir, "specs"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if s := specOf(t, m, in); s.AsOfSource != "flag" {
		t.Errorf("%+v", s)
	}
}
