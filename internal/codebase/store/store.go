// Package store keeps the index of one project in one file of the cache: its
// files, chunks, and the postings of the lexical search. Opened again it is
// read in one piece, not parsed, and of the project only files that changed are.
package store

import (
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/repgen/repgen/internal/codebase/bm25"
	"github.com/repgen/repgen/internal/codebase/chunk"
	"github.com/repgen/repgen/internal/codebase/source"
)

// Options say how an index is made. The zero value of a field means what its
// comment says.
type Options struct {
	// Split cuts a file into chunks, EmbedText gives the text of a chunk that is
	// embedded, and IdentOf its hash. They are called from several goroutines.
	// All three must be given.
	Split     func(path string, src []byte) []chunk.Chunk
	EmbedText func(c chunk.Chunk, src []byte) string
	IdentOf   func(text string) chunk.Ident
	// Recipe names the version of these functions: an index made by another
	// one is made anew.
	Recipe string
	// Jobs is the number of files read at a time; the processors when it is 0.
	Jobs int
	// Params of the lexical search, bm25.DefaultParams when it is nil. They are
	// not kept: another choice needs no new index.
	Params *bm25.Params
	// Progress, when not nil, is told how many of the files to be read are done.
	// It is called by one goroutine at a time.
	Progress func(done, total int)
}

// Change says what Open did.
type Change struct {
	// Files that were read: new ones, and those with other bytes. Removed are
	// gone. Touched have another time or size entry but the same bytes.
	Added   int `json:"added"`
	Changed int `json:"changed"`
	Removed int `json:"removed"`
	Touched int `json:"touched"`
	// Rebuilt says why an older index was put away; "" when there was none or
	// it could be used.
	Rebuilt string `json:"rebuilt,omitempty"`
	// Unsaved says why the index is in memory only (a read-only cache, a full
	// disk): it serves, and is made again the next time.
	Unsaved string `json:"unsaved,omitempty"`
	// Skipped is what the tree left out, and the files that could not be read
	// although it listed them.
	Skipped []source.Skip `json:"skipped,omitempty"`
	Took    time.Duration `json:"took"`
}

// Fresh says whether anything was read.
func (c *Change) Fresh() bool { return c.Added+c.Changed+c.Removed > 0 || c.Rebuilt != "" }

// ErrChanged says that a file is not the one that was indexed: open the store
// again.
var ErrChanged = errors.New("changed since it was indexed")

// ErrClosed is the error of what needs an open store.
var ErrClosed = errors.New("the index is closed")

// Store is the index of one project. Chunks are numbered by path and then by
// position, whatever the order in which files came or changed. Any number of
// goroutines may use it at a time; after Close it is empty. A chunk number that
// is not there gives zero values.
type Store struct {
	mu    sync.RWMutex // held by readers against Close
	img   *image
	index *bm25.Index
	tree  source.Tree
	o     Options
	files []source.File
	tests []bool // by chunk; searches ask it of every one

	namesOnce sync.Once
	names     map[string][]int32 // last name -> chunks

	texts textCache
}

// newStore makes an image searchable. It owns the image from then on.
func newStore(img *image, files []source.File, tree source.Tree, o Options) (*Store, error) {
	index, err := bm25.New(img.words, *o.Params)
	if err != nil {
		return nil, err
	}
	tests := make([]bool, len(img.chunks))
	for i, c := range img.chunks {
		tests[i] = files[c.File].Test
	}
	return &Store{img: img, index: index, tree: tree, o: o, files: files, tests: tests}, nil
}

// Close lets go of the memory. It may be called again.
func (s *Store) Close() error {
	// First the searches, without the lock: what they leave out may ask the
	// store.
	s.index.Release()
	s.mu.Lock()
	defer s.mu.Unlock()
	img := s.img
	s.img = &image{}
	return img.close()
}

// Len is the number of chunks.
func (s *Store) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.img.chunks)
}

// BM25 is the lexical index: document numbers are chunk numbers. It is empty
// after Close.
func (s *Store) BM25() *bm25.Index { return s.index }

// Files are the project's files, sorted by path. The slice is the store's own.
func (s *Store) Files() []source.File { return s.files }

// Chunk is the i-th chunk.
func (s *Store) Chunk(i int) chunk.Chunk {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if !s.has(i) {
		return chunk.Chunk{}
	}
	return s.chunk(i)
}

// has and chunk want the lock held.
func (s *Store) has(i int) bool { return i >= 0 && i < len(s.img.chunks) }

func (s *Store) chunk(i int) chunk.Chunk {
	r := &s.img.chunks[i]
	c := s.img.meta(r)
	f := &s.files[r.File]
	c.Path, c.Test = f.Path, f.Test
	c.StartLine, c.EndLine = int(r.StartLine), int(r.EndLine)
	c.Start, c.End = int(r.Start), int(r.End)
	c.Part, c.Parts = int(r.Part), int(r.Parts)
	return c
}

// Ident is the hash of what is embedded of the i-th chunk.
func (s *Store) Ident(i int) chunk.Ident {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if !s.has(i) {
		return chunk.Ident{}
	}
	return s.img.idents[i]
}

// Idents are those of all chunks, in order (a copy).
func (s *Store) Idents() []chunk.Ident {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return append([]chunk.Ident{}, s.img.idents...)
}

// FileOf is the place of the i-th chunk's file in Files, -1 when there is no
// such chunk. It costs nothing, unlike Chunk, which copies texts.
func (s *Store) FileOf(i int) int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if !s.has(i) {
		return -1
	}
	return int(s.img.chunks[i].File)
}

// Test says whether the i-th chunk is of a test file, at no cost.
func (s *Store) Test(i int) bool { return i >= 0 && i < len(s.tests) && s.tests[i] }

// InFile are the chunks of a file: n of them from first. n is 0 when the file
// has none or is not there.
func (s *Store) InFile(path string) (first, n int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	f, ok := s.img.find(path)
	if !ok {
		return 0, 0
	}
	return int(s.img.files[f].First), int(s.img.files[f].Chunks)
}

// Named are the chunks that define a name, in order, case kept: "fit" finds
// every function, class and method of that last name, "Model.fit" those whose
// qualified name ends so. Every part of a split definition is given.
func (s *Store) Named(name string) []int {
	s.namesOnce.Do(s.readNames)
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []int
	for _, i := range s.names[lastName(name)] {
		if !s.has(int(i)) {
			return nil // closed
		}
		full := s.img.name(&s.img.chunks[i])
		if full == name || strings.HasSuffix(full, "."+name) {
			out = append(out, int(i))
		}
	}
	return out
}

// readNames makes the table that Named looks into, on its first call: most
// searches do without.
func (s *Store) readNames() {
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.names = make(map[string][]int32, len(s.img.chunks))
	for i := range s.img.chunks {
		if name := lastName(s.img.name(&s.img.chunks[i])); name != "" {
			s.names[name] = append(s.names[name], int32(i))
		}
	}
}

func lastName(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
