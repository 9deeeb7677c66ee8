package encoder_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/codebase/models/modelstest"
	"github.com/repgen/repgen/internal/codebase/ort"
	"github.com/repgen/repgen/internal/codebase/ort/encoder"
	"github.com/repgen/repgen/internal/codebase/ort/orttest"
	"github.com/repgen/repgen/internal/codebase/ort/safetensors"
)

// network is the published encoder written out in 64 bits, the slow and plain
// way, as the reference.
type network struct {
	t      *testing.T
	f      *safetensors.File
	prefix string
	heads  int
	layers int
}

func (n network) get(name string) []float64 {
	t, ok := n.f.Get(n.prefix + name)
	if !ok {
		t, ok = n.f.Get(name)
	}
	if !ok {
		n.t.Fatalf("no %s", name)
	}
	values, err := n.f.Floats(t)
	if err != nil {
		n.t.Fatal(err)
	}
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = float64(v)
	}
	return out
}

func (n network) dense(x [][]float64, name string) [][]float64 {
	w, b := n.get(name+".weight"), n.get(name+".bias")
	out := make([][]float64, len(x))
	for r, row := range x {
		out[r] = make([]float64, len(b))
		for o := range b {
			sum := b[o]
			for i, v := range row {
				sum += v * w[o*len(row)+i]
			}
			out[r][o] = sum
		}
	}
	return out
}

func (n network) norm(x [][]float64, name string) [][]float64 {
	g, b := n.get(name+".weight"), n.get(name+".bias")
	for _, row := range x {
		mean, square := 0.0, 0.0
		for _, v := range row {
			mean += v / float64(len(row))
		}
		for _, v := range row {
			square += (v - mean) * (v - mean) / float64(len(row))
		}
		for i := range row {
			row[i] = (row[i]-mean)/math.Sqrt(square+1e-12)*g[i] + b[i]
		}
	}
	return x
}

func add(a, b [][]float64) [][]float64 {
	for r := range a {
		for i := range a[r] {
			a[r][i] += b[r][i]
		}
	}
	return a
}

func (n network) attend(x [][]float64, p string) [][]float64 {
	q, k, v := n.dense(x, p+"query"), n.dense(x, p+"key"), n.dense(x, p+"value")
	size := len(q[0]) / n.heads
	out := make([][]float64, len(x))
	for r := range x {
		out[r] = make([]float64, len(q[0]))
		for h := range n.heads {
			weights, total := make([]float64, len(x)), 0.0
			for c := range x {
				dot := 0.0
				for i := h * size; i < (h+1)*size; i++ {
					dot += q[r][i] * k[c][i]
				}
				weights[c] = math.Exp(dot / math.Sqrt(float64(size)))
				total += weights[c]
			}
			for c := range x {
				for i := h * size; i < (h+1)*size; i++ {
					out[r][i] += weights[c] / total * v[c][i]
				}
			}
		}
	}
	return out
}

// hidden is the last layer's output for one text.
func (n network) hidden(ids, types []int32) [][]float64 {
	words, positions, segments := n.get("embeddings.word_embeddings.weight"), n.get("embeddings.position_embeddings.weight"), n.get("embeddings.token_type_embeddings.weight")
	size := len(n.get("embeddings.LayerNorm.bias"))
	x := make([][]float64, len(ids))
	for r, id := range ids {
		x[r] = make([]float64, size)
		for i := range x[r] {
			x[r][i] = words[int(id)*size+i] + positions[r*size+i] + segments[int(types[r])*size+i]
		}
	}
	x = n.norm(x, "embeddings.LayerNorm")
	for l := range n.layers {
		p := "encoder.layer." + string(rune('0'+l)) + "."
		x = n.norm(add(n.dense(n.attend(x, p+"attention.self."), p+"attention.output.dense"), x), p+"attention.output.LayerNorm")
		inner := n.dense(x, p+"intermediate.dense")
		for _, row := range inner {
			for i, v := range row {
				row[i] = v / 2 * (1 + math.Erf(v/math.Sqrt2))
			}
		}
		x = n.norm(add(n.dense(inner, p+"output.dense"), x), p+"output.LayerNorm")
	}
	return x
}

// batch are texts of different lengths.
func batch() encoder.Batch {
	return encoder.Batch{
		IDs:   [][]int32{{2, 5, 6, 7, 20, 3}, {2, 3}, {2, 40, 41, 3}, {2, 50, 51, 3}},
		Types: [][]int32{{0, 0, 0, 1, 1, 1}, {0, 0}, {0, 0, 1, 1}, {0, 0, 0, 0}},
	}
}

func open(t *testing.T, s orttest.Spec, want encoder.Want) (*encoder.Encoder, network) {
	t.Helper()
	library := modelstest.Runtime(t)
	dir := t.TempDir()
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	if err := ort.Load(library); err != nil {
		t.Fatal(err)
	}
	e, err := encoder.Open(dir, want, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	f, err := safetensors.Open(filepath.Join(dir, encoder.SafetensorsFile))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	n := network{t: t, f: f, heads: 4, layers: 2}
	if s.Cross {
		n.prefix = "bert."
	}
	return e, n
}

// TestRealVectors: the graph gives what the network does, padded or not, for
// weights of 32 and of 16 bits.
func TestRealVectors(t *testing.T) {
	for _, kind := range []string{"F32", "F16", "BF16"} {
		e, n := open(t, orttest.Spec{Type: kind}, encoder.Vectors)
		b := batch()
		got, err := e.Run(t.Context(), b, 100)
		if err != nil {
			t.Fatal(err)
		}
		for r := range b.IDs {
			x := n.hidden(b.IDs[r], b.Types[r])
			want := make([]float64, len(x[0]))
			length := 0.0
			for i := range want {
				for _, row := range x {
					want[i] += row[i]
				}
				length += want[i] * want[i]
			}
			for i := range want {
				if d := math.Abs(want[i]/math.Sqrt(length) - float64(got[r][i])); d > 2e-6 {
					t.Errorf("%s, text %d, number %d: %g off", kind, r, i, d)
				}
			}
		}
	}
}

// TestRealScores: pooler and classifier over the first token.
func TestRealScores(t *testing.T) {
	e, n := open(t, orttest.Spec{Cross: true}, encoder.Scores)
	b := batch()
	got, err := e.Run(t.Context(), b, 100)
	if err != nil {
		t.Fatal(err)
	}
	for r := range b.IDs {
		pooled := n.dense(n.hidden(b.IDs[r], b.Types[r])[:1], "pooler.dense")
		for i, v := range pooled[0] {
			pooled[0][i] = math.Tanh(v)
		}
		want := n.dense(pooled, "classifier")[0][0]
		if d := math.Abs(want - float64(got[r][0])); d > 1e-5 {
			t.Errorf("pair %d: %g instead of %g", r, got[r][0], want)
		}
	}
}

// TestRealCancel: a run under way ends with its context.
func TestRealCancel(t *testing.T) {
	library := modelstest.Runtime(t)
	if err := ort.Load(library); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := (orttest.Spec{Layers: 12, Hidden: 256, Inner: 1024, Heads: 8, Positions: 512}).Write(dir); err != nil {
		t.Fatal(err)
	}
	e, err := encoder.Open(dir, encoder.Vectors, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	b := encoder.Batch{}
	for range 16 {
		b.IDs = append(b.IDs, make([]int32, 500))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err = e.Run(ctx, b, 8000)
	if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > 5*time.Second {
		t.Errorf("%v after %v", err, took)
	}
	if got, err := e.Run(t.Context(), batch(), 8000); err != nil || len(got) != 4 {
		t.Errorf("texts of different lengths: %v", err)
	}
	b.IDs = b.IDs[:1]
	b.IDs[0] = b.IDs[0][:4]
	if _, err := e.Run(t.Context(), b, 8000); err != nil {
		t.Errorf("it does not work after that: %v", err)
	}
	b.IDs[0][1] = 1_000_000 // no such word
	if _, err := e.Run(t.Context(), b, 8000); err == nil {
		t.Error("a word that is not there was found")
	}
}

// TestRealThreads: what a text gets depends neither on the threads nor on the
// texts beside it, and the first error ends all of them.
func TestRealThreads(t *testing.T) {
	if err := ort.Load(modelstest.Runtime(t)); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := (orttest.Spec{Layers: 2, Hidden: 64, Inner: 128, Heads: 4, Positions: 64}).Write(dir); err != nil {
		t.Fatal(err)
	}
	b := encoder.Batch{}
	for i := range 60 {
		ids := []int32{2}
		for j := range i % 23 {
			ids = append(ids, int32(5+(i+j)%40))
		}
		b.IDs = append(b.IDs, append(ids, 3))
	}
	var want [][]float32
	for _, threads := range []int{1, 2, 5, 0} {
		e, err := encoder.Open(dir, encoder.Vectors, threads)
		if err != nil {
			t.Fatal(err)
		}
		got, err := e.Run(t.Context(), b, 100)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		for i := range want {
			for j := range want[i] {
				if math.Abs(float64(want[i][j]-got[i][j])) > 1e-6 {
					t.Fatalf("%d threads, text %d: %v, want %v", threads, i, got[i], want[i])
				}
			}
		}
		wrong := encoder.Batch{IDs: append([][]int32{{2, 1_000_000, 3}}, b.IDs...)}
		if got, err := e.Run(t.Context(), wrong, 100); err == nil || errors.Is(err, context.Canceled) || got != nil {
			t.Errorf("%d threads: a word that is not there: %v", threads, err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestRealFlat: opening and closing gives everything back.
func TestRealFlat(t *testing.T) {
	library := modelstest.Runtime(t)
	if err := ort.Load(library); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := (orttest.Spec{Hidden: 256, Inner: 1024, Heads: 8}).Write(dir); err != nil {
		t.Fatal(err)
	}
	cycle := func(n int) {
		for range n {
			e, err := encoder.Open(dir, encoder.Vectors, 2)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.Run(t.Context(), batch(), 100); err != nil {
				t.Fatal(err)
			}
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	cycle(20)
	before := resident(t)
	cycle(100)
	// One model has 7 MB: a tenth of what would be lost if each stayed.
	if after := resident(t); after > before+70<<20 {
		t.Errorf("%d MB became %d MB", before>>20, after>>20)
	}
}

// resident is the memory of this process.
func resident(t *testing.T) int64 {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("reads Linux's /proc")
	}
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(data))
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}
