package codebase

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/codebase/query"
)

func TestFramesAreFound(t *testing.T) {
	files := map[string]string{
		"src/pond/twice.py":          "def step(x):\n    return x\n\n\nclass A:\n    def step(self):\n        return 1\n\n    def other(self):\n        return 2\n\n\nclass B:\n    def step(self):\n        return 3\n",
		"src/pond/utils.py":          "def same():\n    return 1\n",
		"src/lake/utils.py":          "def same():\n    return 2\n",
		"src/pond/wrap.py":           "def lift(fn):\n    def inner(x):\n        return fn(x) + 1\n    return inner\n\n\ndef lower(fn):\n    def inner(x):\n        return fn(x) - 1\n    return inner\n\n\ndef far(x):\n    return x\n",
		"src/pond/nn/deep/linear.py": "import os\n\nX = os.sep\n\n\ndef forward(x):\n    return x\n",
	}
	files["src/pond/long.py"] = "def long(fn):\n    def inner(x):\n" + strings.Repeat("        x = fn(x) + fn(x) - fn(x) * fn(x)\n", 400) +
		"        return fn(fn(x)) * 2\n    return inner\n\n\n" + strings.Repeat("# far away\n", 300) + "def near(fn):\n    def inner(x):\n        return 1\n    return inner\n"
	for p, text := range pond {
		files[p] = text
	}
	x := open(t, files, Options{})
	for _, c := range []struct {
		name  string
		frame query.Frame
		want  string // path:name, "" for nothing
	}{
		{"path and function", query.Frame{File: "pond/core/fit.py", Function: "fit"}, "src/pond/core/fit.py:Fitter.fit"},
		{"qualified", query.Frame{File: "pond/core/fit.py", Function: "Fitter.fit"}, "src/pond/core/fit.py:Fitter.fit"},
		{"whole path of another machine", query.Frame{File: "work/checkout/src/pond/core/fit.py", Function: "evaluate"}, "src/pond/core/fit.py:Fitter.evaluate"},
		{"the line is of another version", query.Frame{File: "pond/core/fit.py", Function: "helper", Line: 4000}, "src/pond/core/fit.py:helper"},
		{"the line breaks a tie", query.Frame{File: "pond/twice.py", Function: "step", Line: 15}, "src/pond/twice.py:B.step"},
		{"the line breaks a tie, nearby", query.Frame{File: "pond/twice.py", Function: "step", Line: 5}, "src/pond/twice.py:A.step"},
		{"the class says which", query.Frame{File: "pond/twice.py", Function: "A.step", Line: 15}, "src/pond/twice.py:A.step"},
		{"two folders have one name", query.Frame{File: "lake/utils.py", Function: "same"}, "src/lake/utils.py:same"},
		{"module level", query.Frame{File: "pond/nn/deep/linear.py", Function: "<module>", Line: 3}, "src/pond/nn/deep/linear.py:"},
		{"the shown line breaks a tie", query.Frame{File: "pond/twice.py", Function: "step", Line: 5, Source: "return 3 "}, "src/pond/twice.py:A.step"},
		{"the shown line breaks a tie, against its number", query.Frame{File: "pond/twice.py", Function: "step", Line: 5, Source: "return 3"}, "src/pond/twice.py:B.step"},
		{"line only", query.Frame{File: "pond/core/fit.py", Line: 14}, "src/pond/core/fit.py:Fitter.fit"},
		{"bare name, unique", query.Frame{File: "linear.py", Function: "forward"}, "src/pond/nn/deep/linear.py:forward"},
		{"bare name, twice", query.Frame{File: "utils.py", Function: "same"}, ""},
		{"another package", query.Frame{File: "torch/nn/linear.py", Function: "forward"}, ""},
		{"another package's utils", query.Frame{File: "sea/utils.py", Function: "same"}, ""},
		{"a function in a function", query.Frame{File: "pond/wrap.py", Function: "inner", Line: 3}, "src/pond/wrap.py:lift"},
		{"a function in a function, of another version", query.Frame{File: "pond/wrap.py", Function: "inner", Line: 14, Source: "return fn(x) + 1"}, "src/pond/wrap.py:lift"},
		{"a function in a function, qualified", query.Frame{File: "pond/wrap.py", Function: "lower.<locals>.inner"}, "src/pond/wrap.py:lower"},
		{"a function in a function, in another part than its line", query.Frame{File: "pond/long.py", Function: "inner", Line: 700, Source: "return fn(fn(x)) * 2"}, "src/pond/long.py:long"},
		{"no such function", query.Frame{File: "pond/data.py", Function: "gone"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			for doc, f := range x.inFrames(t.Context(), query.Query{Frames: []query.Frame{c.frame}}) {
				ch := x.store.Chunk(doc)
				got = ch.Path + ":" + ch.Name
				if f.strength <= 0 || f.strength > 1 || f.why == "" {
					t.Errorf("frame hit %+v", f)
				}
			}
			if got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

const traced = `Training crashes

Traceback (most recent call last):
  File "train.py", line 3, in <module>
    helper(f)
  File "/x/site-packages/pond/core/fit.py", line 29, in helper
    return fitter.fit([1, 2, 3])
  File "/x/site-packages/pond/core/fit.py", line 20, in fit
    loss = squared(self.model(batch), batch)
  File "/x/site-packages/pond/core/loss.py", line 3, in squared
    return clamp((a - b) ** 2)
TypeError: unsupported operand
`

func TestFramesLead(t *testing.T) {
	x := open(t, pond, Options{Static: &bag{name: "s"}})
	q := query.FromText(traced)
	r := find(t, x, q, SearchOptions{})
	strength := map[string]float64{}
	for _, h := range r.Hits[:3] {
		term, ok := h.term("frame")
		if !ok || !strings.Contains(term.Why, "frame") {
			t.Errorf("%s has no frame term: %+v", h.Chunk.Name, h.Terms)
		}
		strength[h.Chunk.Name] = term.Norm
		if (h.Chunk.Name == "squared") != strings.Contains(term.Why, "raised here") {
			t.Errorf("%s: %s", h.Chunk.Name, term.Why)
		}
	}
	if want := map[string]float64{"squared": 1, "Fitter.fit": frameDecay, "helper": frameDecay * frameDecay}; !maps.Equal(strength, want) {
		t.Errorf("frames %v, want %v", strength, want)
	}
	r = find(t, x, q, SearchOptions{NoFrames: true})
	for _, h := range r.Hits {
		if _, ok := h.term("frame"); ok {
			t.Errorf("%s has a frame term though frames are off", h.Chunk.Name)
		}
	}
}

func TestNamesAreFound(t *testing.T) {
	x := open(t, pond, Options{})
	for _, c := range []struct {
		text, want string
		least      float64
	}{
		{"`Fitter.evaluate` is slow", "Fitter.evaluate", 0.9},
		{"`pond.data.Loader` is slow", "Loader", 0.9},
		{"`evaluate` is slow", "Fitter.evaluate", 0.9}, // the only one of that name
		{"`Fitter.restore` is slow", "Fitter", 0.6},    // inherited, it seems
		{"`numpy.colour` is slow", "", 0},              // of another package
	} {
		best, strength := "", 0.0
		for doc, m := range x.named(query.FromText(c.text)) {
			if m.strength > strength {
				best, strength = x.store.Chunk(doc).Name, m.strength
			}
		}
		if best != c.want || strength < c.least {
			t.Errorf("%s: found %q with %.2f, want %q", c.text, best, strength, c.want)
		}
	}
}

func TestNamedFiles(t *testing.T) {
	x := open(t, pond, Options{Static: &bag{name: "s"}})
	q := query.FromText("Wrong result of the loader for the last batch\n\nI think it is in pond/plot.py, look there.")
	r := find(t, x, q, SearchOptions{})
	for _, h := range r.Hits {
		if term, ok := h.term("file"); ok != (h.Chunk.Path == "src/pond/plot.py") || ok && !strings.Contains(term.Why, "pond/plot.py") {
			t.Errorf("%s %s: %+v", h.Chunk.Path, h.Chunk.Name, h.Terms)
		}
	}
	if !slices.Contains(paths(r.Files), "src/pond/plot.py") {
		t.Errorf("files %v", paths(r.Files))
	}
	// Also where nothing else finds it.
	r = find(t, open(t, pond, Options{}), query.Query{Title: "zzz", Modules: []string{"pond/plot.py"}}, SearchOptions{})
	if len(r.Files) != 1 || r.Files[0].Path != "src/pond/plot.py" {
		t.Errorf("files %v", paths(r.Files))
	}
	r = find(t, x, q, SearchOptions{NoNames: true})
	for _, h := range r.Hits {
		if _, ok := h.term("file"); ok {
			t.Errorf("%s has a file term though names are off", h.Chunk.Name)
		}
	}
}

func TestOwner(t *testing.T) {
	x := open(t, pond, Options{})
	for name, want := range map[string]owner{
		"pond.data": ours, "numpy.ones": foreign, "os.path": foreign, "model.fit": unknown, "pond": unknown, "src.x": unknown,
	} {
		if got := x.owner(name); got != want {
			t.Errorf("owner(%s) = %d, want %d", name, got, want)
		}
	}
}

func TestWordsThatComeAgain(t *testing.T) {
	w := 0.0
	for range 1000 {
		next := again(w, 1)
		if next < w || next > maxWord {
			t.Fatalf("again(%v) = %v", w, next)
		}
		w = next
	}
	x := open(t, pond, Options{})
	for _, word := range x.weigh(query.FromText(strings.Repeat("loss ", 50))) {
		if word.Weight > maxWord {
			t.Errorf("%+v", word)
		}
	}
}
