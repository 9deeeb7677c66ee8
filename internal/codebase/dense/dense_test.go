package dense

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/codebase/chunk"
	"github.com/repgen/repgen/internal/codebase/embed"
)

func info(dims int) embed.Info {
	return embed.Info{Backend: "test", Name: "test", Hash: "weights-1", Dims: dims}
}

func ident(i int) chunk.Ident {
	sum := sha256.Sum256(fmt.Append(nil, i))
	return chunk.Ident(sum[:16])
}

func idents(from, to int) []chunk.Ident {
	var ids []chunk.Ident
	for i := from; i < to; i++ {
		ids = append(ids, ident(i))
	}
	return ids
}

// vector is a unit vector that depends on i alone.
func vector(i, dims int) []float32 {
	r := rand.New(rand.NewPCG(uint64(i), 7))
	x := make([]float32, dims)
	for j := range x {
		x[j] = float32(r.NormFloat64())
	}
	toUnit(x)
	return x
}

func vectors(from, to, dims int) [][]float32 {
	var xs [][]float32
	for i := from; i < to; i++ {
		xs = append(xs, vector(i, dims))
	}
	return xs
}

func open(t testing.TB, path string, in embed.Info) *Vectors {
	t.Helper()
	v, err := Open(path, in)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	return v
}

func add(t testing.TB, v *Vectors, from, to int) {
	t.Helper()
	if err := v.Add(idents(from, to), vectors(from, to, v.dims)); err != nil {
		t.Fatal(err)
	}
}

// holds fails unless v has exactly the vectors [0, n), bit by bit.
func holds(t testing.TB, v *Vectors, n int) {
	t.Helper()
	if v.Len() != n {
		t.Fatalf("%d vectors, want %d; %+v", v.Len(), n, v.State())
	}
	w := v.Rows(idents(0, n))
	if len(w.Missing()) > 0 {
		t.Fatalf("missing: %v", w.Missing())
	}
	for d := range n {
		if got := w.rows[w.rowOf[d]].x; !slices.Equal(got, vector(d, v.dims)) {
			t.Fatalf("vector %d differs", d)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	for _, dims := range []int{1, 3, 8, 384} {
		path := filepath.Join(t.TempDir(), "deep", "er", "v.vec")
		v := open(t, path, info(dims))
		if s := v.State(); s != (State{Begun: BegunAbsent}) {
			t.Errorf("begun: %+v", s)
		}
		n := 0
		for _, batch := range []int{1, 7, 0, 130, 2500} {
			add(t, v, n, n+batch)
			n += batch
		}
		holds(t, v, n)
		if !v.Has(ident(3)) || v.Has(ident(n)) {
			t.Error("Has is wrong")
		}
		if s := v.State(); s.Memory != 0 || s.Why != "" {
			t.Errorf("written: %+v", s)
		}
		again := open(t, path, info(dims))
		holds(t, again, n)
		if s := again.State(); s != (State{}) {
			t.Errorf("reopened: %+v", s)
		}
	}
}

func TestAddIsIdempotent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.vec")
	v := open(t, path, info(4))
	add(t, v, 0, 5)
	size := fileSize(t, path)
	add(t, v, 0, 5)
	twice := []chunk.Ident{ident(5), ident(5)}
	if err := v.Add(twice, [][]float32{vector(5, 4), vector(6, 4)}); err != nil {
		t.Fatal(err)
	}
	holds(t, v, 6)
	if got := fileSize(t, path); got != fileSizeOf(1, 4, size) {
		t.Errorf("the file grew from %d to %d", size, got)
	}
}

// fileSizeOf is the size of a file after one more block.
func fileSizeOf(rows, dims, size int64) int64 { return size + layoutOf(rows, dims).end }

func fileSize(t testing.TB, path string) int64 {
	t.Helper()
	fi, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return fi.Size()
}

func TestAddRefuses(t *testing.T) {
	v := open(t, "", info(2))
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, x := range [][]float32{nil, {1}, {1, 0, 0}, {nan, 0}, {0, inf}, {-inf, 0}} {
		if err := v.Add(idents(0, 2), [][]float32{{1, 0}, x}); err == nil {
			t.Errorf("%v was kept", x)
		}
	}
	if err := v.Add(idents(0, 2), [][]float32{{1, 0}}); err == nil {
		t.Error("two identities and one vector were kept")
	}
	if v.Len() != 0 {
		t.Errorf("%d of a refused batch were kept", v.Len())
	}
	for _, dims := range []int{-1, 0, maxDims + 1} {
		if _, err := Open("", info(dims)); err == nil {
			t.Errorf("%d dimensions were accepted", dims)
		}
	}
}

func TestUnitLength(t *testing.T) {
	v := open(t, "", info(2))
	if err := v.Add(idents(0, 3), [][]float32{{3, 4}, {0, 0}, {1e-30, 0}}); err != nil {
		t.Fatal(err)
	}
	w := v.Rows(idents(0, 3))
	for d, want := range []float64{.6, 0, 1} {
		if c, ok := w.Similarity([]float32{2, 0}, d); !ok || math.Abs(c-want) > 1e-6 {
			t.Errorf("document %d: %v, want %v", d, c, want)
		}
	}
}

func TestMemoryOnly(t *testing.T) {
	v := open(t, "", info(3))
	add(t, v, 0, 100)
	holds(t, v, 100)
	if s := v.State(); s != (State{Memory: 100}) {
		t.Errorf("%+v", s)
	}
	if n, err := v.Compact(context.Background(), nil); n != 0 || err != nil {
		t.Errorf("compact: %d, %v", n, err)
	}
}

func TestMisfits(t *testing.T) {
	other := info(4)
	other.Hash = "weights-2"
	for _, c := range []struct {
		name, want string
		info       embed.Info
		change     func(b []byte) []byte
	}{
		{"another model", BegunModel, other, nil},
		{"other dims", BegunDims, info(5), nil},
		{"empty", BegunDamaged, info(4), func([]byte) []byte { return nil }},
		{"header cut", BegunDamaged, info(4), func(b []byte) []byte { return b[:30] }},
		{"header flipped", BegunDamaged, info(4), func(b []byte) []byte { b[20] ^= 1; return b }},
		{"text", BegunDamaged, info(4), func([]byte) []byte { return []byte(strings.Repeat("hello ", 99)) }},
		{"version", BegunVersion, info(4), func(b []byte) []byte { b[8]++; return b }},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "v.vec")
			v := open(t, path, info(4))
			add(t, v, 0, 10)
			if c.change != nil {
				rewrite(t, path, c.change)
			}
			v = open(t, path, c.info)
			if s := v.State(); s.Begun != c.want || s.Why != "" {
				t.Errorf("%+v, want %s", s, c.want)
			}
			add(t, v, 0, 3)
			v = open(t, path, c.info)
			holds(t, v, 3)
		})
	}
}

func rewrite(t testing.TB, path string, change func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// Under another name first: the old file may be mapped.
	if err := os.WriteFile(path+".new", change(b), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// TestTorn cuts the file at every length: what is whole is kept, the rest is
// made again, and the file is good afterwards.
func TestTorn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.vec")
	v := open(t, path, info(4))
	ends := map[int64]int{headSize: 0}
	n := 0
	for _, batch := range []int{2, 5, 1} {
		add(t, v, n, n+batch)
		n += batch
		ends[fileSize(t, path)] = n
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for size := int64(headSize); size <= int64(len(whole)); size++ {
		if _, ok := ends[size]; !ok && size%7 != 0 {
			continue
		}
		if m, ok := ends[size]; ok {
			want = m
		}
		torn := filepath.Join(t.TempDir(), "v.vec")
		if err := os.WriteFile(torn, whole[:size], 0o644); err != nil {
			t.Fatal(err)
		}
		v := open(t, torn, info(4))
		holds(t, v, want)
		_, exact := ends[size]
		if s := v.State(); s.Begun != "" || (s.Cut == 0) != exact {
			t.Fatalf("size %d: %+v", size, s)
		}
		add(t, v, 0, n+1)
		holds(t, open(t, torn, info(4)), n+1)
	}
}

// TestFlipped changes each byte of the last block: never a wrong vector.
func TestFlipped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.vec")
	v := open(t, path, info(4))
	add(t, v, 0, 3)
	first := fileSize(t, path)
	add(t, v, 3, 6)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := first; i < int64(len(whole)); i++ {
		if i > first+headSize && i%5 != 0 { // enough of identities and payload
			continue
		}
		flipped := slices.Clone(whole)
		flipped[i] ^= 0x40
		bad := filepath.Join(t.TempDir(), "v.vec")
		if err := os.WriteFile(bad, flipped, 0o644); err != nil {
			t.Fatal(err)
		}
		v := open(t, bad, info(4))
		// A byte of the padding says nothing; any other costs the block.
		holds(t, v, max(3, v.Len()))
		if v.Len() == 6 && (i-first < 32 || i-first >= headSize) {
			t.Fatalf("byte %d of the block was not noticed", i-first)
		}
	}
}

func TestClosed(t *testing.T) {
	v, err := Open(filepath.Join(t.TempDir(), "v.vec"), info(4))
	if err != nil {
		t.Fatal(err)
	}
	add(t, v, 0, 10)
	w := v.Rows(idents(0, 10))
	for range 2 {
		if err := v.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Search(context.Background(), vector(1, 4), 3, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("search: %v", err)
	}
	if _, ok := w.Similarity(vector(1, 4), 1); ok {
		t.Error("a similarity after Close")
	}
	if err := v.Add(idents(0, 1), vectors(0, 1, 4)); !errors.Is(err, ErrClosed) {
		t.Errorf("add: %v", err)
	}
	if _, err := v.Compact(context.Background(), nil); !errors.Is(err, ErrClosed) {
		t.Errorf("compact: %v", err)
	}
	if v.Len() != 0 || v.Has(ident(1)) || len(v.Rows(idents(0, 3)).Missing()) != 3 {
		t.Error("something is left after Close")
	}
}

// asNobody runs f without the right to pass over permissions, also when the
// tests run as root (file system calls of this thread only).
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Getuid() != 0 {
		f()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const nobody = 65534
	if _, err := unix.SetfsuidRetUid(nobody); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = unix.SetfsuidRetUid(0) }()
	f()
}

func TestReadOnlyFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "v.vec")
	add(t, open(t, path, info(4)), 0, 10)
	chmod(t, path, 0o444)
	chmod(t, dir, 0o555)
	chmod(t, filepath.Dir(dir), 0o755)
	asNobody(t, func() {
		v := open(t, path, info(4))
		holds(t, v, 10)
		add(t, v, 10, 15)
		holds(t, v, 15)
		if s := v.State(); s.Memory != 5 || !strings.Contains(s.Why, "cannot be written") || s.Begun != "" {
			t.Errorf("%+v", s)
		}
		// A file of another model cannot be replaced: all in memory.
		v = open(t, path, info(5))
		add(t, v, 0, 3)
		holds(t, v, 3)
		if s := v.State(); s.Memory != 3 || s.Why == "" || s.Begun != BegunDims {
			t.Errorf("%+v", s)
		}
	})
	holds(t, open(t, path, info(4)), 10)
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(path, 0o755) })
}

func TestNoPlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(file, "v.vec"), t.TempDir()} {
		v := open(t, path, info(4))
		add(t, v, 0, 10)
		holds(t, v, 10)
		if s := v.State(); s.Memory != 10 || s.Why == "" {
			t.Errorf("%s: %+v", path, s)
		}
	}
}

func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.vec")
	v := open(t, path, info(4))
	add(t, v, 0, 10)
	real := v.file.write
	v.file.write = func(p []byte, at int64) (int, error) {
		n, _ := real(p[:len(p)/2], at)
		return n, syscall.ENOSPC
	}
	add(t, v, 10, 20)
	add(t, v, 20, 30)
	holds(t, v, 30)
	if s := v.State(); s.Memory != 20 || !strings.Contains(s.Why, "no space left") {
		t.Errorf("full: %+v", s)
	}
	holds(t, open(t, path, info(4)), 10)
	v.file.write = real // somebody made room
	add(t, v, 30, 31)
	if s := v.State(); s.Memory != 0 || s.Why != "" {
		t.Errorf("room again: %+v", s)
	}
	holds(t, open(t, path, info(4)), 31)
}
