package oracle

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/symptom"
)

// names of observations with their types: "loss number, ok bool".
func names(t testing.TB, text string) (out []ObservedName) {
	t.Helper()
	for _, part := range strings.Split(text, ", ") {
		name, kind, ok := strings.Cut(part, " ")
		if !ok {
			t.Fatalf("no type in %q", part)
		}
		out = append(out, ObservedName{Name: name, Type: kind})
	}
	return out
}

func TestCheckObserved(t *testing.T) {
	for _, c := range []struct {
		name, names, bad, good string
		want                   string // part of the only reason, "" for none
	}{
		{"a finite number", "loss number", "isnan(loss)", "isfinite(loss)", ""},
		{"two numbers", "got number, want number", "!close(got, want, 1e-5)", "close(got, want, 1e-5)", ""},
		{"a relation with a tolerance", "a number, b number", "abs(a - b) > 1e-3 * abs(b)", "abs(a - b) <= 1e-3 * abs(b)", ""},
		{"a value of the report", "n number", "n == 7", "n == 12", ""},
		{"a text", "kind string", `kind == "float64"`, `kind == "float32"`, ""},
		{"a truth value", "raised bool", "not raised", "raised", ""},
		{"a shape", "out array", "out.shape == [3, 8]", "out.shape == [3, 4]", ""},
		{"a dimension", "out array", "out.shape[1] == 8", "out.shape[1] == 4", ""},
		{"a dtype", "out array", `out.dtype == "float64"`, `out.dtype == "float32"`, ""},
		{"finite elements", "out array", "out.nonfinite > 0", "out.nonfinite == 0 and out.size > 0", ""},
		{"two arrays", "a array, b array", "not same(a, b)", "same(a, b)", ""},
		{"elements", "out array", "out.values[0] > out.values[1]", "out.values[0] <= out.values[1]", ""},
		{"a mean", "out array", "abs(out.mean) > 0.1", "abs(out.mean) <= 0.1", ""},
		{"three names", "a number, b number, c number", "a > b and b > c", "a <= b and b <= c", ""},
		{"a huge shape", "out array", "out.shape == [4611686018427387904, 4611686018427387904, 3]", "out.shape == [3]", ""},
		{"a conditional", "a number, ok bool", "(ok ? a : 0) == 7", "(ok ? a : 0) == 12", ""},

		{"nothing is named", "x number", "", "isfinite(x)", "it is empty"},
		{"a constant", "x number", "true", "isfinite(x)", "uses no observation"},
		{"a constant for good", "x number", "isnan(x)", "1 == 1", "uses no observation"},
		{"always bad", "x number", "x == x or x != x", "x > 1", "always is"},
		{"never bad", "x number", "x > 1 and x < 1", "x > 1", "can never be"},
		{"always good", "x number", "x > 1", "x > 1 or not (x > 1)", "always is"},
		{"never good", "x number", "x > 1", "isnan(x) and isfinite(x)", "can never be"},
		{"the same", "x number", "x > 1", "x > 1", "nothing is bad without being good"},
		{"both at once", "x number", "x != 5", "isfinite(x)", "hold at once"},
		{"different things", "x number, y number", "isnan(x)", "isfinite(y)", "share no observation"},
		{"no such observation", "x number", "isnan(y)", "isfinite(x)", "y is no observation"},
		{"a wrong type", "x string", "isnan(x)", `x == "a"`, "cannot use string"},
		{"a number as a truth value", "x number", "x", "isfinite(x)", "expected bool"},
		{"a text compared with a number", "x string", "x == 3", `x == "a"`, "mismatched types"},
		{"an unknown field", "x array", "x.secret > 3", "x.size > 3", "an array has no secret"},
		{"a loop", "x array", "all(x.values, # > 1)", "x.size > 3", "is not allowed"},
		{"a range", "x number", "x in 1..1000000", "x > 3", "is not allowed"},
		{"a pattern", "x string", `x matches "(a+)+b"`, `x == "a"`, "is not allowed"},
		{"a repetition", "x string", `repeat(x, 1000000) == "a"`, `x == "a"`, "is not allowed"},
		{"a variable", "x number", "let y = x; y > 1", "x < 1", "is not allowed"},
		{"the environment", "x number", `$env["x"] == 1`, "x == 2", ""},
		{"a computed index", "x array, n number", "x.values[int(n)] > 1", "x.values[0] < 1", "is not allowed"},
		{"a map", "x number", "{a: x}.a > 1", "x < 1", "is not allowed"},
		{"a power", "x number", "x ** 9 > 1", "x < 1", "is not allowed"},
		{"no syntax", "x number", "x >", "x < 1", "unexpected token"},
		{"too long", "x number", strings.Repeat("x > 1 or ", 60) + "x > 2", "x < 1", "bytes"},
		{"an unknown type", "x tensor", "x > 1", "x < 1", "has the type"},
		{"an odd name", "x-y number", "true", "true", "cannot be the name"},
		{"a function's name", "abs number", "abs > 1", "abs < 1", "cannot be the name"},
		{"twice", "x number, x bool", "x > 1", "x < 1", "named twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			why := strings.Join(CheckObserved(&Observed{Names: names(t, c.names), Bad: c.bad, Good: c.good}), "\n")
			switch {
			case c.name == "the environment":
				if why == "" {
					t.Error("the whole environment can be read")
				}
			case c.want == "" && why != "", !strings.Contains(why, c.want):
				t.Errorf("%q, want %q", why, c.want)
			}
		})
	}
	if len(CheckObserved(nil)) == 0 || len(CheckObserved(&Observed{})) == 0 {
		t.Error("no claim is a claim")
	}
}

func TestObservedLiterals(t *testing.T) {
	got := ObservedLiterals(&Observed{
		Names: names(t, "a number, b number, out array, k string"),
		Bad:   `abs(a - b) > 1e-3 * abs(b) and out.shape == [3, 8] and out.values[2] != -7`, Good: `close(a, b, 0.01) and k == "fine"`,
	})
	want := []ObservedLiteral{{Number: 1e-3, Tolerance: true}, {Number: 3}, {Number: 8}, {Number: -7}, {Number: 0.01, Tolerance: true}, {Text: "fine", String: true}}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%d: %+v, want %+v", i, got[i], want[i])
		}
	}
}

// saw is an execution that ended after these observations.
func saw(obs ...probe.Observation) sandbox.Execution {
	ex := finished("")
	ex.Record.Observations = obs
	return ex
}

func float(name, text string) probe.Observation {
	return probe.Observation{Name: name, Kind: "float", Type: "float", Text: text}
}

// crashed is an execution that a library's exception ended.
func crashed(obs ...probe.Observation) sandbox.Execution {
	ex := saw(obs...)
	ex.ExitCode = 1
	ex.Stderr = "Traceback (most recent call last):\nValueError: bad axis\n"
	ex.Record.Exceptions = []probe.Exception{{Type: "ValueError", MRO: []string{"ValueError", "Exception"}, Message: "bad axis", Frames: []probe.Frame{
		{File: "/env/lib/python3.11/site-packages/shapelib/core.py", Line: 3, Function: "f", Module: "shapelib.core"}}}}
	return ex
}

func TestJudgeObserved(t *testing.T) {
	loss := &Observed{Names: names(t, "loss number"), Bad: "isnan(loss)", Good: "loss < 0.5"}
	out := &Observed{Names: names(t, "out array"), Bad: "out.shape == [3, 8]", Good: "out.shape == [3, 4]"}
	values := &Observed{Names: names(t, "out array"), Bad: "out.nonfinite > 0", Good: "out.nonfinite == 0 and out.max < 9"}
	both := &Observed{Names: names(t, "x number"), Bad: "x > 1", Good: "x > 2"}
	index := &Observed{Names: names(t, "out array"), Bad: "out.values[5] > 1", Good: "out.values[5] < 1"}
	raised := &Observed{Names: names(t, "raised bool"), Bad: "not raised", Good: "raised"}
	array := func(shape ...int) probe.Observation {
		size := 1
		for _, n := range shape {
			size *= n
		}
		return probe.Observation{Name: "out", Kind: "array", DType: "float32", Shape: shape, Size: size, Finite: size, Min: "0.0", Max: "1.0", Mean: "0.5", Hash: "x"}
	}
	nans := array(2)
	nans.Finite, nans.Min, nans.Max, nans.Mean, nans.Values = 0, "", "", "", []string{"nan", "inf"}
	huge := array(5000, 5000)
	huge.Hash, huge.Min, huge.Max, huge.Mean, huge.Finite = "", "", "", "", 0
	forged := saw(float("loss", "nan"))
	forged.Record.Forged = true
	late := crashed(float("loss", "nan"))
	lateGood := crashed(float("loss", "0.1"))
	for _, c := range []struct {
		name string
		o    *Observed
		ex   sandbox.Execution
		want Finding
		say  string
	}{
		{"bad", loss, saw(float("loss", "nan")), Hit, "isnan(loss) holds: loss = nan"},
		{"good", loss, saw(float("loss", "0.25")), Clean, "loss < 0.5 holds"},
		{"neither", loss, saw(float("loss", "0.75")), Absent, "neither"},
		{"both", both, saw(float("x", "3")), Inconclusive, "at once"},
		{"the last value counts", loss, saw(float("loss", "0.1"), float("loss", "nan")), Hit, "observed 2 times"},
		{"never observed", loss, saw(float("other", "nan")), Inconclusive, "never observed loss"},
		{"died before", loss, crashed(), Collided, "ValueError: bad axis"},
		{"died after a bad value", loss, late, Hit, "isnan(loss)"},
		{"died after a good value", loss, lateGood, Collided, "ValueError"},
		{"forged", loss, forged, Inconclusive, "cannot be believed"},
		{"a text instead of a number", loss, saw(probe.Observation{Name: "loss", Kind: "str", Type: "str", Text: "nan"}), Inconclusive, "is a str (str), not the number"},
		{"a scalar array is a number", loss, saw(probe.Observation{Name: "loss", Kind: "array", Size: 1, Values: []string{"nan"}}), Hit, ""},
		{"an array is none", loss, saw(probe.Observation{Name: "loss", Kind: "array", Size: 2, Values: []string{"nan", "1"}}), Inconclusive, "not the number"},
		{"bad shape", out, saw(array(3, 8)), Hit, "float32[3 8]"},
		{"good shape", out, saw(array(3, 4)), Clean, ""},
		{"another shape", out, saw(array(3)), Absent, ""},
		{"a list is an array", out, saw(probe.Observation{Name: "out", Kind: "sequence", Size: 3, Shape: []int{3}, Values: []string{"1", "2", "3"}}), Absent, ""},
		{"not finite", values, saw(nans), Hit, ""},
		{"finite", values, saw(array(2)), Clean, ""},
		{"too large to be read", values, saw(huge), Inconclusive, "too large"},
		{"too large, and only the shape is asked for", out, saw(huge), Absent, ""},
		{"no such element", index, saw(nans), Inconclusive, "cannot be evaluated"},
		{"no exception came", raised, saw(probe.Observation{Name: "raised", Kind: "bool", Text: "False"}), Hit, ""},
		{"no claim", nil, saw(), Inconclusive, "no expressions"},
		{"a claim that does not compile", &Observed{Names: names(t, "x number"), Bad: "x >", Good: "x"}, saw(), Inconclusive, "cannot be judged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := Judge(Expectation{Oracle: OracleObserved, Observed: c.o}, c.ex)
			if j.Finding != c.want || !strings.Contains(strings.Join(j.Reasons, "\n"), c.say) || len(j.Reasons) == 0 {
				t.Errorf("%s, want %s with %q: %q", j.Finding, c.want, c.say, j.Reasons)
			}
			if j.Finding == Hit && (j.Match.Relation != symptom.Same || j.Observed.Kind == "") {
				t.Errorf("a hit with the match %s of %+v", j.Match.Relation, j.Observed)
			}
		})
	}
}

// FuzzObserved: no expression and no value makes the oracle panic, and what it
// accepts it can judge.
func FuzzObserved(f *testing.F) {
	for _, s := range [][2]string{
		{"isnan(x)", "x < 0.5"}, {"out.shape == [3, 8]", "out.shape[0] == 3"}, {"same(out, out)", "ok ? x > 1 : k == \"a\""},
		{"all(out.values, # > 1)", "1..100000000 == 3"}, {"((((", "x ?? 1"}, {"out.values[9223372036854775807] > 1", "-x > 1e999"},
		{"x matches k", "map(1..1000, 1..1000)"}, {"$env", "let a = x; a"}, {"\x00", "\"\\xff\" == k"}, {"x|abs > 1", "x not in [1,2]"},
		{"abs(abs(abs(x))) > 1", "out?.shape?.[0] == 1"}, {"reduce(0..9, #acc)", "x in out"}, {"close(x, x, x)", "out == out"},
	} {
		f.Add(s[0], s[1], "nan", "float")
	}
	f.Fuzz(func(t *testing.T, bad, good, text, kind string) {
		o := &Observed{Names: []ObservedName{{"x", "number"}, {"ok", "bool"}, {"k", "string"}, {"out", "array"}}, Bad: bad, Good: good}
		why := CheckObserved(o)
		ex := saw(
			probe.Observation{Name: "x", Kind: kind, Text: text}, probe.Observation{Name: "ok", Kind: "bool", Text: text},
			probe.Observation{Name: "k", Kind: "str", Text: text},
			probe.Observation{Name: "out", Kind: "array", DType: text, Shape: []int{len(text), -1}, Size: len(text), Values: []string{text, kind}},
		)
		j := Judge(Expectation{Oracle: OracleObserved, Observed: o}, ex)
		if len(j.Reasons) == 0 {
			t.Error("no reason")
		}
		if len(why) == 0 && (len(ObservedNames(o)) == 0 || len(bad) > maxExpression) {
			t.Errorf("%q was accepted", bad)
		}
	})
}
