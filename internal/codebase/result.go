package codebase

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/codebase/bm25"
	"github.com/repgen/repgen/internal/codebase/fusion"
)

// result cuts the ranking down to what was asked for and ranks the tests.
func (s *search) result(ctx context.Context, hits []Hit) (*Result, error) {
	r := &Result{Project: s.x.opts.Project, Query: s.q}
	r.Files, r.Hits = s.files(hits), append([]Hit{}, hits[:min(len(hits), s.o.Top)]...)
	var tests []Hit
	err := s.timed(ctx, "tests", func(ctx context.Context) (err error) {
		if !s.q.Empty() && len(s.x.code) < s.x.store.Len() {
			tests, err = s.rank(ctx, s.nearTests, s.x.store.Test)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	r.TestFiles, r.Tests = s.files(tests), tests[:min(len(tests), s.o.Top)]
	s.explain(r.Hits)
	s.explain(r.Tests)
	trim(r.Files, len(r.Hits))
	trim(r.TestFiles, len(r.Tests))
	r.Files, r.TestFiles = r.Files[:min(len(r.Files), s.o.Top)], r.TestFiles[:min(len(r.TestFiles), s.o.Top)]
	r.Mode, r.Notices, r.Timings = s.mode(), append(s.notices, s.x.troubles()...), s.timings
	return r, nil
}

// trim marks the best chunks that were cut off.
func trim(files []FileHit, hits int) {
	for i := range files {
		if files[i].Best >= hits {
			files[i].Best = -1
		}
	}
}

// files ranks the files of a ranking of chunks.
func (s *search) files(hits []Hit) []FileHit {
	docs := make([]fusion.Fused, len(hits))
	at := map[string]int{}
	var paths []string
	for i, h := range hits {
		docs[i] = fusion.Fused{Doc: i, Score: h.Score}
		if _, ok := at[h.Chunk.Path]; !ok {
			at[h.Chunk.Path] = len(paths)
			paths = append(paths, h.Chunk.Path)
		}
	}
	ranked := fusion.Files(docs, func(doc int) int { return at[hits[doc].Chunk.Path] })
	out := make([]FileHit, 0, len(ranked))
	for _, f := range ranked {
		best := -1
		if len(f.Docs) > 0 {
			best = f.Docs[0]
		}
		out = append(out, FileHit{paths[f.File], f.Score, best})
	}
	return out
}

// maxWords is how many words a score by words is explained with.
const maxWords = 6

// explain says which words made the scores by words.
func (s *search) explain(hits []Hit) {
	for i := range hits {
		for j, t := range hits[i].Terms {
			if t.Name != termWords || t.Raw == 0 {
				continue
			}
			words := s.x.store.BM25().Explain(s.words, hits[i].doc)
			slices.SortStableFunc(words, func(a, b bm25.TermScore) int { return cmp.Compare(b.Score, a.Score) })
			var texts []string
			for _, w := range words[:min(len(words), maxWords)] {
				if w.Score > 0 {
					texts = append(texts, fmt.Sprintf("%s %.1f", w.Token, w.Score))
				}
			}
			hits[i].Terms[j].Why = strings.Join(texts, ", ")
		}
	}
}
