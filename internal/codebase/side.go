package codebase

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/repgen/repgen/internal/codebase/dense"
	"github.com/repgen/repgen/internal/codebase/embed"
)

// side is one embedder with the vectors that it made of the project. Its file
// is opened when it is first asked, since a lexical search needs none.
type side struct {
	x       *Index
	e       embed.Embedder
	vectors *dense.Vectors
	view    *dense.View
	// lack are the documents without a vector, lackCode those of them outside
	// test files; both ascending.
	lack, lackCode []int
	// failed is why it cannot be used; it is tried once.
	failed error
}

// newSide is nil for a nil embedder.
func newSide(x *Index, e embed.Embedder) *side {
	if e == nil {
		return nil
	}
	return &side{x: x, e: e}
}

// open maps the file of vectors.
func (s *side) open() error {
	if s.vectors != nil || s.failed != nil {
		return s.failed
	}
	info := s.e.Info()
	name := ""
	if s.x.opts.Dir != "" {
		name = filepath.Join(s.x.opts.Dir, fmt.Sprintf("vectors-%s-%.12s", info.Backend, info.Hash))
	}
	v, err := dense.Open(name, info)
	if err != nil {
		s.failed = fmt.Errorf("open the vectors of %s: %w", info.Name, err)
		return s.failed
	}
	s.vectors = v
	s.look()
	return nil
}

// look takes a view of what is there now. What lacks a vector is kept with it:
// every search asks.
func (s *side) look() {
	s.view = s.vectors.Rows(s.x.store.Idents())
	s.lack = s.view.Missing()
	s.lackCode = nil
	for _, doc := range s.lack {
		if !s.x.store.Test(doc) {
			s.lackCode = append(s.lackCode, doc)
		}
	}
}

// present is how many documents have a vector.
func (s *side) present() int {
	if s.open() != nil {
		return 0
	}
	return s.view.Len() - len(s.lack)
}

// troubles are those of its file.
func (s *side) troubles() []string {
	if s == nil || s.vectors == nil {
		return nil
	}
	if st := s.vectors.State(); st.Why != "" {
		return []string{fmt.Sprintf("the vectors of %s are in memory only: %s", s.e.Info().Name, st.Why)}
	}
	return nil
}

// embed makes the vectors of docs that are not there yet; nil means all, code
// before tests. What is done is kept when ctx ends.
func (s *side) embed(ctx context.Context, stage string, docs []int) error {
	if err := s.open(); err != nil {
		return err
	}
	if docs == nil && len(s.lack) == 0 {
		return nil
	}
	o := embed.Options{First: s.x.code, Progress: func(p embed.Progress) {
		out := Progress{Stage: stage, Done: p.Done, Total: p.Total}
		if p.Known {
			out.Left, out.Code = p.ETA, p.First && docs == nil
		}
		s.x.progress(out)
	}}
	if docs != nil {
		o.First, o.Only = docs, true
	}
	st, err := embed.All(ctx, s.e, s.x.store, s.vectors, o)
	s.look() // whatever came: what was done before an error is kept
	if err != nil {
		return fmt.Errorf("embed with %s: %w", s.e.Info().Name, err)
	}
	// A file that changed since it was indexed has chunks without a vector until
	// the project is opened again; they are found by words.
	for _, f := range st.Failed {
		s.x.log.Debug("a chunk could not be embedded", "chunk", f.Text, "error", f.Err)
	}
	return nil
}

// query embeds one text.
func (s *side) query(ctx context.Context, text string) ([]float32, error) {
	vs, err := s.e.Embed(ctx, []string{text})
	if err != nil {
		return nil, fmt.Errorf("embed the query with %s: %w", s.e.Info().Name, err)
	}
	if len(vs) != 1 {
		return nil, fmt.Errorf("embed the query with %s: %d vectors for one text", s.e.Info().Name, len(vs))
	}
	return vs[0], nil
}

// close gives the file back; a side that was never opened has none.
func (s *side) close() error {
	if s == nil || s.vectors == nil {
		return nil
	}
	return s.vectors.Close()
}

// ErrNoModel says that there is nothing to embed with.
var ErrNoModel = errors.New("no embedding model")

// EmbedAll makes the vector of every chunk that has none, code before tests: by
// the model, or the static ones where there is no model. When ctx ends, what is
// done is kept. ErrNoModel when there is neither.
func (x *Index) EmbedAll(ctx context.Context) error {
	switch {
	case x.model != nil:
		return x.model.embed(ctx, StageEmbed, nil)
	case x.cheap != nil:
		return x.cheap.embed(ctx, StageStatic, nil)
	}
	return ErrNoModel
}

// Tidy drops the vectors of code that is gone, when they are most of a file. To
// be called when the work on a project is done, and not by who goes from commit
// to commit with one folder: there they serve again. The index is whole
// whatever comes.
func (x *Index) Tidy(ctx context.Context) error {
	for _, s := range []*side{x.model, x.cheap} {
		if s == nil || s.vectors == nil {
			continue
		}
		n, err := s.vectors.Compact(ctx, x.store.Idents())
		if err != nil {
			return fmt.Errorf("tidy the vectors of %s: %w", s.e.Info().Name, err)
		}
		x.log.Debug("tidied", "vectors", n, "of", s.e.Info().Name)
		s.look()
	}
	return nil
}
