package rerank

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// listed is a reranker that knows the scores.
type listed struct {
	scores []float64
	err    error
	asked  []string
}

func (l *listed) Name() string { return "listed" }
func (l *listed) Close() error { return nil }
func (l *listed) Score(_ context.Context, _ string, texts []string) ([]float64, error) {
	l.asked = texts
	return l.scores, l.err
}

func apply(t *testing.T, r Reranker, items []Item, o Options) []Reranked {
	t.Helper()
	got, err := Apply(context.Background(), r, "q", items, o)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

var items = []Item{
	{Doc: 10, Score: .9, Text: "a"}, {Doc: 11, Score: .6, Text: "b"}, {Doc: 12, Score: .5, Text: "c"},
	{Doc: 13, Score: .4, Text: "d"}, {Doc: 14, Score: .3, Text: "e"},
}

func TestApply(t *testing.T) {
	r := &listed{scores: []float64{-4, 6, 1}}
	got := apply(t, r, items, Options{Top: 3})
	// The first three lie .4 apart, which is what the reranker may add.
	want := []Reranked{
		{Doc: 11, Score: 1, Raw: 6, Norm: 1, Weight: .4, Value: .4, Seen: true},
		{Doc: 10, Score: .9, Raw: -4, Norm: 0, Weight: .4, Value: 0, Seen: true},
		{Doc: 12, Score: .7, Raw: 1, Norm: .5, Weight: .4, Value: .2, Seen: true},
		{Doc: 13, Score: .4}, {Doc: 14, Score: .3},
	}
	for i := range got {
		for _, x := range []*float64{&got[i].Score, &got[i].Weight, &got[i].Value} {
			*x = math.Round(*x*1e9) / 1e9
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if strings.Join(r.asked, "") != "abc" {
		t.Errorf("asked about %q", r.asked)
	}
}

func docs(rs []Reranked) (d []int) {
	for _, r := range rs {
		d = append(d, r.Doc)
	}
	return d
}

func TestApplyOrders(t *testing.T) {
	certain := []Item{{Doc: 1, Score: 2.1, Certain: 2}, {Doc: 2, Score: .2}, {Doc: 3, Score: .1}}
	same := []Item{{Doc: 1, Score: .5}, {Doc: 2, Score: .5}, {Doc: 3, Score: .5}}
	for _, c := range []struct {
		name   string
		items  []Item
		scores []float64
		o      Options
		want   []int
	}{
		{"the reranker alone", items, []float64{1, 2, 3, 4, 5}, Options{Share: 1}, []int{14, 13, 12, 11, 10}},
		{"hardly any say", items, []float64{1, 2, 3, 4, 5}, Options{Share: .05}, []int{10, 11, 12, 13, 14}},
		{"all alike", items, []float64{7, 7, 7, 7, 7}, Options{}, []int{10, 11, 12, 13, 14}},
		{"equal so far", same, []float64{1, 3, 2}, Options{}, []int{2, 3, 1}},
		{"what is certain stays", certain, []float64{0, 1, 9}, Options{Share: .6}, []int{1, 3, 2}},
		{"fewer than the top", items[:2], []float64{1, 2}, Options{Share: .9}, []int{11, 10}},
	} {
		if got := docs(apply(t, &listed{scores: c.scores}, c.items, c.o)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if got := docs(apply(t, nil, items, Options{})); !reflect.DeepEqual(got, []int{10, 11, 12, 13, 14}) {
		t.Errorf("without a reranker: %v", got)
	}
	if got := apply(t, &listed{}, nil, Options{}); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

func TestApplyRefuses(t *testing.T) {
	broken := errors.New("broken")
	for name, r := range map[string]*listed{
		"too few":      {scores: []float64{1}},
		"too many":     {scores: make([]float64, 9)},
		"not a number": {scores: []float64{1, 2, 3, math.NaN(), 5}},
		"infinite":     {scores: []float64{1, 2, 3, 4, math.Inf(-1)}},
		"broken":       {err: broken},
	} {
		got, err := Apply(context.Background(), r, "q", items, Options{})
		if err == nil || got != nil || !strings.Contains(err.Error(), "listed") {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if r.err != nil && !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestApplyKeeps: nobody is lost, the unread stay below and in order, scores
// fall, a better score of the reranker never costs a place.
func TestApplyKeeps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "documents")
		o := Options{Top: rapid.IntRange(1, 30).Draw(t, "top"), Share: rapid.Float64Range(0, 1).Draw(t, "share")}
		in := make([]Item, n)
		score := 1.0
		for i := range in {
			score -= rapid.Float64Range(0, .03).Draw(t, "step")
			in[i] = Item{Doc: i, Score: score}
		}
		read := min(n, o.Top)
		scores := rapid.SliceOfN(rapid.Float64Range(-12, 12), read, read).Draw(t, "scores")
		run := func() []Reranked {
			out, err := Apply(context.Background(), &listed{scores: scores}, "q", in, o)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		out := run()
		place := make([]int, n)
		for i, r := range out {
			place[r.Doc] = i
			if r.Seen != (r.Doc < o.Top) || r.Norm < 0 || r.Norm > 1 || r.Score != in[r.Doc].Score+r.Value {
				t.Fatalf("%+v", r)
			}
			if i > 0 && r.Score > out[i-1].Score || i >= read && r.Doc != i {
				t.Fatalf("place %d: %+v after %+v", i, r, out[i-1])
			}
		}
		lifted := rapid.IntRange(0, read-1).Draw(t, "lifted")
		scores[lifted] += rapid.Float64Range(0, 20).Draw(t, "by")
		for i, r := range run() {
			if r.Doc == lifted && i > place[lifted] {
				t.Fatalf("from place %d to %d", place[lifted], i)
			}
		}
	})
}
