package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// madeCorpora gives each set a ranking by method; it counts what is open.
type madeCorpora struct {
	files map[string][]string            // set -> files
	ranks map[string]map[string][]string // set -> method -> ranking
	fail  error

	opened []string
	open   int
}

func (c *madeCorpora) Open(_ context.Context, set, commit string) (Corpus, error) {
	if c.fail != nil {
		return nil, c.fail
	}
	c.opened = append(c.opened, set+"@"+commit)
	c.open++
	return &madeCorpus{c, set}, nil
}

type madeCorpus struct {
	all *madeCorpora
	set string
}

func (c *madeCorpus) Has(path string) bool { return slices.Contains(c.all.files[c.set], path) }

func (c *madeCorpus) Rank(_ context.Context, _ string, m Method) (Ranking, error) {
	files, ok := c.all.ranks[c.set][m.String()]
	if !ok {
		return Ranking{}, fmt.Errorf("rank: %w", &UnavailableError{"no " + m.Base + " here"})
	}
	return Ranking{Files: files, Took: time.Millisecond, Embedded: 1}, nil
}

func (c *madeCorpus) Close() error {
	c.all.open--
	return nil
}

func methods(t testing.TB, list string) []Method {
	t.Helper()
	m, err := ParseMethods(strings.Split(list, ","))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func madePairs() []Pair {
	return []Pair{
		{ID: "x-1", Set: "x", Commit: "aaaaaaa", Query: "q", Relevant: []string{"b.py"}},
		{ID: "y-1", Set: "y", Commit: "bbbbbbb", Query: "q", Relevant: []string{"c.py", "a.py"}},
		{ID: "x-2", Set: "x", Commit: "ccccccc", Query: "q", Relevant: []string{"gone.py"}},
	}
}

func madeSets() *madeCorpora {
	return &madeCorpora{
		files: map[string][]string{"x": {"a.py", "b.py"}, "y": {"a.py", "c.py"}},
		ranks: map[string]map[string][]string{
			"x": {"bm25": {"a.py", "b.py"}, "hybrid": {"b.py", "a.py"}},
			"y": {"bm25": {"a.py"}},
		},
	}
}

func TestMeasureRetrieval(t *testing.T) {
	c := madeSets()
	var seen []string
	got, err := MeasureRetrieval(t.Context(), c, madePairs(), methods(t, "bm25,hybrid,dense"),
		func(done, total int, r Ranked) { seen = append(seen, fmt.Sprintf("%d/%d", done, total)) })
	if err != nil {
		t.Fatal(err)
	}
	r := got.Ranked
	if r[0].ID != "x-1" || !slices.Equal(r[0].Ranks["bm25"], []int{2}) || !slices.Equal(r[0].Ranks["hybrid"], []int{1}) {
		t.Errorf("%+v", r[0])
	}
	if r[1].ID != "y-1" || !slices.Equal(r[1].Ranks["bm25"], []int{0, 1}) || r[1].Ranks["hybrid"] != nil {
		t.Errorf("%+v", r[1])
	}
	if r[2].Skipped != "gone.py is not there" || len(r[2].Ranks) != 0 {
		t.Errorf("%+v", r[2])
	}
	if got.Missing["dense"] != "no dense here" || got.Missing["hybrid"] != "y: no hybrid here" || len(got.Missing) != 2 {
		t.Errorf("missing %v", got.Missing)
	}
	if c.open != 0 || len(seen) != 3 || seen[2] != "3/3" {
		t.Errorf("%d open, progress %v", c.open, seen)
	}
	if strings.Join(c.opened, " ") != "x@aaaaaaa y@bbbbbbb x@ccccccc" {
		t.Errorf("opened %v", c.opened)
	}
}

func TestMeasureRetrievalErrors(t *testing.T) {
	c := madeSets()
	c.fail = errors.New("no such commit")
	if _, err := MeasureRetrieval(t.Context(), c, madePairs(), methods(t, "bm25"), nil); err == nil || !strings.Contains(err.Error(), "no such commit") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := MeasureRetrieval(ctx, madeSets(), madePairs(), methods(t, "bm25"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestRanksOf(t *testing.T) {
	if got := ranksOf([]string{"a", "b", "a", "c"}, []string{"c", "a", "d"}); !slices.Equal(got, []int{4, 1, 0}) {
		t.Errorf("%v", got)
	}
}
