package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/repgen/repgen/internal/codebase/chunk"
	"github.com/repgen/repgen/internal/codebase/source"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(roleVar); dir != "" {
		os.Exit(writer(dir))
	}
	goleak.VerifyTestMain(m)
}

// splitLines is a chunker for tests: "class X" and "def x" at any depth begin
// a chunk that lasts to the next one; what stands before is module code.
func splitLines(path string, src []byte) []chunk.Chunk {
	var out []chunk.Chunk
	class := ""
	at, line := 0, 1
	for text := range bytes.Lines(src) {
		words := strings.FieldsFunc(string(text), func(r rune) bool { return strings.ContainsRune(" (:\n", r) })
		c := chunk.Chunk{Path: path, Kind: chunk.Module, StartLine: line, Start: at, Part: 1, Parts: 1}
		switch {
		case len(words) > 1 && words[0] == "class":
			class = words[1]
			c.Kind, c.Name, c.Doc = chunk.Class, class, "The class "+class
		case len(words) > 1 && words[0] == "def":
			c.Kind, c.Name, c.Decorators = chunk.Method, strings.TrimPrefix(class+"."+words[1], "."), []string{"a", "b(1)"}
		}
		if c.Kind != chunk.Module || len(out) == 0 {
			out = append(out, c)
		}
		at += len(text)
		line++
		if len(out) > 0 {
			out[len(out)-1].End, out[len(out)-1].EndLine = at, line-1
		}
	}
	return out
}

func options() Options {
	return Options{
		Split:     splitLines,
		EmbedText: func(c chunk.Chunk, src []byte) string { return c.Path + "\n" + c.Name + "\n" + chunk.Text(c, src) },
		IdentOf: func(text string) chunk.Ident {
			sum := sha256.Sum256([]byte(text))
			return chunk.Ident(sum[:16])
		},
	}
}

// project is a tree for tests: paths to texts, with times, failures and a
// count of what was read.
type project struct {
	texts map[string]string
	times map[string]time.Time
	fail  map[string]error // of Read
	list  error
	turn  bool // lists backwards
	reads atomic.Int64
	// before is called by Read.
	before func(path string)
}

func newProject(texts map[string]string) *project {
	p := &project{texts: map[string]string{}, times: map[string]time.Time{}, fail: map[string]error{}}
	maps.Copy(p.texts, texts)
	return p
}

func (p *project) List(ctx context.Context, known source.Known) (*source.Listing, error) {
	if p.list != nil {
		return nil, p.list
	}
	l, err := source.Memory(p.texts).List(ctx, known)
	if err != nil {
		return nil, err
	}
	for i := range l.Files {
		l.Files[i].ModTime = p.times[l.Files[i].Path]
	}
	if p.turn {
		for i, j := 0, len(l.Files)-1; i < j; i, j = i+1, j-1 {
			l.Files[i], l.Files[j] = l.Files[j], l.Files[i]
		}
	}
	return l, nil
}

func (p *project) Read(ctx context.Context, path string) ([]byte, error) {
	p.reads.Add(1)
	if p.before != nil {
		p.before(path)
	}
	if err := p.fail[path]; err != nil {
		return nil, err
	}
	text, ok := p.texts[path]
	if !ok {
		return nil, fmt.Errorf("read %s: %w", path, fs.ErrNotExist)
	}
	return []byte(text), ctx.Err()
}

// small is a project of three files.
func small() map[string]string {
	return map[string]string{
		"pkg/model.py": "import loss\nclass Model:\n    def fit(self):\n        return nan_loss\n    def stop(self):\n        pass\n",
		"pkg/opt.py":   "class Adam:\n    def fit(self):\n        step\n",
		"tests/a.py":   "def test_fit():\n    Model().fit()\n",
	}
}

func mustOpen(t testing.TB, dir string, tree source.Tree, o Options) (*Store, *Change) {
	t.Helper()
	s, c, err := Open(t.Context(), dir, tree, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, c
}

func indexBytes(t testing.TB, dir string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// rebuilt is the index file that tree gives from nothing.
func rebuilt(t testing.TB, tree source.Tree, o Options) []byte {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "fresh")
	if err != nil {
		t.Fatal(err)
	}
	s, c, err := Open(t.Context(), dir, tree, o)
	if err != nil || c.Unsaved != "" {
		t.Fatal(err, c)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return indexBytes(t, dir)
}

// counts are a Change's numbers in short.
func counts(c *Change) string {
	return fmt.Sprintf("+%d ~%d -%d t%d", c.Added, c.Changed, c.Removed, c.Touched)
}
