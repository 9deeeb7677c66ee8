package loops

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/system/worktime"
)

func TestPositives(t *testing.T) {
	for _, p := range positives {
		t.Run(p.name, func(t *testing.T) {
			got := Find("a.py", []byte(p.src))
			if len(p.rules) == 0 {
				if len(got) != 0 {
					t.Errorf("found %+v", got)
				}
				return
			}
			if len(got) == 0 {
				t.Fatal("found nothing")
			}
			l := got[0]
			if !slices.Equal(l.Rules, p.rules) || [2]int{l.StartLine, l.EndLine} != p.lines {
				t.Errorf("rules %v lines %d-%d, want %v %v\n%s", l.Rules, l.StartLine, l.EndLine, p.rules, p.lines, strings.Join(l.Why, "\n"))
			}
			check(t, p.src, got)
		})
	}
}

// check holds what is true of every answer.
func check(t interface {
	Errorf(format string, args ...any)
}, src string, got []Loop) {
	for i, l := range got {
		text := src[l.Start:l.End]
		if strings.Count(src[:l.Start], "\n")+1 != l.StartLine || l.StartLine+strings.Count(text, "\n") != l.EndLine {
			t.Errorf("lines %d-%d do not fit bytes %d-%d", l.StartLine, l.EndLine, l.Start, l.End)
		}
		if text == "" || strings.TrimLeft(text, " \t\n") != text {
			t.Errorf("text %q", text)
		}
		if l.Score <= 0 || l.Score > 1 || len(l.Why) == 0 || len(l.Rules) == 0 || !slices.IsSorted(l.Rules) {
			t.Errorf("loop %+v", l)
		}
		if i > 0 && better(got[i-1], l) > 0 {
			t.Errorf("loop %d is better than the one before", i)
		}
	}
}

func TestNegatives(t *testing.T) {
	if len(negatives) < len(positives) {
		t.Errorf("%d negatives for %d positives", len(negatives), len(positives))
	}
	for _, n := range negatives {
		t.Run(n.name, func(t *testing.T) {
			for _, l := range Find("a.py", []byte(n.src)) {
				t.Errorf("rules %v: %s", l.Rules, fmt.Sprint(l.Why))
			}
		})
	}
}

func TestPublished(t *testing.T) {
	src := []byte("import jax, optax\nfor i in x:\n    g = jax.grad(f)(p)\n    p = optax.apply_updates(p, g)\n")
	if got := Find("a.py", src); len(got) != 1 || got[0].Rules[0] != ruleJAX {
		t.Errorf("all rules: %+v", got)
	}
	if got := FindWith("a.py", src, Published()); len(got) != 0 {
		t.Errorf("the published ones: %+v", got)
	}
	// A rule that is left out leaves nothing of itself behind.
	src = []byte("import torch\nfor x in loader:\n    x = x.cuda()\n    loss.backward()\n    n += loss.item()\n")
	all, some := Find("a.py", src), FindWith("a.py", src, Options{Rules: []int{6}})
	if len(some) != 1 || !slices.Equal(some[0].Rules, []int{6}) || some[0].Score >= all[0].Score || strings.Contains(fmt.Sprint(some[0].Why), "rule 5") {
		t.Errorf("rule 6 alone: %+v", some)
	}
}

func TestRanking(t *testing.T) {
	full := "import torch\nopt = torch.optim.SGD(p)\nfor x in loader:\n    opt.zero_grad()\n    loss = criterion(model(x))\n    loss.backward()\n    opt.step()\n"
	ordered := []struct{ path, src string }{
		{"full.py", full},
		{"no_forward.py", "import torch\nopt = torch.optim.SGD(p)\nfor x in loader:\n    loss.backward()\n    opt.step()\n"},
		{"by_name.py", "import torch\nfor x in xs:\n    optimizer.step()\n"},
		{"tests/test_full.py", strings.ReplaceAll(full, "criterion(model(x))", "f(x)")},
		{"evaluate.py", "import torch\nmodel.eval()\nfor x in loader:\n    with torch.no_grad():\n        n += loss.item()\n"},
	}
	var all []Loop
	for _, o := range ordered {
		all = append(all, Find(o.path, []byte(o.src))...)
	}
	slices.Reverse(all)
	best := Best(all)
	if len(best) != len(ordered) {
		t.Fatalf("%d loops", len(best))
	}
	for i, l := range best {
		if l.Path != ordered[i].path {
			t.Errorf("place %d is %s (%.3f), want %s", i, l.Path, l.Score, ordered[i].path)
		}
	}
}

func TestBestOneAModule(t *testing.T) {
	src := "import torch\nfor x in xs:\n    loss.item()\nfor x in loader:\n    model(x).backward()\n    optimizer.step()\n"
	all := Find("a.py", []byte(src))
	if len(all) != 2 || all[0].StartLine != 4 {
		t.Fatalf("%+v", all)
	}
	if best := Best(append(all, Find("b.py", []byte(src))...)); len(best) != 2 || best[0].Path != "a.py" || best[1].Path != "b.py" || best[0].StartLine != 4 {
		t.Errorf("%+v", best)
	}
	if len(Best(nil)) != 0 {
		t.Error("a loop of nothing")
	}
}

func TestNames(t *testing.T) {
	src := "import torch\nclass T:\n    def fit(self):\n        for x in loader:\n            loss.backward()\n"
	if got := Find("a.py", []byte(src)); len(got) != 1 || got[0].Name != "T.fit" {
		t.Errorf("%+v", got)
	}
}

// TestMaybe: what Maybe refuses, Find would not find either.
func TestMaybe(t *testing.T) {
	for _, p := range positives {
		if len(p.rules) > 0 && !Maybe([]byte(p.src)) {
			t.Errorf("%s is refused", p.name)
		}
	}
	if Maybe([]byte("import os\nprint(os.getcwd())\n")) {
		t.Error("too much is let through")
	}
}

// TestHostile: a lot of anything is searched within a time that only a square
// would exceed by far.
func TestHostile(t *testing.T) {
	const size = 1 << 17
	head := "import torch, keras, jax, optax\n"
	for name, part := range map[string]string{
		"loops": "for x in loader:\n  x.cuda()\n  loss.backward()\n  opt.step()\n", "one loop": "  loss.backward(); opt.step(); s.step(); x.to(d)\n",
		"fits": "model.compile(loss=1)\nmodel.fit(x)\n", "tapes": "with GradientTape() as t: t.watch(x)\n", "sessions": "  sess.run(x)\n",
		"origins": "opt = f(); opt.step()\n", "grads": "  jax.grad(f); optax.apply_updates(x)\n", "classes": "class A(A):\n  def training_step(self, batch): pass\n",
		"steps":    "def f():\n  loss.backward()\n  opt.step()\n  f()\nwhile 1: f()\n",
		"one line": "x.to(y), loss.item(), ", "calls": "opt.step(", "chain": ".step()",
	} {
		t.Run(name, func(t *testing.T) {
			src := head + "for epoch in loader:\n  pass\n" + strings.Repeat(part, size/len(part))
			if d := worktime.Of(func() { check(t, src, Find("a.py", []byte(src))) }); d > 10*time.Second {
				t.Errorf("took %v", d)
			} else {
				t.Log(d)
			}
		})
	}
	var deep strings.Builder
	deep.WriteString(head)
	for i := 0; deep.Len() < size; i++ {
		deep.WriteString(strings.Repeat(" ", i) + "for epoch in loader:\n" + strings.Repeat(" ", i+1) + "loss.backward()\n")
	}
	check(t, deep.String(), Find("a.py", []byte(deep.String())))
	if got := Find("a.py", make([]byte, 2<<20)); got != nil {
		t.Error("too large a file is searched")
	}
}

func FuzzFind(f *testing.F) {
	for _, p := range positives {
		f.Add(p.src)
	}
	for _, n := range negatives {
		f.Add(n.src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		got := Find("a.py", []byte(src))
		check(t, src, got)
		if len(Best(got)) > 1 {
			t.Error("two loops of one module")
		}
	})
}

// TestProperties: pieces of loops in any order give loops that fit their text.
func TestProperties(t *testing.T) {
	line := rapid.SampledFrom([]string{
		"import torch", "import keras, jax, optax", "for epoch in r:", "for x in loader:", "while 1:", "def f(self, opt):", "class A(keras.Model):",
		"loss.backward()", "opt.step()", "x = x.cuda()", "model.fit(x, epochs=2)", "with tf.GradientTape() as t:", "t.gradient(x)",
		"opt.apply_gradients(g)", "sess = tf.Session()", "sess.run(x)", "jax.grad(f)", "optax.apply_updates(p)", "else:", "try:", "x = [", "'''", ")",
	})
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(0, 30).Draw(t, "lines") {
			b.WriteString(strings.Repeat("  ", rapid.IntRange(0, 4).Draw(t, "indent")) + line.Draw(t, "line") + "\n")
		}
		all := Find("a.py", []byte(b.String()))
		check(t, b.String(), all)
		for _, l := range FindWith("a.py", []byte(b.String()), Published()) {
			if slices.Contains(l.Rules, ruleJAX) {
				t.Errorf("rule 9 among the published: %+v", l)
			}
		}
	})
}
