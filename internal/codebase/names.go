package codebase

import (
	"math"
	"path"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/codebase/chunk"
	"github.com/repgen/repgen/internal/codebase/query"
	"github.com/repgen/repgen/internal/pydist"
)

// projectTops are the top-level packages and modules of the project, read when
// first asked.
func (x *Index) projectTops() map[string]bool {
	if x.tops != nil {
		return x.tops
	}
	x.tops = map[string]bool{}
	packages := map[string]bool{}
	for _, f := range x.store.Files() {
		if path.Base(f.Path) == "__init__.py" {
			packages[path.Dir(f.Path)] = true
		}
	}
	for _, f := range x.store.Files() {
		if !f.Test {
			x.tops[topOf(f.Path, packages)] = true
		}
	}
	return x.tops
}

// topOf is the top-level package or module that a file belongs to: the
// outermost folder of a chain of packages ("src/torchmetrics/x.py" is
// torchmetrics), else the file itself.
func topOf(file string, packages map[string]bool) string {
	top := strings.TrimSuffix(path.Base(file), ".py")
	for dir := path.Dir(file); packages[dir] && dir != "."; dir = path.Dir(dir) {
		top = path.Base(dir)
	}
	return top
}

// lastPart is the name itself: "fit" of "Model.fit".
func lastPart(dotted string) string { return dotted[strings.LastIndexByte(dotted, '.')+1:] }

// owner says whose a dotted name is.
type owner int

const (
	unknown owner = iota
	ours          // of the project
	foreign       // of another package that is known
)

func (x *Index) owner(dotted string) owner {
	top, _, more := strings.Cut(dotted, ".")
	switch {
	case !more:
		return unknown
	case x.projectTops()[top]:
		return ours
	}
	if _, known := pydist.FromImport(top); known || pydist.StdlibModule(top) {
		return foreign
	}
	return unknown
}

// match is a definition that the report names.
type match struct {
	strength float64 // 0 to 1
	name     string
	origin   query.Origin
}

// maxNamesakes: a name that more definitions share than this says nothing
// ("forward", "__init__"; guess).
const maxNamesakes = 64

// named finds the definitions that the query names, each with its best match.
// A name that many share counts less, one that a class or module part confirms
// more.
func (x *Index) named(q query.Query) map[int]match {
	found := map[int]match{}
	for _, n := range q.Names {
		if x.owner(n.Text) == foreign {
			continue
		}
		for doc, s := range x.definitions(n.Text) {
			if s *= min(1, n.Weight/maxNameWeight); s > found[doc].strength {
				found[doc] = match{s, n.Text, n.Origin}
			}
		}
	}
	return found
}

// inherited is what a class counts of which a method is named that it does not
// define itself ("PPO.load"; guess).
const inherited = 0.7

// definitions are the chunks that define a dotted name, 0 to 1 by how surely.
// A method that its class names is sure; where the class only inherits it, the
// class itself is meant too.
func (x *Index) definitions(dotted string) map[int]float64 {
	out := map[int]float64{}
	before, last := "", dotted
	if i := strings.LastIndexByte(dotted, '.'); i >= 0 {
		before, last = lastPart(dotted[:i]), dotted[i+1:]
		if docs := x.firstParts(before + "." + last); len(docs) > 0 {
			for _, doc := range docs {
				out[doc] = 1 / math.Sqrt(float64(len(docs)))
			}
			return out
		}
	}
	// The last part alone may be anybody's: the parts before it, or its being
	// the only one, must speak for it.
	for _, doc := range x.firstParts(last) {
		out[doc] = confirmed(x.store.Chunk(doc), dotted)
	}
	rare := 0.0
	if n := len(out); n > 0 {
		rare = 1 / math.Sqrt(float64(n))
	}
	for doc, s := range out {
		out[doc] = max(s, rare)
	}
	if startsUpper(before) {
		docs := x.firstParts(before)
		for _, doc := range docs {
			out[doc] = inherited / math.Sqrt(float64(len(docs)))
		}
	}
	return out
}

// firstParts are the chunks of a name, the first part of each; none when so
// many share it that it says nothing.
func (x *Index) firstParts(name string) []int {
	docs := slices.DeleteFunc(x.store.Named(name), func(doc int) bool { return x.store.Chunk(doc).Part != 1 })
	if len(docs) > maxNamesakes {
		return nil
	}
	return docs
}

// startsUpper: a class, by the custom of Python.
func startsUpper(s string) bool { return s != "" && s[0] >= 'A' && s[0] <= 'Z' }

// maxNameWeight is the highest weight that package query gives a name.
const maxNameWeight = 1.5

// confirmed is the share of a dotted name's parts before the last that the
// definition's class or path has, 0 for a name without such parts: "PPO.load"
// and the method load of class PPO.
func confirmed(c chunk.Chunk, dotted string) float64 {
	parts := strings.Split(dotted, ".")
	own := strings.Split(c.Name, ".")
	n, hits := len(parts)-1, 0
	if n == 0 {
		return 0
	}
	place := "/" + strings.TrimSuffix(c.Path, ".py") + "/" + strings.Join(own[:len(own)-1], "/") + "/"
	for _, p := range parts[:n] {
		if strings.Contains(place, "/"+p+"/") {
			hits++
		}
	}
	// The package alone confirms nothing: everything is in it.
	if hits < 2 && n > 1 || hits == 0 {
		return 0
	}
	return float64(hits) / float64(n)
}
