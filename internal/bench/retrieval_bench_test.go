package bench

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/codebase"
	"github.com/repgen/repgen/internal/codebase/query"
	"github.com/repgen/repgen/internal/codebase/source"
)

// BenchmarkRetrievalQuery answers the twenty queries of
// testdata/retrieval/queries.txt on the project in REPGEN_BENCH_TREE, warm, and
// gives the median and the 95th percentile. The vectors are made up: what a
// search takes does not depend on their values, and the embedding of the query
// is a model's business.
func BenchmarkRetrievalQuery(b *testing.B) {
	root := os.Getenv("REPGEN_BENCH_TREE")
	if root == "" {
		b.Skip("set REPGEN_BENCH_TREE to a project's folder; scripts/bench-retrieval.sh does")
	}
	text, err := os.ReadFile("testdata/retrieval/queries.txt")
	if err != nil {
		b.Fatal(err)
	}
	queries := strings.Split(strings.TrimSpace(string(text)), "\n")
	tree, err := source.Dir(root)
	if err != nil {
		b.Fatal(err)
	}
	ix, err := codebase.Open(b.Context(), tree, codebase.Options{Dir: b.TempDir(), Project: root, Embedder: &bag{name: "made", dims: 384}})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = ix.Close() }()
	for _, base := range []string{BaseBM25, BaseDense, BaseHybrid} {
		o := searchOptions(Method{Base: base})
		o.Top = codebase.DefaultTop
		b.Run(base, func(b *testing.B) { benchmarkQueries(b, ix, queries, o) })
	}
}

func benchmarkQueries(b *testing.B, ix *codebase.Index, queries []string, o codebase.SearchOptions) {
	ask := func(text string) {
		if _, err := ix.Search(b.Context(), query.FromText(text), o); err != nil {
			b.Fatal(err)
		}
	}
	ask(queries[0]) // the vectors are made here
	var took []float64
	for b.Loop() {
		took = took[:0]
		for range 3 {
			for _, q := range queries {
				began := time.Now()
				ask(q)
				took = append(took, float64(time.Since(began).Microseconds())/1000)
			}
		}
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2], "p50-ms")
	b.ReportMetric(took[len(took)*95/100], "p95-ms")
	b.ReportMetric(float64(ix.Stats().Chunks), "chunks")
}
