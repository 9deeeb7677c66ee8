package bm25

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// build makes an index of whole texts with one builder.
func build(t testing.TB, texts ...string) *Index {
	t.Helper()
	ix, err := New(merge(t, Older{}, map[int]string{}, texts), DefaultParams)
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

// merge counts texts that are not empty of old's documents; fresh maps numbers
// to texts when old is given.
func merge(t testing.TB, old Older, fresh map[int]string, texts []string) Data {
	t.Helper()
	for i, text := range texts {
		fresh[i] = text
	}
	b := NewBuilder()
	var docs []int
	for d := range fresh {
		docs = append(docs, d)
	}
	sort.Ints(docs)
	for _, d := range docs {
		b.Text([]byte(fresh[d]))
		b.Doc(0, len(fresh[d]), "")
	}
	n := len(docs)
	for _, d := range old.Docs {
		if d != Removed {
			n++
		}
	}
	data, err := Merge(old, n, []Part{{Builder: b, Docs: docs}})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSearchOrder(t *testing.T) {
	ix := build(t,
		"the model is trained",
		"nan loss nan loss nan",
		"loss",
		"nothing here",
		"loss",
		"the loss of the model",
	)
	docs := func(hits []Hit) (out []int) {
		for _, h := range hits {
			out = append(out, h.Doc)
		}
		return out
	}
	even := func(d int) bool { return d%2 == 0 }
	tests := []struct {
		name  string
		query string
		k     int
		keep  func(int) bool
		want  []int
	}{
		{"rare word first", "nan loss", 10, nil, []int{1, 2, 4, 5}},
		{"ties by number", "loss", 2, nil, []int{2, 4}},
		{"the best only", "nan loss", 1, nil, []int{1}},
		{"kept", "nan loss", 10, even, []int{2, 4}},
		{"kept before the cut", "loss", 1, func(d int) bool { return d == 5 }, []int{5}},
		{"none kept", "loss", 3, func(int) bool { return false }, nil},
		{"unknown word", "absent", 10, nil, nil},
		{"no query", "", 10, nil, nil},
		{"k of 0", "loss", 0, nil, nil},
		{"k below 0", "loss", -1, nil, nil},
		{"k above all", "model", math.MaxInt, nil, []int{0, 5}},
	}
	for _, tt := range tests {
		if got := docs(ix.Search(Query(tt.query), tt.k, tt.keep)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	if ix.Len() != 6 || ix.DF("loss") != 4 || ix.DF("absent") != 0 {
		t.Errorf("Len %d, DF %d, %d", ix.Len(), ix.DF("loss"), ix.DF("absent"))
	}
}

func TestWeights(t *testing.T) {
	ix := build(t, "alpha", "beta", "alpha beta gamma delta")
	hits := ix.Search([]Weighted{{"alpha", 1}, {"beta", 3}}, 3, nil)
	if len(hits) != 3 || hits[0].Doc != 1 || hits[1].Doc != 2 {
		t.Errorf("hits %v", hits)
	}
	odd := []Weighted{{"alpha", 0}, {"alpha", -1}, {"alpha", math.NaN()}}
	if hits := ix.Search(odd, 3, nil); len(hits) > 0 {
		t.Errorf("without weight: %v", hits)
	}
	twice := ix.Search([]Weighted{{"alpha", 1}, {"alpha", 1}}, 1, nil)
	once := ix.Search([]Weighted{{"alpha", 2}}, 1, nil)
	if !slices.Equal(twice, once) {
		t.Errorf("equal tokens: %v, %v", twice, once)
	}
}

// TestExplainByHand computes one score on paper.
func TestExplainByHand(t *testing.T) {
	ix := build(t, "loss loss step", "step", "grad grad grad grad grad")
	got := ix.Explain(Query("loss absent"), 0)
	n, avg := 3.0, 3.0
	idfLoss := math.Log(1 + (n-1+.5)/(1+.5))
	want := idfLoss * 2.2 * 2 / (2 + 1.2*(1-.75+.75*3/avg))
	if len(got) != 2 || math.Abs(got[0].Score-want) > 1e-12 || math.Abs(got[0].IDF-idfLoss) > 1e-12 {
		t.Fatalf("Explain = %+v, want %v", got, want)
	}
	got[0].IDF, got[0].Score = 0, 0
	if want := (TermScore{Token: "loss", Weight: 1, TF: 2, DF: 1, Length: 3, AvgLength: 3}); got[0] != want {
		t.Errorf("Explain = %+v, want %+v", got[0], want)
	}
	if got[1].TF != 0 || got[1].DF != 0 || got[1].Score != 0 || got[1].IDF <= 0 {
		t.Errorf("absent: %+v", got[1])
	}
	for _, doc := range []int{-1, 3} {
		if ix.Explain(Query("loss"), doc) != nil {
			t.Errorf("document %d is explained", doc)
		}
	}
}

// drawTexts draws documents over a small vocabulary, so that words repeat.
func drawTexts(t *rapid.T, label string) []string {
	word := rapid.SampledFrom([]string{"loss", "nan", "fit", "model", "self", "from_logits", "Conv2D", "0.5", "é"})
	doc := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(word, 0, 12).Draw(t, "words"), " ")
	})
	return rapid.SliceOfN(doc, 1, 20).Draw(t, label)
}

func drawQuery(t *rapid.T) []Weighted {
	token := rapid.SampledFrom([]string{"loss", "nan", "fit", "self", "from", "conv", "2", "absent", "é"})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Weighted {
		return Weighted{token.Draw(t, "token"), rapid.Float64Range(0.1, 4).Draw(t, "weight")}
	}), 0, 8).Draw(t, "query")
}

// TestAgainstPlain compares with the formula written down without any index.
func TestAgainstPlain(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		texts, q := drawTexts(r, "texts"), drawQuery(r)
		ix := build(t, texts...)
		want := plainScores(texts, q)
		hits := ix.Search(q, len(texts), nil)
		found := map[int]float64{}
		for i, h := range hits {
			found[h.Doc] = h.Score
			if i > 0 && !worse(h, hits[i-1]) {
				r.Fatalf("out of order: %v", hits)
			}
		}
		for d, w := range want {
			if math.Abs(found[d]-w) > 1e-9 {
				r.Fatalf("document %d: %v, want %v", d, found[d], w)
			}
			sum := 0.0
			for _, term := range ix.Explain(q, d) {
				sum += term.Score
			}
			if sum != found[d] || ix.Score(q, d) != sum {
				r.Fatalf("document %d: explained %v, found %v", d, sum, found[d])
			}
		}
		k := rapid.IntRange(1, len(texts)).Draw(r, "k")
		if top := ix.Search(q, k, nil); !slices.Equal(top, hits[:min(k, len(hits))]) {
			r.Fatalf("the best %d are %v of %v", k, top, hits)
		}
	})
}

func plainScores(texts []string, q []Weighted) []float64 {
	docs := make([][]string, len(texts))
	total := 0
	for i, text := range texts {
		docs[i] = Tokens(text)
		total += len(docs[i])
	}
	avg := float64(total) / float64(len(docs))
	out := make([]float64, len(docs))
	for _, w := range q {
		df := 0
		for _, d := range docs {
			if slices.Contains(d, w.Token) {
				df++
			}
		}
		idf := math.Log(1 + (float64(len(docs))-float64(df)+.5)/(float64(df)+.5))
		for i, d := range docs {
			tf := 0.0
			for _, tok := range d {
				if tok == w.Token {
					tf++
				}
			}
			if tf > 0 {
				out[i] += w.Weight * idf * 2.2 * tf / (tf + 1.2*(.25+.75*float64(len(d))/avg))
			}
		}
	}
	return out
}

func TestOverlappingSpans(t *testing.T) {
	src := []byte("class Trainer:\n    def fit(self): loss\n    def stop(self): halt\n")
	b := NewBuilder()
	b.Text(src)
	method := strings.Index(string(src), "def fit")
	end := strings.Index(string(src), "    def stop")
	b.Doc(0, len(src), "")
	b.Doc(method, end, "pkg/trainer.py")
	b.Doc(method+1, end, "") // cuts "def"
	b.Doc(5, 5, "")
	data, err := Merge(Older{}, 4, []Part{{b, []int{0, 1, 2, 3}}})
	if err != nil {
		t.Fatal(err)
	}
	ix, err := New(data, DefaultParams)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string][4]int{
		"def": {2, 1, 0, 0}, "ef": {}, "loss": {1, 1, 1, 0}, "trainer": {1, 1, 0, 0}, "pkg": {0, 1, 0, 0}, "halt": {1, 0, 0, 0},
	}
	for token, want := range counts {
		for d := range 4 {
			if got := ix.Explain([]Weighted{{token, 1}}, d)[0].TF; got != want[d] {
				t.Errorf("%s stands %d times in document %d, want %d", token, got, d, want[d])
			}
		}
	}
	if !slices.Equal(data.Lengths, []uint32{10, 7, 3, 0}) {
		t.Errorf("lengths %v", data.Lengths)
	}
}

func TestCountsSaturate(t *testing.T) {
	ix := build(t, strings.Repeat("x ", 70_000), "y")
	if tf := ix.Explain(Query("x"), 0)[0].TF; tf != math.MaxUint16 {
		t.Errorf("TF %d", tf)
	}
}

func TestEmptyIndex(t *testing.T) {
	ix, err := New(Data{}, DefaultParams)
	if err != nil {
		t.Fatal(err)
	}
	if hits := ix.Search(Query("loss"), 5, nil); hits != nil || ix.Len() != 0 {
		t.Errorf("found %v", hits)
	}
	blank := build(t, "", "") // documents without a word
	if hits := blank.Search(Query("loss"), 5, nil); len(hits) != 0 {
		t.Errorf("found %v", hits)
	}
}

func TestMalformed(t *testing.T) {
	tests := map[string]Data{
		"ends of unlike number":  {Terms: []byte("a"), TermEnds: []uint32{1}},
		"counts missing":         {Docs: []uint32{1}},
		"terms not all covered":  {Terms: []byte("ab"), TermEnds: []uint32{1}, PostEnds: []uint32{0}},
		"term beyond the end":    {Terms: []byte("a"), TermEnds: []uint32{9}, PostEnds: []uint32{0}},
		"ends fall":              {Terms: []byte("abc"), TermEnds: []uint32{2, 1, 3}, PostEnds: []uint32{0, 0, 0}},
		"postings beyond":        {Terms: []byte("a"), TermEnds: []uint32{1}, PostEnds: []uint32{5}},
		"postings without terms": {Docs: []uint32{0}, Counts: []uint16{1}},
	}
	for name, d := range tests {
		if _, err := New(d, DefaultParams); !errors.Is(err, ErrData) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A document number that cannot be is passed over.
	ix, err := New(Data{
		Terms: []byte("a"), TermEnds: []uint32{1}, PostEnds: []uint32{2},
		Docs: []uint32{0, 99}, Counts: []uint16{1, 1}, Lengths: []uint32{1},
	}, DefaultParams)
	if err != nil {
		t.Fatal(err)
	}
	if hits := ix.Search(Query("a"), 5, nil); len(hits) != 1 || hits[0].Doc != 0 {
		t.Errorf("found %v", hits)
	}
}

func TestRelease(t *testing.T) {
	ix := build(t, "loss")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				ix.Search(Query("loss"), 1, nil)
				ix.Explain(Query("loss"), 0)
			}
		})
	}
	ix.Release()
	wg.Wait()
	if ix.Search(Query("loss"), 1, nil) != nil || ix.Explain(Query("loss"), 0) != nil || ix.Len() != 0 || ix.DF("loss") != 0 {
		t.Error("a released index answers")
	}
}

// TestMergeIncremental: an index brought up to date equals one made anew.
func TestMergeIncremental(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		before, after := drawTexts(r, "before"), drawTexts(r, "after")
		old := merge(t, Older{}, map[int]string{}, before)
		// Some old documents live on, in their order, at drawn places of the new.
		kept := make([]int32, len(before))
		fresh := map[int]string{}
		for i, text := range after {
			fresh[i] = text
		}
		next := 0
		for d := range kept {
			kept[d] = Removed
			if next < len(after) && rapid.Bool().Draw(r, "keep") {
				place := rapid.IntRange(next, len(after)-1).Draw(r, "place")
				kept[d] = int32(place)
				after[place] = before[d]
				delete(fresh, place)
				next = place + 1
			}
		}
		got := mergeParts(r, Older{old, kept}, len(after), fresh, rapid.IntRange(1, 3).Draw(r, "builders"))
		want := merge(t, Older{}, map[int]string{}, after)
		if !reflect.DeepEqual(normalise(got), normalise(want)) {
			r.Fatalf("got  %+v\nwant %+v", got, want)
		}
	})
}

// mergeParts spreads fresh over several builders.
func mergeParts(t *rapid.T, old Older, n int, fresh map[int]string, builders int) Data {
	parts := make([]Part, builders)
	for i := range parts {
		parts[i].Builder = NewBuilder()
	}
	docs := make([]int, 0, len(fresh))
	for d := range fresh {
		docs = append(docs, d)
	}
	sort.Ints(docs)
	docs = rapid.Permutation(docs).Draw(t, "order")
	for _, d := range docs {
		p := &parts[rapid.IntRange(0, builders-1).Draw(t, "builder")]
		p.Builder.Text([]byte(fresh[d]))
		p.Builder.Doc(0, len(fresh[d]), "")
		p.Docs = append(p.Docs, d)
	}
	data, err := Merge(old, n, parts)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// normalise makes empty and nil alike.
func normalise(d Data) string {
	return fmt.Sprintf("%q %v", d.Terms, []any{d.TermEnds, d.PostEnds, d.Docs, d.Counts, d.Lengths})
}

func TestMergeRefuses(t *testing.T) {
	b := NewBuilder()
	b.Text([]byte("x"))
	b.Doc(0, 1, "")
	one := merge(t, Older{}, map[int]string{}, []string{"x"})
	tests := []struct {
		name  string
		old   Older
		n     int
		parts []Part
	}{
		{"missing number", Older{}, 2, []Part{{b, []int{0}}}},
		{"number beyond", Older{}, 1, []Part{{b, []int{1}}}},
		{"number below", Older{}, 1, []Part{{b, []int{-1}}}},
		{"twice", Older{one, []int32{0}}, 1, []Part{{b, []int{0}}}},
		{"too few numbers", Older{}, 1, []Part{{b, nil}}},
		{"too few for the old", Older{one, nil}, 0, nil},
		{"old beyond", Older{one, []int32{7}}, 1, nil},
		{"too many", Older{}, math.MaxInt32 + 1, nil},
	}
	for _, tt := range tests {
		if _, err := Merge(tt.old, tt.n, tt.parts); err == nil {
			t.Errorf("%s: no error", tt.name)
		}
	}
}
