package codebase

import (
	"context"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/codebase/chunk"
	"github.com/repgen/repgen/internal/codebase/imports"
	"github.com/repgen/repgen/internal/codebase/loops"
	"github.com/repgen/repgen/internal/codebase/query"
)

// gathering is a CodeContext under way.
type gathering struct {
	x *Index
	s *search
	o ContextOptions

	left  int // tokens
	given given
}

// Context gathers what a reproduction needs: the modules in the order in which
// they should be tried, each with its best training loop, its best chunks and
// the definitions they use, until the budget ends.
func (x *Index) Context(ctx context.Context, q query.Query, o ContextOptions) (*CodeContext, error) {
	s, hits, err := x.search(ctx, q, o.SearchOptions)
	if err != nil {
		return nil, err
	}
	set := func(n *int, value int) {
		if *n <= 0 {
			*n = value
		}
	}
	set(&o.Budget, DefaultBudget)
	set(&o.Modules, DefaultModules)
	set(&o.Chunks, DefaultChunks)
	g := &gathering{x: x, s: s, o: o, left: o.Budget, given: given{}}
	c := &CodeContext{Project: x.opts.Project, Budget: o.Budget, Modules: []Module{}}
	parts := g.partition(hits) // in the order in which they should be tried
	for i := range parts {
		// What one module leaves goes to the next; no module takes all.
		share := g.left / (len(parts) - i)
		if i == 0 && len(parts) > 1 {
			share = g.left * 2 / (len(parts) + 1)
		}
		m, err := g.module(ctx, parts[i], share)
		if err != nil {
			return nil, err
		}
		if len(m.Chunks) > 0 || m.Loop != nil {
			c.Modules = append(c.Modules, m)
		}
	}
	c.Tokens = o.Budget - g.left
	c.Mode, c.Notices = s.mode(), append(s.notices, s.x.troubles()...)
	return c, ctx.Err()
}

// part is one module with its hits.
type part struct {
	path  string
	score float64
	hits  []Hit
}

// partition groups the hits by file: the order of the files is that of the
// search, but files that hold a frame of the traceback come first. Without the
// partition every hit is a module of its own.
func (g *gathering) partition(hits []Hit) []part {
	if g.s.o.without(PartModules) {
		g.s.notice("the partition by modules is switched off")
		var out []part
		for _, h := range hits[:min(len(hits), g.o.Modules)] {
			out = append(out, part{path: h.Chunk.Path, score: h.Score, hits: []Hit{h}})
		}
		return out
	}
	byPath := map[string][]Hit{}
	framed := map[string]float64{}
	for _, h := range hits {
		byPath[h.Chunk.Path] = append(byPath[h.Chunk.Path], h)
		for _, t := range h.Terms {
			if t.Name == termFrame {
				framed[h.Chunk.Path] = max(framed[h.Chunk.Path], t.Value)
			}
		}
	}
	files := g.s.files(hits)
	slices.SortStableFunc(files, func(a, b FileHit) int {
		fa, fb := framed[a.Path], framed[b.Path]
		switch {
		case fa > fb:
			return -1
		case fa < fb:
			return 1
		}
		return 0
	})
	var out []part
	for _, f := range files[:min(len(files), g.o.Modules)] {
		p := part{path: f.Path, score: f.Score, hits: byPath[f.Path]}
		if len(out) > 0 && p.score < remote*out[0].score && framed[p.path] == 0 {
			continue
		}
		out = append(out, p)
	}
	return out
}

// remote is the share of the best module's score below which a module is left
// out: each costs who reads it, and an agent tries them in order. A query that
// only one file answers gave a second one at .06, and reports that several
// answer have their fifth above .4 (guess between the two).
const remote = 0.2

// module fills one module from its share of the budget.
func (g *gathering) module(ctx context.Context, p part, share int) (Module, error) {
	m := Module{Path: p.path, Score: p.score, Chunks: []ChunkText{}}
	// A file that changed under the index is left out and said: spans of the old
	// text would cut the new one anywhere.
	src, err := g.x.store.Source(ctx, p.path)
	if err != nil {
		if cerr := ctx.Err(); cerr != nil {
			return m, cerr
		}
		g.s.notice("%s cannot be read: %s", p.path, oneLine(err))
		return m, nil
	}
	share = min(share, g.left)
	before := g.left
	used := func() int { return before - g.left }
	// The loop comes first, since a run needs one, but may not take all (guess).
	if err := g.loop(ctx, &m, src, share/3); err != nil {
		return m, err
	}
	// Dependencies get what the good chunks leave, and a quarter at least; chunks
	// far behind the best come after what the best needs to run (guesses).
	room := share * 3 / 4
	first, later := p.split(src)
	if g.s.o.without(PartDependencies) {
		g.s.notice("dependencies are switched off")
		room = share
	}
	g.chunks(&m, first, src, room-used())
	if !g.s.o.without(PartDependencies) {
		g.dependencies(ctx, &m, share-used())
	}
	g.chunks(&m, later, src, share-used())
	return m, ctx.Err()
}

// behind is the share of the best chunk's score below which a chunk comes
// after the dependencies (guess).
const behind = 0.35

// split are the hits that come before what they need, and those that come after
// it: hits far behind the best, and words about the module without its code.
func (p part) split(src []byte) (first, later []Hit) {
	for _, h := range p.hits {
		c := h.Chunk
		words := c.Kind == chunk.Module && c.Start >= 0 && c.Start <= c.End && c.End <= len(src) && mostlyWords(string(src[c.Start:c.End]))
		if words || h.Score < behind*p.hits[0].Score {
			later = append(later, h)
		} else {
			first = append(first, h)
		}
	}
	return first, later
}

// chunks adds hits until the room or the number of chunks ends.
func (g *gathering) chunks(m *Module, hits []Hit, src []byte, room int) {
	before := g.left
	for _, h := range hits {
		if len(m.Chunks) >= g.o.Chunks || g.left <= before-room {
			return
		}
		if text, cut, ok := g.take(m.Path, h.Chunk.Start, h.Chunk.End, src, room-(before-g.left)); ok {
			m.Chunks = append(m.Chunks, ChunkText{Hit: h, Text: text, Cut: cut})
		}
	}
}

// loop adds the module's best training loop.
func (g *gathering) loop(ctx context.Context, m *Module, src []byte, room int) error {
	if g.s.o.without(PartLoops) {
		g.s.notice("training loops are switched off")
		return nil
	}
	found := loops.Find(m.Path, src)
	if len(found) == 0 {
		return nil
	}
	best := found[0]
	if g.s.o.without(PartLoopRanking) {
		g.s.notice("the ranking of training loops is switched off: the first of each module")
		best = slices.MinFunc(found, func(a, b loops.Loop) int { return a.Start - b.Start })
	} else {
		var err error
		if best, err = g.rankLoops(ctx, found, src); err != nil {
			return err
		}
	}
	if text, cut, ok := g.take(m.Path, best.Start, best.End, src, room); ok {
		m.Loop = &LoopText{Loop: best, Text: text, Cut: cut}
	}
	return nil
}

// maxRankedLoops bounds what the reranker reads of one module (guess).
const maxRankedLoops = 8

// rankLoops chooses the loop nearest to the report: by the reranker, else by
// the embedder's cosine, else the one with most rules. A tie keeps the order of
// package loops.
func (g *gathering) rankLoops(ctx context.Context, found []loops.Loop, src []byte) (loops.Loop, error) {
	found = found[:min(len(found), maxRankedLoops)]
	if len(found) == 1 {
		return found[0], nil
	}
	// Place and name go with the text, as chunks are embedded and reranked.
	texts := make([]string, len(found))
	for i, l := range found {
		texts[i] = strings.TrimSpace(l.Path+" "+l.Name) + "\n" + string(src[l.Start:l.End])
	}
	scores, err := g.s.scores(ctx, texts)
	if err != nil {
		if cerr := ctx.Err(); cerr != nil {
			return found[0], cerr
		}
		g.s.notice("training loops are ranked by their rules only: %s", oneLine(err))
	}
	best := 0
	for i := range scores {
		if scores[i] > scores[best] {
			best = i
		}
	}
	return found[best], nil
}

// scores are those of texts against the query; nil when nothing here can.
func (s *search) scores(ctx context.Context, texts []string) ([]float64, error) {
	if r := s.x.opts.Reranker; r != nil && !s.o.without(PartReranker) {
		return r.Score(ctx, s.prose, texts)
	}
	if s.near.side == nil {
		return nil, nil
	}
	vectors, err := s.near.side.e.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(vectors))
	for i, v := range vectors {
		for j := range min(len(v), len(s.near.vector)) {
			out[i] += float64(v[j]) * float64(s.near.vector[j])
		}
	}
	return out, nil
}

// dependencies adds the definitions that the module's chunks use: what they
// name themselves before what that needs in turn, and the needs of the best
// chunk before the others'.
func (g *gathering) dependencies(ctx context.Context, m *Module, room int) {
	var all []imports.Dependency
	for _, c := range m.Chunks {
		all = append(all, g.needs(ctx, c.Chunk, room)...)
	}
	slices.SortStableFunc(all, func(a, b imports.Dependency) int { return a.Distance - b.Distance })
	before := g.left
	for _, d := range all {
		left := room - (before - g.left)
		if left < minDependency {
			return
		}
		src, err := g.x.store.Source(ctx, d.Path)
		if err != nil {
			continue // it was there when the graph was made
		}
		if d.Start >= 0 && d.Start <= d.End && d.End <= len(src) && declaration(string(src[d.Start:d.End])) {
			continue // it is no more than its name, which the chunk has
		}
		if text, cut, ok := g.take(d.Path, d.Start, d.End, src, left); ok {
			m.Dependencies = append(m.Dependencies, DepText{Dependency: d, Text: text, Cut: cut})
		}
	}
}

// minDependency is the room in tokens below which no further snippet is begun.
const minDependency = 24

// needs asks the graph, which is made when it is first needed: a search alone
// reads no imports.
func (g *gathering) needs(ctx context.Context, c chunk.Chunk, room int) []imports.Dependency {
	x := g.x
	if x.graph == nil {
		var paths []string
		for _, f := range x.store.Files() {
			paths = append(paths, f.Path)
		}
		graph, err := imports.Build(ctx, paths, x.tree)
		if err != nil {
			g.s.notice("dependencies cannot be resolved: %s", oneLine(err))
			return nil
		}
		x.graph = graph
	}
	return x.graph.Dependencies(ctx, c.Path, c.Start, c.End, imports.Budget{Tokens: room})
}
