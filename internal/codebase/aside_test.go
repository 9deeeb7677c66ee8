package codebase

import (
	"maps"
	"slices"
	"testing"

	"github.com/repgen/repgen/internal/codebase/query"
)

// TestAside: what only uses a library counts less, unless the report is
// about that.
func TestAside(t *testing.T) {
	const use = "from pond import Fitter\n\n\ndef lose_last_batch(fitter, epoch, loader):\n    \"\"\"Fitter loses the last batch of an epoch.\"\"\"\n    return fitter.fit(loader)\n"
	files := maps.Clone(pond)
	files["examples/swim.py"] = use
	delete(files, "tests/test_fit.py")
	loose := map[string]string{"examples/swim.py": use, "run.py": "def fit(batch):\n    return batch\n"}
	for _, c := range []struct {
		name  string
		files map[string]string
		q     query.Query
		aside bool
	}{
		{"a library", files, query.Query{Title: "Fitter.fit loses the last batch"}, true},
		{"a report about an example", files, query.Query{Title: "The swim example loses the last batch"}, false},
		{"a path in the text", files, query.Query{Title: "It loses the last batch", Observed: "Run what is in examples/ as it is."}, false},
		{"a file that is named", files, query.Query{Title: "It loses the last batch", Modules: []string{"swim.py"}}, false},
		{"a frame in it", files, query.Query{Title: "It loses the last batch", Frames: []query.Frame{{File: "examples/swim.py", Function: "lose_last_batch", Line: 5}}}, false},
		{"a collection of examples", loose, query.Query{Title: "fit loses the last batch"}, false},
	} {
		x := open(t, c.files, Options{})
		r, err := x.Search(t.Context(), c.q, SearchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(r.Hits, func(h Hit) bool { return h.Chunk.Name == "lose_last_batch" })
		if at < 0 {
			t.Fatalf("%s: not found: %v", c.name, names(r.Hits))
		}
		got, has := r.Hits[at].term(termAside)
		if has != c.aside || has && got.Value >= 0 {
			t.Errorf("%s: place %d, %+v", c.name, at, r.Hits[at])
		}
	}
}
