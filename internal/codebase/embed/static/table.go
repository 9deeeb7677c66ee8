package static

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/viterin/vek/vek32"

	"github.com/repgen/repgen/internal/codebase/embed"
)

// packed holds the vectors; gen/distil.py writes it and says its layout.
//
//go:embed vectors.bin
var packed []byte

// magic begins vectors.bin; the digit is the layout's.
const magic = "rgstatic1\n"

// Limits on what a header may ask for, so that a damaged one fails instead of
// filling the memory. Ten times what is shipped.
const (
	maxTableTokens = 1 << 17
	maxTableDims   = 1024
)

// header is the beginning of vectors.bin.
type header struct {
	tokens  int // of the vocabulary
	dims    int
	source  int     // dimension of the model they come from
	largest float64 // scale
	unit    float32 // of matrix
	hash    string  // of the whole file
	body    []byte  // deflated
}

// table is the vectors, ready to be added up.
type table struct {
	header
	vectors []float32 // tokens x dims
	matrix  []float32 // source x dims: exact vectors into this space
	blank   []float32 // the vector of a text without tokens
}

// readHeader reads magic; tokens, dims, source (uint32, little endian); largest
// scale, unit of the matrix (float32).
func readHeader(data []byte) (header, error) {
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok || len(rest) < 20 {
		return header{}, errors.New("no static vectors")
	}
	number := func(i int) uint32 { return binary.LittleEndian.Uint32(rest[4*i:]) }
	h := header{
		tokens:  int(number(0)),
		dims:    int(number(1)),
		source:  int(number(2)),
		largest: float64(math.Float32frombits(number(3))),
		unit:    math.Float32frombits(number(4)),
		body:    rest[20:],
	}
	if h.tokens < 1 || h.tokens > maxTableTokens || h.dims < 1 || h.dims > maxTableDims || h.source < 1 || h.source > maxTableDims {
		return header{}, fmt.Errorf("%d tokens of %d dimensions from %d: out of range", h.tokens, h.dims, h.source)
	}
	sum := sha256.Sum256(data)
	h.hash = fmt.Sprintf("%x", sum[:16])
	return h, nil
}

// unpack reads all of vectors.bin. After the header, deflated: a byte k a token
// (scale = largest * 2^(-k/16)), the codes dimension by dimension (int8), the
// matrix row by row (int16).
func unpack(data []byte) (*table, error) {
	h, err := readHeader(data)
	if err != nil {
		return nil, err
	}
	size := h.tokens*(1+h.dims) + 2*h.source*h.dims
	body, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(h.body)), int64(size)+1))
	if err != nil {
		return nil, err
	}
	if len(body) != size {
		return nil, fmt.Errorf("%d bytes unpacked, expected %d", len(body), size)
	}
	t := &table{header: h}
	t.fill(body)
	return t, nil
}

// fill takes the unpacked bytes. The codes lie dimension by dimension, which
// packs better, and are turned so that a token's stand together: some tokens at
// a time, so that what is written stays in the cache.
func (t *table) fill(body []byte) {
	const some = 256
	t.vectors = make([]float32, t.tokens*t.dims)
	codes := body[t.tokens:]
	var scale [some]float32
	for from := 0; from < t.tokens; from += some {
		to := min(from+some, t.tokens)
		for i, k := range body[from:to] {
			scale[i] = float32(t.largest * math.Exp2(-float64(k)/16))
		}
		for d := range t.dims {
			out := t.vectors[from*t.dims+d:]
			for i, c := range codes[d*t.tokens:][from:to] {
				out[i*t.dims] = scale[i] * float32(int8(c))
			}
		}
	}
	body = codes[t.tokens*t.dims:]
	t.matrix = make([]float32, t.source*t.dims)
	for i := range t.matrix {
		t.matrix[i] = t.unit * float32(int16(binary.LittleEndian.Uint16(body[2*i:])))
	}
	t.blank = make([]float32, t.dims)
	t.blank[0] = 1 // the first dimension is what all texts have in common
}

// mean sets v to the unit vector of the tokens' sum. Tokens that cancel out,
// or none, give the blank one.
func (t *table) mean(v []float32, ids []int32) {
	clear(v)
	for _, id := range ids {
		vek32.Add_Inplace(v, t.vectors[int(id)*t.dims:][:t.dims])
	}
	if !embed.Normalize(v) {
		copy(v, t.blank)
	}
}

// project multiplies with the matrix.
func (t *table) project(exact []float32) ([]float32, bool) {
	v := make([]float32, t.dims)
	for i, x := range exact {
		row := t.matrix[i*t.dims:][:t.dims]
		for d, m := range row {
			v[d] += x * m
		}
	}
	return v, embed.Normalize(v)
}
