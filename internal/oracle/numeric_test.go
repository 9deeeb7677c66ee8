package oracle

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"pgregory.net/rapid"
)

func TestWilson(t *testing.T) {
	for _, c := range []struct {
		hits, n   int
		low, high float64
	}{{5, 5, 0.566, 1}, {0, 5, 0, 0.434}, {3, 5, 0.231, 0.882}, {0, 0, 0, 1}, {1, 10, 0.018, 0.404}} {
		low, high := Wilson(c.hits, c.n)
		if math.Abs(low-c.low) > 0.001 || math.Abs(high-c.high) > 0.001 {
			t.Errorf("%d of %d: %.3f-%.3f, want %.3f-%.3f", c.hits, c.n, low, high, c.low, c.high)
		}
	}
}

func TestFisher(t *testing.T) {
	for _, c := range []struct {
		a, na, b, nb int
		p            float64
	}{{5, 5, 0, 3, 1. / 56}, {3, 5, 0, 3, 10. / 56}, {1, 1, 0, 3, 0.25}, {0, 5, 0, 3, 1}, {5, 5, 3, 3, 1}, {5, 5, 0, 0, 1}, {3, 3, 0, 3, 0.05}} {
		if p := FisherOneSided(c.a, c.na, c.b, c.nb); math.Abs(p-c.p) > 1e-9 {
			t.Errorf("%d/%d against %d/%d: %.4f, want %.4f", c.a, c.na, c.b, c.nb, p, c.p)
		}
	}
}

func TestZeroBound(t *testing.T) {
	for n, want := range map[int]float64{0: 1, 1: 0.95, 5: 0.4507, 59: 0.0495} {
		if got := ZeroBound(n); math.Abs(got-want) > 0.0001 {
			t.Errorf("%d: %.4f, want %.4f", n, got, want)
		}
	}
}

func TestStatisticsStayInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		k := rapid.IntRange(0, n).Draw(t, "k")
		m := rapid.IntRange(1, 60).Draw(t, "m")
		j := rapid.IntRange(0, m).Draw(t, "j")
		low, high := Wilson(k, n)
		if rate := float64(k) / float64(n); !(0 <= low && low <= rate && rate <= high && high <= 1) {
			t.Fatalf("%d of %d: %v-%v", k, n, low, high)
		}
		if p := FisherOneSided(k, n, j, m); !(p >= 0 && p <= 1) {
			t.Fatalf("p = %v", p)
		}
		// More hits on the other side are never stronger evidence.
		if j < m && FisherOneSided(k, n, j, m) > FisherOneSided(k, n, j+1, m)+1e-9 {
			t.Fatalf("p falls when B shows it more: %d/%d %d/%d", k, n, j, m)
		}
	})
}

func scalar(name string, v float64) probe.Observation {
	return probe.Observation{Name: name, Kind: "float", Type: "float", Text: fmt.Sprint(v)}
}

// TestTolerance derives bounds and says whether a comparison is excused.
func TestTolerance(t *testing.T) {
	f32 := probe.Observation{Name: "data", Kind: "array", DType: "float32", Size: 16448}
	f64 := probe.Observation{Name: "a", Kind: "array", DType: "float64", Size: 4}
	f16 := probe.Observation{Name: "h", Kind: "array", DType: "torch.float16", Size: 1}
	ints := probe.Observation{Name: "i", Kind: "array", DType: "int64", Size: 4}
	for _, c := range []struct {
		name   string
		op     string
		l, r   float64
		arrays []probe.Observation
		want   comparison
	}{
		{"float32 sum, compiled or not", "==", 1645.3214, 1645.3219, []probe.Observation{f32}, inside},
		{"the same difference in float64", "==", 1645.3214, 1645.3219, []probe.Observation{f64}, outsideOf},
		{"last bit", "==", 0.30000000000000004, 0.3, nil, inside},
		{"a real difference", "==", 0.3125, 0.3245, []probe.Observation{f64}, outsideOf},
		{"equal", "==", 0.3, 0.3, nil, holdsTrue},
		{"zero and dust", "==", 0, 1e-17, nil, inside},
		{"zero and more than dust", "==", 0, 1e-9, nil, outsideOf},
		{"order by the last bit", "<=", 0.30000000000000004, 0.3, nil, inside},
		{"order, really", ">=", 0.3333, 0.5, nil, outsideOf},
		{"half precision", "==", 1.000, 1.002, []probe.Observation{f16}, inside},
		{"integers nearby do not widen it", "==", 0.3, 0.3001, []probe.Observation{ints}, outsideOf},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := probe.Record{Names: []probe.Observation{scalar("l", c.l), scalar("r", c.r)}, Arrays: c.arrays}
			got, words, tol := evaluate(Compare{Left: "l", Right: "r", Op: c.op}, r)
			if got != c.want {
				t.Errorf("%v, want %v: %s, %s", got, c.want, words, tol)
			}
			if got == inside && !strings.Contains(tol, "eps(") {
				t.Errorf("the tolerance does not say where it comes from: %q", tol)
			}
		})
	}
}

// TestOperands: what can be compared, and what cannot be known.
func TestOperands(t *testing.T) {
	integer := func(n, v string) probe.Observation { return probe.Observation{Name: n, Kind: "int", Text: v} }
	array := func(n string, size int, vs ...string) probe.Observation {
		return probe.Observation{Name: n, Kind: "array", DType: "float64", Size: size, Values: vs}
	}
	for _, c := range []struct {
		name  string
		names []probe.Observation
		right string
		want  comparison
	}{
		{"not recorded", nil, "r", unknown},
		{"a literal", []probe.Observation{integer("l", "2")}, "2", holdsTrue},
		{"integers are exact", []probe.Observation{integer("l", "2")}, "3", outsideOf},
		{"an integer and a float", []probe.Observation{integer("l", "2")}, "2.0000000000000004", inside},
		{"nan", []probe.Observation{scalar("l", math.NaN())}, "0.5", outsideOf},
		{"infinity", []probe.Observation{scalar("l", math.Inf(1))}, "0.5", outsideOf},
		{"text", []probe.Observation{{Name: "l", Kind: "str", Text: "'a'"}}, "2", unknown},
		{"a truth value", []probe.Observation{{Name: "l", Kind: "bool", Text: "True"}}, "1", unknown},
		{"small arrays", []probe.Observation{array("l", 2, "1.0", "2.0"), array("r", 2, "1.0", "2.0000000000000004")}, "r", inside},
		{"arrays that differ", []probe.Observation{array("l", 2, "1.0", "2.0"), array("r", 2, "1.0", "2.1")}, "r", outsideOf},
		{"an array and a scalar", []probe.Observation{array("l", 2, "1.0", "1.0")}, "1.0", holdsTrue},
		{"an array that was not recorded whole", []probe.Observation{array("l", 100, "1.0", "1.0")}, "1.0", unknown},
		{"other lengths", []probe.Observation{array("l", 2, "1.0", "1.0"), array("r", 3, "1.0", "1.0", "1.0")}, "r", unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, words, _ := evaluate(Compare{Left: "l", Right: c.right, Op: "=="}, probe.Record{Names: c.names})
			if got != c.want || words == "" {
				t.Errorf("%v, want %v: %s", got, c.want, words)
			}
		})
	}
}

// TestReference: a float64 value that the script computes beside two float32 ones
// says which of them is off, or that neither is.
func TestReference(t *testing.T) {
	f := func(name, dtype, v string) probe.Observation {
		return probe.Observation{Name: name, Kind: "array", DType: dtype, Size: 1, Values: []string{v}}
	}
	for _, c := range []struct {
		name, ref, dtype string
		l, r, exact      string
		want             comparison
		words            string
	}{
		{"two errors add up", "ref", "float64", "1.0000008", "0.9999992", "1.0", inside, "float64"},
		{"one is off", "expected", "float64", "1.0", "1.1", "1.0", outsideOf, "far from expected (float64): r"},
		{"both are off", "y_f64", "float64", "1.2", "1.1", "1.0", outsideOf, "far from y_f64 (float64): l, r"},
		{"no name of a reference", "other", "float64", "1.0000008", "0.9999992", "1.0", outsideOf, ""},
		{"no more precise than they are", "ref", "float32", "1.0000008", "0.9999992", "1.0", outsideOf, ""},
		{"equal", "ref", "float64", "1.0", "1.0", "2.0", holdsTrue, ""},
		{"a reference that is no number", "ref", "float64", "1.0000008", "0.9999992", "nan", outsideOf, "far from ref"},
	} {
		r := probe.Record{Names: []probe.Observation{f("l", "float32", c.l), f("r", "float32", c.r), f(c.ref, c.dtype, c.exact)}}
		got, words, _ := evaluate(Compare{Left: "l", Right: "r", Op: "=="}, r)
		if got != c.want || !strings.Contains(words, c.words) {
			t.Errorf("%s: %v, want %v: %s", c.name, got, c.want, words)
		}
	}
}

// TestUnknownOperands: an assert whose floats were not recorded is not judged;
// without floats in the script it is.
func TestUnknownOperands(t *testing.T) {
	base := execution(t, "scripts/assert_floats.bad")
	e := expectations(t)["assert_floats"]
	noNames := base
	noNames.Record.Names = nil
	if j := Judge(e, noNames); j.Finding != Hit {
		t.Errorf("no float in play: %s %v", j.Finding, j.Reasons)
	}
	noNames.Record.Arrays = []probe.Observation{{Name: "a", Kind: "array", DType: "float32", Size: 3}}
	if j := Judge(e, noNames); j.Finding != Inconclusive {
		t.Errorf("floats in play: %s %v", j.Finding, j.Reasons)
	}
	e.Compare[0].Op = "allclose" // has its own tolerance
	if j := Judge(e, noNames); j.Finding != Hit {
		t.Errorf("allclose: %s %v", j.Finding, j.Reasons)
	}
}

// TestToleranceOnlyGrows: more elements, less precision or more magnitude never
// shrink the bound.
func TestToleranceOnlyGrows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := rapid.Float64Range(-1e6, 1e6).Draw(t, "l")
		n := rapid.IntRange(1, 1<<20).Draw(t, "n")
		small := []probe.Observation{{Kind: "array", DType: "float64", Size: n}}
		big := []probe.Observation{{Kind: "array", DType: "float64", Size: 2 * n}}
		coarse := []probe.Observation{{Kind: "array", DType: "float32", Size: n}}
		a, b, c := tolerance(l, l, nil, small), tolerance(l, l, nil, big), tolerance(l, l, nil, coarse)
		if a.value <= 0 || b.value < a.value || c.value < a.value {
			t.Fatalf("%v %v %v", a, b, c)
		}
	})
}

func TestDifferential(t *testing.T) {
	side := func(outs ...string) []sandbox.Execution {
		var all []sandbox.Execution
		for _, o := range outs {
			all = append(all, finished(o))
		}
		return all
	}
	for _, c := range []struct {
		name      string
		bad, good []sandbox.Execution
		want      bool
	}{
		{"another number", side("x 1", "x 1"), side("x 2", "x 2"), true},
		{"the same", side("x 1", "x 1"), side("x 1", "x 1"), false},
		{"numpy 2 repr", side("np.float64(1.5)"), side("1.5"), false},
		{"version, address, path, time", side("v 1.2.3 <A at 0x7fff1234> /a/b/c.py 1.5 s"), side("v 1.2.4 <A at 0x7fff9999> /x/y/c.py 9.5 s"), false},
		{"random on both sides, ranges overlap", side("r 0.1", "r 0.9"), side("r 0.2", "r 0.8"), false},
		{"random on both sides, ranges apart", side("r 0.1", "r 0.2"), side("r 0.8", "r 0.9"), true},
		{"more lines", side("a\nb\nc"), side("a\nb"), true},
		{"a varying count of lines", side("a\nb", "a"), side("a"), false},
		{"shape of a line", side("[1 2 3]"), side("[1 2]"), true},
		{"nothing to compare", nil, side("a"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := Differential(c.bad, c.good)
			if d.Differs != c.want || d.Differs && len(d.Reasons) == 0 {
				t.Errorf("%+v", d)
			}
		})
	}
	crash := execution(t, "scripts/exception.bad")
	if d := Differential([]sandbox.Execution{crash}, side("1\n")); !d.Differs {
		t.Errorf("an exception against none: %+v", d)
	}
	missing := execution(t, "scripts/missing_module.bad")
	if d := Differential([]sandbox.Execution{missing}, side("1\n")); d.Known {
		t.Errorf("an environment fault was compared: %+v", d)
	}
}

// TestDifferentialEvidence: only the release named as good is a measure.
func TestDifferentialEvidence(t *testing.T) {
	e := Expectation{Oracle: OracleDifferential, ReporterScript: true}
	group := func(side Side, version, out string, n int) Group {
		g := repeat(side, version, n, finished(out))
		g.Older = version < "2"
		return g
	}
	ev := Evidence{Certified: true, Groups: []Group{group(SideReported, "2.0", "x 1", 5), group(SideNamed, "1.0", "x 2", 3), group(SideNewest, "3.0", "x 2", 3)}}
	if v := Decide(JudgeAll(e, &ev), ev); v.Headline != Regression || v.Grade != "B" {
		t.Errorf("named: %s %s %v", v.Headline, v.Grade, v.Reasons)
	}
	ev = Evidence{Certified: true, Groups: []Group{group(SideReported, "2.0", "x 1", 5), group(SideNewest, "3.0", "x 2", 3)}}
	if v := Decide(JudgeAll(e, &ev), ev); positive(v.Headline) {
		t.Errorf("unnamed: %s %s %v", v.Headline, v.Grade, v.Reasons)
	}
}
