package bm25

import "sort"

// clause is one distinct token of a query.
type clause struct {
	token  string
	weight float64
	term   int // -1: no document holds it
	df     int
	idf    float64
}

// clauses joins equal tokens, in order of first appearance.
func (ix *Index) clauses(q []Weighted) []clause {
	at := make(map[string]int, len(q))
	out := make([]clause, 0, len(q))
	for _, w := range q {
		if !(w.Weight > 0) {
			continue // NaN too
		}
		if i, ok := at[w.Token]; ok {
			out[i].weight += w.Weight
			continue
		}
		at[w.Token] = len(out)
		out = append(out, ix.clause(w))
	}
	return out
}

// clause looks one token up. A token that no document holds has an idf all the
// same: Explain shows it.
func (ix *Index) clause(w Weighted) clause {
	c := clause{token: w.Token, weight: w.Weight, term: -1}
	if t, ok := ix.d.find(w.Token); ok {
		docs, _ := ix.d.postings(t)
		c.term, c.df = t, len(docs)
	}
	c.idf = idf(min(c.df, len(ix.d.Lengths)), len(ix.d.Lengths))
	return c
}

// factor is what does not depend on the document.
func (c clause) factor(p Params) float64 { return c.weight * c.idf * (p.K1 + 1) }

// gain is what a token that stands tf times gives a document. Search and
// Explain share it, so that both come to the same bits.
func gain(factor float64, tf uint16, norm float64) float64 {
	n := float64(tf)
	return factor * n / (n + norm)
}

// Scores are the scores of all documents for one query, by their number. They
// are a copy: the index may change or close.
type Scores []float64

// Scores looks at every document that holds a token of the query. One pass
// answers for the best and for any single one.
func (ix *Index) Scores(q []Weighted) Scores {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	// One number a document, added to term by term: 50,000 documents are 400 KB,
	// which stay in the cache. Skipping documents that cannot win (WAND) would
	// pay for short queries and long lists; a report has dozens of tokens.
	scores := make([]float64, len(ix.d.Lengths))
	for _, c := range ix.clauses(q) {
		if c.term < 0 {
			continue
		}
		docs, counts := ix.d.postings(c.term)
		addUp(scores, ix.norms, docs, counts, c.factor(ix.p))
	}
	return scores
}

// Best gives the k best documents, best first; of equal scores the lower
// document number comes first. keep leaves documents out before they take a
// place (nil keeps all); it is called for promising ones only.
func (s Scores) Best(k int, keep func(doc int) bool) []Hit {
	if k <= 0 || len(s) == 0 {
		return nil
	}
	return best(s, min(k, len(s)), keep)
}

// Of is the score of one document, 0 for one that is not there.
func (s Scores) Of(doc int) float64 {
	if doc < 0 || doc >= len(s) {
		return 0
	}
	return s[doc]
}

// Search is Best of the query's scores.
func (ix *Index) Search(q []Weighted, k int, keep func(doc int) bool) []Hit {
	if k <= 0 {
		return nil
	}
	return ix.Scores(q).Best(k, keep)
}

// addUp adds one term's gains; this loop is what a search costs.
func addUp(scores, norms []float64, docs []uint32, counts []uint16, factor float64) {
	// The compiler then knows that both lookups are inside.
	norms = norms[:len(scores)]
	counts = counts[:len(docs)]
	for i, d := range docs {
		if int(d) < len(scores) {
			scores[d] += gain(factor, counts[i], norms[d])
		}
	}
}

// best picks the k highest scores with a heap whose root is the worst of them.
func best(scores []float64, k int, keep func(int) bool) []Hit {
	heap := make([]Hit, 0, k)
	for doc, s := range scores {
		if !(s > 0) || len(heap) == k && s <= heap[0].Score {
			continue // an equal score of a later document loses
		}
		if keep != nil && !keep(doc) {
			continue
		}
		if len(heap) < k {
			heap = append(heap, Hit{Doc: doc, Score: s})
			up(heap)
			continue
		}
		heap[0] = Hit{Doc: doc, Score: s}
		down(heap)
	}
	sort.Slice(heap, func(i, j int) bool { return worse(heap[j], heap[i]) })
	return heap
}

// worse orders hits: lower score, then higher number.
func worse(a, b Hit) bool {
	if a.Score != b.Score {
		return a.Score < b.Score
	}
	return a.Doc > b.Doc
}

// up and down restore the heap after its last or its first entry changed.
func up(h []Hit) {
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if !worse(h[i], h[parent]) {
			return
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
}

func down(h []Hit) {
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && worse(h[child+1], h[child]) {
			child++
		}
		if !worse(h[child], h[i]) {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

// Explain takes the score of a document apart: one entry a distinct token of
// the query, in order of first appearance. Added up in that order the scores
// are exactly what Search gives. A document that is not there gives nil.
func (ix *Index) Explain(q []Weighted, doc int) []TermScore {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if doc < 0 || doc >= len(ix.d.Lengths) {
		return nil
	}
	clauses := ix.clauses(q)
	out := make([]TermScore, len(clauses))
	for i, c := range clauses {
		out[i] = TermScore{
			Token: c.token, Weight: c.weight, DF: c.df, IDF: c.idf,
			Length: int(ix.d.Lengths[doc]), AvgLength: ix.avg,
		}
		if tf := ix.count(c.term, doc); tf > 0 {
			out[i].TF = int(tf)
			out[i].Score = gain(c.factor(ix.p), tf, ix.norms[doc])
		}
	}
	return out
}

// count is how often a term stands in a document.
func (ix *Index) count(term, doc int) uint16 {
	if term < 0 {
		return 0
	}
	docs, counts := ix.d.postings(term)
	i := sort.Search(len(docs), func(i int) bool { return int(docs[i]) >= doc })
	if i == len(docs) || int(docs[i]) != doc {
		return 0
	}
	return counts[i]
}

// Score is the score of one document, found or not: 0 when it holds no token
// of the query.
func (ix *Index) Score(q []Weighted, doc int) float64 {
	var sum float64
	for _, t := range ix.Explain(q, doc) {
		sum += t.Score
	}
	return sum
}
