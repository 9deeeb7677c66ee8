package codebase

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/repgen/repgen/internal/codebase/chunk"
	"github.com/repgen/repgen/internal/codebase/imports"
	"github.com/repgen/repgen/internal/codebase/source"
	"github.com/repgen/repgen/internal/codebase/store"
)

// ErrNoPython says that a project has no Python that could be searched.
var ErrNoPython = errors.New("no Python files")

// Index is an opened project. One goroutine at a time uses it.
type Index struct {
	opts   Options
	tree   source.Tree
	store  *store.Store
	change *store.Change
	log    *slog.Logger

	code  []int // documents outside test files
	model *side // the embedder's vectors; nil without one
	cheap *side // the static ones
	tops  map[string]bool
	graph *imports.Graph
}

// Open brings the index of a project up to date and opens it. A project with
// no Python is ErrNoPython, together with an Index that can only tell its Stats.
func Open(ctx context.Context, tree source.Tree, o Options) (*Index, error) {
	x := &Index{opts: o, tree: tree, log: cmp.Or(o.Log, slog.New(slog.DiscardHandler))}
	s, change, err := store.Open(ctx, o.Dir, tree, store.Options{
		Split: chunk.Split, EmbedText: chunk.EmbedText, IdentOf: chunk.IdentOf, Recipe: chunk.Recipe,
		Jobs: o.Jobs, Progress: func(done, total int) {
			x.progress(Progress{Stage: StageIndex, Done: done, Total: total})
		},
	})
	if err != nil {
		return nil, fmt.Errorf("index the project: %w", err)
	}
	x.store, x.change = s, change
	if s.Len() == 0 {
		return x, ErrNoPython
	}
	for doc := range s.Len() {
		if !s.Test(doc) {
			x.code = append(x.code, doc)
		}
	}
	x.model, x.cheap = newSide(x, o.Embedder), newSide(x, o.Static)
	return x, nil
}

func (x *Index) progress(p Progress) {
	if x.opts.Progress != nil {
		x.opts.Progress(p)
	}
}

// Stats say what an index holds and what opening it took.
type Stats struct {
	Files     int `json:"files"`
	TestFiles int `json:"test_files"`
	Chunks    int `json:"chunks"`
	// Embedded are the chunks whose vector by Embedder is there: the model, or
	// the static vectors where there is none.
	Embedded int    `json:"embedded"`
	Embedder string `json:"embedder,omitempty"`
	// Changed are the files that were read anew, Removed those that are gone.
	Changed int `json:"changed"`
	Removed int `json:"removed"`
	// Unsaved says why the index could not be kept, "" when it was.
	Unsaved string `json:"unsaved,omitempty"`
	// Skipped counts what was left out, by reason (source.Why...).
	Skipped map[string]int `json:"skipped,omitempty"`
	Notices []string       `json:"notices,omitempty"`
}

// Stats of the index.
func (x *Index) Stats() Stats {
	st := Stats{Chunks: x.store.Len(), Skipped: map[string]int{}, Notices: x.notices()}
	for _, f := range x.store.Files() {
		st.Files++
		if f.Test {
			st.TestFiles++
		}
	}
	st.Changed, st.Removed = x.change.Added+x.change.Changed, x.change.Removed
	st.Unsaved = x.change.Unsaved
	for _, skip := range x.change.Skipped {
		st.Skipped[skip.Why]++
	}
	if by := cmp.Or(x.model, x.cheap); by != nil {
		st.Embedded, st.Embedder = by.present(), by.e.Info().Name
	}
	st.Notices = append(st.Notices, x.troubles()...)
	return st
}

// notices are what is known before a search.
func (x *Index) notices() []string {
	out := slices.Concat(x.opts.Notices, x.opts.Unavailable)
	if x.change.Unsaved != "" {
		out = append(out, "the index is in memory only: "+x.change.Unsaved)
	}
	return append(out, leftOut(x.change.Skipped)...)
}

// troubles are those of the vectors' files, once they have been opened.
func (x *Index) troubles() []string {
	return append(x.model.troubles(), x.cheap.troubles()...)
}

// Close frees the index. The embedders and the reranker stay the caller's.
func (x *Index) Close() error {
	var errs []error
	for _, s := range []*side{x.model, x.cheap} {
		errs = append(errs, s.close())
	}
	return errors.Join(append(errs, x.store.Close())...)
}
