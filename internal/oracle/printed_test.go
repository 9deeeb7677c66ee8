package oracle

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/symptom"
)

// TestSameLine compares one stated line with one printed line.
func TestSameLine(t *testing.T) {
	whole := func(s string) Line { return Line{Text: s} }
	fragment := func(s string) Line { return Line{Text: s, Fragment: true} }
	for _, c := range []struct {
		stated Line
		seen   string
		want   bool
	}{
		{whole("eager : nan"), "eager : nan", true},
		{whole("eager : nan"), "eager :   NaN", true},
		{whole("jitted: 5.56e-310"), "jitted: 6.9e-310", true}, // two subnormals
		{whole("jitted: 5.56e-310"), "jitted: nan", false},
		{whole("jitted: 5.56e-310"), "jitted: 0.0", false},
		{whole("x inf"), "x -inf", false},
		{whole("1 tensor(0.5000)"), "1 tensor(0.5000)", true},
		{whole("1 tensor(0.5000)"), "1 tensor(0.5001)", true}, // one unit of the last digit
		{whole("1 tensor(0.5000)"), "1 tensor(0.5100)", false},
		{whole("count 12"), "count 13", false},
		{whole("acc 0.5"), "acc 0.6", false}, // one digit is no precision
		{whole("acc 0.5"), "acc 0.54", true}, // it was rounded
		{whole("acc 0.33"), "acc 0.34", false},
		{whole("[[[1. 1. 1.]"), "[[[0.5 0.5 0.5]", false}, // "1." is one, not what rounds to it
		{whole("[[[1. 1. 1.]"), "[[[1.4 1.2 1.3]", false},
		{whole("[2.e-05 0.]"), "[2.4e-05 0.]", false},
		{whole("[1. 20.]"), "[1.0 20.00001]", true},
		{whole("[1. 20.]"), "[1 20]", true},
		{whole("count 12"), "count 12.0", true},
		{whole("loss 1.31792831"), "loss 1.31792819", true}, // another machine
		{whole("err 2.2e-16"), "err 4.4e-16", true},         // near zero
		{whole("err 2.2e-16"), "err 4.4e-6", false},
		{whole("mean: 12.0001 1.57..."), "mean: 12.0001 1.5723", true},
		{whole("mean: 12.0001 1.57..."), "mean: 12.0001 1.5423", false},
		{Line{Text: "sub env: 9.0001 1.76", Prefix: true, Replaces: -1}, "sub env: 9.0001 1.7677", true}, // cut, not rounded
		{Line{Text: "sub env: 9.0001 1.76", Prefix: true, Replaces: -1}, "sub env: 9.0001 1.7577", true},
		{Line{Text: "sub env: 9.0001 1.76", Prefix: true, Replaces: -1}, "sub env: 9.0001 1.7777", false},
		{Line{Text: "count: 12", Prefix: true, Replaces: -1}, "count: 125", false},
		{whole("keras 3.6.0 argmin = 0"), "keras 3.7.0 argmin = 0", true}, // versions are masked
		{whole("np.float64(1.0)"), "1.0", true},
		{whole("[np.float32(1.0), np.float32(2.0)]"), "[1.0, 2.0]", true},
		{whole("(3, 8)"), "(3, 8)", true},
		{whole("(3, 8)"), "(3, 9)", false},
		{whole("float16 -> float32"), "float16 -> float32", true},
		{whole("float16 -> float32"), "float16 -> float16", false},
		{whole("<A object at 0x7f12ab34>"), "<A object at 0x55aa1234>", true},
		{whole("saved to /tmp/a/b.pt"), "saved to /home/u/x.pt", true},
		{whole("done in 3.2 s"), "done in 9.9 s", true},       // timings are masked
		{whole("it took 3.2 s"), "it took 9.9 s", false},      // unless they are the claim
		{whole("'a'"), "\"a\"", true},                         // quoting style
		{whole("argmax: 1"), "argmax: 1 (of 3)", false},       // a whole line
		{fragment("argmax: 1"), "the argmax: 1 (of 3)", true}, // a part of one
		{fragment("5 trials"), "5 trials for 4 points", true},
		{fragment("5 trials"), "15 trials for 4 points", false},
		{fragment("True"), "1.0 1.0 True", true},
		{fragment("True"), "Trueness 1", false},
		{Line{Text: "[1, 2, ...", Prefix: true}, "[1, 2, 3]", true},
		{whole("[1, ..., 9]"), "[1, 2, 3, 9]", true},
		{whole("[1, ..., 9]"), "[1, 2, 3, 8]", false},
		{Line{Text: "best : [1 -11 1 -9]", Approximate: true}, "best : [2 -7 3 -1]", true},
		{Line{Text: "best : [1 -11 1 -9]", Approximate: true}, "best : [1 0 1 0]", false},
		{Line{Text: "best : [1 -11 1 -9 1 -12 1 -8]", Approximate: true}, "best : [1 0 1 -7 1 -11 1 -4]", true},
		{Line{Text: "best : [1 -11 1 -9 1 -12 1 -8]", Approximate: true}, "best : [1 0 1 0 1 0 1 0]", false},
		{Line{Text: "best : [1 -11 1 -9 1 -12 1 -8]", Approximate: true}, "best : [1 0 1 1 1 -3 1 0]", false},
		{Line{Text: "x [0.1 nan 0.2 0.3 0.4]", Approximate: true}, "x [0.5 nan 0.1 0.9 0.2]", true},
		{Line{Text: "x [0.1 nan 0.2 0.3 0.4]", Approximate: true}, "x [0.5 0.6 0.1 0.9 0.2]", false},
		{Line{Text: "x [0.1 0.2 0.3 0.4]", Approximate: true}, "x [0.5 inf 0.1 0.9]", false},
		{Line{Text: "x [0.1 0.2 0.3 0.4]", Approximate: true}, "y [0.5 0.6 0.1 0.9]", false},
		{Line{Text: "score: 87.0", Approximate: true}, "score: nan", false},
		{whole("a-1"), "a - 1", true},
		{whole(""), "", false},
	} {
		if got := newPattern(c.stated).matches(tokens(c.seen, newPattern(c.stated).timed)); got != c.want {
			t.Errorf("%+v against %q: %v", c.stated, c.seen, got)
		}
	}
}

func TestFindLinesInOrder(t *testing.T) {
	out := outputLines(finished("a 1\nb 2\n\nc 3 d 4\n"))
	for _, c := range []struct {
		stated  []Line
		missing int
	}{
		{[]Line{{Text: "a 1"}, {Text: "c 3 d 4"}}, -1},
		{[]Line{{Text: "b 2"}, {Text: "a 1"}}, 1},
		{[]Line{{Text: "c 3", Fragment: true}, {Text: "d 4", Fragment: true}}, -1}, // on one line
		{[]Line{{Text: "a 1"}, {Text: "a 1"}}, 1},                                  // twice is twice
		{[]Line{{Text: "  "}, {Text: "b 2"}}, -1},
	} {
		if _, missing := findLines(c.stated, out); missing != c.missing {
			t.Errorf("%v: missing %d, want %d", c.stated, missing, c.missing)
		}
	}
}

// TestPrintedClaims judges shapes of claims as reporters write them.
func TestPrintedClaims(t *testing.T) {
	line := func(s string) Line { return Line{Text: s, Replaces: -1} }
	replaces := func(s string, i int) Line { return Line{Text: s, Replaces: i} }
	for _, c := range []struct {
		name    string
		claim   Printed
		printed string
		want    Finding
	}{
		{"actual comes, expected not stated", Printed{Actual: []Line{line("(3, 8)")}}, "(3, 8)\n", Hit},
		{"actual does not come, expected not stated", Printed{Actual: []Line{line("(3, 8)")}}, "(3, 9)\n", Absent},
		{"a value is corrected", Printed{Actual: []Line{line("argmax: 1")}, Expected: []Line{replaces("2", 0)}}, "argmax: 2\n", Clean},
		{"a value is not corrected", Printed{Actual: []Line{line("argmax: 1")}, Expected: []Line{replaces("2", 0)}}, "argmax: 1\n", Hit},
		{"a third value", Printed{Actual: []Line{line("argmax: 1")}, Expected: []Line{replaces("2", 0)}}, "argmax: 0\n", Absent},
		{"a whole line is corrected", Printed{Actual: []Line{line("float16 -> float32")}, Expected: []Line{replaces("float16 -> float16", 0)}}, "float16 -> float16\n", Clean},
		{"true of both", Printed{Actual: []Line{line("n 1")}, Expected: []Line{line("n 1")}}, "n 1\n", Absent},
		{"both corrected", Printed{Actual: []Line{line("keras 3.6.0 argmin = 0"), line("numpy argmin = 2")}, Expected: []Line{replaces("2", 0), replaces("2", 1)}}, "keras 3.9.0 argmin = 2\nnumpy argmin = 2\n", Clean},
		{"only expected is stated, it comes", Printed{Expected: []Line{line("3")}}, "3\n", Clean},
		{"only expected is stated, it does not", Printed{Expected: []Line{line("3")}}, "4\n", Hit},
		{"all nan holds", Printed{Actual: []Line{line("eager : nan"), line("jitted: 5.56e-310")}, Relation: "all_nan"}, "eager : nan\njitted: nan\n", Clean},
		{"all nan does not", Printed{Actual: []Line{line("eager : nan"), line("jitted: 5.56e-310")}, Relation: "all_nan"}, "eager : nan\njitted: 1e-311\n", Hit},
		{"all finite", Printed{Actual: []Line{line("loss nan")}, Relation: "all_finite"}, "loss 0.3\n", Clean},
		{"equal lines", Printed{Actual: []Line{line("outer: 12.0001 1.57..."), line("inner: 9.0001 1.76...")}, Relation: "equal"}, "outer: 9.0001 1.7612\ninner: 9.0001 1.7612\n", Clean},
		{"unequal lines", Printed{Actual: []Line{line("outer: 12.0001 1.57..."), line("inner: 9.0001 1.76...")}, Relation: "equal"}, "outer: 12.0001 1.5712\ninner: 9.0001 1.7612\n", Hit},
		{"equal numbers of one line", Printed{Actual: []Line{line("0.3125 0.3245")}, Relation: "equal"}, "0.3125 0.3125\n", Clean},
		{"lines that count something", Printed{Actual: []Line{line("3.0 0.5"), line("300.0 0.7")}, Relation: "equal"}, "3.0 0.9\n300.0 0.9\n", Clean},
		{"lines that count something, still unequal", Printed{Actual: []Line{line("3.0 0.5"), line("300.0 0.7")}, Relation: "equal"}, "3.0 0.5\n300.0 0.7\n", Hit},
		{"lines that count something, unequal otherwise", Printed{Actual: []Line{line("3.0 0.5"), line("300.0 0.7")}, Relation: "equal"}, "3.0 0.54\n300.0 0.66\n", Hit},
		{"a counter that moved is no counter", Printed{Actual: []Line{line("3.0 0.5"), line("300.0 0.7")}, Relation: "equal"}, "4.0 0.9\n400.0 0.9\n", Absent},
		{"a relation nobody knows", Printed{Actual: []Line{line("a 1")}, Relation: "prettier"}, "a 2\n", Absent},
		{"a relation without its lines", Printed{Actual: []Line{line("a 1")}, Relation: "all_nan"}, "b 2\n", Absent},
		{"nothing stated", Printed{}, "b 2\n", Absent},
		{"a fragment among others", Printed{Actual: []Line{{Text: "5 trials", Fragment: true, Replaces: -1}}}, "5 trials for 4 points\n", Hit},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := Judge(Expectation{Oracle: OraclePrinted, Printed: &c.claim, ReporterScript: true}, finished(c.printed))
			if j.Finding != c.want {
				t.Errorf("%s, want %s: %v", j.Finding, c.want, j.Reasons)
			}
			if (j.Finding == Hit) != (j.Match.Relation == symptom.Same) {
				t.Errorf("finding %s with match %s", j.Finding, j.Match.Relation)
			}
		})
	}
}

// TestClaimOnStderr: logging writes there.
func TestClaimOnStderr(t *testing.T) {
	ex := finished("")
	ex.Stderr = "[I] Trial 4 finished\n"
	e := Expectation{Oracle: OraclePrinted, Printed: &Printed{Actual: []Line{{Text: "Trial 4 finished", Fragment: true, Replaces: -1}}}}
	if j := Judge(e, ex); j.Finding != Hit {
		t.Errorf("%s: %v", j.Finding, j.Reasons)
	}
}

// TestManyDots: a hostile line of dots costs no exponential time.
func TestManyDots(t *testing.T) {
	dots := strings.Repeat("... 1 ", 60) + "2"
	if newPattern(Line{Text: dots}).matches(tokens(strings.Repeat("1 ", 3000), false)) {
		t.Error("2 never comes")
	}
	if !newPattern(Line{Text: dots}).matches(tokens(strings.Repeat("0 1 ", 200)+"2", false)) {
		t.Error("2 comes last")
	}
}

func FuzzPrinted(f *testing.F) {
	f.Add("argmax: 1", "argmax: 1\n")
	f.Add("mean 1.57... [1, ..., 9]", "mean 1.5712 [1, 2, 9]\n")
	f.Add("x -1 +2e-310 0x7fff /a/b/c 3.2 s np.float64(1.0)", "y\x00…\n")
	f.Fuzz(func(t *testing.T, stated, printed string) {
		e := Expectation{Oracle: OraclePrinted, ReporterScript: true, Printed: &Printed{
			Actual: []Line{{Text: stated, Replaces: -1}}, Expected: []Line{{Text: printed, Replaces: 0}}, Relation: "equal",
		}}
		if j := Judge(e, finished(printed)); j.Finding == Collided || j.Finding == Inconclusive {
			t.Errorf("a script that ended: %s", j.Finding)
		}
	})
}
