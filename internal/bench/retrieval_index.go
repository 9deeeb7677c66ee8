package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/repgen/repgen/internal/codebase"
	"github.com/repgen/repgen/internal/codebase/query"
	"github.com/repgen/repgen/internal/codebase/rerank"
	"github.com/repgen/repgen/internal/codebase/source"
)

// rankedFiles is how many files a search is asked for: all that its pools hold.
const rankedFiles = 1000

// IndexCorpora opens projects through the product's own index.
type IndexCorpora struct {
	// Tree gives a project at a commit; close may be nil.
	Tree func(ctx context.Context, set, commit string) (t source.Tree, close func() error, err error)
	// Dir holds an index a set, which each commit brings up to date: what two
	// commits share is read and embedded once.
	Dir string
	// Embedder, Static and Reranker may be nil: their methods are then not
	// available, which Why says.
	Embedder *SharedEmbedder
	Static   *SharedEmbedder
	Reranker rerank.Reranker
	Why      func(part string) string // part: "model", "static", "reranker"
	Jobs     int                      // processors; 0: all
	Log      *slog.Logger
	// Progress is told of indexing and embedding on the way; may be nil.
	Progress func(codebase.Progress)
}

// Open implements Corpora.
func (c *IndexCorpora) Open(ctx context.Context, set, commit string) (Corpus, error) {
	tree, closeTree, err := c.Tree(ctx, set, commit)
	if err != nil {
		return nil, err
	}
	x := &indexCorpus{all: c, set: set, tree: tree, closeTree: closeTree, files: map[string]bool{}, open: map[string]*codebase.Index{}}
	list, err := tree.List(ctx, nil)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("list the project: %w", err), x.Close())
	}
	for _, f := range list.Files {
		x.files[f.Path] = true
	}
	return x, nil
}

// indexCorpus is one commit with an index a kind of vectors.
type indexCorpus struct {
	all       *IndexCorpora
	set       string
	tree      source.Tree
	closeTree func() error
	files     map[string]bool
	open      map[string]*codebase.Index
	scratch   []string
}

// Has implements Corpus.
func (x *indexCorpus) Has(path string) bool { return x.files[path] }

// Close implements Corpus.
func (x *indexCorpus) Close() error {
	var errs []error
	for _, ix := range x.open {
		errs = append(errs, ix.Close())
	}
	for _, dir := range x.scratch {
		errs = append(errs, os.RemoveAll(dir))
	}
	if x.closeTree != nil {
		errs = append(errs, x.closeTree())
	}
	return errors.Join(errs...)
}

// Rank implements Corpus.
func (x *indexCorpus) Rank(ctx context.Context, text string, m Method) (Ranking, error) {
	if err := x.all.available(m); err != nil {
		return Ranking{}, err
	}
	ix, err := x.index(ctx, m.Base)
	if err != nil {
		return Ranking{}, err
	}
	before, began := x.all.embedded(), time.Now()
	got, err := ix.Search(ctx, query.FromText(text), searchOptions(m))
	if err != nil {
		return Ranking{}, err
	}
	r := Ranking{Took: time.Since(began), Embedded: x.all.embedded() - before}
	for _, f := range got.Files {
		r.Files = append(r.Files, f.Path)
	}
	return r, nil
}

// available says what a method lacks.
func (c *IndexCorpora) available(m Method) error {
	lacks := ""
	switch {
	case m.Model() && c.Embedder == nil:
		lacks = "model"
	case (m.Base == BaseStatic || m.Base == BaseStaticHybrid || m.Base == BaseFirst) && c.Static == nil:
		lacks = "static"
	case m.Rerank && c.Reranker == nil:
		lacks = "reranker"
	default:
		return nil
	}
	return &UnavailableError{c.Why(lacks)}
}

// embedded is how many texts the model has embedded so far.
func (c *IndexCorpora) embedded() int {
	if c.Embedder == nil {
		return 0
	}
	return c.Embedder.Count()
}

// index opens the index that a base wants, once a commit: with the model and
// everything embedded, with shipped vectors only, or for a first answer in a
// folder of its own with nothing embedded.
func (x *indexCorpus) index(ctx context.Context, base string) (*codebase.Index, error) {
	kind := "light"
	switch base {
	case BaseDense, BaseHybrid:
		kind = "full"
	case BaseFirst:
		kind = "first"
	}
	if ix := x.open[kind]; ix != nil {
		return ix, nil
	}
	o := codebase.Options{Dir: filepath.Join(x.all.Dir, x.set, kind), Project: x.set, Jobs: x.all.Jobs, Log: x.all.Log, Progress: x.all.Progress}
	if x.all.Reranker != nil {
		o.Reranker = x.all.Reranker
	}
	if x.all.Static != nil {
		o.Static = x.all.Static
	}
	if kind != "light" {
		o.Embedder = x.all.Embedder
	}
	if kind == "first" {
		dir, err := os.MkdirTemp("", "repgen-first-")
		if err != nil {
			return nil, fmt.Errorf("make a folder for a first answer: %w", err)
		}
		x.scratch, o.Dir = append(x.scratch, dir), dir
	}
	ix, err := codebase.Open(ctx, x.tree, o)
	if ix != nil {
		x.open[kind] = ix
	}
	if err != nil {
		return nil, err
	}
	if kind != "first" {
		// The vectors are made before the clock starts.
		_, err = ix.Search(ctx, query.FromText(base), searchOptions(Method{Base: base}))
	}
	return ix, err
}

// searchOptions says a method in the product's words.
func searchOptions(m Method) codebase.SearchOptions {
	o := codebase.SearchOptions{Fusion: m.Fusion, NoFrames: m.NoFrames, NoNames: m.NoNames, Top: rankedFiles, Exact: m.Base != BaseFirst}
	switch m.Base {
	case BaseBM25:
		o.Without = append(o.Without, codebase.PartANN)
	case BaseDense, BaseStatic:
		o.Without = append(o.Without, codebase.PartBM25)
	}
	if !m.Rerank {
		o.Without = append(o.Without, codebase.PartReranker)
	}
	return o
}
