package dense

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/repgen/repgen/internal/codebase/chunk"
)

const (
	// remapBytes is how much may be read from the heap before it is mapped
	// instead: a guess, small beside the vectors of a project (77 MB).
	remapBytes = 8 << 20
	// garbageBytes is how much unused space is not worth a rewrite. A guess.
	garbageBytes = 1 << 20
	// A file of manyBlocks that hold fewer than smallBlock rows on average is
	// rewritten: opening 5,000 blocks of ten rows took 30 ms more than 50 of a
	// thousand.
	manyBlocks = 256
	smallBlock = 64
	// blockRows is the most that is written as one block: 1.5 MB of 384
	// dimensions. A guess; on a full disk so much is tried again each time.
	blockRows = 1024
)

// flush writes the pending rows to the file, if there is one. Trouble is kept
// in why, and the rows stay pending.
func (v *Vectors) flush() {
	if v.file == nil || v.file.readonly || len(v.pending) == 0 {
		return
	}
	v.why = ""
	if err := v.write(); err != nil {
		v.why = err.Error()
	}
}

// write appends the pending rows under the lock.
func (v *Vectors) write() error {
	unlock, err := lock(v.path)
	if err != nil {
		return err
	}
	defer func() { _ = unlock() }()
	// Only now is it certain where the file ends, and that it is still ours.
	if err := v.follow(); err != nil {
		return err
	}
	for len(v.pending) > 0 {
		n := min(len(v.pending), blockRows)
		if err := v.writeBlock(v.pending[:n]); err != nil {
			return err
		}
		v.pending = v.pending[n:]
	}
	v.pending = nil
	return nil
}

// writeBlock writes rows as one block. They stay in the heap as well, until
// remap: searches go on meanwhile.
func (v *Vectors) writeBlock(rows []int32) error {
	ids, found := v.gather(rows)
	b, err := v.file.append(ids, found)
	if err != nil {
		return err
	}
	v.blocks++
	v.loose = append(v.loose, looseBlock{b, rows})
	v.looseBytes += b.end - b.at
	return nil
}

// gather lists rows for a block.
func (v *Vectors) gather(rows []int32) ([]chunk.Ident, []row) {
	ids := make([]chunk.Ident, len(rows))
	found := make([]row, len(rows))
	for i, r := range rows {
		ids[i], found[i] = v.ids[r], v.rows[r]
	}
	return ids, found
}

// follow brings this process up to what others did to the file: blocks they
// appended, or another file in its place (a compaction, an emptied cache).
func (v *Vectors) follow() error {
	if !v.file.current() {
		f, begun, err := openOld(v.path, v.key)
		if begun == BegunAbsent {
			if err = replace(v.path, v.key.header(), nil); err == nil {
				f, _, err = openOld(v.path, v.key)
			}
		}
		if err == nil && f == nil {
			err = errForeign
		}
		if err != nil {
			return err
		}
		// Rows of the old file stay where they are mapped, though a new process
		// will not find them: it makes them again.
		_ = v.file.close()
		v.file = f
		v.loose, v.looseBytes, v.blocks = nil, 0, 0 // their rows stay in the heap
	}
	blocks, err := v.learn()
	if err != nil {
		return err
	}
	v.forget(blocks)
	return nil
}

// forget takes those rows for written that another process wrote.
func (v *Vectors) forget(blocks []block) {
	if len(blocks) == 0 {
		return
	}
	written := map[chunk.Ident]bool{}
	for i := range blocks {
		for _, id := range blocks[i].ids {
			written[id] = true
		}
	}
	left := v.pending[:0]
	for _, r := range v.pending {
		if !written[v.ids[r]] {
			left = append(left, r)
		}
	}
	v.pending = left
}

// remap reads from the mapped file what this process wrote itself, once that
// is enough to be worth it, so that the heap can let it go.
func (v *Vectors) remap() {
	if v.looseBytes < remapBytes {
		return
	}
	m, err := mapRange(v.file.f, v.loose[0].b.at, v.file.end)
	if err != nil {
		return // the heap serves as well
	}
	var rows []int32
	var mapped []row
	err = guarded(func() {
		for _, l := range v.loose {
			for i, r := range l.rows {
				rows, mapped = append(rows, r), append(mapped, m.row(&l.b, i, v.dims))
			}
		}
	})
	if err != nil { // cut short by somebody: the heap has what the file lost
		_ = m.unmap()
		return
	}
	v.maps = append(v.maps, m)
	for i, r := range rows {
		v.rows[r] = mapped[i]
	}
	v.loose, v.looseBytes = nil, 0
}

// Compact rewrites the file without the rows that are not in keep, when they
// are more than half of it and more than a megabyte; and with all of them, when
// they lie in many small blocks, as a slow embedder leaves them. It gives the
// number of rows that were dropped. To be called when the work on a project is
// done. Errors: ctx's, ErrClosed, trouble with the file (which then stays as it
// was).
func (v *Vectors) Compact(ctx context.Context, keep []chunk.Ident) (int, error) {
	if !v.gate.enter() {
		return 0, ErrClosed
	}
	defer v.gate.leave()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.flush()
	if v.file == nil || v.file.readonly || len(v.pending) > 0 {
		return 0, nil
	}
	kept := v.wanted(keep)
	drop := len(v.ids) - len(kept)
	if drop*2 <= len(v.ids) || drop*(v.dims*4+identSize) < garbageBytes {
		if v.blocks < manyBlocks || v.blocks*smallBlock < len(v.ids) {
			return 0, nil
		}
		kept, drop = v.wanted(v.ids), 0
	}
	if err := v.rewrite(ctx, kept); err != nil {
		return 0, fmt.Errorf("compact vectors: %w", err)
	}
	return drop, nil
}

// wanted are the rows of identities, in the order of the file.
func (v *Vectors) wanted(keep []chunk.Ident) []int32 {
	set := make(map[chunk.Ident]bool, len(keep))
	for _, id := range keep {
		set[id] = true
	}
	var rows []int32
	for r, id := range v.ids {
		if set[id] {
			rows = append(rows, int32(r))
		}
	}
	return rows
}

// rewrite puts a file with the given rows in the place of the present one.
// What others appended since this process looked last is made again by them.
func (v *Vectors) rewrite(ctx context.Context, kept []int32) error {
	unlock, err := lock(v.path)
	if err != nil {
		return err
	}
	defer func() { _ = unlock() }()
	if !v.file.current() {
		return errBusy
	}
	// Rows are read from the mapped file, which may fail like any read.
	err = replace(v.path, v.key.header(), func(w io.Writer) (err error) {
		fault := guarded(func() { err = v.copyRows(ctx, w, kept) })
		return errors.Join(fault, err)
	})
	if err != nil {
		return err
	}
	f, _, err := openOld(v.path, v.key)
	if f == nil {
		return errors.Join(err, errForeign)
	}
	// Views keep the rows of the old file, whose mappings stay until Close.
	_ = v.file.close()
	v.file = f
	v.rows, v.ids, v.index = nil, nil, map[chunk.Ident]int32{}
	v.loose, v.looseBytes, v.blocks = nil, 0, 0
	_, err = v.learn()
	return err
}

// copyRows writes rows as the blocks of a new file.
func (v *Vectors) copyRows(ctx context.Context, w io.Writer, rows []int32) error {
	at := int64(headSize)
	for len(rows) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(len(rows), blockRows)
		ids, found := v.gather(rows[:n])
		// Nothing counts as flushed before the whole file is: the first opening
		// checks it all.
		data := encodeBlock(at, headSize, ids, found, v.dims)
		if _, err := w.Write(data); err != nil {
			return err
		}
		at += int64(len(data))
		rows = rows[n:]
	}
	return nil
}
