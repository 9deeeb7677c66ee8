package dense

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"unsafe"

	"github.com/repgen/repgen/internal/codebase/chunk"
	"github.com/repgen/repgen/internal/codebase/embed"
)

// The file: a header of 64 bytes, then blocks. A block: a header of 64 bytes,
// its identities, then its payload: of each row scale and miss (float32), the
// codes of all rows, the vectors of all rows (float32). Each part is padded to
// 64 bytes, so that mapped rows lie well for vector instructions. Numbers are
// in the byte order of the machine, because they are read in place: a file of
// the other order has another version number.
//
//	header: magic 8, version u32, dims u32, model 32, crc u32 of the 48 before
//	block:  magic u32, rows u32, offset u64, synced u64,
//	        crc u32 of the payload, crc u32 of the 28 before and the identities
//
// offset is the block's own place, so that no leftover of an older file passes
// for one. synced says up to where the file had been flushed to disk when the
// block was written: what lies below it cannot be torn, and only the payload
// above it is read to check them when a file is opened.
const (
	version    = 1
	blockMagic = 0x4b4c4256 // "VBLK"
	headSize   = 64
	align      = 64
	identSize  = 16
	// maxRows bounds a block, against damaged counts.
	maxRows = 1 << 14
)

var (
	fileMagic = [8]byte{'r', 'g', 'v', 'e', 'c', 't', 'o', 'r'}
	order     = binary.NativeEndian
	castagnol = crc32.MakeTable(crc32.Castagnoli)
)

// modelKey is what the header says of the model.
type modelKey struct {
	dims int
	sum  [32]byte
}

func keyOf(info embed.Info) modelKey {
	return modelKey{info.Dims, sha256.Sum256([]byte(info.Hash))}
}

// header is the beginning of a file.
func (k modelKey) header() []byte {
	b := make([]byte, headSize)
	copy(b, fileMagic[:])
	order.PutUint32(b[8:], version)
	order.PutUint32(b[12:], uint32(k.dims))
	copy(b[16:], k.sum[:])
	order.PutUint32(b[48:], crc32.Checksum(b[:48], castagnol))
	return b
}

// misfit is why a header is not of the model; "" when it is.
func (k modelKey) misfit(b []byte) string {
	switch {
	case len(b) < headSize || [8]byte(b[:8]) != fileMagic:
		return BegunDamaged
	case order.Uint32(b[8:]) != version:
		return BegunVersion
	case order.Uint32(b[48:]) != crc32.Checksum(b[:48], castagnol):
		return BegunDamaged
	case order.Uint32(b[12:]) != uint32(k.dims):
		return BegunDims
	case [32]byte(b[16:48]) != k.sum:
		return BegunModel
	}
	return ""
}

// layout is where the parts of a block lie, from its beginning.
type layout struct{ scales, codes, vectors, end int64 }

func layoutOf(rows, dims int64) layout {
	var l layout
	l.scales = headSize + padded(rows*identSize)
	l.codes = l.scales + padded(rows*8)
	l.vectors = l.codes + padded(rows*int64(codeDims(int(dims))))
	l.end = l.vectors + padded(rows*dims*4)
	return l
}

func padded(n int64) int64 { return (n + align - 1) &^ (align - 1) }

// block is one block as it lies in a file.
type block struct {
	layout
	at, end int64 // in the file
	synced  int64
	crc     uint32
	ids     []chunk.Ident
}

// encodeBlock gives the bytes of a block that is to lie at offset at.
func encodeBlock(at, synced int64, ids []chunk.Ident, rows []row, dims int) []byte {
	l := layoutOf(int64(len(rows)), int64(dims))
	b := make([]byte, l.end)
	for i := range ids {
		copy(b[headSize+i*identSize:], ids[i][:])
	}
	width := int64(codeDims(dims))
	for i, r := range rows {
		n := int64(i)
		order.PutUint32(b[l.scales+n*8:], math.Float32bits(r.scale))
		order.PutUint32(b[l.scales+n*8+4:], math.Float32bits(r.miss))
		copy(b[l.codes+n*width:], bytesOf(r.code, 1))
		copy(b[l.vectors+n*int64(dims)*4:], bytesOf(r.x, 4))
	}
	order.PutUint32(b, blockMagic)
	order.PutUint32(b[4:], uint32(len(ids)))
	order.PutUint64(b[8:], uint64(at))
	order.PutUint64(b[16:], uint64(synced))
	order.PutUint32(b[24:], crc32.Checksum(b[l.scales:], castagnol))
	order.PutUint32(b[28:], headSum(b, b[headSize:l.scales]))
	return b
}

// bytesOf are the bytes of numbers of the given size, in place.
func bytesOf[T any](s []T, size int) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*size)
}

func headSum(head, idents []byte) uint32 {
	return crc32.Update(crc32.Checksum(head[:28], castagnol), castagnol, idents)
}

// headPage is how much is read at the beginning of a block: its header and up
// to 252 identities at once, all of them in most blocks.
const headPage = 4096

// blockReader reads the heads of blocks.
type blockReader struct {
	r    io.ReaderAt
	size int64
	dims int
	page []byte
}

// read gives the block at an offset; ok is false when there is no whole one.
// The payload is not read.
func (r *blockReader) read(at int64) (b block, ok bool, err error) {
	if r.size-at < headSize {
		return b, false, nil
	}
	head := r.page[:min(headPage, r.size-at)]
	if _, err := r.r.ReadAt(head, at); err != nil && err != io.EOF {
		return b, false, readError(err)
	}
	n := int64(order.Uint32(head[4:]))
	if order.Uint32(head) != blockMagic || n == 0 || n > maxRows || order.Uint64(head[8:]) != uint64(at) {
		return b, false, nil
	}
	b = block{layout: layoutOf(n, int64(r.dims)), at: at, synced: int64(order.Uint64(head[16:])), crc: order.Uint32(head[24:])}
	b.end = at + b.layout.end
	if b.end > r.size || b.synced < 0 || b.synced > at {
		return b, false, nil
	}
	idents := head[headSize:min(int64(len(head)), b.scales)]
	if rest := b.scales - int64(len(head)); rest > 0 {
		idents = append(slices.Clone(idents), make([]byte, rest)...)
		if _, err := r.r.ReadAt(idents[b.scales-headSize-rest:], at+int64(len(head))); err != nil {
			return b, false, readError(err)
		}
	}
	if order.Uint32(head[28:]) != headSum(head, idents) {
		return b, false, nil
	}
	b.ids = make([]chunk.Ident, n)
	for i := range b.ids {
		copy(b.ids[i][:], idents[i*identSize:])
	}
	return b, true, nil
}

// readError takes a file that became shorter under the reader for one that
// ends there.
func readError(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil
	}
	return fmt.Errorf("read vectors: %w", err)
}

// scanBlocks reads the whole blocks from an offset on. The payload of those
// that may not have reached the disk is checked; what follows the first bad
// one is not believed.
func scanBlocks(r io.ReaderAt, from, size int64, dims int) ([]block, error) {
	var blocks []block
	heads := blockReader{r, size, dims, make([]byte, headPage)}
	for at := from; ; {
		b, ok, err := heads.read(at)
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		blocks = append(blocks, b)
		at = b.end
	}
	if len(blocks) == 0 {
		return nil, nil
	}
	synced := blocks[len(blocks)-1].synced
	for i := range blocks {
		if blocks[i].at < synced {
			continue
		}
		ok, err := payloadWhole(r, &blocks[i])
		if err != nil {
			return nil, err
		}
		if !ok {
			return blocks[:i], nil
		}
	}
	return blocks, nil
}

func payloadWhole(r io.ReaderAt, b *block) (bool, error) {
	sum := crc32.New(castagnol)
	size := b.layout.end - b.scales
	n, err := io.Copy(sum, io.NewSectionReader(r, b.at+b.scales, size))
	if err != nil {
		return false, readError(err)
	}
	return n == size && sum.Sum32() == b.crc, nil
}
