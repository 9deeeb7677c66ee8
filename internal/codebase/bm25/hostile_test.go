package bm25

import (
	"encoding/binary"
	"errors"
	"testing"
)

// hostile makes arrays of bytes: what a damaged file with a fitting checksum
// may hold. Ends are made to ascend and to close as New wants it, so that all
// that lies behind is reached.
func hostile(b []byte) Data {
	var d Data
	next := func() uint32 {
		if len(b) < 2 {
			return 0
		}
		v := binary.LittleEndian.Uint16(b)
		b = b[2:]
		if v == 0xffff {
			return 0xffffffff
		}
		return uint32(v)
	}
	terms, docs := int(next()%8), int(next()%8)
	for range docs {
		d.Lengths = append(d.Lengths, next())
	}
	for range terms {
		for range next() % 4 {
			d.Terms = append(d.Terms, "abcé\x00\xff"[next()%7])
		}
		d.TermEnds = append(d.TermEnds, uint32(len(d.Terms)))
		for range next() % 6 {
			d.Docs = append(d.Docs, next())
			d.Counts = append(d.Counts, uint16(next()))
		}
		d.PostEnds = append(d.PostEnds, uint32(len(d.Docs)))
	}
	return d
}

// FuzzHostileData: terms out of order or twice, documents out of order, twice
// or absent. Nothing panics, neither a search nor a merge with new documents,
// and what Merge gives is an index again.
func FuzzHostileData(f *testing.F) {
	f.Add([]byte{}, uint8(0))
	f.Add([]byte{2, 0, 2, 0, 5, 0, 5, 0, 1, 0, 1, 0, 2, 0, 1, 0, 1, 0, 0, 0, 1, 0}, uint8(1))
	f.Add([]byte{1, 0, 1, 0, 9, 0, 1, 0, 0, 0, 3, 0, 0xff, 0xff, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0}, uint8(2))
	f.Fuzz(func(t *testing.T, b []byte, removed uint8) {
		d := hostile(b)
		search(t, d)
		builder := NewBuilder()
		builder.Text([]byte("a b c ab"))
		builder.Doc(0, 8, "")
		kept := make([]int32, len(d.Lengths))
		n := 1
		for i := range kept {
			kept[i] = Removed
			if removed>>i&1 == 0 {
				kept[i] = int32(n)
				n++
			}
		}
		merged, err := Merge(Older{d, kept}, n, []Part{{builder, []int{0}}})
		if err != nil {
			t.Fatal(err)
		}
		search(t, merged)
	})
}

func search(t *testing.T, d Data) {
	t.Helper()
	ix, err := New(d, DefaultParams)
	if err != nil {
		if !errors.Is(err, ErrData) {
			t.Fatal(err)
		}
		return
	}
	q := []Weighted{{"a", 1}, {"b", 2}, {"", 1}, {"\xff", 1}, {"abc", 1}}
	for _, h := range ix.Search(q, 5, nil) {
		if h.Doc < 0 || h.Doc >= ix.Len() {
			t.Fatalf("document %d of %d", h.Doc, ix.Len())
		}
		ix.Explain(q, h.Doc)
	}
	ix.DF("a")
}
