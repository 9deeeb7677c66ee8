package codebase

import (
	"testing"

	"github.com/repgen/repgen/internal/codebase/query"
)

// TestFrameElsewhere: a frame in a file that the package does not have is said.
func TestFrameElsewhere(t *testing.T) {
	x := open(t, pond, Options{Static: &bag{name: "s"}})
	const said = "is not here"
	for file, want := range map[string]bool{
		"pond/core/swim.py": true,  // this package, another version
		"pond/core/fit.py":  false, // here
		"pond/_fast.pyx":    false, // compiled: no file of it is searched
		"lake/core/swim.py": false, // another package
		"train.py":          false, // the reporter's own
	} {
		q := query.Query{Title: "It loses the last batch", Frames: []query.Frame{{File: file, Function: "fit", Line: 3}}}
		r, err := x.Search(t.Context(), q, SearchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if hasNotice(r.Notices, said) != want {
			t.Errorf("%s: notices %q", file, r.Notices)
		}
	}
}
