package fusion

import (
	"cmp"
	"math"
	"slices"
)

// side is what one search found.
type side struct {
	name   string
	pool   []Scored // best first
	weight float64
	raw    []float64 // of each document of the union
	known  []bool
	lo, hi float64 // of all that is known
}

// newSide orders what was found and keeps the best of it.
func newSide(name string, found []Scored, pool int) *side {
	s := &side{name: name, pool: make([]Scored, 0, len(found))}
	for _, f := range found {
		if !math.IsNaN(f.Score) && !math.IsInf(f.Score, 0) {
			s.pool = append(s.pool, f)
		}
	}
	slices.SortFunc(s.pool, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Doc, b.Doc))
	})
	// The better of two scores stands first, so the other is the one to go.
	seen := make(map[int]bool, len(s.pool))
	s.pool = slices.DeleteFunc(s.pool, func(f Scored) bool {
		again := seen[f.Doc]
		seen[f.Doc] = true
		return again
	})
	s.pool = s.pool[:min(pool, len(s.pool))]
	return s
}

// union are the documents of both pools, ascending.
func union(a, b *side) []int {
	var docs []int
	for _, f := range slices.Concat(a.pool, b.pool) {
		docs = append(docs, f.Doc)
	}
	slices.Sort(docs)
	return slices.Compact(docs)
}

// fill finds the score of each document: from the pool, else by asking.
func (s *side) fill(docs []int, ask func(doc int) (float64, bool)) {
	have := make(map[int]float64, len(s.pool))
	for _, f := range s.pool {
		have[f.Doc] = f.Score
	}
	// The bounds are those of all that take part, of both pools: a document that
	// only the other side found lies where it lies, mostly low.
	s.raw, s.known = make([]float64, len(docs)), make([]bool, len(docs))
	s.lo, s.hi = math.Inf(1), math.Inf(-1)
	for i, doc := range docs {
		x, ok := have[doc]
		if !ok && ask != nil && len(s.pool) > 0 {
			x, ok = ask(doc)
		}
		if !ok || math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		s.raw[i], s.known[i] = x, true
		s.lo, s.hi = min(s.lo, x), max(s.hi, x)
	}
}

// addTerms adds this side's term to each document of the union.
func (s *side) addTerms(out []Fused, o Options) {
	norm := s.norm(o)
	for i := range out {
		t := Term{Name: s.name, Raw: s.raw[i], Weight: s.weight, Missing: !s.known[i]}
		if s.known[i] || o.Kind == RRF {
			t.Norm = norm(i, out[i].Doc)
		}
		t.Value = t.Weight * t.Norm
		out[i].Score += t.Value
		out[i].Terms = append(out[i].Terms, t)
	}
	if o.Kind != RRF {
		return
	}
	// Documents of one file have one rank; their own ranks order them.
	rank := s.ranks(nil)
	for i := range out {
		out[i].tie += s.weight * byRank(rank, out[i].Doc)
	}
}

// norm gives the way in which the kind normalises this side: by place in the
// union, and by document.
func (s *side) norm(o Options) func(i, doc int) float64 {
	switch o.Kind {
	case Paper:
		if s.name == "dense" {
			return func(i, _ int) float64 { return angular(s.raw[i]) }
		}
		return func(i, _ int) float64 { return between(s.raw[i], 0, s.pool[0].Score) }
	case MinMax:
		lo, hi := s.pool[len(s.pool)-1].Score, s.pool[0].Score
		return func(i, _ int) float64 { return between(s.raw[i], lo, hi) }
	case RRF:
		rank := s.ranks(o.File)
		return func(_, doc int) float64 { return byRank(rank, group(o.File, doc)) }
	}
	return func(i, _ int) float64 { return between(s.raw[i], s.lo, s.hi) }
}

// between is where x lies from lo to hi, 0 to 1. Where all are equal, nothing
// tells them apart: 1, unless they are nothing.
func between(x, lo, hi float64) float64 {
	if hi <= lo {
		if x > 0 && x >= hi {
			return 1
		}
		return 0
	}
	return max(0, min(1, (x-lo)/(hi-lo)))
}

// angular is the published similarity of a cosine.
func angular(cosine float64) float64 {
	return 1 - math.Acos(max(-1, min(1, cosine)))/math.Pi
}

// ranks of the groups of the pool, from 1, each by its best document.
func (s *side) ranks(file func(int) int) map[int]int {
	rank := map[int]int{}
	for _, f := range s.pool {
		if g := group(file, f.Doc); rank[g] == 0 {
			rank[g] = len(rank) + 1
		}
	}
	return rank
}

// group is the file of a document, or the document itself.
func group(file func(int) int, doc int) int {
	if file == nil {
		return doc
	}
	return file(doc)
}

// byRank is 1 for the first rank and falls towards 0; 0 without a rank.
func byRank(rank map[int]int, g int) float64 {
	r := rank[g]
	if r == 0 {
		return 0
	}
	return (rankOffset + 1.0) / float64(rankOffset+r)
}

// sortFused brings the result into its order.
func sortFused(f []Fused) { slices.SortFunc(f, better) }
