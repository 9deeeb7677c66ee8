package fusion

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func share(a float64) *float64 { return &a }

func docsOf(f []Fused) []int {
	var docs []int
	for _, x := range f {
		docs = append(docs, x.Doc)
	}
	return docs
}

// terms of a document as name, raw and norm, for short tables.
func termOf(t *testing.T, f []Fused, doc int, name string) Term {
	t.Helper()
	for _, x := range f {
		for _, term := range x.Terms {
			if x.Doc == doc && term.Name == name {
				return term
			}
		}
	}
	t.Fatalf("document %d has no term %s", doc, name)
	return Term{}
}

var (
	byWords   = []Scored{{1, 20}, {2, 15}, {3, 10}}
	byMeaning = []Scored{{4, .8}, {2, .6}, {5, .5}}
	words     = map[int]float64{1: 20, 2: 15, 3: 10, 4: 5, 5: 0}
	meanings  = map[int]float64{1: .3, 2: .6, 3: .4, 4: .8, 5: .5}
)

func both() Options {
	return Options{
		Lexical: func(d int) float64 { return words[d] },
		Dense:   func(d int) (float64, bool) { x, ok := meanings[d]; return x, ok },
	}
}

// TestRepGen fills both scores and normalises over the united pool.
func TestRepGen(t *testing.T) {
	got := Fuse(byWords, byMeaning, both())
	for doc, want := range map[int][2]float64{1: {1, 0}, 2: {.75, .6}, 3: {.5, .2}, 4: {.25, 1}, 5: {0, .4}} {
		for i, name := range []string{"bm25", "dense"} {
			if n := termOf(t, got, doc, name).Norm; math.Abs(n-want[i]) > 1e-12 {
				t.Errorf("document %d, %s: %v, want %v", doc, name, n, want[i])
			}
		}
	}
	if d := docsOf(got); !slices.Equal(d, []int{2, 4, 1, 3, 5}) {
		t.Errorf("order %v", d)
	}
	if x := got[1]; math.Abs(x.Score-(.45*.25+.55)) > 1e-12 {
		t.Errorf("document 4: %+v", x)
	}
	if x := termOf(t, got, 4, "bm25"); x.Raw != 5 || x.Missing || math.Abs(x.Weight-.45) > 1e-12 || x.Value != x.Weight*x.Norm {
		t.Errorf("%+v", x)
	}
}

// TestPaper is the published formula, worked by hand.
func TestPaper(t *testing.T) {
	o := both()
	o.Kind = Paper
	got := Fuse(byWords, byMeaning, o)
	for _, x := range got {
		want := .45*words[x.Doc]/20 + .55*(1-math.Acos(meanings[x.Doc])/math.Pi)
		if math.Abs(x.Score-want) > 1e-12 {
			t.Errorf("document %d: %v, want %v", x.Doc, x.Score, want)
		}
	}
	if d := docsOf(got); !slices.Equal(d, []int{1, 2, 3, 4, 5}) {
		t.Errorf("order %v: BM25 decides, as published", d)
	}
}

func TestOwnPools(t *testing.T) {
	o := both()
	o.Kind = MinMax
	got := Fuse(byWords, byMeaning, o)
	if n := termOf(t, got, 4, "bm25").Norm; n != 0 {
		t.Errorf("below the pool: %v", n)
	}
	if n := termOf(t, got, 2, "bm25").Norm; n != .5 {
		t.Errorf("in the middle: %v", n)
	}
	if w := termOf(t, got, 2, "dense").Weight; w != .5 {
		t.Errorf("share %v", w)
	}
}

// TestRanks: files 0 (documents 1, 2), 1 (3, 4), 2 (5).
func TestRanks(t *testing.T) {
	o := both()
	o.Kind = RRF
	o.File = func(d int) int { return (d - 1) / 2 }
	got := Fuse(byWords, byMeaning, o)
	// By words: file 0, then 1. By meaning: file 1, then 0, then 2.
	for doc, want := range map[int][2]float64{1: {1, 11. / 12}, 2: {1, 11. / 12}, 4: {11. / 12, 1}, 5: {0, 11. / 13}} {
		for i, name := range []string{"bm25", "dense"} {
			if n := termOf(t, got, doc, name).Norm; math.Abs(n-want[i]) > 1e-12 {
				t.Errorf("document %d, %s: %v, want %v", doc, name, n, want[i])
			}
		}
	}
	// Equal by file: the document that both found stands first.
	if d := docsOf(got); d[0] != 2 || d[len(d)-1] != 5 {
		t.Errorf("order %v", d)
	}
	o.File = nil
	if n := termOf(t, Fuse(byWords, byMeaning, o), 2, "bm25").Norm; n != 11./12 {
		t.Errorf("each its own file: %v", n)
	}
}

// TestOneSide: what is switched off has no term, and the other all the weight.
func TestOneSide(t *testing.T) {
	for _, kind := range Kinds {
		o := both()
		o.Kind = kind
		for name, got := range map[string][]Fused{
			"bm25":  Fuse(byWords, nil, o),
			"dense": Fuse(nil, byWords, o),
		} {
			if d := docsOf(got); !slices.Equal(d, []int{1, 2, 3}) {
				t.Errorf("%s, %s only: order %v", kind, name, d)
			}
			for _, x := range got {
				if len(x.Terms) != 1 || x.Terms[0].Name != name || x.Terms[0].Weight != 1 {
					t.Errorf("%s, %s only: %+v", kind, name, x)
				}
			}
		}
	}
	if got := Fuse(nil, nil, Options{}); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

// TestMissing: without functions the other score counts as the lowest.
func TestMissing(t *testing.T) {
	got := Fuse(byWords, byMeaning, Options{})
	for doc, name := range map[int]string{1: "dense", 4: "bm25", 5: "bm25"} {
		if x := termOf(t, got, doc, name); !x.Missing || x.Norm != 0 {
			t.Errorf("document %d: %+v", doc, x)
		}
	}
	o := both()
	o.Dense = func(d int) (float64, bool) { return math.NaN(), true }
	if x := termOf(t, Fuse(byWords, byMeaning, o), 1, "dense"); !x.Missing {
		t.Errorf("not a number: %+v", x)
	}
}

func TestPool(t *testing.T) {
	o := both()
	o.Pool = 1
	if d := docsOf(Fuse(byWords, byMeaning, o)); !slices.Equal(d, []int{4, 1}) {
		t.Errorf("pools of one: %v", d)
	}
	bad := []Scored{{1, 1}, {1, 20}, {9, math.NaN()}, {8, math.Inf(1)}, {2, 15}, {3, 10}}
	if got, want := Fuse(bad, byMeaning, both()), Fuse(byWords, byMeaning, both()); !reflect.DeepEqual(got, want) {
		t.Errorf("twice and not a number: %v, want %v", got, want)
	}
	// All alike: nothing tells them apart, and nothing is divided by zero.
	same := []Scored{{3, 2}, {1, 2}, {2, 2}}
	for _, kind := range Kinds {
		got := Fuse(same, nil, Options{Kind: kind})
		if d := docsOf(got); !slices.Equal(d, []int{1, 2, 3}) || got[0].Score != 1 {
			t.Errorf("%s: %v", kind, got)
		}
	}
}

func TestAlpha(t *testing.T) {
	for _, kind := range Kinds {
		for _, c := range []struct {
			alpha float64
			first int
		}{{0, 1}, {-3, 1}, {1, 4}, {7, 4}} {
			o := both()
			o.Kind, o.Alpha = kind, share(c.alpha)
			if d := docsOf(Fuse(byWords, byMeaning, o)); d[0] != c.first {
				t.Errorf("%s, share %v: order %v", kind, c.alpha, d)
			}
		}
	}
	o := both()
	o.Kind = "unheard-of"
	if !reflect.DeepEqual(Fuse(byWords, byMeaning, o), Fuse(byWords, byMeaning, both())) {
		t.Error("an unknown kind is not ours")
	}
}

// drawn is a made-up search: every document has both scores, the pools are
// what each side found first.
type drawn struct {
	lex, den []float64
	o        Options
}

func draw(t *rapid.T) drawn {
	n := rapid.IntRange(1, 25).Draw(t, "documents")
	d := drawn{
		lex: rapid.SliceOfN(rapid.Float64Range(0, 60), n, n).Draw(t, "bm25"),
		den: rapid.SliceOfN(rapid.Float64Range(-1, 1), n, n).Draw(t, "cosine"),
	}
	files := rapid.IntRange(1, n).Draw(t, "files")
	d.o = Options{
		Kind:    rapid.SampledFrom(Kinds).Draw(t, "kind"),
		Pool:    rapid.IntRange(1, n).Draw(t, "pool"),
		Alpha:   share(rapid.Float64Range(0, 1).Draw(t, "alpha")),
		Lexical: func(i int) float64 { return d.lex[i] },
		Dense:   func(i int) (float64, bool) { return d.den[i], true },
		File:    func(i int) int { return i % files },
	}
	return d
}

func (d drawn) fuse(shuffle *rand.Rand) []Fused {
	list := func(xs []float64) []Scored {
		var s []Scored
		for i, x := range xs {
			s = append(s, Scored{i, x})
		}
		if shuffle != nil {
			shuffle.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
		}
		return s
	}
	return Fuse(list(d.lex), list(d.den), d.o)
}

// TestBounds: norms and scores in [0, 1], the score the sum of its terms, best
// first, each document once.
func TestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		got := draw(t).fuse(nil)
		seen := map[int]bool{}
		for i, x := range got {
			sum := 0.0
			for _, term := range x.Terms {
				if term.Norm < 0 || term.Norm > 1 || term.Value != term.Weight*term.Norm {
					t.Fatalf("%+v", term)
				}
				sum += term.Value
			}
			if sum != x.Score || x.Score < 0 || x.Score > 1+1e-12 || seen[x.Doc] {
				t.Fatalf("%+v", x)
			}
			seen[x.Doc] = true
			if i > 0 && better(got[i-1], x) >= 0 {
				t.Fatalf("%v before %v", got[i-1], x)
			}
		}
	})
}

// TestInputOrder: the order of the inputs is of no account.
func TestInputOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		if a, b := d.fuse(nil), d.fuse(r); !reflect.DeepEqual(a, b) {
			t.Fatalf("%v\n%v", a, b)
		}
	})
}

// TestMonotone: a document that one search finds better does not fall in the
// order, as long as all take part.
func TestMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		d.o.Pool = len(d.lex)
		d.o.File = nil // a better document may lift its file's others as well
		i := rapid.IntRange(0, len(d.lex)-1).Draw(t, "document")
		before := slices.Index(docsOf(d.fuse(nil)), i)
		if rapid.Bool().Draw(t, "by words") {
			d.lex[i] += rapid.Float64Range(0, 30).Draw(t, "more")
		} else {
			d.den[i] = rapid.Float64Range(d.den[i], 1).Draw(t, "nearer")
		}
		if after := slices.Index(docsOf(d.fuse(nil)), i); after > before {
			t.Fatalf("from place %d to %d", before, after)
		}
	})
}

// TestScale: ours does not care on which scale a side scores, as long as it is
// one scale; the published way does.
func TestScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		d.o.Kind = rapid.SampledFrom([]Kind{RepGen, MinMax, RRF}).Draw(t, "kind")
		want := d.fuse(nil)
		for i := range d.lex { // powers of two, so that no bit is lost
			d.lex[i] *= 8
			d.den[i] /= 4
		}
		got := d.fuse(nil)
		for i := range got {
			if got[i].Doc != want[i].Doc || math.Abs(got[i].Score-want[i].Score) > 1e-9 {
				t.Fatalf("place %d: %+v, want %+v", i, got[i], want[i])
			}
		}
	})
}

// TestEven is what ours is for: where BM25 spreads widely and cosines hardly,
// as they do, the published way lets BM25 decide and ours does not.
func TestEven(t *testing.T) {
	var lex, den []Scored
	for i := range 10 {
		lex = append(lex, Scored{i, 30 - 2*float64(i)})
		den = append(den, Scored{i, .30 + .02*float64(i)})
	}
	if d := docsOf(Fuse(lex, den, Options{Kind: Paper})); d[0] != 0 {
		t.Errorf("published: %v", d)
	}
	// With the larger share, the order of the cosines.
	if d := docsOf(Fuse(lex, den, Options{})); d[0] != 9 {
		t.Errorf("ours: %v", d)
	}
	if d := docsOf(Fuse(lex, den, Options{Alpha: share(.45)})); d[0] != 0 {
		t.Errorf("ours with the smaller share: %v", d)
	}
}

func TestFiles(t *testing.T) {
	docs := []Fused{{Doc: 7, Score: .9}, {Doc: 2, Score: .8}, {Doc: 5, Score: .8}, {Doc: 1, Score: .1}}
	got := Files(docs, func(d int) int { return d % 2 })
	want := []FileScore{{1, .9, []int{7, 5, 1}}, {0, .8, []int{2}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := Files(nil, nil); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

func BenchmarkFuse(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	var lex, den []Scored
	for range DefaultPool {
		lex = append(lex, Scored{r.IntN(50_000), 30 * r.Float64()})
		den = append(den, Scored{r.IntN(50_000), r.Float64()})
	}
	o := Options{Lexical: func(int) float64 { return 1 }, Dense: func(int) (float64, bool) { return .1, true }}
	for b.Loop() {
		Fuse(lex, den, o)
	}
}
