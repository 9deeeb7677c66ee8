package codebase

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/codebase/query"
)

func gather(t testing.TB, x *Index, q query.Query, o ContextOptions) *CodeContext {
	t.Helper()
	c, err := x.Context(t.Context(), q, o)
	if err != nil {
		t.Fatal(err)
	}
	checkContext(t, c)
	return c
}

// pieces are all texts of a context.
func pieces(c *CodeContext) []string {
	var out []string
	for _, m := range c.Modules {
		if m.Loop != nil {
			out = append(out, m.Loop.Text)
		}
		for _, ch := range m.Chunks {
			out = append(out, ch.Text)
		}
		for _, d := range m.Dependencies {
			out = append(out, d.Text)
		}
	}
	return out
}

// checkContext wants what holds for every context.
func checkContext(t testing.TB, c *CodeContext) {
	t.Helper()
	tokens := 0
	seen := map[string]bool{}
	for _, text := range pieces(c) {
		tokens += tokensOf(text)
		for line := range strings.SplitSeq(text, "\n") {
			line = strings.TrimSpace(line)
			if seen[line] && len(line) > 24 {
				t.Errorf("twice in the context: %s", line)
			}
			seen[line] = true
		}
	}
	if tokens != c.Tokens || c.Tokens > c.Budget {
		t.Errorf("tokens %d, counted %d, budget %d", c.Tokens, tokens, c.Budget)
	}
	var paths []string
	for _, m := range c.Modules {
		if len(m.Chunks) > DefaultChunks {
			t.Errorf("%s has %d chunks", m.Path, len(m.Chunks))
		}
		paths = append(paths, m.Path)
	}
	if len(c.Modules) > DefaultModules {
		t.Errorf("modules %v", paths)
	}
}

func TestContext(t *testing.T) {
	x := open(t, pond, Options{Project: "pond 1.0", Static: &bag{name: "s"}})
	c := gather(t, x, query.FromText("Fitter.fit loses the last batch of an epoch over the loader"), ContextOptions{})
	if len(c.Modules) == 0 || c.Modules[0].Path != "src/pond/core/fit.py" || c.Project != "pond 1.0" || c.Budget != DefaultBudget {
		t.Fatalf("context %+v", c)
	}
	m := c.Modules[0]
	if m.Loop == nil || m.Loop.Name != "Fitter.fit" || !strings.Contains(m.Loop.Text, "loss.backward()") {
		t.Errorf("loop %+v", m.Loop)
	}
	var needs []string
	for _, m := range c.Modules {
		for _, d := range m.Dependencies {
			needs = append(needs, d.Path+":"+d.Name)
		}
		for _, ch := range m.Chunks {
			needs = append(needs, m.Path+":"+ch.Chunk.Name)
		}
	}
	for _, want := range []string{"src/pond/core/loss.py:squared", "src/pond/data.py:Loader"} {
		if !slices.Contains(needs, want) {
			t.Errorf("the context lacks %s: %v", want, needs)
		}
	}
}

func TestContextParts(t *testing.T) {
	x := open(t, pond, Options{Static: &bag{name: "s"}})
	q := query.FromText("Fitter.fit loses the last batch of an epoch over the loader")
	for _, c := range []struct {
		part  Part
		check func(*CodeContext) bool
	}{
		{PartLoops, func(c *CodeContext) bool { return c.Modules[0].Loop == nil }},
		{PartLoopRanking, func(c *CodeContext) bool { return c.Modules[0].Loop != nil }},
		{PartDependencies, func(c *CodeContext) bool {
			return !slices.ContainsFunc(c.Modules, func(m Module) bool { return len(m.Dependencies) > 0 })
		}},
		{PartModules, func(c *CodeContext) bool {
			return !slices.ContainsFunc(c.Modules, func(m Module) bool { return len(m.Chunks) > 1 })
		}},
		{PartANN, func(c *CodeContext) bool { return c.Mode == ModeLexical }},
		{PartBM25, func(c *CodeContext) bool { return c.Mode == ModeStatic }},
		{PartReranker, func(c *CodeContext) bool { return !strings.Contains(c.Mode, "rerank") }},
	} {
		got := gather(t, x, q, ContextOptions{SearchOptions: SearchOptions{Without: []Part{c.part}}})
		if !c.check(got) {
			t.Errorf("without %s: %+v", c.part, got)
		}
		if !hasNotice(got.Notices, "switched off") {
			t.Errorf("without %s: notices %v", c.part, got.Notices)
		}
	}
}

func TestFramedModulesComeFirst(t *testing.T) {
	x := open(t, pond, Options{})
	q := query.FromText("draw a curve of the colour red on the canvas, colour names\n\n" + traced)
	c := gather(t, x, q, ContextOptions{})
	if c.Modules[0].Path != "src/pond/core/loss.py" || c.Modules[1].Path != "src/pond/core/fit.py" {
		t.Errorf("modules %s, %s", c.Modules[0].Path, c.Modules[1].Path)
	}
}

func TestBudget(t *testing.T) {
	x := open(t, pond, Options{Static: &bag{name: "s"}})
	q := query.FromText("Fitter.fit loses the last batch of an epoch over the loader")
	rapid.Check(t, func(rt *rapid.T) {
		o := ContextOptions{Budget: rapid.IntRange(1, 1500).Draw(rt, "budget"), Modules: rapid.IntRange(1, 5).Draw(rt, "modules"), Chunks: rapid.IntRange(1, 5).Draw(rt, "chunks")}
		a := gather(t, x, q, o)
		if b := gather(t, x, q, o); !reflect.DeepEqual(a, b) {
			rt.Fatal("two contexts differ")
		}
		if len(a.Modules) > o.Modules {
			rt.Fatalf("%d modules", len(a.Modules))
		}
	})
}

func TestLoopIsRanked(t *testing.T) {
	loop := func(name, word string) string {
		return fmt.Sprintf("def %s(model, data, optimizer):\n    for batch in data:\n        optimizer.zero_grad()\n        loss = model(batch).%s()\n        loss.backward()\n        optimizer.step()\n\n\n", name, word)
	}
	files := map[string]string{"train.py": loop("first", "alpha") + loop("second", "omega")}
	q := query.FromText("the optimizer of omega steps twice")
	for _, c := range []struct {
		name string
		o    Options
		s    SearchOptions
		want string
	}{
		{"by the reranker", Options{Reranker: &liking{word: "omega"}}, SearchOptions{}, "second"},
		{"by vectors", Options{Static: &bag{name: "s"}}, SearchOptions{}, "second"},
		{"not ranked", Options{Reranker: &liking{word: "omega"}}, SearchOptions{Without: []Part{PartLoopRanking}}, "first"},
		{"the reranker fails", Options{Reranker: &liking{fail: errBroken}}, SearchOptions{}, "first"},
	} {
		got := gather(t, open(t, files, c.o), q, ContextOptions{SearchOptions: c.s})
		if l := got.Modules[0].Loop; l == nil || l.Name != c.want {
			t.Errorf("%s: loop %+v, want %s", c.name, l, c.want)
		}
	}
}

func TestTake(t *testing.T) {
	src := []byte("class A:\n    def f(self):\n        return 'the first method'\n\n    def g(self):\n        return 'the second method'\n\n    def h(self):\n        return 'the third method'\n")
	at := func(part string) int { return strings.Index(string(src), part) }
	g := &gathering{left: 1000, given: given{}}
	method, cut, ok := g.take("a.py", at("    def g"), at("    def h"), src, 1000)
	if !ok || cut || !strings.Contains(method, "second") {
		t.Fatalf("method %q, %v, %v", method, cut, ok)
	}
	class, cut, ok := g.take("a.py", 0, len(src), src, 1000)
	if !ok || cut || strings.Contains(class, "second") || !strings.Contains(class, "    "+elsewhere+"\n    def h") {
		t.Errorf("class around it:\n%s", class)
	}
	if text, _, ok := g.take("a.py", at("    def f"), at("    def g"), src, 1000); ok {
		t.Errorf("given twice: %q", text)
	}
	if text, _, ok := g.take("b.py", 0, len(src), src, 8); ok {
		t.Errorf("no room, and yet %q", text)
	}
	text, cut, ok := g.take("b.py", 0, len(src), src, 24)
	if !ok || !cut || !strings.HasPrefix(string(src), text) || tokensOf(text) > 24 {
		t.Errorf("cut %q, %v, %v", text, cut, ok)
	}
	if _, _, ok := g.take("c.py", 5, len(src)+1, src, 1000); ok {
		t.Error("a span outside of the file is taken")
	}
}

// Whatever is taken in whatever order, no line of a file is given twice and
// every text is within its room.
func TestTakeAny(t *testing.T) {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "line number %d of the file\n", i)
	}
	src := []byte(b.String())
	rapid.Check(t, func(rt *rapid.T) {
		g := &gathering{left: rapid.IntRange(0, 800).Draw(rt, "budget"), given: given{}}
		seen := map[string]bool{}
		for range rapid.IntRange(1, 10).Draw(rt, "takes") {
			lines := rapid.IntRange(0, 59).Draw(rt, "from")
			n := rapid.IntRange(1, 60-lines).Draw(rt, "lines")
			start := strings.Index(b.String(), fmt.Sprintf("line number %d ", lines))
			end := len(src)
			if lines+n < 60 {
				end = strings.Index(b.String(), fmt.Sprintf("line number %d ", lines+n))
			}
			left, room := g.left, rapid.IntRange(0, 400).Draw(rt, "room")
			text, _, ok := g.take("a.py", start, end, src, room)
			if spent := left - g.left; spent > room || ok != (spent > 0) {
				rt.Fatalf("spent %d of %d, %v", spent, room, ok)
			}
			for line := range strings.SplitSeq(text, "\n") {
				if line != "" && line != elsewhere && seen[line] {
					rt.Fatalf("twice: %s", line)
				}
				seen[line] = true
			}
		}
		if g.left < 0 {
			rt.Fatal("the budget is overdrawn")
		}
	})
}

// A module far behind the best is left out, one of the traceback is not.
func TestRemoteModulesAreLeftOut(t *testing.T) {
	for framed, want := range map[float64][]string{0: {"a.py", "b.py"}, 0.1: {"d.py", "a.py", "b.py", "c.py"}} {
		hits := []Hit{}
		for i, path := range []string{"a.py", "b.py", "c.py", "d.py"} {
			h := Hit{doc: i, Score: []float64{1, 0.5, 0.15, 0.1}[i]}
			h.Chunk.Path = path
			if path == "d.py" && framed > 0 {
				h.Terms = []Term{term(termFrame, 1, framed, "")}
			}
			hits = append(hits, h)
		}
		g := &gathering{s: &search{}, o: ContextOptions{Modules: 5}}
		var got []string
		for _, p := range g.partition(hits) {
			got = append(got, p.path)
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}
