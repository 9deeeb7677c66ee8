package codebase

import (
	"slices"
	"testing"

	"github.com/repgen/repgen/internal/codebase/query"
)

// TestTwins: the second definition of a name counts a little less, unless the
// report points at it or it is the one that a project has many of.
func TestTwins(t *testing.T) {
	const body = "(data, rate):\n    \"\"\"Lower the rate of the optimizer when the loss stays.\"\"\"\n    return data * rate\n\n\n"
	files := map[string]string{
		"pond/__init__.py":   "",
		"pond/one.py":        "def lower" + body + "class A:\n    def __call__(self, rate):\n        return rate\n",
		"pond/two.py":        "def lower" + body + "def other" + body + "class A:\n    def __call__(self, rate):\n        return rate\n",
		"pond/deep/three.py": "def lower" + body,
	}
	q := query.Query{Title: "lower does not lower the rate of the optimizer when the loss stays"}
	for _, c := range []struct {
		name   string
		frames []query.Frame
		twins  []string // paths of lower with the term
	}{
		{"prose", nil, []string{"pond/deep/three.py", "pond/two.py"}},
		{"a frame", []query.Frame{{File: "pond/two.py", Function: "lower", Line: 1}}, []string{"pond/deep/three.py", "pond/one.py"}},
	} {
		x := open(t, files, Options{})
		q.Frames = c.frames
		r, err := x.Search(t.Context(), q, SearchOptions{Top: 50})
		if err != nil {
			t.Fatal(err)
		}
		checkResult(t, r)
		var twins []string
		for _, h := range r.Hits {
			got, has := h.term(termTwin)
			if !has {
				continue
			}
			switch {
			case h.Chunk.Name == "lower" && got.Value < 0:
				twins = append(twins, h.Chunk.Path)
			case h.Chunk.Name != "A": // the class is one, its special method is not
				t.Errorf("%s: %s in %s is a twin", c.name, h.Chunk.Name, h.Chunk.Path)
			}
		}
		slices.Sort(twins)
		if !slices.Equal(twins, c.twins) {
			t.Errorf("%s: twins in %v, want %v", c.name, twins, c.twins)
		}
	}
}
