package codebase

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/codebase/embed"
	"github.com/repgen/repgen/internal/codebase/query"
	"github.com/repgen/repgen/internal/codebase/source"
)

// cloud embeds a text as a vector of 384 numbers drawn by its length and first
// bytes: what a model's vectors cost, without a model.
type cloud struct{}

func (cloud) Info() embed.Info {
	return embed.Info{Backend: "fake", Name: "cloud", Hash: "cloud", Dims: 384, MaxTokens: 256}
}

func (cloud) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		seed := uint64(len(t))
		for _, b := range []byte(t[:min(len(t), 200)]) {
			seed = seed*1099511628211 + uint64(b)
		}
		r := rand.New(rand.NewPCG(seed, 1))
		out[i] = make([]float32, 384)
		for j := range out[i] {
			out[i][j] = float32(r.NormFloat64())
		}
		embed.Normalize(out[i])
	}
	return out, ctx.Err()
}

func (cloud) Close() error { return nil }

// sentence draws words as a project's are spread: few of them often.
func sentence(r *rand.Rand, words int) string {
	var b strings.Builder
	for range words {
		fmt.Fprintf(&b, "word%d ", int(2000*r.Float64()*r.Float64()*r.Float64()))
	}
	return b.String()
}

// BenchmarkSearch searches 50,000 made-up chunks, everything embedded: the whole
// search without a reranker, the query's own embedding included (which costs
// nothing here). It reports the median and the 95th percentile of 100 different
// queries of 60 words.
func BenchmarkSearch(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	files := map[string]string{}
	for f := range 5000 {
		var text strings.Builder
		for d := range 10 {
			fmt.Fprintf(&text, "def f%d_%d(x):\n    \"\"\"%s\"\"\"\n    return %s\n\n", f, d, sentence(r, 40), strings.Join(strings.Fields(sentence(r, 20)), " + "))
		}
		files[fmt.Sprintf("p/m%d/f%d.py", f%50, f)] = text.String()
	}
	x, err := Open(b.Context(), source.Memory(files), Options{Dir: b.TempDir(), Embedder: cloud{}})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = x.Close() }()
	if err := x.EmbedAll(b.Context()); err != nil {
		b.Fatal(err)
	}
	if n := x.Stats().Chunks; n != 50_000 {
		b.Fatalf("%d chunks", n)
	}
	var took []time.Duration
	for b.Loop() {
		took = took[:0]
		for range 100 {
			q := query.FromText(sentence(r, 60))
			began := time.Now()
			if res, err := x.Search(b.Context(), q, SearchOptions{}); err != nil || len(res.Hits) == 0 {
				b.Fatal(err)
			}
			took = append(took, time.Since(began))
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[50].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[95].Microseconds())/1000, "p95-ms")
}
