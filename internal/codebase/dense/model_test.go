package dense

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"pgregory.net/rapid"
)

// world is a file with two processes over it, and what must be in it: a model
// that is a map.
type world struct {
	path  string
	dims  int
	procs [2]*Vectors
	// has is what each process must have, by number of vector; disk what a new
	// process must find.
	has  [2]map[int]bool
	disk map[int]bool
	full bool
}

func (w *world) open(t *rapid.T, p int) {
	v, err := Open(w.path, info(w.dims))
	if err != nil {
		t.Fatal(err)
	}
	w.procs[p] = v
	w.has[p] = map[int]bool{}
	for n := range w.disk {
		w.has[p][n] = true
	}
	w.setFull()
}

// setFull makes the disk of both processes full, or not.
func (w *world) setFull() {
	for _, v := range w.procs {
		if v == nil || v.file == nil {
			continue
		}
		f := v.file.f
		v.file.write = f.WriteAt
		if w.full {
			v.file.write = func(p []byte, at int64) (int, error) {
				n, _ := f.WriteAt(p[:len(p)/3], at)
				return n, syscall.ENOSPC
			}
		}
	}
}

func (w *world) add(t *rapid.T, p int) {
	from := rapid.IntRange(0, 60).Draw(t, "from")
	to := from + rapid.IntRange(0, 20).Draw(t, "count")
	if err := w.procs[p].Add(idents(from, to), vectors(from, to, w.dims)); err != nil {
		t.Fatal(err)
	}
	for n := from; n < to; n++ {
		w.has[p][n] = true
	}
	if !w.full {
		// Everything this process waited to write is there now.
		if st := w.procs[p].State(); st.Memory != 0 || st.Why != "" {
			t.Fatalf("with room: %+v", st)
		}
		for n := range w.has[p] {
			w.disk[n] = true
		}
	}
	// On the way to the end of the file it learns what the other wrote.
	for n := range w.disk {
		if w.procs[p].Has(ident(n)) {
			w.has[p][n] = true
		}
	}
}

// reopen closes a process, which writes what it can, and begins another.
func (w *world) reopen(t *rapid.T, p int) {
	if err := w.procs[p].Close(); err != nil {
		t.Fatal(err)
	}
	if !w.full {
		for n := range w.has[p] {
			w.disk[n] = true
		}
	}
	w.open(t, p)
}

// kill ends a process without a word, in the middle of an append.
func (w *world) kill(t *rapid.T, p int) {
	v := w.procs[p]
	if rapid.Bool().Draw(t, "appending") {
		torn := make([]byte, rapid.IntRange(1, 300).Draw(t, "torn"))
		copy(torn, encodeBlock(v.file.end, headSize, idents(0, 1), []row{newRow(vector(0, w.dims))}, w.dims)[:min(40, len(torn))])
		f, err := os.OpenFile(w.path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(torn); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	v.pending = nil // it will never write them
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	w.open(t, p)
}

// check compares each process with the model, and each vector with the one
// that was given.
func (w *world) check(t *rapid.T) {
	for p, v := range w.procs {
		view := v.Rows(idents(0, 81))
		var got []Hit
		var err error
		if got, err = view.Search(context.Background(), vector(5, w.dims), 81, nil); err != nil {
			t.Fatal(err)
		}
		if len(got) != len(w.has[p]) || v.Len() != len(got) {
			t.Fatalf("process %d finds %d and has %d, want %d", p, len(got), v.Len(), len(w.has[p]))
		}
		for n := range 81 {
			r := view.rowOf[n]
			if (r >= 0) != w.has[p][n] || slices.Contains(view.Missing(), n) == w.has[p][n] {
				t.Fatalf("process %d, vector %d: there %v, want %v", p, n, r >= 0, w.has[p][n])
			}
			if r >= 0 && !slices.Equal(view.rows[r].x, vector(n, w.dims)) {
				t.Fatalf("process %d, vector %d differs", p, n)
			}
		}
	}
}

// TestModel does at random what processes do to a file.
func TestModel(t *testing.T) {
	dir := t.TempDir()
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		w := &world{path: filepath.Join(dir, fmt.Sprint(round), "v.vec"), dims: rapid.IntRange(1, 40).Draw(t, "dims"), disk: map[int]bool{}}
		w.open(t, 0)
		w.open(t, 1)
		defer func() {
			for _, v := range w.procs {
				_ = v.Close()
			}
		}()
		process := rapid.IntRange(0, 1)
		t.Repeat(map[string]func(*rapid.T){
			"add":    func(t *rapid.T) { w.add(t, process.Draw(t, "process")) },
			"reopen": func(t *rapid.T) { w.reopen(t, process.Draw(t, "process")) },
			"kill":   func(t *rapid.T) { w.kill(t, process.Draw(t, "process")) },
			"disk":   func(*rapid.T) { w.full = !w.full; w.setFull() },
			"":       w.check,
		})
	})
}

func TestLayout(t *testing.T) {
	for _, rows := range []int64{1, 3, 4, 5, 1024, maxRows} {
		for _, dims := range []int64{1, 15, 16, 31, 32, 33, 384, maxDims} {
			l := layoutOf(rows, dims)
			width := int64(codeDims(int(dims)))
			if l.scales < headSize+rows*identSize || l.codes < l.scales+rows*8 || l.vectors < l.codes+rows*width || l.end < l.vectors+rows*dims*4 {
				t.Errorf("%d rows of %d: parts overlap: %+v", rows, dims, l)
			}
			if (l.scales|l.codes|l.vectors|l.end)%align != 0 || width < dims || width%codeAlign != 0 {
				t.Errorf("%d rows of %d: not aligned: %+v", rows, dims, l)
			}
			if l.end > headSize+rows*(identSize+8+width+4*dims)+4*align {
				t.Errorf("%d rows of %d: wasteful: %+v", rows, dims, l)
			}
		}
	}
}

func TestBlockRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.IntRange(1, 70).Draw(t, "dims")
		n := rapid.IntRange(1, 300).Draw(t, "rows")
		at := int64(align * rapid.IntRange(1, 9).Draw(t, "at"))
		var rows []row
		for _, x := range vectors(0, n, dims) {
			rows = append(rows, newRow(x))
		}
		data := make([]byte, at, at+4096)
		data = append(data, encodeBlock(at, headSize, idents(0, n), rows, dims)...)
		blocks, err := scanBlocks(readerAt(data), at, int64(len(data)), dims)
		if err != nil || len(blocks) != 1 {
			t.Fatalf("%d blocks, %v", len(blocks), err)
		}
		b := &blocks[0]
		if b.at != at || b.end != int64(len(data)) || !slices.Equal(b.ids, idents(0, n)) {
			t.Fatalf("%+v", b)
		}
		m := mapping{data: data}
		for i, want := range rows {
			got := m.row(b, i, dims)
			if !slices.Equal(got.x, want.x) || !slices.Equal(got.code, want.code) || got.scale != want.scale || got.miss != want.miss {
				t.Fatalf("row %d differs", i)
			}
		}
		// In another place it is no block, and of another length neither.
		moved := append(make([]byte, align), data...)
		if blocks, _ := scanBlocks(readerAt(moved), at+align, int64(len(moved)), dims); len(blocks) != 0 {
			t.Fatal("a block out of its place was believed")
		}
		if blocks, _ := scanBlocks(readerAt(data), at, int64(len(data))-1, dims); len(blocks) != 0 {
			t.Fatal("a short block was believed")
		}
	})
}

type readerAt []byte

func (r readerAt) ReadAt(p []byte, at int64) (int, error) {
	n := copy(p, r[min(int(at), len(r)):])
	if n < len(p) {
		return n, fmt.Errorf("read beyond the end: %w", errShortRead)
	}
	return n, nil
}

var errShortRead = fmt.Errorf("short")

func TestKeyOf(t *testing.T) {
	a, b := info(4), info(4)
	b.Name, b.Backend = "other", "other"
	if keyOf(a) != keyOf(b) {
		t.Error("a name does not make another model; its hash does")
	}
	b.Hash += "x"
	if keyOf(a) == keyOf(b) {
		t.Error("another hash is another model")
	}
	if n := len(keyOf(a).header()); n != headSize {
		t.Errorf("a header of %d bytes", n)
	}
}

func TestEncodeExtremes(t *testing.T) {
	tiny := float32(math.SmallestNonzeroFloat32)
	for _, x := range [][]float32{{0}, {1}, {-1}, {tiny}, {1, tiny}, {.5, -.5, .5, .5}, {tiny, tiny, tiny}} {
		c := encode(x, make([]int8, codeDims(len(x))))
		var sum float64
		for i, f := range x {
			r := float64(f) - float64(c.code[i])*float64(c.scale)
			sum += r * r
		}
		if float64(c.miss) < math.Sqrt(sum) || float64(c.miss) > .01 {
			t.Errorf("%v: %+v, misses %v", x, c, math.Sqrt(sum))
		}
		for _, rest := range c.code[len(x):] {
			if rest != 0 {
				t.Errorf("%v: %v after the end", x, rest)
			}
		}
	}
}
