package store

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/repgen/repgen/internal/codebase/bm25"
	"github.com/repgen/repgen/internal/codebase/chunk"
)

func TestWhatIsKept(t *testing.T) {
	dir := t.TempDir()
	tree := newProject(small())
	first, _ := mustOpen(t, dir, tree, options())
	again, c := mustOpen(t, dir, tree, options())
	if c.Fresh() || counts(c) != "+0 ~0 -0 t0" {
		t.Errorf("reopened: %+v", c)
	}
	if n := tree.reads.Load(); n != 3 {
		t.Errorf("%d reads, want 3", n)
	}
	for _, s := range []*Store{first, again} {
		checkSmall(t, s)
	}
}

func checkSmall(t *testing.T, s *Store) {
	t.Helper()
	var got []string
	for i := range s.Len() {
		c := s.Chunk(i)
		got = append(got, fmt.Sprintf("%s:%d-%d %s %q %v %v", c.Path, c.StartLine, c.EndLine, c.Kind, c.Name, len(c.Decorators), c.Test))
	}
	want := []string{
		`pkg/model.py:1-1 module "" 0 false`,
		`pkg/model.py:2-2 class "Model" 0 false`,
		`pkg/model.py:3-4 method "Model.fit" 2 false`,
		`pkg/model.py:5-6 method "Model.stop" 2 false`,
		`pkg/opt.py:1-1 class "Adam" 0 false`,
		`pkg/opt.py:2-3 method "Adam.fit" 2 false`,
		`tests/a.py:1-2 method "test_fit" 2 true`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("chunks\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if c := s.Chunk(1); c.Doc != "The class Model" || c.Start != 12 || c.Part != 1 || c.Parts != 1 {
		t.Errorf("chunk %+v", c)
	}
	if c := s.Chunk(2); !slices.Equal(c.Decorators, []string{"a", "b(1)"}) {
		t.Errorf("decorators %q", c.Decorators)
	}
	hits := s.BM25().Search(bm25.Query("nan loss"), 5, nil)
	if len(hits) != 2 || hits[0].Doc != 2 || hits[1].Doc != 0 {
		t.Errorf("hits %v", hits)
	}
	hits = s.BM25().Search(bm25.Query("fit"), 5, func(i int) bool { return !s.Test(i) })
	if len(hits) != 2 {
		t.Errorf("without tests: %v", hits)
	}
	checkLookups(t, s)
}

func checkLookups(t *testing.T, s *Store) {
	t.Helper()
	for path, want := range map[string][2]int{"pkg/model.py": {0, 4}, "pkg/opt.py": {4, 2}, "tests/a.py": {6, 1}, "absent.py": {}, "": {}} {
		if first, n := s.InFile(path); first != want[0] || n != want[1] {
			t.Errorf("InFile(%q) = %d, %d", path, first, n)
		}
	}
	for name, want := range map[string][]int{
		"fit": {2, 5}, "Model.fit": {2}, "Model": {1}, "model": nil, "odel.fit": nil, "Adam.stop": nil, "": nil, "test_fit": {6},
	} {
		if got := s.Named(name); !slices.Equal(got, want) {
			t.Errorf("Named(%q) = %v, want %v", name, got, want)
		}
	}
	if len(s.Files()) != 3 || s.Files()[s.FileOf(5)].Path != "pkg/opt.py" {
		t.Errorf("files %v", s.Files())
	}
	for _, i := range []int{-1, s.Len()} {
		if s.Chunk(i).Path != "" || s.FileOf(i) != -1 || s.Test(i) || s.Ident(i) != (chunk.Ident{}) {
			t.Errorf("chunk %d is there", i)
		}
		if _, err := s.Text(t.Context(), i); err == nil {
			t.Errorf("chunk %d has a text", i)
		}
	}
	if ids := s.Idents(); len(ids) != s.Len() || ids[3] != s.Ident(3) {
		t.Errorf("idents %v", ids)
	}
}

func TestTexts(t *testing.T) {
	tree := newProject(small())
	s, _ := mustOpen(t, t.TempDir(), tree, options())
	text, err := s.Text(t.Context(), 2)
	if err != nil || text != "    def fit(self):\n        return nan_loss\n" {
		t.Errorf("Text = %q, %v", text, err)
	}
	embedded, err := s.EmbedText(t.Context(), 2)
	if err != nil || embedded != "pkg/model.py\nModel.fit\n"+text {
		t.Errorf("EmbedText = %q, %v", embedded, err)
	}
	if s.Ident(2) != options().IdentOf(embedded) {
		t.Error("the ident is of another text")
	}
	src, err := s.Source(t.Context(), "pkg/opt.py")
	if err != nil || string(src) != tree.texts["pkg/opt.py"] {
		t.Errorf("Source = %q, %v", src, err)
	}
	if _, err := s.Source(t.Context(), "absent.py"); err == nil {
		t.Error("a file that is not there has a text")
	}
	before := tree.reads.Load()
	if _, err := s.Text(t.Context(), 0); err != nil || tree.reads.Load() != before {
		t.Errorf("read again: %v", err)
	}
}

func TestTextOfAChangedFile(t *testing.T) {
	tree := newProject(small())
	s, _ := mustOpen(t, t.TempDir(), tree, options())
	old := tree.texts["pkg/opt.py"]
	for _, text := range []string{old + "# more\n", strings.ReplaceAll(old, "step", "stop"), ""} {
		tree.texts["pkg/opt.py"] = text
		if _, err := s.Text(t.Context(), 5); !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), "pkg/opt.py") {
			t.Errorf("Text = %v", err)
		}
	}
	delete(tree.texts, "pkg/opt.py")
	if _, err := s.Text(t.Context(), 5); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Text = %v", err)
	}
	tree.texts["pkg/opt.py"] = old
	if _, err := s.Text(t.Context(), 5); err != nil {
		t.Errorf("Text = %v", err)
	}
}

func TestTextCacheIsBounded(t *testing.T) {
	var c textCache
	big := make([]byte, textBytes/4)
	for i := range 20 {
		c.put(fmt.Sprint(i), big)
		c.put(fmt.Sprint(i), big) // twice at once
		if _, ok := c.get("0"); ok != true {
			t.Fatalf("the text that is used goes first, at %d", i)
		}
	}
	if c.bytes > textBytes || c.order.Len() != len(c.at) {
		t.Errorf("%d bytes, %d and %d texts", c.bytes, c.order.Len(), len(c.at))
	}
	c.put("huge", make([]byte, 2*textBytes))
	if _, ok := c.get("huge"); !ok || c.order.Len() != 1 {
		t.Error("one text over the limit is kept alone")
	}
}

func TestClosed(t *testing.T) {
	s, _ := mustOpen(t, t.TempDir(), newProject(small()), options())
	s.Named("fit")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 200 {
				s.Chunk(i % 7)
				s.Named("Model.fit")
				s.InFile("pkg/opt.py")
				s.Ident(i % 7)
				s.BM25().Search(bm25.Query("loss fit"), 3, func(i int) bool { return !s.Test(i) })
				_, _ = s.Text(t.Context(), i%7)
			}
		})
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if err := s.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
	if s.Len() != 0 || s.Named("fit") != nil || len(s.BM25().Search(bm25.Query("loss"), 3, nil)) != 0 {
		t.Error("a closed store answers")
	}
	if _, err := s.Source(t.Context(), "pkg/opt.py"); !errors.Is(err, ErrClosed) {
		t.Errorf("Source = %v", err)
	}
}
