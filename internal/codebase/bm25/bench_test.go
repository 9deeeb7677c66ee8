package bm25

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// corpus makes n documents of words whose frequencies fall as in real code
// (Zipf), about 120 words each with a long tail: what keras has.
func corpus(n int) [][]byte {
	rng := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rng, 1.1, 4, 60_000)
	docs := make([][]byte, n)
	for i := range docs {
		var sb strings.Builder
		for range 40 + int(rng.ExpFloat64()*80) {
			fmt.Fprintf(&sb, "%s ", madeUp(zipf.Uint64()))
		}
		docs[i] = []byte(sb.String())
	}
	return docs
}

// madeUp is the i-th word of a vocabulary.
func madeUp(i uint64) string {
	if i%3 == 0 {
		return fmt.Sprintf("w%c_%c", 'a'+rune(i%26), 'a'+rune(i/26%26)) + fmt.Sprint(i)
	}
	return "word" + strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(i))
}

func corpusIndex(b *testing.B, docs [][]byte) *Index {
	b.Helper()
	builder := NewBuilder()
	numbers := make([]int, len(docs))
	for i, d := range docs {
		builder.Text(d)
		builder.Doc(0, len(d), "")
		numbers[i] = i
	}
	data, err := Merge(Older{}, len(docs), []Part{{builder, numbers}})
	if err != nil {
		b.Fatal(err)
	}
	ix, err := New(data, DefaultParams)
	if err != nil {
		b.Fatal(err)
	}
	return ix
}

// BenchmarkSearch asks 60 tokens, drawn as the documents' words are, of 50,000
// documents, and reports the quantiles in milliseconds.
func BenchmarkSearch(b *testing.B) {
	ix := corpusIndex(b, corpus(50_000))
	rng := rand.New(rand.NewPCG(3, 4))
	zipf := rand.NewZipf(rng, 1.1, 4, 60_000)
	queries := make([][]Weighted, 50)
	for i := range queries {
		for len(queries[i]) < 60 {
			queries[i] = append(queries[i], Query(madeUp(zipf.Uint64()))...)
		}
	}
	var took []time.Duration
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		began := time.Now()
		if len(ix.Search(queries[i%len(queries)], 200, nil)) == 0 {
			b.Fatal("nothing found")
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	ms := func(q float64) float64 { return took[int(q*float64(len(took)-1))].Seconds() * 1000 }
	b.ReportMetric(ms(.5), "p50-ms")
	b.ReportMetric(ms(.95), "p95-ms")
	b.ReportMetric(float64(len(ix.Data().Docs)), "postings")
}

// BenchmarkBuild counts and merges 10,000 documents.
func BenchmarkBuild(b *testing.B) {
	docs := corpus(10_000)
	total := 0
	for _, d := range docs {
		total += len(d)
	}
	b.SetBytes(int64(total))
	b.ReportAllocs()
	for b.Loop() {
		corpusIndex(b, docs)
	}
}
