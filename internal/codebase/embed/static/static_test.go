package static

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/codebase/embed"
	"github.com/repgen/repgen/internal/codebase/embed/embedtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t testing.TB) *Embedder {
	t.Helper()
	e, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestConformance(t *testing.T) {
	embedtest.Run(t, func(t *testing.T) embed.Embedder { return open(t) })
}

func TestInterfaces(t *testing.T) {
	var e any = open(t)
	if _, ok := e.(embed.Projector); !ok {
		t.Error("no projector")
	}
	if tokens, texts := e.(embed.Sizer).BatchSize(); tokens != 0 || texts < 1000 {
		t.Errorf("batches of %d tokens, %d texts", tokens, texts)
	}
}

// TestSize holds what is shipped inside the binary under 2.5 MB.
func TestSize(t *testing.T) {
	if n := len(packed); n > 2_500_000 {
		t.Errorf("%d bytes", n)
	}
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// TestNearest wants words about a thing to find the code of it.
func TestNearest(t *testing.T) {
	code := []string{
		"class Adam(Optimizer):\n    def update_step(self, gradient, variable, learning_rate):\n        self.momentum.assign(beta * momentum + gradient)",
		"def load_image(path, color_mode='rgb'):\n    img = Image.open(path)\n    return img.convert(color_mode)",
		"def pad_sequences(sequences, maxlen=None, padding='pre', truncating='pre'):\n    return np.array(padded)",
		"class ConfusionMatrix(Metric):\n    def update(self, preds, target):\n        self.confmat += _confusion_matrix(preds, target)",
		"def save_weights(model, filepath):\n    with h5py.File(filepath, 'w') as f:\n        save_weights_to_hdf5_group(f, model)",
	}
	query := []string{
		"the optimizer ignores momentum when the learning rate changes",
		"reading a picture as grayscale gives the wrong colors",
		"short sequences are padded on the wrong side",
		"confusion matrix is wrong when a class is missing from the predictions",
		"saving the weights of a model to a file fails",
	}
	e := open(t)
	v, err := e.Embed(t.Context(), append(slices.Clone(code), query...))
	if err != nil {
		t.Fatal(err)
	}
	for i := range query {
		best := 0
		for j := range code {
			if dot(v[len(code)+i], v[j]) > dot(v[len(code)+i], v[best]) {
				best = j
			}
		}
		if best != i {
			t.Errorf("%q finds %.30q", query[i], code[best])
		}
	}
}

// TestGolden wants the vectors that other code reads out of the same bytes.
func TestGolden(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Texts []struct {
			Text   string    `json:"text"`
			Vector []float32 `json:"vector"`
		} `json:"texts"`
		Projected []float32 `json:"projected"`
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	e := open(t)
	for _, w := range want.Texts {
		v, err := e.Embed(t.Context(), []string{w.Text})
		if err != nil || len(w.Vector) != len(v[0]) || dot(v[0], w.Vector) < 0.99999 {
			t.Errorf("%.40q: cosine %g, %v", w.Text, dot(v[0], w.Vector), err)
		}
	}
	exact := make([]float32, 384)
	for i := range exact {
		exact[i] = float32(math.Cos(float64(i)))
	}
	if v, ok := e.Project(embed.Info{Name: Source}, exact); !ok || dot(v, want.Projected) < 0.99999 {
		t.Errorf("projected: cosine %g", dot(v, want.Projected))
	}
}

func TestProject(t *testing.T) {
	e := open(t)
	exact := make([]float32, 384)
	exact[3] = 1
	from := embed.Info{Name: Source, Dims: 384}
	v, ok := e.Project(from, exact)
	if !ok || len(v) != e.Info().Dims || math.Abs(dot(v, v)-1) > 1e-4 {
		t.Errorf("%d numbers, length %g, %v", len(v), dot(v, v), ok)
	}
	for _, name := range []string{"all-MiniLM-L6-v2-int8", "sentence-transformers/all-minilm-l6-v2"} {
		if _, ok := e.Project(embed.Info{Name: name}, exact); !ok {
			t.Errorf("%s: not projected", name)
		}
	}
	for name, c := range map[string]struct {
		info  embed.Info
		exact []float32
	}{
		"another model":     {embed.Info{Name: "text-embedding-3-small"}, exact},
		"another dimension": {from, exact[:100]},
		"no length":         {from, make([]float32, 384)},
	} {
		if _, ok := e.Project(c.info, c.exact); ok {
			t.Errorf("%s: projected", name)
		}
	}
	// The columns are at right angles and of unit length: distances are kept.
	p, err := e.parts()
	if err != nil {
		t.Fatal(err)
	}
	for a := range p.table.dims {
		for b := range a + 1 {
			var sum float64
			for i := range p.table.source {
				sum += float64(p.table.matrix[i*p.table.dims+a]) * float64(p.table.matrix[i*p.table.dims+b])
			}
			if want := float64(btoi(a == b)); math.Abs(sum-want) > 1e-2 {
				t.Fatalf("columns %d and %d: %g, want %g", a, b, sum, want)
			}
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestOrderOfWords: a mean knows no order, and repeating changes nothing.
func TestOrderOfWords(t *testing.T) {
	e := open(t)
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.SliceOfN(rapid.SampledFrom([]string{"loss", "nan", "fit", "keras", "x", "é", "日"}), 1, 12).Draw(t, "words")
		back := slices.Clone(w)
		slices.Reverse(back)
		v, err := e.Embed(t.Context(), []string{strings.Join(w, " "), strings.Join(back, " "), strings.Repeat(strings.Join(w, " ")+" ", 3)})
		if err != nil {
			t.Fatal(err)
		}
		if dot(v[0], v[1]) < 0.9999 || dot(v[0], v[2]) < 0.9999 {
			t.Fatalf("%g, %g", dot(v[0], v[1]), dot(v[0], v[2]))
		}
	})
}

// tiny packs three tokens of two dimensions from a model of three: (1, 2),
// (-4, 0) at half the scale, (0, 0).
func tiny(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(magic)
	for _, x := range []any{uint32(3), uint32(2), uint32(3), float32(1), float32(0.5)} {
		if err := binary.Write(&b, binary.LittleEndian, x); err != nil {
			t.Fatal(err)
		}
	}
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []any{[]uint8{0, 16, 255}, []int8{1, -8, 0}, []int8{2, 0, 0}, []int16{2, 0, 0, 2, 0, 0}} {
		if err := binary.Write(w, binary.LittleEndian, x); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestUnpack(t *testing.T) {
	tb, err := unpack(tiny(t))
	if err != nil {
		t.Fatal(err)
	}
	if want := []float32{1, 2, -4, 0, 0, 0}; !slices.Equal(tb.vectors, want) {
		t.Errorf("vectors %v, want %v", tb.vectors, want)
	}
	v := make([]float32, 2)
	for _, c := range []struct {
		ids  []int32
		want []float32
	}{
		{nil, []float32{1, 0}},           // no token: what all texts have in common
		{[]int32{2, 2}, []float32{1, 0}}, // nothing but zero
		{[]int32{1}, []float32{-1, 0}},
		{[]int32{0, 0, 0, 0, 1}, []float32{0, 1}}, // they cancel out in one dimension
	} {
		if tb.mean(v, c.ids); !slices.Equal(v, c.want) {
			t.Errorf("%d: %v, want %v", c.ids, v, c.want)
		}
	}
	if p, ok := tb.project([]float32{3, 4, 100}); !ok || math.Abs(float64(p[0])-0.6) > 1e-6 || math.Abs(float64(p[1])-0.8) > 1e-6 {
		t.Errorf("projected %v", p)
	}
}

func TestUnpackFaults(t *testing.T) {
	good := tiny(t)
	header := len(magic)
	change := func(at int, to byte) []byte {
		b := bytes.Clone(good)
		b[at] = to
		return b
	}
	for name, data := range map[string][]byte{
		"empty":           nil,
		"magic":           good[1:],
		"header only":     good[:header+20],
		"header cut":      good[:header+7],
		"cut":             good[:len(good)-4],
		"huge":            change(header+3, 0xff),
		"no tokens":       change(header, 0),
		"wrong tokens":    change(header, 4),
		"wrong dimension": change(header+4, 3),
		"no source":       change(header+8, 0),
		"damaged":         change(header+21, 0xff),
	} {
		if _, err := unpack(data); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add(tiny(f), []byte(nil))
	f.Add([]byte(magic+"\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x80\x3f\x00\x00\x80\x3f"), []byte{1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, head, body []byte) {
		if tb, err := unpack(append(head, body...)); err == nil && tb.dims*tb.tokens != len(tb.vectors) {
			t.Fatal("sizes do not fit")
		}
	})
}

func BenchmarkEmbed(b *testing.B) {
	e := open(b)
	texts := make([]string, 1000)
	size := 0
	for i := range texts {
		texts[i] = strings.Repeat("def update_step(self, gradient, variable, learning_rate):\n    return self.momentum_rate * gradient\n", 1+i%12)
		size += len(texts[i])
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		if _, err := e.Embed(b.Context(), texts); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkUnpack(b *testing.B) {
	for b.Loop() {
		if _, err := unpack(packed); err != nil {
			b.Fatal(err)
		}
	}
}
