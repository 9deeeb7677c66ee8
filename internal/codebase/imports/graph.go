package imports

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/repgen/repgen/internal/codebase/source"
)

// Reader gives the text of a file of the project; source.Tree is one.
type Reader interface {
	Read(ctx context.Context, path string) ([]byte, error)
}

// Graph resolves names inside one project. It reads a file when it is first
// needed and keeps what it learnt: later changes of the file are not seen. Safe
// for many goroutines.
type Graph struct {
	table  *table
	files  []string // sorted
	reader Reader

	mu        sync.Mutex
	summaries map[string]*summary
	details   map[string]*detail
	// recent are the keys of details, the longest unused first; held is the
	// size of their texts in bytes.
	recent []string
	held   int

	exports onceMap[def2]
	self    onceMap[string]
}

// Build makes the module table of the files (slash-separated paths below the
// root of the project); it reads none of them yet. It fails only when ctx has
// ended.
func Build(ctx context.Context, files []string, r Reader) (*Graph, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	files = slices.Clone(files)
	slices.Sort(files)
	files = slices.Compact(files)
	return &Graph{
		table: newTable(files), files: files, reader: r,
		summaries: map[string]*summary{}, details: map[string]*detail{},
	}, nil
}

// maxHeld bounds the texts whose statements are kept, in bytes. Their tokens
// take about ten times as much memory.
const maxHeld = 2 << 20

// detail reads a file. What cannot be read is empty, and is asked for again.
func (g *Graph) detail(ctx context.Context, path string) *detail {
	g.mu.Lock()
	d := g.details[path]
	if d != nil {
		i := slices.Index(g.recent, path)
		g.recent = append(slices.Delete(g.recent, i, i+1), path)
	}
	g.mu.Unlock()
	if d != nil {
		return d
	}
	// Two goroutines may read the same file at once; both get the same answer,
	// and waiting for each other would serialise the reading of a project.
	text, err := g.reader.Read(ctx, path)
	if err != nil || len(text) > source.MaxFile {
		return detailOf("")
	}
	d = detailOf(string(text))
	g.keep(path, d)
	return d
}

// keep remembers what a file says to others for good, and its statements as
// long as there is room.
func (g *Graph) keep(path string, d *detail) {
	s := d.summary()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.summaries[path] = s
	if _, ok := g.details[path]; ok {
		return
	}
	g.details[path] = d
	g.recent = append(g.recent, path)
	g.held += len(d.n.Source)
	for g.held > maxHeld && len(g.recent) > 1 {
		old := g.recent[0]
		g.held -= len(g.details[old].n.Source)
		delete(g.details, old)
		g.recent = g.recent[1:]
	}
}

// summary is what others see of a file of the project.
func (g *Graph) summary(ctx context.Context, path string) *summary {
	g.mu.Lock()
	s := g.summaries[path]
	g.mu.Unlock()
	if s != nil {
		return s
	}
	d := g.detail(ctx, path)
	g.mu.Lock()
	s = g.summaries[path]
	g.mu.Unlock()
	if s == nil {
		return d.summary() // it could not be read
	}
	return s
}

// readAll makes the summaries of every file, on all processors.
func (g *Graph) readAll(ctx context.Context) {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, f := range g.files {
		if ctx.Err() != nil {
			break
		}
		group.Go(func() error {
			g.summary(ctx, f)
			return nil
		})
	}
	_ = group.Wait() // no error is ever given
}

// onceMap is a map that is filled when it is first asked for, and again when
// filling it was cut short.
type onceMap[V any] struct {
	mu   sync.Mutex
	full map[string]V
}

func (o *onceMap[V]) get(ctx context.Context, fill func() map[string]V) map[string]V {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.full != nil {
		return o.full
	}
	made := fill()
	if ctx.Err() == nil {
		o.full = made
	}
	return made
}

// def2 is a definition with its file.
type def2 struct {
	file string
	def  def
}

// exported are the public names that decorators give, over the whole project.
func (g *Graph) exported(ctx context.Context) map[string]def2 {
	return g.exports.get(ctx, func() map[string]def2 {
		g.readAll(ctx)
		found := map[string]def2{}
		for _, f := range g.files {
			for _, e := range g.summary(ctx, f).exports {
				if _, ok := found[e.public]; !ok {
					found[e.public] = def2{f, e.d}
				}
			}
		}
		return found
	})
}
