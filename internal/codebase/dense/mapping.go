package dense

import (
	"fmt"
	"math"
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapping is a range of a file in memory.
type mapping struct {
	data []byte
	base int64 // the file's offset of data
}

// mapRange maps the bytes [from, to) of f, read-only.
func mapRange(f *os.File, from, to int64) (mapping, error) {
	base := from &^ (int64(os.Getpagesize()) - 1)
	data, err := unix.Mmap(int(f.Fd()), base, int(to-base), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return mapping{}, fmt.Errorf("map vectors: %w", err)
	}
	// The first search would wait for the disk page by page.
	_ = unix.Madvise(data, unix.MADV_WILLNEED)
	return mapping{data, base}, nil
}

// row is a row of a block that lies in the mapping.
func (m mapping) row(b *block, i, dims int) row {
	n, width := int64(i), int64(codeDims(dims))
	at := m.data[b.at-m.base:]
	scales := at[b.scales+n*8:]
	return row{
		x: numbers[float32](at[b.vectors+n*int64(dims)*4:], dims),
		codes: codes{
			code:  numbers[int8](at[b.codes+n*width:], int(width)),
			scale: math.Float32frombits(order.Uint32(scales)),
			miss:  math.Float32frombits(order.Uint32(scales[4:])),
		},
	}
}

// numbers are the first n numbers of b, in place. The format keeps them
// aligned.
func numbers[T float32 | int8](b []byte, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

func (m mapping) unmap() error {
	if err := unix.Munmap(m.data); err != nil {
		return fmt.Errorf("unmap vectors: %w", err)
	}
	return nil
}

// gate counts those who are reading rows. Unlike with an RWMutex, who is in
// may enter again while somebody waits to shut it.
type gate struct {
	mu     sync.Mutex
	in     int
	closed bool
	empty  chan struct{}
}

func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.in++
	return true
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.in--
	if g.in == 0 && g.empty != nil {
		close(g.empty)
	}
}

// shut keeps everybody out and waits until nobody is in. False when it was
// shut before.
func (g *gate) shut() bool {
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return false
	}
	g.closed = true
	if g.in == 0 {
		g.mu.Unlock()
		return true
	}
	g.empty = make(chan struct{})
	g.mu.Unlock()
	<-g.empty
	return true
}
