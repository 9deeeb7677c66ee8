package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/repgen/repgen/internal/codebase/bm25"
	"github.com/repgen/repgen/internal/codebase/source"
)

// use touches everything that a decoded image offers.
func use(t *testing.T, img *image) {
	t.Helper()
	files := make([]source.File, len(img.files))
	for f := range files {
		files[f].Path = string(img.path(f))
		img.hash(f)
	}
	o := options()
	o.Params = &bm25.DefaultParams
	s, err := newStore(img, files, newProject(small()), o)
	if err != nil {
		if !errors.Is(err, bm25.ErrData) {
			t.Fatal(err)
		}
		return
	}
	for i := range s.Len() {
		c := s.Chunk(i)
		s.Ident(i)
		s.Named(c.Name)
		if _, err := s.Text(t.Context(), i); err == nil && c.End > len(small()[c.Path]) {
			t.Fatal("a text beyond its file")
		}
		s.InFile(c.Path)
	}
	q := bm25.Query("nan loss fit self def")
	for _, h := range s.BM25().Search(q, 10, nil) {
		s.BM25().Explain(q, h.Doc)
	}
}

// patch copies an index with some bytes replaced and a checksum that fits.
func patch(data []byte, at int, with []byte) []byte {
	out := newAligned(len(data))
	copy(out, data)
	if at < len(out) {
		copy(out[at:], with)
	}
	if len(out) > headerSize {
		seal(out)
	}
	return out
}

// FuzzDecode: no bytes make the reader panic, also when the checksum is right.
func FuzzDecode(f *testing.F) {
	good := rebuilt(f, newProject(small()), options())
	f.Add(uint16(0), []byte{}, uint16(len(good)))
	f.Add(uint16(32), []byte{0xff, 0xff, 0xff, 0xff}, uint16(len(good)))
	f.Add(uint16(headerSize), []byte{1, 2, 3, 4, 5, 6, 7, 8}, uint16(len(good)))
	f.Fuzz(func(t *testing.T, at uint16, with []byte, size uint16) {
		data := patch(good[:min(int(size), len(good))], int(at), with)
		img, err := decode(data)
		if err != nil {
			if !errors.Is(err, errDamaged) && !errors.Is(err, errOther) {
				t.Fatal(err)
			}
			return
		}
		use(t, img)
	})
}

// TestEveryByte damages each byte and each table entry of an index in turn.
func TestEveryByte(t *testing.T) {
	good := rebuilt(t, newProject(small()), options())
	rng := rand.New(rand.NewPCG(5, 6))
	for at := summedFrom; at < len(good); at++ {
		b := []byte{good[at] ^ byte(1+rng.IntN(255))}
		if img, err := decode(patch(good, at, b)); err == nil {
			use(t, img)
		}
	}
	for at := 32; at+8 <= len(good); at += 4 {
		for _, v := range []uint64{0, 1, 7, 8, 1 << 31, 1<<32 - 1, 1 << 63, 1<<64 - 8, uint64(len(good))} {
			b := binary.NativeEndian.AppendUint64(nil, v)
			if img, err := decode(patch(good, at, b)); err == nil {
				use(t, img)
			}
		}
	}
}

func TestEncodeDecode(t *testing.T) {
	good := rebuilt(t, newProject(small()), options())
	img, err := decode(patch(good, len(good), nil))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(encode(img), good) {
		t.Error("an image read and written is another one")
	}
	if img.recipe != recipeOf("") || len(img.files) != 3 || len(img.chunks) != 7 {
		t.Errorf("image %+v", img)
	}
	none, err := decode(encode(&image{}))
	if err != nil || len(none.files) != 0 || len(none.words.Docs) != 0 {
		t.Errorf("an empty image: %v, %v", none, err)
	}
}

func TestDescription(t *testing.T) {
	s, _ := cutString(putString(nil, "name"))
	if s != "name" {
		t.Errorf("string %q", s)
	}
	for _, b := range [][]byte{nil, {5}, {5, 'a'}, bytes.Repeat([]byte{0xff}, 12), {0x80}} {
		if s, rest := cutString(b); s != "" || rest != nil {
			t.Errorf("cutString(%v) = %q, %v", b, s, rest)
		}
	}
	if n := len(raw([]uint64(nil))); n != 0 {
		t.Error(n)
	}
	if !slices.Equal(raw([]uint16{0x0101}), []byte{1, 1}) {
		t.Error("raw")
	}
}
