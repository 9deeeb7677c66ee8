package validate

import (
	"context"
	"maps"
	"slices"

	"github.com/repgen/repgen/internal/pysyntax"
)

// inside is what the environment said of one script: its compile() and its
// names and calls.
type inside struct {
	compile *compileAnswer
	uses    uses
	names   map[string]nameAnswer
	calls   map[int]*callAnswer
	imports map[string]*failure
}

// lookInside asks for compile and names in one execution: an interpreter and the
// imports of the subject are most of the cost. What is known is not asked again.
func (b Box) lookInside(ctx context.Context, f *pysyntax.File, compile, names bool) (inside, error) {
	in := inside{names: map[string]nameAnswer{}, calls: map[int]*callAnswer{}}
	var q question
	if compile {
		q.Script = &f.Source
	}
	var index []int // of q.Calls in in.uses.calls
	if names {
		in.uses = usesOf(f)
		index = b.unknown(&in, &q)
	}
	if q.empty() {
		return in, nil
	}
	a, err := b.ask(ctx, q)
	if err != nil {
		return in, err
	}
	in.compile, in.imports = a.compile, a.imports
	b.learn(&in, q, a, index)
	return in, nil
}

// unknown puts into q what no answer is kept for. The imports go along whenever
// anything is asked.
func (b Box) unknown(in *inside, q *question) (index []int) {
	at := scopes(b, in.uses.imports)
	for _, name := range slices.Sorted(maps.Keys(in.uses.names)) {
		if a, ok := b.Known.name(at(name) + name); ok {
			in.names[name] = a
		} else {
			q.Names = append(q.Names, name)
		}
	}
	for i, c := range in.uses.calls {
		if a, ok := b.Known.call(at(c.Func) + c.key()); ok {
			in.calls[i] = a
			continue
		}
		q.Calls = append(q.Calls, c)
		index = append(index, i)
	}
	if len(q.Names)+len(q.Calls) > 0 {
		q.Imports = in.uses.imports
	}
	return index
}

// learn takes over the answers and keeps those of a whole execution.
func (b Box) learn(in *inside, q question, a answers, index []int) {
	at := scopes(b, in.uses.imports)
	for _, name := range q.Names {
		if answer, ok := a.names[name]; ok {
			in.names[name] = answer
			if a.done {
				b.Known.keepName(at(name)+name, answer)
			}
		}
	}
	for i := range q.Calls {
		if answer, ok := a.calls[i]; ok {
			in.calls[index[i]] = answer
			if a.done {
				b.Known.keepCall(at(q.Calls[i].Func)+q.Calls[i].key(), answer)
			}
		}
	}
}
