package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/codebase/bm25"
	"github.com/repgen/repgen/internal/codebase/chunk"
)

func TestChanges(t *testing.T) {
	dir := t.TempDir()
	tree := newProject(small())
	old := time.Now().Add(-time.Hour)
	steps := []struct {
		name  string
		do    func()
		want  string
		reads int64
	}{
		{"from nothing", func() {}, "+3 ~0 -0 t0", 3},
		{"nothing", func() {}, "+0 ~0 -0 t0", 0},
		{"change", func() { tree.texts["pkg/opt.py"] += "# more\n" }, "+0 ~1 -0 t0", 1},
		{"add", func() { tree.texts["a.py"] = "x = 1\n" }, "+1 ~0 -0 t0", 1},
		{"touch", func() { tree.times["a.py"] = old }, "+0 ~0 -0 t1", 0},
		{"touched before", func() {}, "+0 ~0 -0 t0", 0},
		{"remove", func() { delete(tree.texts, "pkg/model.py") }, "+0 ~0 -1 t0", 0},
		{"rename", func() { tree.texts["z.py"] = tree.texts["a.py"]; delete(tree.texts, "a.py") }, "+1 ~0 -1 t0", 1},
		{"backwards", func() { tree.turn = true }, "+0 ~0 -0 t0", 0},
		{"empty file", func() { tree.texts["z.py"] = "" }, "+0 ~1 -0 t0", 1},
		{"everything gone", func() { clear(tree.texts) }, "+0 ~0 -3 t0", 0},
		{"still gone", func() {}, "+0 ~0 -0 t0", 0},
	}
	for _, step := range steps {
		step.do()
		before := tree.reads.Load()
		s, c, err := Open(t.Context(), dir, tree, options())
		if err != nil {
			t.Fatal(step.name, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if counts(c) != step.want || tree.reads.Load()-before != step.reads || c.Unsaved+c.Rebuilt != "" {
			t.Errorf("%s: %+v, %d reads", step.name, c, tree.reads.Load()-before)
		}
		if !bytes.Equal(indexBytes(t, dir), rebuilt(t, tree, options())) {
			t.Errorf("%s: not the index that is made from nothing", step.name)
		}
	}
}

// TestIncrementalIsRebuild: any sequence of changes leaves the same bytes as
// making the index from nothing, with any number of goroutines and in any
// order of the listing.
func TestIncrementalIsRebuild(t *testing.T) {
	paths := []string{"a.py", "a/b.py", "a/c.py", "b.py", "tests/t.py", "ä.py"}
	line := rapid.SampledFrom([]string{"class A:\n", "def f(x):\n", "  loss = nan\n", "  self.fit()\n", "# 0.5 é\n", "x\n"})
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp("", "store-")
		if err != nil {
			r.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		tree := newProject(nil)
		for range rapid.IntRange(1, 6).Draw(r, "rounds") {
			for range rapid.IntRange(1, 4).Draw(r, "changes") {
				path := rapid.SampledFrom(paths).Draw(r, "path")
				text := strings.Join(rapid.SliceOfN(line, 0, 6).Draw(r, "text"), "")
				mutate(r, tree, path, text, paths)
			}
			tree.turn = rapid.Bool().Draw(r, "turn")
			o := options()
			o.Jobs = rapid.IntRange(1, 4).Draw(r, "jobs")
			s, c, err := Open(context.Background(), dir, tree, o)
			if err != nil || c.Unsaved+c.Rebuilt != "" {
				r.Fatal(err, c)
			}
			checkChunks(r, s, tree)
			if err := s.Close(); err != nil {
				r.Fatal(err)
			}
		}
		if !bytes.Equal(indexBytes(t, dir), rebuilt(t, tree, options())) {
			r.Fatal("not the index that is made from nothing")
		}
	})
}

func mutate(r *rapid.T, tree *project, path, text string, paths []string) {
	switch rapid.SampledFrom([]string{"write", "write", "remove", "rename", "touch"}).Draw(r, "what") {
	case "write":
		tree.texts[path] = text
	case "remove":
		delete(tree.texts, path)
	case "rename":
		if old, ok := tree.texts[path]; ok {
			delete(tree.texts, path)
			tree.texts[rapid.SampledFrom(paths).Draw(r, "to")] = old
		}
	case "touch":
		tree.times[path] = time.Unix(int64(rapid.IntRange(1, 1000).Draw(r, "time")), 5)
	}
}

// checkChunks compares a store with the chunker's own word.
func checkChunks(r *rapid.T, s *Store, tree *project) {
	var want []chunk.Chunk
	for _, f := range s.Files() {
		for _, c := range splitLines(f.Path, []byte(tree.texts[f.Path])) {
			c.Test = f.Test
			want = append(want, c)
		}
	}
	if s.Len() != len(want) || len(s.Files()) != len(tree.texts) {
		r.Fatalf("%d chunks of %d files, want %d", s.Len(), len(s.Files()), len(want))
	}
	for i, c := range want {
		if got := s.Chunk(i); fmt.Sprint(got) != fmt.Sprint(c) {
			r.Fatalf("chunk %d is %+v, want %+v", i, got, c)
		}
		text, err := s.EmbedText(context.Background(), i)
		if err != nil || s.Ident(i) != s.o.IdentOf(text) {
			r.Fatalf("text of chunk %d: %v", i, err)
		}
		if tokens := bm25.Tokens(chunk.Text(c, []byte(tree.texts[c.Path]))); len(tokens) > 0 {
			if s.BM25().Score(bm25.Query(tokens[0]), i) <= 0 {
				r.Fatalf("chunk %d is not found by %q", i, tokens[0])
			}
		}
	}
}

// TestFreshTimesAreNotBelieved: a file that changed just now may change again
// within the same tick of the clock.
func TestFreshTimesAreNotBelieved(t *testing.T) {
	dir := t.TempDir()
	tree := newProject(small())
	tree.times["pkg/opt.py"] = time.Now()
	tree.times["tests/a.py"] = time.Now().Add(-time.Minute)
	mustOpen(t, dir, tree, options())
	op := &opening{dir: dir, tree: tree, o: options(), recipe: recipeOf("")}
	op.o.Params = &bm25.DefaultParams
	op.load()
	t.Cleanup(func() { _ = op.old.close() })
	if f, ok := op.known("pkg/opt.py"); !ok || !f.ModTime.IsZero() || f.Hash == "" {
		t.Errorf("of a fresh file the name of its content is known and no time, got %+v, %v", f, ok)
	}
	f, ok := op.known("tests/a.py")
	if !ok || !f.ModTime.Equal(tree.times["tests/a.py"]) || f.Size != int64(len(tree.texts["tests/a.py"])) || f.Hash == "" || !f.Test {
		t.Errorf("known %+v, %v", f, ok)
	}
	if _, ok := op.known("absent.py"); ok {
		t.Error("an absent file is known")
	}
}

func TestUnreadableFiles(t *testing.T) {
	dir := t.TempDir()
	tree := newProject(small())
	tree.fail["pkg/opt.py"] = syscall.EIO
	s, c := mustOpen(t, dir, tree, options())
	if counts(c) != "+2 ~0 -0 t0" || len(c.Skipped) != 1 || c.Skipped[0].Path != "pkg/opt.py" || c.Skipped[0].More == "" {
		t.Errorf("change %+v", c)
	}
	if _, n := s.InFile("pkg/opt.py"); n != 0 || len(s.Files()) != 2 {
		t.Errorf("files %v", s.Files())
	}
	before := indexBytes(t, dir)
	if _, c := mustOpen(t, dir, tree, options()); counts(c) != "+0 ~0 -0 t0" || len(c.Skipped) != 1 {
		t.Errorf("again: %+v", c)
	}
	if !bytes.Equal(before, indexBytes(t, dir)) {
		t.Error("the index was written for nothing")
	}
	delete(tree.fail, "pkg/opt.py")
	if _, c := mustOpen(t, dir, tree, options()); counts(c) != "+1 ~0 -0 t0" || len(c.Skipped) != 0 {
		t.Errorf("readable: %+v", c)
	}
	tree.texts["pkg/opt.py"] += "#"
	tree.fail["pkg/opt.py"] = syscall.EIO
	if _, c := mustOpen(t, dir, tree, options()); counts(c) != "+0 ~0 -1 t0" {
		t.Errorf("changed and unreadable: %+v", c)
	}
}

func TestErrors(t *testing.T) {
	tree := newProject(small())
	if _, _, err := Open(t.Context(), t.TempDir(), tree, Options{}); err == nil {
		t.Error("opened without a chunker")
	}
	dir := t.TempDir()
	mustOpen(t, dir, tree, options())
	before := indexBytes(t, dir)
	tree.list = errors.New("no such folder")
	if _, _, err := Open(t.Context(), dir, tree, options()); !errors.Is(err, tree.list) {
		t.Errorf("Open = %v", err)
	}
	tree.list = nil
	ctx, cancel := context.WithCancel(t.Context())
	tree.before = func(string) { cancel() }
	tree.texts["pkg/opt.py"] += "#"
	tree.texts["pkg/new.py"] = "#"
	if _, _, err := Open(ctx, dir, tree, options()); !errors.Is(err, context.Canceled) {
		t.Errorf("Open = %v", err)
	}
	if !bytes.Equal(before, indexBytes(t, dir)) {
		t.Error("a cancelled Open wrote")
	}
}

func TestOddChunkers(t *testing.T) {
	o := options()
	o.Split = func(path string, src []byte) []chunk.Chunk {
		return []chunk.Chunk{
			{Start: 4, End: 6, Name: "late"}, {Start: -1, End: 2}, {Start: 3, End: 1}, {Start: 0, End: len(src) + 1},
			{Path: "elsewhere", Start: 0, End: 5, Name: "early\x00\xff"},
		}
	}
	s, _ := mustOpen(t, t.TempDir(), newProject(map[string]string{"a.py": "abc def\n"}), o)
	if s.Len() != 2 || s.Chunk(0).Name != "early\x00\xff" || s.Chunk(0).Path != "a.py" || s.Chunk(1).Name != "late" {
		t.Errorf("%d chunks: %+v %+v", s.Len(), s.Chunk(0), s.Chunk(1))
	}
}

func TestProgressAndParams(t *testing.T) {
	dir := t.TempDir()
	o := options()
	var got []string
	o.Progress = func(done, total int) { got = append(got, fmt.Sprint(done, "/", total)) }
	a, _ := mustOpen(t, dir, newProject(small()), o)
	if !slices.Equal(got, []string{"1/3", "2/3", "3/3"}) {
		t.Errorf("progress %v", got)
	}
	o.Params = &bm25.Params{K1: 0, B: 0}
	b, c := mustOpen(t, dir, newProject(small()), o)
	if c.Fresh() {
		t.Errorf("other parameters made a new index: %+v", c)
	}
	q := bm25.Query("loss")
	if x, y := a.BM25().Score(q, 0), b.BM25().Score(q, 0); x == y || y == 0 {
		t.Errorf("scores %v and %v", x, y)
	}
}

func TestUnusableFiles(t *testing.T) {
	good := rebuilt(t, newProject(small()), options())
	flip := func(at int) []byte {
		b := bytes.Clone(good)
		b[at] ^= 1
		return b
	}
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "cut short"},
		{"short", good[:headerSize-1], "cut short"},
		{"header only", good[:headerSize], "checksum"},
		{"half", good[:len(good)/2], "checksum"},
		{"one byte less", good[:len(good)-1], "checksum"},
		{"another file", bytes.Repeat([]byte("x"), 4096), "no index"},
		{"zeroes", make([]byte, 4096), "no index"},
		{"version", flip(8), "another version"},
		{"one bit", flip(len(good) - 3), "checksum"},
		{"recipe", flip(20), "checksum"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, fileName), tt.data, 0o600); err != nil {
				t.Fatal(err)
			}
			s, c := mustOpen(t, dir, newProject(small()), options())
			if !strings.Contains(c.Rebuilt, tt.want) || c.Added != 3 || s.Len() != 7 || c.Unsaved != "" {
				t.Errorf("change %+v", c)
			}
			if _, c := mustOpen(t, dir, newProject(small()), options()); c.Fresh() {
				t.Errorf("again: %+v", c)
			}
		})
	}
}

func TestOtherRecipe(t *testing.T) {
	dir := t.TempDir()
	o := options()
	mustOpen(t, dir, newProject(small()), o)
	o.Recipe = "chunks 2"
	if _, c := mustOpen(t, dir, newProject(small()), o); !strings.Contains(c.Rebuilt, "another version") || c.Added != 3 {
		t.Errorf("change %+v", c)
	}
	if _, c := mustOpen(t, dir, newProject(small()), o); c.Fresh() {
		t.Errorf("again: %+v", c)
	}
}

func TestNoPlaceToWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	odd := t.TempDir() // the index's name is taken by a folder
	if err := os.MkdirAll(filepath.Join(odd, fileName, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Join(file, "below"), "/proc/none/such", odd} {
		s, c := mustOpen(t, dir, newProject(small()), options())
		if c.Unsaved == "" || c.Added != 3 {
			t.Errorf("%s: %+v", dir, c)
		}
		checkSmall(t, s)
	}
}

// TestReadOnlyCache: an index that is right serves from a folder that cannot
// be written to; one that is not is made in memory.
func TestReadOnlyCache(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Log("root writes everywhere: TestNoPlaceToWrite is the same for root")
		return
	}
	dir := t.TempDir()
	tree := newProject(small())
	mustOpen(t, dir, tree, options())
	for _, name := range []string{fileName, lockName} {
		if err := os.Chmod(filepath.Join(dir, name), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	if s, c := mustOpen(t, dir, tree, options()); c.Fresh() || c.Unsaved != "" || s.Len() != 7 {
		t.Errorf("unchanged: %+v", c)
	}
	tree.texts["new.py"] = "x = 1\n"
	if s, c := mustOpen(t, dir, tree, options()); counts(c) != "+1 ~0 -0 t0" || !strings.Contains(c.Unsaved, "cannot be written") || s.Len() != 8 {
		t.Errorf("changed: %+v", c)
	}
}

func TestFullDisk(t *testing.T) {
	keep := keepFile
	t.Cleanup(func() { keepFile = keep })
	keepFile = func(path string, _ []byte, _ os.FileMode) error {
		return fmt.Errorf("write %s: %w", path, syscall.ENOSPC)
	}
	dir := t.TempDir()
	s, c := mustOpen(t, dir, newProject(small()), options())
	if !strings.HasPrefix(c.Unsaved, "disk full") {
		t.Errorf("change %+v", c)
	}
	checkSmall(t, s)
	keepFile = keep
	if _, c := mustOpen(t, dir, newProject(small()), options()); c.Unsaved != "" || c.Added != 3 {
		t.Errorf("with room: %+v", c)
	}
}
