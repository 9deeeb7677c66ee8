package oracle

import (
	"math"
	"slices"
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"pgregory.net/rapid"
)

func drawSeries(t *rapid.T, least int) []float64 {
	return rapid.SliceOfN(rapid.Float64Range(-100, 100), least, 40).Draw(t, "series")
}

// TestMann: the count of ordered pairs is 1 for what rises, -1 for what falls,
// and turns its sign with the series.
func TestMann(t *testing.T) {
	for _, c := range []struct {
		xs   []float64
		want float64
	}{{[]float64{1, 2, 3}, 1}, {[]float64{3, 2, 1}, -1}, {[]float64{1, 1, 1}, 0}, {[]float64{1, 3, 2}, 1. / 3}, {nil, 0}, {[]float64{5}, 0}} {
		if got := mann(c.xs); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: %v, want %v", c.xs, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		xs := drawSeries(t, 2)
		back := slices.Clone(xs)
		slices.Reverse(back)
		if math.Abs(mann(xs)+mann(back)) > 1e-12 || math.Abs(mann(xs)) > 1 {
			t.Fatalf("%v: %v and %v", xs, mann(xs), mann(back))
		}
	})
}

// TestTheilSen finds the slope of a line through any share of outliers below 29 %.
func TestTheilSen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slope := rapid.Float64Range(-50, 50).Draw(t, "slope")
		n := rapid.IntRange(10, 60).Draw(t, "n")
		points := make([]memoryPoint, n)
		for i := range points {
			points[i] = memoryPoint{float64(i), 7 + slope*float64(i)}
		}
		for range n / 5 {
			points[rapid.IntRange(0, n-1).Draw(t, "at")].value = rapid.Float64Range(-1e6, 1e6).Draw(t, "outlier")
		}
		if got := theilSen(points); math.Abs(got-slope) > 1e-6 {
			t.Fatalf("slope %v of %v", got, slope)
		}
	})
	if theilSen(nil) != 0 || theilSen([]memoryPoint{{1, 2}}) != 0 || theilSen([]memoryPoint{{1, 2}, {1, 9}}) != 0 {
		t.Error("points that make no slope")
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		xs   []float64
		want float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{3, 1}, 2}, {[]float64{9, 1, 2}, 2}} {
		if got := median(c.xs); got != c.want {
			t.Errorf("%v: %v", c.xs, got)
		}
	}
}

// TestTrendIsOneThing: a series stands, moves, or neither, never both; and what
// falls does not rise.
func TestTrendIsOneThing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := drawSeries(t, 3)
		printed := make([]number, len(xs))
		for _, want := range []string{"falls", "rises", "changes"} {
			if tr := trendOf(xs, want, printed); tr.stands && tr.moves || tr.words == "" {
				t.Fatalf("%v %s: %+v", xs, want, tr)
			}
		}
		if trendOf(xs, "falls", printed).moves && trendOf(xs, "rises", printed).moves {
			t.Fatalf("%v falls and rises", xs)
		}
	})
}

// TestNoiseIsNoLearning: a series without a trend is hardly ever called learning.
func TestNoiseIsNoLearning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		level := rapid.Float64Range(0.5, 5).Draw(t, "level")
		xs := make([]float64, rapid.IntRange(6, 40).Draw(t, "n"))
		for i := range xs {
			xs[i] = level * (1 + rapid.Float64Range(-0.04, 0.04).Draw(t, "noise"))
		}
		if trendOf(xs, "falls", make([]number, len(xs))).moves {
			t.Fatalf("%v falls", xs)
		}
	})
}

// TestGrowthIsOneThing: memory grows, is flat, or neither; more growth is never
// less of it.
func TestGrowthIsOneThing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slope := rapid.Float64Range(-20, 20).Draw(t, "slope")
		seconds := rapid.Float64Range(2, 120).Draw(t, "seconds")
		points := make([]memoryPoint, 60)
		for i := range points {
			at := seconds * float64(i) / 60
			points[i] = memoryPoint{at, (300 + slope*at) * mebibyte}
		}
		g := growthOf(points, "measured")
		if g.grows && g.flat || slope <= 0 && g.grows || g.words == "" {
			t.Fatalf("%v MiB/s for %v s: %+v", slope, seconds, g)
		}
		if slope >= 1.01 && slope*seconds >= 10 && !g.grows {
			t.Fatalf("%v MiB/s for %v s: %+v", slope, seconds, g)
		}
	})
}

// TestScriptsOwnCodeNeverHangs: whatever stands on the stack, as long as the
// innermost frame is the script's, the subject has not hung.
func TestScriptsOwnCodeNeverHangs(t *testing.T) {
	frames := []probe.Frame{atScript, atSleep, atLib, atOther, atStd, atRun, atImport, atSocket}
	e := Expectation{Oracle: OracleHang, ReporterScript: true, Subject: "lib", Modules: []string{"lib"}}
	rapid.Check(t, func(t *rapid.T) {
		var stacks []probe.Stack
		for i := range rapid.IntRange(0, 5).Draw(t, "samples") {
			s := stack(i+1, rapid.SliceOfN(rapid.SampledFrom(frames), 0, 6).Draw(t, "frames")...)
			s.Frames = append(s.Frames, rapid.SampledFrom([]probe.Frame{atScript, atSleep}).Draw(t, "innermost"))
			stacks = append(stacks, s)
		}
		ex := hung(stacks...)
		ex.LimitHit = rapid.SampledFrom([]string{"wall 60s", "cpu 60s", ""}).Draw(t, "limit")
		if j := Judge(e, ex); j.Finding == Hit || j.Finding == Clean {
			t.Fatalf("%s: %v", j.Finding, j.Reasons)
		}
	})
}

// TestLimitsAreNeverClean: what a limit ended is no control, by any oracle.
func TestLimitsAreNeverClean(t *testing.T) {
	outcomes := []sandbox.Outcome{sandbox.TimedOut, sandbox.OutOfMemory, sandbox.OutputLimit, sandbox.DiskLimit, sandbox.PidsLimit, sandbox.Canceled}
	rapid.Check(t, func(t *rapid.T) {
		e := rapid.SampledFrom(silent).Draw(t, "claim")
		ex := drawn(t)
		ex.Outcome = rapid.SampledFrom(outcomes).Draw(t, "outcome")
		for i := range rapid.IntRange(0, 60).Draw(t, "points") {
			ex.Memory = append(ex.Memory, sandbox.MemoryPoint{At: float64(i), Bytes: rapid.Int64Range(1, 1<<33).Draw(t, "bytes")})
		}
		if j := Judge(e, ex); j.Finding == Clean || j.Finding == Within || j.Finding == Absent {
			t.Fatalf("%s: %s %v", e.Oracle, j.Finding, j.Reasons)
		}
	})
}

// TestSpreadIsBlindToOrder: which execution came first changes who is called the
// outlier only where two outputs come equally often.
func TestSpreadIsBlindToOrder(t *testing.T) {
	e := Expectation{Oracle: OracleSpread, Spread: &Spread{}}
	rapid.Check(t, func(t *rapid.T) {
		var exs []sandbox.Execution
		for _, v := range rapid.SliceOfN(rapid.SampledFrom([]string{"x 1", "x 2", "x 3"}), 2, 8).Draw(t, "outputs") {
			exs = append(exs, finished(v))
		}
		hits := func(list []sandbox.Execution) (n int) {
			for _, j := range JudgeSide(e, list) {
				if j.Finding == Hit {
					n++
				}
			}
			return n
		}
		before := hits(exs)
		slices.Reverse(exs)
		if after := hits(exs); after != before {
			t.Fatalf("%d hits, %d backwards", before, after)
		}
	})
}
