package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Corpus is a project at one commit, ready to be searched; one goroutine at a
// time. The fake is in retrieval_run_test.go.
type Corpus interface {
	// Has says whether a file of the project can be found at all.
	Has(path string) bool
	// Rank answers a query. A method that cannot be had here ends with an
	// *UnavailableError.
	Rank(ctx context.Context, query string, m Method) (Ranking, error)
	Close() error
}

// Ranking is the answer to one query.
type Ranking struct {
	// Files are best first, each once, without test files.
	Files []string
	// Took is the time of the search alone: the project is indexed, and embedded
	// where the method wants that.
	Took time.Duration
	// Embedded is the number of texts that were embedded for this search, the
	// query included.
	Embedded int
}

// Corpora opens projects. Pairs are opened one after the other, those of a set
// in the order of its file, so that commits of one project can share their work.
type Corpora interface {
	// Open gives the project of a pair, the query unseen.
	Open(ctx context.Context, set, commit string) (Corpus, error)
}

// UnavailableError says that a method cannot be measured here, and why: no
// model, no reranker, no such way of mixing.
type UnavailableError struct{ Why string }

func (e *UnavailableError) Error() string { return "not available: " + e.Why }

// Ranked is one pair with the ranks of its files.
type Ranked struct {
	ID  string `json:"id"`
	Set string `json:"set"`
	// Skipped says why the pair was not measured, "" when it was.
	Skipped string   `json:"skipped,omitempty"`
	Files   []string `json:"files,omitempty"`
	// Ranks by method, one a file in the order of Files, 1-based; 0: not found.
	Ranks map[string][]int `json:"ranks,omitempty"`
	// Seconds of one search by method, the embedding of the query included, and
	// the number of texts embedded for it.
	Seconds  map[string]float64 `json:"seconds,omitempty"`
	Embedded map[string]int     `json:"embedded,omitempty"`
}

// Retrieval is what a measurement gave.
type Retrieval struct {
	Methods []Method
	// Ranked is in the order of the pairs.
	Ranked []Ranked
	// Missing says of a method why it was not measured (everywhere, or on the
	// sets that are named).
	Missing map[string]string
}

// measuring is one measurement under way.
type measuring struct {
	corpora Corpora
	methods []Method
	missing map[Method]map[string]string // set -> why
}

// MeasureRetrieval ranks every pair by every method; progress, which may be
// nil, is called when a pair ends. The error is cancellation or a project that
// cannot be opened: both would make the table a lie.
func MeasureRetrieval(ctx context.Context, c Corpora, pairs []Pair, methods []Method, progress func(done, total int, r Ranked)) (*Retrieval, error) {
	m := &measuring{corpora: c, methods: methods, missing: map[Method]map[string]string{}}
	out := &Retrieval{Methods: methods, Missing: map[string]string{}}
	sets := map[string]bool{}
	for i, p := range pairs {
		sets[p.Set] = true
		r, err := m.pair(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("measure %s: %w", p.ID, err)
		}
		out.Ranked = append(out.Ranked, r)
		if progress != nil {
			progress(i+1, len(pairs), r)
		}
	}
	for method, by := range m.missing {
		out.Missing[method.String()] = reasons(by, len(sets))
	}
	return out, nil
}

// reasons joins the reasons of the sets; a reason that all share stands alone.
func reasons(by map[string]string, sets int) string {
	var texts, whys []string
	for set, why := range by {
		texts = append(texts, set+": "+why)
		if !slices.Contains(whys, why) {
			whys = append(whys, why)
		}
	}
	if len(whys) == 1 && len(by) == sets {
		return whys[0]
	}
	slices.Sort(texts)
	return strings.Join(texts, "; ")
}

// pair measures one pair by every method.
func (m *measuring) pair(ctx context.Context, p Pair) (r Ranked, err error) {
	r = Ranked{ID: p.ID, Set: p.Set, Files: p.Relevant, Ranks: map[string][]int{}, Seconds: map[string]float64{}, Embedded: map[string]int{}}
	if err := ctx.Err(); err != nil {
		return r, err
	}
	c, err := m.corpora.Open(ctx, p.Set, p.Commit)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	for _, path := range p.Relevant {
		if !c.Has(path) {
			r.Skipped = path + " is not there"
			return r, nil
		}
	}
	for _, method := range m.methods {
		if m.missing[method][p.Set] != "" {
			continue
		}
		got, err := c.Rank(ctx, p.Query, method)
		var un *UnavailableError
		if errors.As(err, &un) {
			m.miss(method, p.Set, un.Why)
			continue
		}
		if err != nil {
			return r, fmt.Errorf("rank by %s: %w", method, err)
		}
		name := method.String()
		r.Seconds[name], r.Embedded[name] = got.Took.Seconds(), got.Embedded
		r.Ranks[name] = ranksOf(got.Files, p.Relevant)
	}
	return r, nil
}

func (m *measuring) miss(method Method, set, why string) {
	if m.missing[method] == nil {
		m.missing[method] = map[string]string{}
	}
	m.missing[method][set] = why
}

// ranksOf finds each wanted file in a ranking.
func ranksOf(files, wanted []string) []int {
	at := make(map[string]int, len(files))
	for i, f := range files {
		if at[f] == 0 {
			at[f] = i + 1
		}
	}
	out := make([]int, len(wanted))
	for i, f := range wanted {
		out[i] = at[f]
	}
	return out
}
