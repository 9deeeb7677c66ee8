package candidate

import (
	"strconv"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/symptom"
)

const axisReport = `# total crashes with axis 3

With drop_last=True and axis=3 the call fails, my batch is 7.

` + "```python\nimport shapelib\nshapelib.total([1, 2], axis=3)\n```\n\n```\n" + `Traceback (most recent call last):
  File "x.py", line 2, in <module>
  File ".../shapelib/core.py", line 99, in total
    return sum(values[i] for i in axis)
TypeError: 'int' object is not iterable, size 99
` + "```\n"

var axisCrash = &oracle.Expectation{
	Oracle: oracle.OracleException, Subject: "shapelib", Modules: []string{"shapelib"},
	Symptom: symptom.Symptom{Kind: symptom.Exception, Exception: "TypeError", Message: "'int' object is not iterable, size 99"},
}

// at are the script's frames: "2", or "7 5:run" outermost first.
func at(t *testing.T, text string) (frames []ScriptFrame) {
	t.Helper()
	for _, part := range strings.Fields(text) {
		line, function, _ := strings.Cut(part, ":")
		n := 0
		for _, r := range line {
			n = 10*n + int(r-'0')
		}
		if function == "" {
			function = "<module>"
		}
		frames = append(frames, ScriptFrame{n + ShimLines, function})
	}
	return frames
}

func TestUnfitControl(t *testing.T) {
	const call, after = "shapelib.total([1], axis)\n", "observe('out', out)\n"
	for _, c := range []struct{ name, body, frames, seen, want string }{
		{"a value", "import shapelib\naxis = (0,) if control else 3\nout = " + call + after, "3", "out", ""},
		{"a value in a block", "import shapelib\naxis = (0,)\nif not control:\n    axis = 3\nout = " + call + after, "5", "out", ""},
		{"a value written over", "import shapelib\naxis = 3\nif control:\n    axis = (0,)\nout = " + call + after, "5", "out", ""},
		{"a named value", "import shapelib\ngood = (0,)\nn = 3\nbad = (n)\naxis = good if control else bad\nout = " + call + after, "6", "out", ""},
		{"another named value", "import shapelib\ngood = (0,)\nn = 42\nbad = (n)\naxis = good if control else bad\nout = " + call + after, "6", "out", "has 42"},
		{"names without end", "import shapelib\na = " + strings.Repeat("3, ", 300) + "3\nb = " + strings.Repeat("a, ", 300) + "a\nc = " + strings.Repeat("b, ", 300) + "b\naxis = (0,) if control else c\nout = " + call + after, "6", "out", "too long to be read"},
		{"one named value", "import shapelib\nbad = 3\naxis = bad if control else bad\nout = " + call + after, "4", "out", "leaves nothing out"},
		{"another value written over", "import shapelib\naxis = 42\nif control:\n    axis = (0,)\nout = " + call + after, "5", "out", "has 42"},
		{"an argument", "import shapelib\nout = shapelib.total([1], 3 if not control else (0,))\n" + after, "2", "out", ""},
		{"a keyword", "import shapelib\nkw = {}\nif not control:\n    kw['drop_last'] = True\nout = shapelib.total([1], **kw)\n" + after, "5", "out", ""},
		{"in a function", "import shapelib\ndef run(axis):\n    return " + call + "out = run((0,) if control else 3)\n" + after, "4 3:run", "out", ""},
		{"in a loop that runs", "import shapelib\naxis = (0,) if control else 3\nfor i in range(2):\n    out = " + call + "    observe('out', out)\nobserve('end', out)\n", "4", "out end", ""},
		{"in a loop over data, observed there", "import shapelib\ndata = [(0,)] if control else [3]\nfor axis in data:\n    out = " + call + "    observe('in', out)\nobserve('out', out)\n", "4", "in out", ""},
		{"in a method, observed there", "import shapelib\nclass M:\n    def go(self, axis):\n        out = " + call + "        observe('out', out)\nM().go((0,) if control else 3)\n", "6 4:go", "out", ""},
		{"in a method of one object", "import shapelib\nclass M:\n    def __init__(self):\n        self.n = 1\n    def __call__(self, axis):\n        return " + call + "m = M()\nout = m((0,) if control else 3)\n" + after, "8 6:__call__", "out", ""},
		{"in a method of an object that depends", "import shapelib\nclass M:\n    def __init__(self, n):\n        self.n = n\n    def __call__(self, axis):\n        return " + call + "m = M((0,) if control else 3)\nout = m(3)\n" + after, "8 6:__call__", "out", "may not be called"},
		{"in a method of one of two objects", "import shapelib\nclass M:\n    def __call__(self, axis):\n        return " + call + "m = M()\nms = [len, m]\nf = ms[0 if control else 3 - 2]\nout = f([3])\n" + after, "8 4:__call__", "out", "may not be called"},
		{"in main", "import shapelib\ndef main():\n    axis = (0,) if control else 3\n    out = " + call + "    observe('out', out)\nif __name__ == '__main__':\n    main()\n", "7 4:main", "out", ""},
		{"before it ran", "import shapelib\naxis = (0,) if control else 3\nout = " + call + after, "3", "-", ""},

		{"no control", "import shapelib\nout = shapelib.total([1], 3)\n" + after, "2", "out", "has no control"},
		{"the call is skipped", "import shapelib\nout = 0\nif not control:\n    out = shapelib.total([1], 3)\n" + after, "4", "out", "leaves out the judged call"},
		{"the call is skipped in an expression", "import shapelib\nout = 0 if control else shapelib.total([1], 3)\n" + after, "2", "out", "chooses between calls"},
		{"the call is skipped by and", "import shapelib\nflag = 0 if control else 3\nout = flag and shapelib.total([1], flag)\n" + after, "3", "out", "depends on what stands before"},
		{"the call is skipped by a flag", "import shapelib\naxis = 0 if control else 3\nout = 0\nif axis == 3:\n    out = " + call + after, "5", "out", "under the condition in line"},
		{"the call is skipped by an exit", "import shapelib, sys\nif control:\n    sys.exit(0)\nout = shapelib.total([1], 3)\n" + after, "4", "", "whether the script goes on"},
		{"the call is skipped by a flagged exit", "import shapelib, sys\naxis = 0 if control else 3\nif axis == 0:\n    sys.exit(0)\nout = " + call + after, "5", "", "never observed out"},
		{"a return before it", "import shapelib\ndef run(axis):\n    if not axis:\n        return 1\n    return " + call + "out = run(0 if control else 3)\n" + after, "6 5:run", "out", "may leave before it (return)"},
		{"a loop that never runs", "import shapelib\nout = 0\nfor axis in ([] if control else [3]):\n    out = " + call + after, "4", "out", "a loop that may not run"},
		{"a continue before it", "import shapelib\nfor axis in range(4):\n    if axis == (0 if control else 3):\n        continue\n    out = " + call + "observe('out', out)\n", "5", "out", "may leave before it"},
		{"a swallowed failure", "import shapelib\naxis = 0 if control else 3\nout = 0\ntry:\n    [1, 2, 3, 4][axis - 3 or 9]\n    out = " + call + "finally:\n    pass\n" + after, "6", "out", "in the try"},
		{"a callback", "import shapelib\nf = {0: len, 3: lambda x: shapelib.total(x, 3)}\nout = f[0 if control else 3]([1])\n" + after, "3 2:<lambda>", "out", "in a lambda"},
		{"functions by a table", "import shapelib\ndef a(x): return 0\ndef b(x): return shapelib.total(x, 3)\nfs = {0: a, 3: b}\nout = fs[0 if control else 3]([1])\n" + after, "5 3:b", "out", "may not be called"},
		{"functions by a switch", "import shapelib\ndef a(x): return 0\ndef b(x): return shapelib.total(x, 3)\nf = a if control else b\nout = f([1])\n" + after, "5 3:b", "out", "definitions of the script's own"},
		{"a method never called", "import shapelib\nclass M:\n    def go(self, x):\n        return shapelib.total(x, 3)\nclass N:\n    def go(self, x):\n        return 0\nms = [N(), M()]\nout = ms[0 if control else 3 - 2].go([1])\n" + after, "9 4:go", "out", "may not be called"},
		{"a definition under it", "import shapelib\nif control:\n    def run(): return 0\nelse:\n    def run(): return shapelib.total([1], 3)\nout = run()\n" + after, "6 5:run", "out", "more than values"},
		{"what is observed", "import shapelib\nout = shapelib.total([1], 3)\nobserve('out', 1 if control else out)\n", "2", "out", "over what is observed"},
		{"whether it is observed", "import shapelib\naxis = (0,) if control else 3\nout = " + call + "if control:\n    observe('out', 1)\nelse:\n    observe('out', out)\n", "3", "out", "over what is observed"},
		{"a name never observed", "import shapelib\naxis = (0,) if control else 3\nout = " + call + "observe('out', out)\nif axis == 3:\n    observe('x', out)\n", "3", "out", "never observed x"},
		{"nothing observed", "import shapelib\naxis = (0,) if control else 3\nout = " + call, "3", "", "nothing is observed after the judged call"},
		{"control as a value", "import shapelib\nout = shapelib.total([1], 3 * (not control))\n" + after, "2", "out", "may only decide"},
		{"control handed on", "import shapelib\nc = control\nout = shapelib.total([1], (0,) if c else 3)\n" + after, "3", "out", "may only decide"},
		{"no place", "import shapelib\naxis = (0,) if control else 3\nout = " + call + after, "", "out", "where the judged call stands"},
		{"a place that is none", "import shapelib\naxis = (0,) if control else 3\nout = " + call + after, "30", "out", "no statement stands"},
		{"nothing left out", "import shapelib\naxis = 3 if control else 3\nout = " + call + after, "3", "out", "leaves nothing out"},
		{"another number", "import shapelib\naxis = (0,) if control else 42\nout = " + call + after, "3", "out", "has 42, which the report does not"},
		{"a number of the failure", "import shapelib\naxis = (0,) if control else 99\nout = " + call + after, "3", "out", "has 99"},
		{"NaN", "import shapelib, numpy as np\naxis = (0,) if control else np.nan\nout = " + call + after, "3", "out", "has nan"},
		{"another name", "import shapelib\naxis = (0,) if control else shapelib.secret\nout = " + call + after, "3", "out", "nothing of what control leaves out"},
		{"a flag", "import shapelib\nflag = False\nif not control:\n    flag = True\nout = shapelib.total([1], 3, drop_last=flag)\n" + after, "5", "out", ""},
		{"a flag by a part of its name", "import shapelib\nflag = False\nif not control:\n    flag = True\nout = shapelib.total([1], 3, int_axis=flag)\n" + after, "5", "out", ""},
		{"another flag", "import shapelib\nflag = False\nif not control:\n    flag = True\nout = shapelib.total([1], 3, use_secret=flag)\n" + after, "5", "out", "nothing of what control leaves out"},
		{"a flag that is handed to nobody", "import shapelib\nflag = False\nif not control:\n    flag = True\nout = shapelib.total([1], 3, flag)\n" + after, "5", "out", "nothing of what control leaves out"},
		{"zero for one", "import shapelib\nflag = 1\nif not control:\n    flag = 0\nout = shapelib.total([1], 3, axis=flag)\n" + after, "5", "out", "nothing of what control leaves out"},
		{"small numbers", "import shapelib\naxis = (5,) if control else -1\nout = " + call + after, "3", "out", ""},
		{"a text", "import shapelib\naxis = (0,) if control else 'axis=3 the call fails'\nout = " + call + after, "3", "out", ""},
		{"another text", "import shapelib\naxis = (0,) if control else 'other'\nout = " + call + after, "3", "out", "has other"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := report.Parse([]byte(axisReport), report.Source{})
			a := FromAgent(c.body, "")
			if a.SyntaxError != "" {
				t.Fatal(a.SyntaxError)
			}
			ran := Ran{Frames: at(t, c.frames), Seen: append([]string{}, strings.Fields(c.seen)...)}
			if c.seen == "-" {
				ran.Seen = nil
			}
			got := strings.Join(UnfitControl(r, a, axisCrash, ran), "\n")
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

const medianReport = "# median is wrong\n\n`np.median` returns nan instead of 2.5 for four values.\n\nExpected: the median of [1, 2, 3, 4] is 2.5.\n\n```python\nimport numpy as np\nnp.median([1, 2, 3, 4])\n```\n"

func claim(bad, good string) *oracle.Observed {
	return &oracle.Observed{
		Names: []oracle.ObservedName{{Name: "out", Type: "number"}}, Bad: bad, Good: good,
		BadQuote: "returns nan instead of 2.5", GoodQuote: "the median of\n[1, 2, 3, 4] is 2.5",
	}
}

func TestUnanchored(t *testing.T) {
	const body = "import numpy as np\nout = np.median([1, 2, 3, 4])\nobserve('out', out)\n"
	good := claim("isnan(out)", "close(out, 2.5, 1e-6)")
	change := func(f func(*oracle.Observed)) *oracle.Observed {
		o := *good
		f(&o)
		return &o
	}
	for _, c := range []struct {
		name, body string
		o          *oracle.Observed
		want       string
	}{
		{"anchored", body, good, ""},
		{"a value of its own call", "import numpy as np\nobserve('out', float(np.median([1, 2])))\n", good, ""},
		{"through a function and a loop", "import numpy as np\ndef f(x):\n    return np.median(x)\nall = []\nfor x in ([1, 2], [3, 4]):\n    all.append(f(x))\nobserve('out', all[0])\n", good, ""},
		{"a caught exception", "import numpy as np\nbad = 0\ntry:\n    np.median([1])\nexcept ValueError:\n    bad = 1\nobserve('out', bad)\n", good, "chosen by a condition"},
		{"no quote", body, change(func(o *oracle.Observed) { o.GoodQuote = "" }), "no words of the report say what is good"},
		{"a short quote", body, change(func(o *oracle.Observed) { o.BadQuote = "returns nan" }), "no words of the report say what is bad"},
		{"an invented quote", body, change(func(o *oracle.Observed) { o.GoodQuote = "it should be exactly 2.5" }), "do not stand in the report"},
		{"one quote twice", body, change(func(o *oracle.Observed) { o.GoodQuote = "returns  nan\ninstead of 2.5" }), "the same words"},
		{"a literal of its own", body, claim("isnan(out)", "close(out, 3.5, 1e-6)"), "the report has no 3.5"},
		{"a wide tolerance", body, claim("isnan(out)", "close(out, 2.5, 0.75)"), "the report has no 0.75"},
		{"a tolerance as a value", body, claim("isnan(out)", "out == 0.05"), "the report has no 0.05"},
		{"nothing that the report names", "import numpy as np\nout = np.ptp([1, 2])\nobserve('out', out)\n", good, "names none of what the script calls (ptp)"},
		{"nothing of the subject", "import math\nimport numpy as np\nobserve('out', math.sqrt(2))\n", good, "calls nothing of numpy"},
		{"a constant", "import numpy as np\nnp.median([1])\nobserve('out', float('nan'))\n", good, "does not come out of a call"},
		{"a constant of the subject", "import numpy as np\nnp.median([1])\nobserve('out', np.nan)\n", good, "does not come out of a call"},
		{"a variable with a constant", "import numpy as np\nnp.median([1])\nx = np.nan\nobserve('out', x)\n", good, "does not come out of a call"},
		{"control alone", "import numpy as np\nnp.median([1])\nobserve('out', 2.5 if control else np.inf)\n", good, "does not come out of a call"},
		{"another observation", "import numpy as np\nout = np.median([1])\nobserve('other', out)\n", good, "does not observe out"},
		{"one of two is a constant", "import numpy as np\nout = np.median([1])\nobserve('out', out)\nobserve('out', 2.5)\n", good, "line 4"},
		{"asks what is there", "import numpy as np\nout = np.median([1])\nobserve('out', out if hasattr(np, 'float') else 2.5)\n", good, "asks what the package has"},
		{"a version", "import numpy as np\nout = np.median([1])\nv = np.__version__\nobserve('out', out)\n", good, "reads a version"},
		{"vacuous", body, claim("out == out or out != out", "out > 1"), "always is"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := report.Parse([]byte(medianReport), report.Source{})
			e := &oracle.Expectation{Oracle: oracle.OracleObserved, Observed: c.o, Subject: "numpy", Modules: []string{"numpy"}}
			got := strings.Join(Unanchored(r, FromAgent(c.body, ""), e), "\n")
			want := strings.Replace(c.want, "line 4", "line "+strconv.Itoa(4+ShimLines), 1)
			if c.want == "" && got != "" || !strings.Contains(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
	if got := Unanchored(report.Parse([]byte(medianReport), report.Source{}), FromAgent(body, ""), axisCrash); got != nil {
		t.Errorf("an exception needs an anchor: %q", got)
	}
	if got := Unanchored(nil, FromAgent(body, ""), &oracle.Expectation{Observed: good}); len(got) == 0 {
		t.Error("anchored in no report")
	}
}

// Reporters often say only what they switched on: its name anchors the call that
// is given it, and a count of what is not finite needs no number of the report's.
func TestAnchoredByAnArgument(t *testing.T) {
	r := report.Parse([]byte("# NaN in the scores\n\nSince I switched `use_scale` on the scores contain NaNs in the first pass, the rotated keys already have them (queries look fine). Without it there is no problem at all.\n\nshapelib 1.2\n"), report.Source{})
	o := &oracle.Observed{
		Names: []oracle.ObservedName{{Name: "out", Type: "array"}}, Bad: "out.nonfinite > 0", Good: "out.nonfinite == 0",
		BadQuote: "the scores contain NaNs in the first pass", GoodQuote: "Without it there is no problem at all",
	}
	for name, c := range map[string]struct{ body, want string }{
		"a method":      {"import shapelib\nm = shapelib.Scores(8, use_scale=True)\nout = m.run([1])\nobserve('out', out)\n", "looks at run"},
		"named":         {"import shapelib\nm = shapelib.Scores(8, use_scale=True)\nout = m.rotate_queries_and_keys([1])\nobserve('out', out)\n", ""},
		"another":       {"import shapelib\nm = shapelib.Scores(8, use_bias=True)\nout = m.run([1])\nobserve('out', out)\n", "names none of what the script calls"},
		"elsewhere":     {"import shapelib\nm = shapelib.Scores(8, use_scale=True)\nout = shapelib.other([1])\nobserve('out', out)\n", "comes out of nothing that the report names"},
		"a common word": {"import shapelib\nm = shapelib.Scores(8, first=True)\nout = m.run([1])\nobserve('out', out)\n", "names none of what the script calls"},
	} {
		e := &oracle.Expectation{Oracle: oracle.OracleObserved, Observed: o, Subject: "shapelib", Modules: []string{"shapelib"}}
		got := strings.Join(Unanchored(r, FromAgent(c.body, ""), e), "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
