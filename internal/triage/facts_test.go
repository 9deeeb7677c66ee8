package triage

import (
	"math"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/report"
)

func TestFactWeights(t *testing.T) {
	sum := 0.0
	for name, w := range factWeights {
		sum += w
		if w <= 0 || w > 1 {
			t.Errorf("%s weighs %v", name, w)
		}
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("the weights sum to %v", sum)
	}
}

// TestVaguenessFalls: each report says one thing more than the one before.
func TestVaguenessFalls(t *testing.T) {
	script := "\n```python\nimport numpy as np\n\nprint(np.mean([1, 2]))\n```\n"
	steps := []string{
		"# mean\n\nIt is odd.\n",
		"# numpy mean is wrong\n\nThe result is wrong for short lists.\n",
		"# numpy mean is wrong\n\nThe result is wrong for short lists. numpy 1.26\n",
		"# numpy mean is wrong\n\nThe result is wrong. numpy 1.26\n" + script,
		"# numpy mean is wrong\n\nThe result is wrong. numpy 1.26\n" + script + "\nprints `2`\n",
		"# numpy mean is wrong\n\nThe result is wrong. numpy 1.26\n" + script + "\nprints `2`, should be `1.5`\n",
		"# numpy mean is wrong\n\nThe result is wrong. numpy 1.26, Python 3.11, CPU\n" + script + "\nprints `2`, should be `1.5`\n",
	}
	last := 1.1
	for i, s := range steps {
		d := routed(s)
		if d.Vagueness > last || d.Vagueness < 0 || d.Vagueness > 1 {
			t.Errorf("step %d: vagueness %v after %v (%+v)", i, d.Vagueness, last, d.Facts)
		}
		last = d.Vagueness
	}
	if last != 0 {
		t.Errorf("a report that says everything is %v vague", last)
	}
	if d := routed(steps[0]); d.Vagueness < 0.6 {
		t.Errorf("a report that says nothing is only %v vague", d.Vagueness)
	}
}

// TestFactsAndQuestions: what is asked for are facts, in their order, at most two.
func TestFactsAndQuestions(t *testing.T) {
	check := func(name string, d *Decision) {
		sum, at := 0.0, 0
		for i, f := range d.Facts {
			sum += f.Weight
			if f.Name == "" || f.Ask == "" || f.Weight < 0 || i > 0 && f.Weight > d.Facts[i-1].Weight {
				t.Errorf("%s: facts %+v", name, d.Facts)
			}
		}
		if d.Vagueness > sum+1e-9 {
			t.Errorf("%s: %v vague, the facts sum to %v", name, d.Vagueness, sum)
		}
		if len(d.Missing) > maxMissing {
			t.Errorf("%s: asks for %d facts", name, len(d.Missing))
		}
		for _, ask := range d.Missing {
			for at < len(d.Facts) && d.Facts[at].Ask != ask {
				at++
			}
			if at == len(d.Facts) {
				t.Errorf("%s: %q is no fact, or out of order: %+v", name, ask, d.Facts)
			}
			if d.Reply != "" && d.Route != NeedsHardware && !strings.Contains(d.Reply, ask) {
				t.Errorf("%s: the reply does not ask for %q", name, ask)
			}
		}
	}
	for _, w := range wants {
		check(w.file, Decide(readReport(t, w.file), Options{}))
	}
	for _, half := range []string{"dev", "held"} {
		for _, l := range corpusHalf(t, half) {
			d, _ := decideLabelled(l)
			check(l.name, d)
		}
	}
}

// TestFactsHelp: reports that have a fact are attempted at least as often as
// those that lack it. It is what the weights of the larger facts claim.
func TestFactsHelp(t *testing.T) {
	for _, fact := range []string{factScript, factData} {
		var with, without measured
		for _, half := range []string{"dev", "held"} {
			for _, l := range corpusHalf(t, half) {
				d, _ := decideLabelled(l)
				m := &with
				for _, f := range d.Facts {
					if f.Name == fact {
						m = &without
					}
				}
				m.of++
				if l.route == Attempt {
					m.right++
				}
			}
		}
		if with.of == 0 || without.of == 0 || with.right*without.of <= without.right*with.of {
			t.Errorf("%s: %d of %d attempted with it, %d of %d without", fact, with.right, with.of, without.right, without.of)
		}
	}
}

// TestRoughReports: contradictions, an impossible date, another language and
// no help at all end with a route and words, never with a surprise.
func TestRoughReports(t *testing.T) {
	for _, c := range []struct {
		name, text string
		route      Route
	}{
		{"contradictory versions", "# sum is wrong\n\nnumpy 1.20\n\n```python\nimport numpy as np\nprint(np.sum([1]))  # prints 0, should be 1\n```\n\nnumpy 1.26.0, numpy 2.1, Python 3.8, Python 3.12\n", Attempt},
		{"works and fails in the same version", "# sum is wrong\n\nWith 1.20 it works. With 1.20 it fails. numpy 1.20\n\n```python\nimport numpy as np\nprint(np.sum([1]))  # prints 0, should be 1\n```\n", Attempt},
		{"before the package", "---\ndate: 1999-01-01\n---\n# grad is wrong\n\n```python\nimport jax\nprint(jax.grad(lambda x: x)(1.0))  # prints 0, should be 1\n```\n\njax 0.4.1\n", Attempt},
		{"Chinese with a script", "# 求和错误\n\n运行后输出 `0`，应该是 `1`。\n\n```python\nimport numpy as np\nprint(np.sum([1]))\n```\n", Attempt},
		{"Chinese, vague", "# 求助\n\n不行\n", NeedsInfo},
		{"Chinese, described", "# numpy 结果错误\n\n使用 numpy 1.26 的 np.sum 对空数组求和时结果错误，应该返回零。", NeedsModel},
		{"unhelpful", "# plz fix\n\nasap!!!\n", NeedsInfo},
		{"only a title", "# keras fails\n", NeedsModel},
		{"empty", "", NeedsInfo},
		{"a log of another program", "# help\n\n```\nnpm ERR! code ELIFECYCLE\nnpm ERR! errno 1\n```\n", NeedsInfo},
	} {
		d := Decide(report.Parse([]byte(c.text), report.Source{}), Options{})
		if d.Route != c.route {
			t.Errorf("%s: route %s, want %s (%s)", c.name, d.Route, c.route, reasonsOf(d))
		}
		if len(d.Reasons) == 0 || d.Summary == "" {
			t.Errorf("%s: no words: %+v", c.name, d)
		}
	}
}
