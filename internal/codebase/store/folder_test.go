package store

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/codebase/bm25"
	"github.com/repgen/repgen/internal/codebase/chunk"
	"github.com/repgen/repgen/internal/codebase/source"
)

// write puts a file into a folder, as old as age says.
func write(t *testing.T, root, path, text string, age time.Duration) {
	t.Helper()
	name := filepath.Join(root, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-age)
	if err := os.Chtimes(name, at, at); err != nil {
		t.Fatal(err)
	}
}

// TestRealFolder goes through the real listing and the real chunker.
func TestRealFolder(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	for path, text := range small() {
		write(t, root, path, text, time.Hour)
	}
	write(t, root, "README.md", "# no Python\n", time.Hour)
	write(t, root, "pkg/broken.py", "def f(:\n  loss\n\x0c}}}\n", time.Hour)
	write(t, root, "pkg/odd.py", "# -*- coding: latin-1 -*-\nname = '\xe4'\n", time.Hour)
	tree, err := source.Dir(root)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Split: chunk.Split, EmbedText: chunk.EmbedText, IdentOf: chunk.IdentOf}
	steps := []struct {
		name string
		do   func()
		want string
	}{
		{"from nothing", func() {}, "+5 ~0 -0 t0"},
		{"nothing", func() {}, "+0 ~0 -0 t0"},
		{"same size, another time", func() { write(t, root, "pkg/opt.py", bump(small()["pkg/opt.py"]), time.Minute) }, "+0 ~1 -0 t0"},
		{"time only", func() { write(t, root, "pkg/opt.py", bump(small()["pkg/opt.py"]), time.Second*30) }, "+0 ~0 -0 t1"},
		{"just now", func() { write(t, root, "pkg/opt.py", "def opt():\n    pass\n", 0) }, "+0 ~1 -0 t0"},
		{"again within a tick", func() { write(t, root, "pkg/opt.py", "def pot():\n    pass\n", 0) }, "+0 ~1 -0 t0"},
	}
	for _, step := range steps {
		step.do()
		s, c := mustOpen(t, dir, tree, o)
		if counts(c) != step.want || c.Unsaved+c.Rebuilt != "" {
			t.Errorf("%s: %+v", step.name, c)
		}
		for i := range s.Len() {
			text, err := s.EmbedText(t.Context(), i)
			if err != nil || s.Ident(i) != chunk.IdentOf(text) {
				t.Errorf("%s: chunk %d: %v", step.name, i, err)
			}
		}
	}
	s, _ := mustOpen(t, dir, tree, o)
	if hits := s.BM25().Search(bm25.Query("pot"), 1, nil); len(hits) != 1 || s.Chunk(hits[0].Doc).Path != "pkg/opt.py" {
		t.Errorf("hits %v", hits)
	}
	if got := s.Named("Model.fit"); len(got) != 1 || s.Chunk(got[0]).Kind != chunk.Method {
		t.Errorf("Named = %v", got)
	}
}

// bump changes one letter.
func bump(text string) string {
	return string(bytes.Replace([]byte(text), []byte("step"), []byte("stop"), 1))
}

// TestNoPython: a folder without Python has an index without chunks.
func TestNoPython(t *testing.T) {
	root := t.TempDir()
	write(t, root, "README.md", "# no Python\n", 0)
	tree, err := source.Dir(root)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for range 2 {
		s, c := mustOpen(t, dir, tree, options())
		if s.Len() != 0 || len(s.Files()) != 0 || c.Fresh() || c.Unsaved != "" {
			t.Errorf("%d chunks, %+v", s.Len(), c)
		}
		if hits := s.BM25().Search(bm25.Query("loss"), 3, nil); len(hits) != 0 {
			t.Errorf("hits %v", hits)
		}
	}
}
