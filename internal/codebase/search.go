package codebase

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/codebase/bm25"
	"github.com/repgen/repgen/internal/codebase/embed"
	"github.com/repgen/repgen/internal/codebase/fusion"
	"github.com/repgen/repgen/internal/codebase/query"
)

// search is one query under way. It lives for one call, so that an Index keeps
// no state of a question.
type search struct {
	x      *Index
	q      query.Query
	o      SearchOptions
	words  []bm25.Weighted // for the lexical half
	scored bm25.Scores     // by words, nil until they are asked for
	prose  string          // for the dense half and the reranker

	// near answers the dense half for code, nearTests for test files: cosines of
	// two models are never compared.
	near, nearTests answerer

	// by says what answers the dense half: one of the by constants.
	by       string
	reranked bool
	notices  []string
	timings  []Timing
}

// answerer is what answers the dense half of a search; the zero value nobody.
type answerer struct {
	side      *side
	vector    []float32 // the query by side
	candidate []int     // ascending; nil: every chunk takes part
}

// Search answers a query. What fails on the dense side is a notice, and what
// is left answers; an error means that ctx ended.
func (x *Index) Search(ctx context.Context, q query.Query, o SearchOptions) (*Result, error) {
	s, hits, err := x.search(ctx, q, o)
	if err != nil {
		return nil, err
	}
	return s.result(ctx, hits)
}

// search ranks everything that was found outside test files.
func (x *Index) search(ctx context.Context, q query.Query, o SearchOptions) (*search, []Hit, error) {
	s := &search{x: x, q: q, o: o.withDefaults(), prose: q.Prose(), notices: x.notices()}
	s.words = x.weigh(q)
	if q.Empty() {
		s.notice("there is nothing to search for")
		return s, nil, ctx.Err()
	}
	var hits []Hit
	err := s.timed(ctx, "dense", s.prepare)
	if err == nil {
		err = s.timed(ctx, "rank", func(ctx context.Context) (err error) {
			hits, err = s.rank(ctx, s.near, s.code())
			return err
		})
	}
	if err == nil {
		err = s.timed(ctx, "rerank", func(ctx context.Context) (err error) {
			hits, err = s.rerank(ctx, hits)
			return err
		})
	}
	return s, hits, err
}

// timed keeps what a step took, also when it failed.
func (s *search) timed(ctx context.Context, name string, do func(context.Context) error) error {
	began := time.Now()
	err := do(ctx)
	s.timings = append(s.timings, Timing{name, time.Since(began)})
	return err
}

// notice says something once, however often it comes up.
func (s *search) notice(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(s.notices, text) {
		s.notices = append(s.notices, text)
	}
}

// weigh makes the words of the lexical search. Function words of the prose are
// left out, and names of other packages count less: they lead up to the bug.
func (x *Index) weigh(q query.Query) []bm25.Weighted {
	var out []bm25.Weighted
	at := map[string]int{}
	for _, f := range q.Fields() {
		w := f.Weight
		if (f.Origin == query.InCode || f.Origin == query.InInline) && x.owner(f.Text) == foreign {
			w *= foreignName
		}
		prose := f.Origin == query.InTitle || f.Origin == query.InObserved || f.Origin == query.InMessage
		for _, token := range bm25.Tokens(f.Text) {
			if prose && query.Common(token) {
				continue
			}
			i, ok := at[token]
			if !ok {
				at[token] = len(out)
				out = append(out, bm25.Weighted{Token: token, Weight: w})
				continue
			}
			// A word that comes again says less than the first time.
			out[i].Weight = again(out[i].Weight, w)
		}
	}
	return out
}

// maxWord is what a word that is repeated for ever counts, beside one that
// stands once: the saturation of BM25's third constant, k3 = 2 (guess).
const maxWord = 3.0

func again(have, more float64) float64 {
	if have >= maxWord {
		return have
	}
	return have + more*(1-have/maxWord)
}

// prepare finds out what can answer the dense half, and embeds what it needs.
func (s *search) prepare(ctx context.Context) error {
	if s.o.without(PartANN) {
		s.notice("dense search is switched off")
		return nil
	}
	x := s.x
	// Each way that fails falls back to the next; only the end of ctx ends it.
	if x.model != nil && !s.o.NoModel {
		err := s.useModel(ctx)
		if err == nil {
			return nil
		}
		if cerr := ctx.Err(); cerr != nil {
			return cerr
		}
		s.near, s.by = answerer{}, byNobody
		s.notice("the model failed: %s", oneLine(err))
	}
	if x.cheap != nil {
		err := s.useStatic(ctx)
		if err == nil {
			s.near, s.by = s.nearTests, byStatic
			return nil
		}
		if cerr := ctx.Err(); cerr != nil {
			return cerr
		}
		s.notice("the static vectors failed: %s", oneLine(err))
	}
	if len(x.opts.Unavailable) == 0 || x.model != nil || x.cheap != nil {
		s.notice("there are no vectors: nothing is found by meaning")
	}
	return nil
}

// useModel makes the model answer: from every chunk when all have their
// vector, else from the candidates, which are embedded now.
func (s *search) useModel(ctx context.Context) error {
	m := s.x.model
	if err := m.open(); err != nil {
		return err
	}
	vector, err := m.query(ctx, s.prose)
	if err != nil {
		return err
	}
	s.near, s.by = answerer{side: m, vector: vector}, byModel
	switch {
	// A few changed files are embedded at once: their vectors are wanted anyway.
	case len(m.lackCode) == 0:
	case s.o.Exact || len(m.lackCode) <= s.o.Candidates:
		if err := m.embed(ctx, StageEmbed, m.lackCode); err != nil {
			return err
		}
	default:
		chosen, err := s.choose(ctx)
		if err != nil {
			return err
		}
		if err := m.embed(ctx, StageEmbed, chosen); err != nil {
			return err
		}
		s.near.candidate, s.by = chosen, byCandidates
		rest := ""
		if s.x.opts.Rest != "" {
			rest = "; " + s.x.opts.Rest + " embeds the rest"
		}
		s.notice("%d of %d chunks have their vector: %d candidates were compared%s",
			len(s.x.code)-len(m.lackCode), len(s.x.code), len(chosen), rest)
	}
	return s.tests(ctx)
}

// tests chooses who answers for the test files: the model when it has all of
// them, else the static vectors; cosines of two models are never compared.
func (s *search) tests(ctx context.Context) error {
	m := s.x.model
	if len(m.lack) == 0 {
		s.nearTests = answerer{side: m, vector: s.near.vector}
		return nil
	}
	if s.x.cheap == nil || s.nearTests.side != nil {
		return nil
	}
	if err := s.useStatic(ctx); err != nil {
		if cerr := ctx.Err(); cerr != nil {
			return cerr
		}
		s.notice("the static vectors failed: %s", oneLine(err))
	}
	return nil
}

// useStatic makes the static vectors of all chunks and of the query.
func (s *search) useStatic(ctx context.Context) error {
	c := s.x.cheap
	if err := c.embed(ctx, StageStatic, nil); err != nil {
		return err
	}
	if vector, ok := s.projected(); ok {
		s.nearTests = answerer{side: c, vector: vector}
		return nil
	}
	vector, err := c.query(ctx, s.prose)
	if err != nil {
		return err
	}
	s.nearTests = answerer{side: c, vector: vector}
	return nil
}

// projected is the query as the model embedded it, brought into the space of
// the static vectors: the query is one text, so its exact vector costs little,
// and candidates chosen with it hold what the model would have found (measured:
// of 20 pairs, 0 lost against 1 with 260 candidates).
func (s *search) projected() ([]float32, bool) {
	p, ok := s.x.cheap.e.(embed.Projector)
	if !ok || s.near.side == nil || s.near.side == s.x.cheap {
		return nil, false
	}
	return p.Project(s.near.side.e.Info(), s.near.vector)
}

// choose are the chunks that words and static vectors think most of: the best
// of both mixed, so that each has its say, ascending.
func (s *search) choose(ctx context.Context) ([]int, error) {
	pool, keep := 2*s.o.Candidates, s.code()
	lexical := s.lexical(pool, keep)
	var cheap []fusion.Scored
	fo := fusion.Options{Pool: pool, Alpha: share(staticAlpha)}
	if s.x.cheap != nil {
		if err := s.useStatic(ctx); err != nil {
			return nil, err
		}
		var err error
		if cheap, err = s.nearTests.nearest(ctx, pool, keep); err != nil {
			return nil, err
		}
		fo.Lexical, fo.Dense = s.byWords(), s.nearTests.similarity()
	}
	// What the report itself points at is a candidate whatever the scores say.
	var docs []int
	for doc := range s.pinned(ctx, keep) {
		docs = append(docs, doc)
	}
	slices.Sort(docs)
	for _, f := range fusion.Fuse(lexical, cheap, fo) {
		if len(docs) >= s.o.Candidates {
			break
		}
		if !slices.Contains(docs, f.Doc) {
			docs = append(docs, f.Doc)
		}
	}
	slices.Sort(docs)
	return docs, nil
}

// share is an alpha that was chosen: package fusion has its own for nil.
func share(alpha float64) *float64 { return &alpha }

// code accepts what is outside test files.
func (s *search) code() func(int) bool { return func(doc int) bool { return !s.x.store.Test(doc) } }

// What answers the dense half of a search.
const (
	byNobody     = ""
	byModel      = "model"
	byCandidates = "candidates"
	byStatic     = "static"
)

// modes are what a search is called, with words and without.
var modes = map[string][2]string{
	byNobody:     {ModeLexical, ModeExact},
	byModel:      {ModeHybrid, ModeDense},
	byCandidates: {ModeCandidates, ModeDenseCandidates},
	byStatic:     {ModeStaticHybrid, ModeStatic},
}

// mode names what has searched.
func (s *search) mode() string {
	mode := modes[s.by][0]
	if s.o.without(PartBM25) {
		mode = modes[s.by][1]
	}
	if s.reranked {
		mode += "+rerank"
	}
	return mode
}

// oneLine is an error for a notice.
func oneLine(err error) string {
	text := strings.Join(strings.Fields(err.Error()), " ")
	if len(text) > 300 {
		text = strings.ToValidUTF8(text[:300], "") + "..."
	}
	return cmp.Or(text, "unknown trouble")
}
