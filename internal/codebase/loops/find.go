package loops

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/repgen/repgen/internal/codebase/source"
)

// Find gives the training loops of one module, best first. Bytes and lines are
// those of src; loops that hold others replace them. It never fails: what is no
// Python gives none.
func Find(path string, src []byte) []Loop { return FindWith(path, src, Options{}) }

// Options says which rules count.
type Options struct {
	// Rules are the ones to use; empty means all, 1 to 9. Rule 9 (JAX, optax and
	// flax) is ours; the published ones are 1 to 8.
	Rules []int
}

// Published are the options for the eight published rules alone.
func Published() Options { return Options{Rules: []int{1, 2, 3, 4, 5, 6, 7, 8}} }

// FindWith is Find with chosen rules.
func FindWith(path string, src []byte, o Options) []Loop {
	// Most modules of a project train nothing: they cost a look for words.
	if len(src) > source.MaxFile || !Maybe(src) {
		return nil
	}
	f := factsOf(string(src))
	found := f.matches()
	found = slices.Concat(found, f.jaxLoops(found), f.stepLoops())
	if len(o.Rules) > 0 {
		found = slices.DeleteFunc(found, func(m match) bool { return !slices.Contains(o.Rules, m.rule) })
	}
	loops := f.group(path, found)
	slices.SortStableFunc(loops, better)
	return loops
}

// group makes one loop of the matches of each piece. A piece that lies within
// another one that is not too long adds its matches to that: an outer loop that
// steps belongs together with the inner one that goes backward.
func (f *facts) group(path string, found []match) []Loop {
	slices.SortStableFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.piece.first, b.piece.first), cmp.Compare(b.piece.until, a.piece.until))
	})
	type gathered struct {
		piece   piece
		matches []match
	}
	var all []gathered
	for _, m := range found {
		if n := len(all) - 1; n >= 0 {
			if last := &all[n]; m.piece.first == last.piece.first || m.piece.until <= last.piece.until && f.lines(last.piece) <= maxEpochLines {
				last.matches = append(last.matches, m)
				continue
			}
		}
		all = append(all, gathered{m.piece, []match{m}})
	}
	loops := make([]Loop, 0, len(all))
	for _, g := range all {
		loops = append(loops, f.loop(path, g.piece, g.matches))
	}
	return loops
}

// better orders by score; the rest makes the order one.
func better(a, b Loop) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
}

// Best keeps the best loop of each module and orders them, best first. The
// order of all does not matter.
func Best(all []Loop) []Loop {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, better)
	seen := map[string]bool{}
	return slices.DeleteFunc(sorted, func(l Loop) bool {
		if seen[l.Path] {
			return true
		}
		seen[l.Path] = true
		return false
	})
}

// hints are texts of which every training loop has at least one.
var hints = [][]byte{
	[]byte(".fit"), []byte("fit_generator"), []byte("train_on_batch"), []byte("apply_gradients"), []byte("minimize"),
	[]byte("GradientTape"), []byte(".run"), []byte(".step"), []byte("backward"), []byte("zero_grad"), []byte(".item"),
	[]byte("training_step"), []byte("apply_updates"), []byte("value_and_grad"), []byte("stateless_apply"), []byte(".cuda"), []byte(".to("),
}

// Maybe says whether src can hold a training loop at all. It only looks for
// words and costs far less than Find.
func Maybe(src []byte) bool {
	for _, hint := range hints {
		if bytes.Contains(src, hint) {
			return true
		}
	}
	return false
}
