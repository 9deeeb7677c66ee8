package oracle

import "testing"

// BenchmarkJudge is one execution judged by one expectation, as happens many
// times in a run.
func BenchmarkJudge(b *testing.B) {
	for _, name := range []string{"exception", "printed", "assert_floats", "signal", "warning"} {
		b.Run(name, func(b *testing.B) {
			e, ex := expectations(b)[name], execution(b, "scripts/"+name+".bad")
			for b.Loop() {
				if j := Judge(e, ex); j.Finding != Hit {
					b.Fatalf("%s: %v", j.Finding, j.Reasons)
				}
			}
		})
	}
}
