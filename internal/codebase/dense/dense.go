// Package dense keeps the vectors of a project's chunks in one file and finds
// the nearest of them, exactly.
//
// A file holds the vectors of one model, keyed by the hash of the text that
// was embedded. It is mapped, only ever appended to, and can be shared by
// processes: a block of rows is either whole or not there.
package dense

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/repgen/repgen/internal/codebase/chunk"
	"github.com/repgen/repgen/internal/codebase/embed"
)

// State says how a file was found and what became of what was added.
type State struct {
	// Begun is why a new file was begun ("" when the file was used as it was):
	// one of the Begun constants.
	Begun string
	// Cut is the number of bytes at the end that were no whole block when the
	// file was opened: what a process was writing when it died (or just then).
	Cut int64
	// Memory is the number of vectors that are kept in memory only, and Why the
	// trouble with the file ("" when there is none).
	Memory int
	Why    string
}

// Reasons to begin a new file.
const (
	BegunAbsent  = "absent"        // there was none
	BegunModel   = "another_model" // its vectors are of another model
	BegunDims    = "other_dims"    // its vectors have another length
	BegunVersion = "other_version" // of another version of this format, or byte order
	BegunDamaged = "damaged"       // its beginning cannot be read
)

// maxDims bounds the length of a vector: the longest of any embedder met is
// 4096, so this is a guess with room.
const maxDims = 1 << 16

// ErrClosed says that the Vectors were closed before.
var ErrClosed = errors.New("vectors: closed")

// Vectors are the vectors of one model. Safe for concurrent use.
type Vectors struct {
	dims int
	key  modelKey
	path string

	// gate is passed by readers of rows; Close waits for them, because their
	// memory goes away with it.
	gate gate

	// mu guards what follows.
	mu    sync.Mutex
	maps  []mapping
	file  *file
	begun string
	cut   int64
	why   string
	// rows in the order in which they lie in the file; index finds them.
	rows  []row
	index map[chunk.Ident]int32
	ids   []chunk.Ident
	// pending are the rows that are in no file, ascending.
	pending []int32
	// loose are the blocks that are in the file but still read from the heap.
	loose      []looseBlock
	looseBytes int64
	blocks     int // of the file
}

// row is one vector, in the heap or in a mapped file.
type row struct {
	x []float32
	codes
}

// looseBlock is a block that this process wrote, and its rows.
type looseBlock struct {
	b    block
	rows []int32
}

// Open opens the file at path, or begins one. A file of another model or a
// damaged one is replaced, which State tells. When nothing can be written the
// vectors are kept in memory, which State tells too: the error is only for a
// request that makes no sense (info without dimensions). An empty path keeps
// everything in memory.
func Open(path string, info embed.Info) (*Vectors, error) {
	if info.Dims <= 0 || info.Dims > maxDims {
		return nil, fmt.Errorf("open vectors: %d dimensions are not 1 to %d", info.Dims, maxDims)
	}
	v := &Vectors{dims: info.Dims, key: keyOf(info), path: path, index: map[chunk.Ident]int32{}}
	if path == "" {
		return v, nil
	}
	f, begun, err := openFile(path, v.key)
	v.begun = begun
	if err != nil {
		v.why = err.Error()
	}
	if f == nil {
		return v, nil
	}
	v.file = f
	if _, err := v.learn(); err != nil {
		v.why = err.Error()
	}
	v.cut = f.tail
	return v, nil
}

// learn takes in the blocks of the file that are not known yet, and gives them.
func (v *Vectors) learn() ([]block, error) {
	from := v.file.end
	blocks, err := v.file.scan()
	if err != nil || len(blocks) == 0 {
		return nil, err
	}
	m, err := mapRange(v.file.f, from, v.file.end)
	if err != nil {
		return nil, err
	}
	v.maps = append(v.maps, m)
	v.blocks += len(blocks)
	v.room(blocks)
	// What was scanned a moment ago may be gone by now.
	err = guarded(func() {
		for i := range blocks {
			b := &blocks[i]
			for j, id := range b.ids {
				if _, ok := v.index[id]; !ok {
					v.insert(id, m.row(b, j, v.dims))
				}
			}
		}
	})
	return blocks, err
}

// room makes the first reading of a file cheap.
func (v *Vectors) room(blocks []block) {
	if len(v.rows) > 0 {
		return
	}
	n := 0
	for i := range blocks {
		n += len(blocks[i].ids)
	}
	v.index = make(map[chunk.Ident]int32, n)
	v.rows = make([]row, 0, n)
	v.ids = make([]chunk.Ident, 0, n)
}

func (v *Vectors) insert(id chunk.Ident, r row) int32 {
	n := int32(len(v.rows))
	v.index[id] = n
	v.rows = append(v.rows, r)
	v.ids = append(v.ids, id)
	return n
}

// State is the present state.
func (v *Vectors) State() State {
	v.mu.Lock()
	defer v.mu.Unlock()
	return State{Begun: v.begun, Cut: v.cut, Memory: len(v.pending), Why: v.why}
}

// Len is the number of vectors.
func (v *Vectors) Len() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.rows)
}

// Has says whether there is a vector for id.
func (v *Vectors) Has(id chunk.Ident) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	_, ok := v.index[id]
	return ok
}

// Add keeps vectors; identities that are there already are passed over. What
// is not of unit length is brought to it (zero stays zero). The error is for
// vectors that make no sense (another number of dimensions, not finite), and
// then none is kept; or ErrClosed. Trouble with the file is in State.
func (v *Vectors) Add(ids []chunk.Ident, vectors [][]float32) error {
	if len(ids) != len(vectors) {
		return fmt.Errorf("add vectors: %d identities and %d vectors", len(ids), len(vectors))
	}
	for i, x := range vectors {
		if err := v.check(x); err != nil {
			return fmt.Errorf("add vector %d: %w", i, err)
		}
	}
	if !v.gate.enter() {
		return ErrClosed
	}
	defer v.gate.leave()
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, id := range ids {
		if _, ok := v.index[id]; !ok {
			v.pending = append(v.pending, v.insert(id, newRow(vectors[i])))
		}
	}
	v.flush()
	return nil
}

// newRow is a row in the heap.
func newRow(x []float32) row {
	x = slices.Clone(x)
	toUnit(x)
	return row{x, encode(x, make([]int8, codeDims(len(x))))}
}

// check refuses a vector of another length, or one that is not finite.
func (v *Vectors) check(x []float32) error {
	if len(x) != v.dims {
		return fmt.Errorf("%d dimensions, not %d", len(x), v.dims)
	}
	for _, f := range x {
		if f64 := float64(f); math.IsNaN(f64) || math.IsInf(f64, 0) {
			return errors.New("a number in it is not finite")
		}
	}
	return nil
}

// unitSlack is how far the squared length may be from 1 before a vector is
// changed: float32 sums of 384 squares are off by about 1e-6, and a vector
// that is unit already should be kept bit by bit.
const unitSlack = 1e-4

// toUnit brings x to unit length in place; zero stays zero.
func toUnit(x []float32) {
	var sum float64
	for _, f := range x {
		sum += float64(f) * float64(f)
	}
	if sum == 0 || math.Abs(sum-1) <= unitSlack {
		return
	}
	norm := math.Sqrt(sum)
	for i, f := range x {
		x[i] = float32(float64(f) / norm)
	}
}

// Close writes what could not be written before, if that works now, and gives
// the file back. Views find nothing any more. A second Close does nothing.
func (v *Vectors) Close() error {
	if !v.gate.shut() {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.flush()
	var errs []error
	if v.file != nil {
		errs = append(errs, v.file.close())
	}
	for _, m := range v.maps {
		errs = append(errs, m.unmap())
	}
	v.file, v.maps, v.rows, v.index, v.ids, v.loose, v.pending = nil, nil, nil, map[chunk.Ident]int32{}, nil, nil, nil
	return errors.Join(errs...)
}
