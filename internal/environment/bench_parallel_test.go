package environment

import (
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

// BenchmarkBuildersAtOnce fills four environments that differ in one package,
// as the controls of a search do: one after the other, and two at once. Every
// entry of the store has its own lock, and uv's cache is shared.
func BenchmarkBuildersAtOnce(b *testing.B) {
	m := benchManager(b)
	var locks []*Lock
	for _, version := range []string{"0.6.0", "0.6.1", "0.6.2", "0.7.0"} {
		spec := Spec{
			Subject: "jax", Imports: []string{"jax"}, AsOf: time.Date(2025, 9, 1, 23, 59, 59, 0, time.UTC), AsOfSource: "flag",
			Requirements: []Requirement{{Name: "jax", Spec: "==" + version, Word: WordReporter}},
		}
		lock, un, err := m.Solve(b.Context(), spec)
		if err != nil || un != nil {
			b.Fatalf("solve: %+v %v", un, err)
		}
		locks = append(locks, lock)
		if err := m.buildAfresh(b, lock); err != nil { // warms uv's cache
			b.Fatal(err)
		}
	}
	took := map[int][]time.Duration{}
	for i := 0; b.Loop(); i++ {
		for j := range 2 { // first in a pair by turns
			workers := 1 + (i+j)%2
			began := time.Now()
			var g errgroup.Group
			g.SetLimit(workers)
			for _, lock := range locks {
				g.Go(func() error { return m.buildAfresh(b, lock) })
			}
			if err := g.Wait(); err != nil {
				b.Fatal(err)
			}
			took[workers] = append(took[workers], time.Since(began))
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(middle(took[1]))/1e6, "ms-one")
	b.ReportMetric(float64(middle(took[2]))/1e6, "ms-two")
	b.ReportMetric(float64(middle(took[1]))/float64(middle(took[2])), "x-faster")
}
