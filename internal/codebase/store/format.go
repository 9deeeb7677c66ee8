package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"unsafe"

	"github.com/repgen/repgen/internal/codebase/bm25"
	"github.com/repgen/repgen/internal/codebase/chunk"
)

// The file is read in one piece and not parsed: its records are those of the
// program. One file and one checksum, because then there is no state between
// two: a reader sees an index or the one before. Summing all of it makes a crash
// of the machine harmless although nothing waits for the disk; keras (9 MB) is
// opened again in 9 to 15 ms of processor time, listing included (measured).
//
// The file, numbers in the machine's byte order (a cache is not carried
// around; another order reads as another version):
//
//	magic   8 bytes
//	version 4 bytes
//	sum     4 bytes  Castagnoli CRC of all that follows
//	recipe 16 bytes
//	table  10 pairs of offset and length in bytes, 8 bytes each
//	sections, each from a multiple of 8
const (
	magic      = "repgenIX"
	version    = 2 // of the format and of the tokens: raise it when either changes
	sections   = 10
	summedFrom = 16
	headerSize = 32 + sections*16
	alignment  = 8
)

// Sections in order.
const (
	secFiles = iota
	secChunks
	secIdents
	secStrings
	secTerms
	secTermEnds
	secPostEnds
	secDocs
	secCounts
	secLengths
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Reasons why a file is no usable index.
var (
	errOther   = errors.New("made by another version")
	errDamaged = errors.New("damaged")
)

// raw gives the bytes of a slice of numbers or of records without pointers.
func raw[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}

// cast is the other way round; b must be aligned and a multiple of T's size.
func cast[T any](b []byte) ([]T, error) {
	var zero T
	size := int(unsafe.Sizeof(zero))
	if len(b)%size != 0 {
		return nil, fmt.Errorf("%w: a section of %d bytes", errDamaged, len(b))
	}
	if len(b) == 0 {
		return nil, nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/size), nil
}

// sectionBytes are the parts of an image in the order of the file.
func (m *image) sectionBytes() [sections][]byte {
	return [sections][]byte{
		raw(m.files), raw(m.chunks), raw(m.idents), m.strings,
		m.words.Terms, raw(m.words.TermEnds), raw(m.words.PostEnds),
		raw(m.words.Docs), raw(m.words.Counts), raw(m.words.Lengths),
	}
}

// encode lays an image out as a file.
func encode(m *image) []byte {
	parts := m.sectionBytes()
	size := headerSize
	for _, p := range parts {
		size = align(size) + len(p)
	}
	out := newAligned(size)
	copy(out, magic)
	binary.NativeEndian.PutUint32(out[8:], version)
	copy(out[summedFrom:], m.recipe[:])
	at := headerSize
	for i, p := range parts {
		at = align(at)
		binary.NativeEndian.PutUint64(out[32+16*i:], uint64(at))
		binary.NativeEndian.PutUint64(out[40+16*i:], uint64(len(p)))
		at += copy(out[at:], p)
	}
	seal(out)
	return out
}

// seal writes the sum.
func seal(data []byte) {
	binary.NativeEndian.PutUint32(data[12:], crc32.Checksum(data[summedFrom:], castagnoli))
}

func align(n int) int { return (n + alignment - 1) &^ (alignment - 1) }

// newAligned makes bytes that begin at a multiple of 8.
func newAligned(size int) []byte {
	words := make([]uint64, (size+7)/8)
	return raw(words)[:size:size]
}

// decode reads a file laid out by encode; data begins at a multiple of 8 and
// belongs to the image afterwards. The error is errOther or errDamaged,
// wrapped. Everything that an accessor relies on is checked here: data need
// not come from encode.
func decode(data []byte) (*image, error) {
	if len(data) < headerSize || string(data[:8]) != magic {
		return nil, fmt.Errorf("%w: no index", errDamaged)
	}
	if v := binary.NativeEndian.Uint32(data[8:]); v != version {
		return nil, errOther
	}
	if binary.NativeEndian.Uint32(data[12:]) != crc32.Checksum(data[summedFrom:], castagnoli) {
		return nil, fmt.Errorf("%w: wrong checksum", errDamaged)
	}
	m := &image{data: data, recipe: [16]byte(data[summedFrom:])}
	var parts [sections][]byte
	for i := range parts {
		at, n := binary.NativeEndian.Uint64(data[32+16*i:]), binary.NativeEndian.Uint64(data[40+16*i:])
		if at%alignment != 0 || at > uint64(len(data)) || n > uint64(len(data))-at {
			return nil, fmt.Errorf("%w: a section outside the file", errDamaged)
		}
		parts[i] = data[at : at+n : at+n]
	}
	if err := m.assign(parts); err != nil {
		return nil, err
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	return m, nil
}

// assign points the slices into the sections.
func (m *image) assign(p [sections][]byte) error {
	var errs [8]error
	m.files, errs[0] = cast[fileRec](p[secFiles])
	m.chunks, errs[1] = cast[chunkRec](p[secChunks])
	m.idents, errs[2] = cast[chunk.Ident](p[secIdents])
	m.strings = p[secStrings]
	m.words = bm25.Data{Terms: p[secTerms]}
	m.words.TermEnds, errs[3] = cast[uint32](p[secTermEnds])
	m.words.PostEnds, errs[4] = cast[uint32](p[secPostEnds])
	m.words.Docs, errs[5] = cast[uint32](p[secDocs])
	m.words.Counts, errs[6] = cast[uint16](p[secCounts])
	m.words.Lengths, errs[7] = cast[uint32](p[secLengths])
	return errors.Join(errs[:]...)
}

// check wants that files and chunks fit together and lie in the strings, so
// that no accessor needs to. The postings are left to bm25, which passes over
// what cannot be.
func (m *image) check() error {
	n := len(m.chunks)
	if len(m.idents) != n || len(m.words.Lengths) != n || len(m.strings) > math.MaxUint32 || n > math.MaxInt32 {
		return fmt.Errorf("%w: sections of unlike length", errDamaged)
	}
	next, last := 0, ""
	for f := range m.files {
		r := &m.files[f]
		used := uint64(r.PathLen) + uint64(r.HashLen)
		if r.Strings > r.End || uint64(r.End) > uint64(len(m.strings)) || used > uint64(r.End-r.Strings) {
			return fmt.Errorf("%w: file %d", errDamaged, f)
		}
		if int(r.First) != next || uint64(r.Chunks) > uint64(n-next) {
			return fmt.Errorf("%w: chunks of file %d", errDamaged, f)
		}
		for i := range m.chunks[next : next+int(r.Chunks)] {
			if !m.chunks[next+i].fits(f, r) {
				return fmt.Errorf("%w: chunk %d", errDamaged, next+i)
			}
		}
		next += int(r.Chunks)
		if path := string(m.path(f)); f > 0 && path <= last {
			return fmt.Errorf("%w: files out of order", errDamaged)
		} else {
			last = path
		}
	}
	if next != n {
		return fmt.Errorf("%w: chunks without a file", errDamaged)
	}
	return nil
}

// fits says whether a chunk lies in its file's strings and text.
func (c *chunkRec) fits(file int, r *fileRec) bool {
	return int(c.File) == file && c.Meta <= c.MetaEnd && c.MetaEnd <= r.End-r.Strings &&
		c.Start <= c.End && c.End <= r.TextLen
}
