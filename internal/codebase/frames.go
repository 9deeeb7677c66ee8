package codebase

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/codebase/chunk"
	"github.com/repgen/repgen/internal/codebase/query"
	"github.com/repgen/repgen/internal/codebase/source"
)

// frameHit is a chunk in which a frame of the report's traceback stands.
type frameHit struct {
	strength float64 // 0 to 1: 1 for the innermost one in the project
	why      string
}

// frameDecay is what each further frame outwards is worth, of the one before.
// The innermost frame of a project names the function to be changed in about
// half of all reports, its callers in most of the others (guess).
const frameDecay = 0.75

// inFrames finds the chunks that hold the query's frames: by the tail of the
// path and the function's name, exactly. Lines differ between versions, so
// they only choose among namesakes in one file.
func (x *Index) inFrames(ctx context.Context, q query.Query) map[int]frameHit {
	found := map[int]frameHit{}
	inside := 0 // frames of this project so far
	for i, f := range q.Frames {
		file, ok := x.fileByTail(f.File)
		if !ok {
			continue
		}
		s := math.Pow(frameDecay, float64(inside))
		inside++
		where := fmt.Sprintf("frame %d from the innermost: %s", f.Depth, f.File)
		doc, exact := x.frameChunk(ctx, file, f)
		if doc < 0 {
			continue
		}
		if !exact {
			s /= 2 // the file only
		} else if f.Function != "" {
			where += ", in " + f.Function
		}
		if i == 0 && f.Depth == 0 {
			where += " (raised here)"
		}
		if s > found[doc].strength {
			found[doc] = frameHit{s, where}
		}
	}
	return found
}

// gone is the innermost frame that stands in this project's package but in a
// Python file that it does not have, so that the source is of another version;
// "" when there is none. A file that is only left out of the index is there.
func (x *Index) gone(ctx context.Context, q query.Query) string {
	for _, f := range q.Frames {
		file := strings.Trim(f.File, "/")
		top, _, inside := strings.Cut(file, "/")
		if _, ok := x.fileByTail(file); ok || !inside || !strings.HasSuffix(file, ".py") {
			continue
		}
		if root, ok := x.packageRoot(top); ok {
			if _, err := x.tree.Read(ctx, root+file); errors.Is(err, fs.ErrNotExist) {
				return f.File
			}
		}
	}
	return ""
}

// packageRoot is the usual root below which the project has that package.
func (x *Index) packageRoot(name string) (string, bool) {
	for _, root := range []string{"", "src/"} {
		if slices.ContainsFunc(x.store.Files(), func(f source.File) bool { return f.Path == root+name+"/__init__.py" }) {
			return root, true
		}
	}
	return "", false
}

// fileByTail is the file of the project whose path ends as a frame's does, by
// whole folders: "keras/src/ops/math.py" is in ".../keras/src/ops/math.py", and
// a frame's longer path may end in a shorter one of the project
// ("torch/nn/modules/linear.py" in a project opened at torch/). The longest
// common tail wins; one that is only the file's name must be the only one.
func (x *Index) fileByTail(file string) (string, bool) {
	parts := strings.Split(strings.Trim(file, "/"), "/")
	best, length, ties := "", 0, 0
	for _, f := range x.store.Files() {
		n := commonTail(parts, f.Path)
		switch {
		case n > length:
			best, length, ties = f.Path, n, 1
		case n == length && n > 0:
			ties++
			if len(f.Path) < len(best) {
				best = f.Path
			}
		}
	}
	whole := length == len(parts) || length == strings.Count(best, "/")+1
	switch {
	case length == 0, length == 1 && (ties > 1 || len(parts) > 1 && !whole):
		return "", false
	case len(parts) > 1 && !whole && length < 3:
		return "", false // "utils/core.py" of another package
	}
	return best, true
}

// commonTail is how many parts two paths share from the end.
func commonTail(parts []string, file string) int {
	n := 0
	for n < len(parts) && file != "" {
		i := strings.LastIndexByte(file, '/')
		if file[i+1:] != parts[len(parts)-1-n] {
			break
		}
		n++
		if i < 0 {
			break
		}
		file = file[:i]
	}
	return n
}

// frameChunk is the chunk of a file in which a frame stands: the function of
// that name; among namesakes, and where the traceback names no function, the
// one that holds the line of code it shows, then the one nearest to its number.
// exact is false when only the number says it; -1 when nothing does.
func (x *Index) frameChunk(ctx context.Context, file string, f query.Frame) (doc int, exact bool) {
	first, n := x.store.InFile(file)
	var same, around, all []int
	for doc := first; doc < first+n; doc++ {
		c := x.store.Chunk(doc)
		all = append(all, doc)
		switch {
		case isFunction(c, f.Function), f.Function == "<module>" && c.Kind == chunk.Module:
			same = append(same, doc)
		case f.Line > 0 && c.StartLine <= f.Line && f.Line <= c.EndLine:
			around = append(around, doc)
		}
	}
	if len(same) == 1 {
		return same[0], true
	}
	if len(same) > 1 {
		if shown := x.showing(ctx, same, f.Source); len(shown) > 0 {
			same = shown
		}
		return slices.MinFunc(same, func(a, b int) int { return x.distance(a, f) - x.distance(b, f) }), true
	}
	if doc := x.nested(ctx, all, f); doc >= 0 {
		return doc, true
	}
	if len(around) == 0 {
		return -1, false
	}
	shown := x.showing(ctx, around, f.Source)
	if len(shown) > 0 {
		around = shown
	}
	return slices.MinFunc(around, x.smaller), len(shown) > 0 && f.Function == ""
}

// smaller orders pieces around a line: a method comes before its class.
func (x *Index) smaller(a, b int) int {
	ca, cb := x.store.Chunk(a), x.store.Chunk(b)
	return (ca.EndLine - ca.StartLine) - (cb.EndLine - cb.StartLine)
}

// nested is the chunk that holds the function of a frame inside another one (a
// wrapper, a closure), which is no chunk of its own: among those that define the
// name, the ones that hold the traceback's line of code, then the nearest to its
// number, then the smallest. -1 when none does.
func (x *Index) nested(ctx context.Context, docs []int, f query.Frame) int {
	name := lastPart(f.Function)
	if name == "" || strings.HasPrefix(name, "<") {
		return -1
	}
	all := docs
	docs = x.showing(ctx, all, "def "+name+"(")
	// "lower.<locals>.inner": Python 3.11 says in which.
	outer := strings.ReplaceAll(f.Function, ".<locals>", "")
	if inside := slices.DeleteFunc(slices.Clone(docs), func(doc int) bool {
		return !strings.HasPrefix(outer, x.store.Chunk(doc).Name+".")
	}); len(inside) > 0 {
		docs = inside
	}
	// Of a definition in parts, another may hold the line.
	names := map[string]bool{}
	for _, doc := range docs {
		names[x.store.Chunk(doc).Name] = true
	}
	docs = slices.DeleteFunc(slices.Clone(all), func(doc int) bool { return !names[x.store.Chunk(doc).Name] })
	if shown := x.showing(ctx, docs, f.Source); len(shown) > 0 {
		docs = shown
	}
	if len(docs) == 0 {
		return -1
	}
	return slices.MinFunc(docs, func(a, b int) int { return cmp.Or(x.distance(a, f)-x.distance(b, f), x.smaller(a, b)) })
}

// distance is how many lines a frame is off a chunk; 0 when it has no number.
func (x *Index) distance(doc int, f query.Frame) int {
	c := x.store.Chunk(doc)
	if f.Line == 0 {
		return 0
	}
	return max(0, c.StartLine-f.Line, f.Line-c.EndLine)
}

// showing are the chunks that hold a line of code. One of a few letters ("try:")
// is in every file.
func (x *Index) showing(ctx context.Context, docs []int, line string) []int {
	if len(line) < 8 {
		return nil
	}
	var out []int
	for _, doc := range docs {
		if text, err := x.store.Text(ctx, doc); err == nil && strings.Contains(text, line) {
			out = append(out, doc)
		}
	}
	return out
}

// isFunction says whether a chunk is the function of a frame's name: a plain
// name ("fit"), or a qualified one ("Model.fit", as Python 3.11 and IPython
// write it).
func isFunction(c chunk.Chunk, function string) bool {
	if c.Kind != chunk.Function && c.Kind != chunk.Method || function == "" {
		return false
	}
	function = strings.ReplaceAll(function, ".<locals>", "")
	if strings.Contains(function, ".") {
		return c.Name == function || strings.HasSuffix(function, "."+c.Name)
	}
	return lastPart(c.Name) == function
}
