package onnx_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/repgen/repgen/internal/codebase/embed"
	"github.com/repgen/repgen/internal/codebase/embed/embedtest"
	"github.com/repgen/repgen/internal/codebase/embed/onnx"
	"github.com/repgen/repgen/internal/codebase/models"
	"github.com/repgen/repgen/internal/codebase/models/modelstest"
	"github.com/repgen/repgen/internal/codebase/ort"
	"github.com/repgen/repgen/internal/codebase/ort/encoder"
	"github.com/repgen/repgen/internal/codebase/ort/orttest"
)

// made is a made-up model, imported as a user would.
func made(t *testing.T, s orttest.Spec, kind models.Kind) *models.Installed {
	t.Helper()
	dir, cache := t.TempDir(), t.TempDir()
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	in, err := models.Open(cache, models.Options{}).Import(t.Context(), dir, models.ImportOptions{Name: "made-up"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(in.Dir, 0o700) }) // for the folder's removal
	if in.Kind != kind {
		t.Fatalf("taken for a model of the kind %s", in.Kind)
	}
	return in
}

// TestNewRefuses: each thing that may be missing is an error to branch on, and
// the library is the last: what is wrong with a model is said without it.
func TestNewRefuses(t *testing.T) {
	good := made(t, orttest.Spec{}, models.Embedder)
	none := filepath.Join(t.TempDir(), "none.so")
	if _, err := onnx.New(t.Context(), onnx.Options{Model: good, Library: none}); !errors.Is(err, ort.ErrNoRuntime) {
		t.Errorf("no library: %v", err)
	}
	cross := made(t, orttest.Spec{Cross: true}, models.Reranker)
	empty := *good
	empty.Dir = t.TempDir()
	for name, m := range map[string]*models.Installed{"none": nil, "reranker": cross, "no tokenizer": &empty} {
		if e, err := onnx.New(t.Context(), onnx.Options{Model: m, Library: none}); err == nil || e != nil || errors.Is(err, ort.ErrNoRuntime) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func open(t testing.TB, o onnx.Options) embed.Embedder {
	t.Helper()
	o.Library = modelstest.Runtime(t)
	e, err := onnx.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestRealMadeUp: what the manifest says must fit the model.
func TestRealMadeUp(t *testing.T) {
	library := modelstest.Runtime(t)
	in := made(t, orttest.Spec{}, models.Embedder)
	e := open(t, onnx.Options{Model: in})
	vectors, err := e.Embed(t.Context(), []string{"training the model", "loss is nan", ""})
	if err != nil || len(vectors) != 3 || len(vectors[0]) != 32 {
		t.Errorf("%d %v", len(vectors), err)
	}
	if n := e.(embed.Counter).Tokens("training the model"); n != 6 { // train ##ing
		t.Errorf("%d tokens", n)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	wrong := *in
	wrong.Dims = 33
	if _, err := onnx.New(t.Context(), onnx.Options{Model: &wrong, Library: library}); err == nil {
		t.Error("vectors of another length were taken")
	}
	wrong = *in
	wrong.MaxTokens = 2
	if _, err := onnx.New(t.Context(), onnx.Options{Model: &wrong, Library: library}); err == nil {
		t.Error("no room for a word was taken")
	}
	longer := *in
	longer.MaxTokens--
	f := open(t, onnx.Options{Model: &longer})
	defer func() { _ = f.Close() }()
	if f.Info().Hash == e.Info().Hash || len(f.Info().Hash) != 64 {
		t.Error("another length has the same hash")
	}
}

// TestRealCut: a model whose file was cut after its import is named.
func TestRealCut(t *testing.T) {
	library := modelstest.Runtime(t)
	in := made(t, orttest.Spec{}, models.Embedder)
	path := filepath.Join(in.Dir, encoder.SafetensorsFile)
	if err := errors.Join(os.Chmod(path, 0o600), os.Truncate(path, 1000)); err != nil {
		t.Fatal(err)
	}
	_, err := onnx.New(t.Context(), onnx.Options{Model: in, Library: library})
	var unusable *encoder.ModelError
	if !errors.As(err, &unusable) || unusable.Next == "" {
		t.Errorf("%v", err)
	}
}

// TestRealConformance runs the suite of all embedders on the default model.
func TestRealConformance(t *testing.T) {
	in := modelstest.Pull(t, models.DefaultEmbedder)
	embedtest.Run(t, func(t *testing.T) embed.Embedder { return open(t, onnx.Options{Model: in}) })
}

// TestRealInt8: the small model, an ONNX file of its own that gives the tokens'
// vectors, is pooled here; it lies near the large one (measured: 0.9995 on
// average, 0.996 at the least).
func TestRealInt8(t *testing.T) {
	large := open(t, onnx.Options{Model: modelstest.Pull(t, models.DefaultEmbedder)})
	defer func() { _ = large.Close() }()
	small := open(t, onnx.Options{Model: modelstest.Pull(t, "all-minilm-l6-v2-int8")})
	defer func() { _ = small.Close() }()
	if small.Info().Hash == large.Info().Hash {
		t.Error("two models have one hash")
	}
	a, err := large.Embed(t.Context(), compared)
	if err != nil {
		t.Fatal(err)
	}
	b, err := small.Embed(t.Context(), compared)
	if err != nil {
		t.Fatal(err)
	}
	for i := range a {
		cosine := 0.0
		for j := range a[i] {
			cosine += float64(a[i][j]) * float64(b[i][j])
		}
		if cosine < 0.99 {
			t.Errorf("%.40q: cosine %.5f", compared[i], cosine)
		}
	}
}
