package candidate

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
)

const sumReport = "# Wrong sum of two numbers\n\npip install tinynet==1.2\n\nThis is a bug: for the numbers 2 and 5 tinynet.add returns 10, which is wrong. I expected that it returns 7 there.\n"

func unanchored(text, kind, expressions, body, subject, bad, good string) (refused, why string) {
	left, right, _ := strings.Cut(expressions, "|")
	o := &oracle.Observed{Names: []oracle.ObservedName{{Name: "p", Type: kind}}, Bad: left, Good: right, BadQuote: bad, GoodQuote: good}
	e := &oracle.Expectation{Oracle: oracle.OracleObserved, Observed: o, Subject: subject, Modules: []string{subject}}
	c := FromAgent(body, "")
	return strings.Join(c.RefusalsFor(e), "\n") + c.SyntaxError, strings.Join(Unanchored(report.Parse([]byte(text), report.Source{}), c, e), "\n")
}

// TestPlainly: the report's own numbers out of any difference of two releases.
func TestPlainly(t *testing.T) {
	for _, c := range []struct{ name, kind, expressions, body, want string }{
		{"text", "number", "p == 1|p == 0", "p = len(repr(tinynet.add(2, 5))) - 1\nobserve('p', p)", "made out of text"},
		{"fstring", "number", "p == 1|p == 0", "s = f'{tinynet.add(2, 5)}'\nobserve('p', len(s) - 1)", "made out of text"},
		{"hash", "number", "p == 1|p == 0", "r = tinynet.add(2, 5)\nobserve('p', hash(r) % 2)", "makes a number"},
		{"clock", "number", "p == 1|p == 0", "import time\nr = tinynet.add(2, 5)\nobserve('p', r * 0 + (time.time() < 17e8))", "number of the script's own"},
		{"ternary", "number", "p == 10|p == 7", "r = tinynet.add(3, 3)\nobserve('p', 10 if r > 8 else 7)", "chosen by a condition"},
		{"if", "number", "p == 10|p == 7", "r = tinynet.add(3, 3)\np = 7\nif r > 8:\n    p = 10\nobserve('p', p)", "chosen by a condition"},
		{"func", "number", "p == 10|p == 7", "def g(r):\n    if r > 8:\n        return 10\n    return 7\np = g(tinynet.add(3, 3))\nobserve('p', p)", "chosen by a condition"},
		{"map", "number", "p == 10|p == 7", "p = {9: 10, 6: 7}[tinynet.add(3, 3)]\nobserve('p', p)", "number of the script's own"},
		{"index", "number", "p == 10|p == 7", "r = tinynet.add(3, 3)\np = [7, 10][r > 8]\nobserve('p', p)", "chosen by a condition"},
		{"arith", "number", "p == 10|p == 7", "r = tinynet.add(3, 3)\np = 7 + 3 * (r > 8)\nobserve('p', p)", "number of the script's own"},
		{"clamp", "number", "p == 10|p == 7", "r = tinynet.add(3, 3)\np = max(7, min(10, r ** 2 - 60))\nobserve('p', p)", "number of the script's own"},
		{"where", "number", "p == 10|p == 7", "import numpy as np\nr = tinynet.add(3, 3)\np = np.where(r > 8, 10, 7)\nobserve('p', p)", "number of the script's own"},
		{"names", "number", "p == 10|p == 7", "r = tinynet.add(3, 3)\nten = 10\nseven = 7\nthree = 3\np = seven + three * (r > 8)\nobserve('p', p)", "(seven)"},
		{"and or", "number", "p == 10|p == 7", "r = tinynet.add(3, 3)\nobserve('p', (r > 8 and 10) or 7)", "number of the script's own"},
		{"other", "bool", "p|not p", "tinynet.add(2, 5)\nobserve('p', bool(tinynet.near(3) > 1))", "nothing that the report names"},
		{"caught", "bool", "not p|p", "p = False\ntry:\n    tinynet.add(2, 5, out=None)\nexcept TypeError:\n    p = True\nobserve('p', p)", "chosen by a condition"},
		{"steered", "number", "p == 10|p == 7", "a = (2, 5)\nif tinynet.near(3) > 1:\n    a = (5, 5)\nobserve('p', tinynet.add(*a))", "chosen by a condition"},
		{"typename", "number", "p == 1|p == 0", "r = tinynet.add(2, 5)\nobserve('p', len(type(r).__name__) - 3)", "made out of text"},
		{"isinst", "bool", "p|not p", "r = tinynet.add(2, 5)\nobserve('p', isinstance(r, float))", "what kind of thing"},
		{"callback", "number", "p == 10|p == 7", "class A(int):\n    def __add__(self, o):\n        return 7\n    def __mul__(self, o):\n        return 10\nobserve('p', tinynet.add(A(2), 5))", "of its own"},
		{"loop", "number", "p == 10|p == 7", "r = tinynet.add(3, 3)\np = 7\nfor _ in range(r - 6):\n    p += 1\nobserve('p', p)", "number of the script's own"},
		{"walrus", "number", "p == 10|p == 7", "p = 10 if (r := tinynet.add(3, 3)) > 8 else 7\nobserve('p', p)", "chosen by a condition"},
		{"lambda", "number", "p == 10|p == 7", "g = lambda r: 10 if r > 8 else 7\nobserve('p', g(tinynet.add(3, 3)))", "chosen by a condition"},
		{"compr", "number", "p == 10|p == 7", "p = sum([1 for i in range(tinynet.add(3, 3)) if i > 2]) + 4\nobserve('p', p)", "chosen by a condition"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, got := unanchored(sumReport, c.kind, c.expressions, "import tinynet\n"+c.body+"\n", "tinynet", "tinynet.add returns 10", "I expected that it returns 7 there")
			if !strings.Contains(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestPlainlyHonest: what honest scripts observe stays anchored.
func TestPlainlyHonest(t *testing.T) {
	const text = "# ops.norm of `Norm` is off\n\n`lib.Norm` gives 0.5 instead of 0.25 for the array [1, 2, 3] when axis=3, says the doc, and `lib.jit` differs.\n\n```python\nimport lib\ny = lib.Norm(8)(x)\n```\n"
	for name, c := range map[string][3]string{
		"a value":           {"number", "p == 0.5|p == 0.25", "observe('p', float(lib.Norm(8)([1, 2, 3])))"},
		"a comparison":      {"bool", "p|not p", "y = lib.Norm(8)([1, 2, 3])\nobserve('p', bool(y == 0.5))"},
		"through an object": {"number", "p == 0.5|p == 0.25", "import numpy as np\nx = np.arange(24).reshape(2, 3, 4) * 1.5\nm = lib.Norm(8, eps=1e-5)\ny = m(x)\nobserve('p', float(y[0, 2].mean(-1).max()))"},
		"two ways":          {"bool", "p|not p", "import numpy as np\nm = lib.Norm(8)\nf = lib.jit(m)\na, b = m(3), f(3)\nobserve('p', bool(np.allclose(a, b, rtol=1e-4, atol=1e-6)))"},
		"in a function":     {"number", "p == 0.5|p == 0.25", "def main():\n    m = lib.Norm(8)\n    y = m([1.5, 2.5])\n    return y\nobserve('p', float(main()))"},
		"after a loop":      {"number", "p == 0.5|p == 0.25", "m = lib.Norm(8)\ny = m([7])\nfor _ in range(5):\n    y = m(y)\nobserve('p', float(y.sum(axis=2)))"},
		"a dtype":           {"string", "p == \"array\"|p == \"doc\"", "y = lib.Norm(8)([7])\nobserve('p', str(y.dtype))"},
		"a data set":        {"number", "p == 0.5|p == 0.25", "class Rows:\n    def __len__(self):\n        return 5\n    def __getitem__(self, i):\n        return [i, 2 * i]\nm = lib.Norm(8)\nobserve('p', m(Rows()))"},
	} {
		t.Run(name, func(t *testing.T) {
			refused, got := unanchored(text, c[0], c[1], "import lib\n"+c[2]+"\n", "lib", "gives 0.5 instead of 0.25", "for the array [1, 2, 3]")
			if refused != "" || got != "" {
				t.Errorf("refused %q, not anchored %q", refused, got)
			}
		})
	}
}

// TestUnnamed: where the report names a class only, the call must be its own.
func TestUnnamed(t *testing.T) {
	r := report.Parse([]byte("# `check` takes -1\n\n`tinynet.check(-1)` passes; I want a ValueError.\n"), report.Source{})
	missing := &oracle.Expectation{Oracle: oracle.OracleMissingException, Wanted: "ValueError", Subject: "tinynet", Modules: []string{"tinynet"}}
	for _, c := range []struct {
		body string
		line int
		want bool
	}{
		{"import tinynet\ntinynet.check(-1)\n", 2, false},
		{"import tinynet\nf = tinynet.check\nx = tinynet.check(1)\nx.go(-1)\n", 4, false},
		{"import tinynet\ntinynet.check(1)\ntinynet.scale(3)\n", 3, true},
		{"import tinynet\ntinynet.check(1)\ntinynet.scale(3)\n", 2, false},
	} {
		got := Unnamed(r, FromAgent(c.body, ""), missing, []ScriptFrame{{Line: c.line + ShimLines}})
		if (len(got) > 0) != c.want {
			t.Errorf("%q: %q", c.body, got)
		}
	}
	own := FromScript("import tinynet\ntinynet.scale(3)\n")
	if got := Unnamed(r, own, missing, []ScriptFrame{{Line: 2}}); got != nil {
		t.Errorf("a person's script: %q", got)
	}
}

// TestSpoken: an object of the report's class has parts that changed for reasons
// of their own.
func TestSpoken(t *testing.T) {
	const text = "# NormalizeReward keeps the return\n\n`gym.NormalizeReward` keeps its return when I call `env.reset()`: env.returns is 5 then. I expected it to be gone after reset, or 4.\n"
	for _, c := range []struct{ name, expressions, value, want string }{
		{"the reporter's", "p == 5|p == 4", "float(env.returns[0])", ""},
		{"a method of the reporter's", "p == 5|p == 4", "float(env.reset()[0].mean())", ""},
		{"another part", "p == 5|p == 4", "float(env.observation_space.high[1])", "looks at observation_space"},
		{"through a name", "p == 5|p == 4", "high", "looks at high"},
		{"through a function", "p == 5|p == 4", "f(env)", "looks at high"},
		{"a sign", "p > 0|p <= 0", "float(env.returns[0])", "the report has no 0"},
		{"infinite", "isinf(p)|p == 4", "float(env.returns[0])", "not finite"},
	} {
		body := "import gym\nenv = gym.NormalizeReward(gym.make('CartPole-v1'))\ndef f(e):\n    return env.space.high\nhigh = env.high[0]\nobserve('p', " + c.value + ")\n"
		_, got := unanchored(text, "number", c.expressions, body, "gym", "keeps its return when I call", "I expected it to be gone after reset")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestTooLong: what cannot be followed is not believed.
func TestTooLong(t *testing.T) {
	body := "import tinynet\n" + strings.Repeat("r = tinynet.add(2, 5)\n", maxFollowed/20) + "observe('p', r)\n"
	if _, got := unanchored(sumReport, "number", "p == 10|p == 7", body, "tinynet", "tinynet.add returns 10", "I expected that it returns 7 there"); !strings.Contains(got, "too long") {
		t.Errorf("%q", got)
	}
	e := *axisCrash
	e.Modules = []string{"tinynet"}
	if got := Steered(FromAgent(body, ""), &e, []ScriptFrame{{Line: ShimLines + 3}}); len(got) != 1 {
		t.Errorf("%q", got)
	}
}
