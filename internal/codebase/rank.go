package codebase

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/codebase/bm25"
	"github.com/repgen/repgen/internal/codebase/chunk"
	"github.com/repgen/repgen/internal/codebase/fusion"
	"github.com/repgen/repgen/internal/codebase/rerank"
)

// Names of terms.
const (
	termWords  = "bm25"
	termFrame  = "frame"
	termFile   = "file"
	termName   = "identifier"
	termRerank = "rerank"
	// These are below zero.
	termReexport = "re-export"
	termAside    = "aside"
	termTwin     = "twin"
)

// rank joins what words, vectors, frames and names say of the chunks that keep
// accepts, best first, equal ones by their number.
func (s *search) rank(ctx context.Context, by answerer, keep func(int) bool) ([]Hit, error) {
	if s.o.without(PartBM25) {
		s.notice("lexical search is switched off")
	}
	lexical, near, err := s.halves(ctx, by, keep)
	if err != nil {
		return nil, err
	}
	// What the report points at is in the ranking even where neither half found
	// it; then it has no terms of theirs.
	pinned := s.pinned(ctx, keep)
	named := s.namedFiles(keep, pinned)
	unfound := maps.Clone(pinned)
	fused := fusion.Fuse(lexical, near, s.fusionOptions(by))
	hits := make([]Hit, 0, len(fused)+len(pinned))
	for _, f := range fused {
		delete(unfound, f.Doc)
		h := Hit{Chunk: s.x.store.Chunk(f.Doc), doc: f.Doc}
		for _, t := range f.Terms {
			h.Terms = append(h.Terms, Term{Name: t.Name, Raw: t.Raw, Norm: t.Norm, Weight: t.Weight, Value: t.Value, Why: by.why(t)})
		}
		hits = append(hits, h)
	}
	for doc := range unfound {
		hits = append(hits, Hit{Chunk: s.x.store.Chunk(doc), doc: doc})
	}
	weighPlaces(hits, named, pinned, s.aside())
	slices.SortFunc(hits, byScore)
	weighTwins(hits, pinned)
	slices.SortFunc(hits, byScore)
	return hits, nil
}

// byScore puts the best first, equal ones by their number.
func byScore(a, b Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), a.doc-b.doc) }

// weighTwins takes a little from a definition whose namesake in another file
// stands before it: the same method of each backend, or of a module and its
// deprecated copy. One of them says what the others would, and what the report
// points at is left where it is.
func weighTwins(hits []Hit, pinned map[int][]Term) {
	first := map[string]string{} // name -> path of the best
	for i := range hits {
		h := &hits[i]
		// Special methods are namesakes all over a project.
		if h.Chunk.Name == "" || strings.Contains(h.Chunk.Name, "__") {
			continue
		}
		path, ok := first[h.Chunk.Name]
		if !ok {
			first[h.Chunk.Name] = h.Chunk.Path
			continue
		}
		if path != h.Chunk.Path && len(pinned[h.doc]) == 0 {
			h.Terms = append(h.Terms, term(termTwin, 1, twin, "namesake of the one in "+path))
			h.sum()
		}
	}
}

// weighPlaces adds what the place of each hit says, and sums up.
func weighPlaces(hits []Hit, named map[string]string, pinned map[int][]Term, asideOf func(path string) string) {
	for i := range hits {
		h := &hits[i]
		_, pointed := named[h.Chunk.Path]
		if folder := asideOf(h.Chunk.Path); folder != "" && !pointed && len(pinned[h.doc]) == 0 {
			h.Terms = append(h.Terms, term(termAside, 1, aside, folder+"/ uses the package"))
		}
		if why, ok := named[h.Chunk.Path]; ok {
			h.Terms = append(h.Terms, term(termFile, 1, fileWeight, why))
		}
		if h.Chunk.Kind == chunk.Module && path.Base(h.Chunk.Path) == "__init__.py" {
			h.Terms = append(h.Terms, term(termReexport, 1, reexport, "an __init__.py lists names"))
		}
		h.Terms = append(h.Terms, pinned[h.doc]...)
		h.sum()
	}
}

// sum makes the score of the terms, in their order, so that adding them up
// again gives the same bits.
func (h *Hit) sum() {
	h.Score = 0
	for _, t := range h.Terms {
		h.Score += t.Value
	}
}

// why says of a term of the fusion what the figures do not.
func (a answerer) why(t fusion.Term) string {
	if t.Missing {
		return "no score: counts as the lowest"
	}
	if t.Name == "dense" && a.side != nil {
		return "cosine by " + a.side.e.Info().Name
	}
	return ""
}

// fusionOptions give each half the exact score of what only the other found:
// without it, a chunk that one half puts on place 201 would count as the worst.
func (s *search) fusionOptions(by answerer) fusion.Options {
	o := fusion.Options{Kind: fusion.Kind(s.o.Fusion), Alpha: s.o.Alpha, Pool: s.o.Pool, Lexical: s.byWords(), File: s.x.store.FileOf}
	if by.side != nil {
		o.Dense = by.similarity()
		if by.side == s.x.cheap && o.Alpha == nil {
			o.Alpha = share(staticAlpha)
		}
	}
	return o
}

// halves searches by words and by vectors, beside each other: on large projects
// each takes some milliseconds of a processor.
func (s *search) halves(ctx context.Context, by answerer, keep func(int) bool) (lexical, near []fusion.Scored, err error) {
	found := make(chan []fusion.Scored)
	go func() {
		defer close(found)
		if !s.o.without(PartBM25) {
			found <- s.lexical(s.o.Pool, keep)
		}
	}()
	if by.side != nil {
		near, err = by.nearest(ctx, s.o.Pool, by.among(keep))
	}
	return <-found, near, err
}

// lexical are the k best by words.
func (s *search) lexical(k int, keep func(int) bool) []fusion.Scored {
	hits := s.wordScores().Best(k, keep)
	out := make([]fusion.Scored, len(hits))
	for i, h := range hits {
		out[i] = fusion.Scored{Doc: h.Doc, Score: h.Score}
	}
	return out
}

// wordScores of every chunk, made once a search. Not for two goroutines.
func (s *search) wordScores() bm25.Scores {
	if s.scored == nil {
		s.scored = s.x.store.BM25().Scores(s.words)
	}
	return s.scored
}

// byWords gives the score by words of chunks that other searches found; a chunk
// without any of them has 0.
func (s *search) byWords() func(int) float64 {
	if s.o.without(PartBM25) {
		return nil
	}
	return s.wordScores().Of
}

// nearest are the k best by vectors.
func (a answerer) nearest(ctx context.Context, k int, keep func(int) bool) ([]fusion.Scored, error) {
	hits, err := a.side.view.Search(ctx, a.vector, k, keep)
	if err != nil {
		return nil, fmt.Errorf("search the vectors: %w", err)
	}
	out := make([]fusion.Scored, len(hits))
	for i, h := range hits {
		out[i] = fusion.Scored{Doc: h.Doc, Score: h.Cosine}
	}
	return out, nil
}

// similarity gives the cosine of one chunk. Where only candidates have been
// embedded for this search, others that happen to have a vector count as well:
// it is exact all the same.
func (a answerer) similarity() func(int) (float64, bool) {
	return func(doc int) (float64, bool) { return a.side.view.Similarity(a.vector, doc) }
}

// among narrows keep to the candidates, when there are such.
func (a answerer) among(keep func(int) bool) func(int) bool {
	if a.candidate == nil {
		return keep
	}
	return func(doc int) bool {
		_, ok := slices.BinarySearch(a.candidate, doc)
		return ok && keep(doc)
	}
}

// pinned are the terms of the chunks that the report itself points at, by its
// frames and by the names it writes.
func (s *search) pinned(ctx context.Context, keep func(int) bool) map[int][]Term {
	out := map[int][]Term{}
	if !s.o.NoFrames {
		if file := s.x.gone(ctx, s.q); file != "" {
			s.notice("the traceback stands in %s, which is not here: this source may be of another version than the report's", file)
		}
		for doc, f := range s.x.inFrames(ctx, s.q) {
			if keep(doc) {
				out[doc] = append(out[doc], term(termFrame, f.strength, frameWeight, f.why))
			}
		}
	}
	if !s.o.NoNames {
		for doc, m := range s.x.named(s.q) {
			if keep(doc) {
				why := fmt.Sprintf("%s, written in the report (%s)", m.name, m.origin)
				out[doc] = append(out[doc], term(termName, m.strength, nameWeight, why))
			}
		}
	}
	return out
}

// namedFiles are the files that the report names, with the words for it. One of
// which neither half finds anything is pinned by its first chunk.
func (s *search) namedFiles(keep func(int) bool, pinned map[int][]Term) map[string]string {
	out := map[string]string{}
	if s.o.NoNames {
		return out
	}
	for _, m := range s.q.Modules {
		file, ok := s.x.fileByTail(m)
		if !ok {
			continue
		}
		if first, n := s.x.store.InFile(file); n > 0 && keep(first) {
			out[file] = m + ", named in the report"
			if _, ok := pinned[first]; !ok {
				pinned[first] = nil
			}
		}
	}
	return out
}

// term is one that is normalised as it comes.
func term(name string, norm, weight float64, why string) Term {
	return Term{Name: name, Raw: norm, Norm: norm, Weight: weight, Value: norm * weight, Why: why}
}

// rerank lets the reranker read the best. Its term is added to the others, with
// a weight that gives it an even say with words and vectors over what it reads
// (rerank.Apply), so that what it has not read stays below what it has; frames
// and names are facts of the report and are not weighed against.
func (s *search) rerank(ctx context.Context, hits []Hit) ([]Hit, error) {
	r := s.x.opts.Reranker
	if s.o.without(PartReranker) {
		s.notice("the reranker is switched off")
		return hits, nil
	}
	if r == nil || len(hits) == 0 {
		return hits, nil
	}
	items := make([]rerank.Item, len(hits))
	for i, h := range hits {
		items[i] = rerank.Item{Doc: i, Score: h.Score, Certain: h.certain()}
		if i < s.o.Rerank {
			items[i].Text = s.text(ctx, h)
		}
	}
	s.x.progress(Progress{Stage: StageRerank, Total: min(len(items), s.o.Rerank)})
	ranked, err := rerank.Apply(ctx, r, s.prose, items, rerank.Options{Top: s.o.Rerank})
	if err == nil && len(ranked) != len(hits) {
		err = fmt.Errorf("%d places for %d chunks", len(ranked), len(hits))
	}
	if err != nil {
		if cerr := ctx.Err(); cerr != nil {
			return nil, cerr
		}
		s.notice("the reranker failed: %s", oneLine(err))
		return hits, nil
	}
	s.reranked = true
	return reranked(hits, ranked, r.Name()), nil
}

// certain is what frames and names gave.
func (h *Hit) certain() float64 {
	sum := 0.0
	for _, t := range h.Terms {
		if t.Name == termFrame || t.Name == termName || t.Name == termFile {
			sum += t.Value
		}
	}
	return sum
}

// reranked puts the hits in the new order; what was not read keeps its terms.
func reranked(hits []Hit, ranked []rerank.Reranked, name string) []Hit {
	out := make([]Hit, 0, len(hits))
	for _, r := range ranked {
		h := hits[r.Doc]
		if r.Seen {
			h.Terms = append(slices.Clone(h.Terms), Term{Name: termRerank, Raw: r.Raw, Norm: r.Norm, Weight: r.Weight, Value: r.Value, Why: "read by " + name})
			h.sum()
		}
		out = append(out, h)
	}
	return out
}

// text is a chunk as the reranker reads it: where it stands, then its source.
func (s *search) text(ctx context.Context, h Hit) string {
	place := strings.TrimSpace(h.Chunk.Path + " " + h.Chunk.Name)
	text, err := s.x.store.Text(ctx, h.doc)
	if err != nil {
		s.x.log.Debug("read a chunk", "path", h.Chunk.Path, "error", err)
		return place
	}
	return place + "\n" + text
}
