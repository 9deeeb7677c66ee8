package encoder

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/codebase/ort"
	"github.com/repgen/repgen/internal/codebase/ort/bert"
	"github.com/repgen/repgen/internal/codebase/ort/onnxfile"
	"github.com/repgen/repgen/internal/codebase/ort/orttest"
)

// TestBatches: each text is in one batch, and no batch has more tokens than it
// may.
func TestBatches(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		lengths := rapid.SliceOfN(rapid.IntRange(0, 40), 0, 60).Draw(rt, "lengths")
		limit := rapid.IntRange(1, 100).Draw(rt, "limit")
		even := rapid.Bool().Draw(rt, "even")
		ids := make([][]int32, len(lengths))
		for i, n := range lengths {
			ids[i] = make([]int32, n)
		}
		var all []int
		last := math.MaxInt
		for _, part := range batches(ids, limit, even) {
			longest := 0
			for _, i := range part {
				if lengths[i] > last {
					rt.Error("a longer text after a shorter one")
				}
				if even && lengths[i] != lengths[part[0]] {
					rt.Error("two lengths in one batch")
				}
				last = lengths[i]
				longest = max(longest, lengths[i])
			}
			if len(part) == 0 || len(part) > 1 && len(part)*longest > limit {
				rt.Errorf("%d texts of up to %d tokens, limit %d", len(part), longest, limit)
			}
			all = append(all, part...)
		}
		slices.Sort(all)
		for i, n := range all {
			if i != n {
				rt.Fatalf("%v", all)
			}
		}
		if len(all) != len(lengths) {
			rt.Errorf("%d of %d texts", len(all), len(lengths))
		}
	})
}

func TestInputs(t *testing.T) {
	b := Batch{IDs: [][]int32{{7, 8, 9}, {5}}, Types: [][]int32{{0, 1, 1}, {0}}, Pad: 3}
	in := b.inputs(2, 3)
	for name, want := range map[string][]int64{
		bert.InputIDs: {7, 8, 9, 5, 3, 3}, bert.AttentionMask: {1, 1, 1, 1, 0, 0}, bert.TokenTypes: {0, 1, 1, 0, 0, 0},
	} {
		if !slices.Equal(in[name], want) {
			t.Errorf("%s: %v", name, in[name])
		}
	}
}

// TestMean: padding has no part in the mean.
func TestMean(t *testing.T) {
	x := ort.Tensor{Shape: []int64{2, 2, 2}, Data: []float32{1, 2, 3, 4, 5, 6, 100, 100}}
	got, err := mean(x, [][]int32{{1, 1}, {1}}, 2)
	if err != nil || !slices.Equal(got[0], []float32{2, 3}) || !slices.Equal(got[1], []float32{5, 6}) {
		t.Errorf("%v %v", got, err)
	}
	if _, err := mean(x, [][]int32{{1}}, 2); err == nil {
		t.Error("another shape was taken")
	}
	if v := unit([][]float32{{3, 4}, {0, 0}}); v[0][0] != 0.6 || v[1][0] != 0 {
		t.Errorf("%v", v)
	}
	if _, err := split(x, 2); err == nil {
		t.Error("three dimensions were taken for two")
	}
}

func TestInspect(t *testing.T) {
	dir := t.TempDir()
	if err := (orttest.Spec{}).Write(dir); err != nil {
		t.Fatal(err)
	}
	if dims, err := Inspect(dir, Vectors); err != nil || dims != 32 {
		t.Errorf("%d %v", dims, err)
	}
	var unusable *ModelError
	if _, err := Inspect(dir, Scores); !errors.As(err, &unusable) || !strings.Contains(err.Error(), "BertModel") {
		t.Errorf("%v", err)
	}
	weights := filepath.Join(dir, SafetensorsFile)
	data, err := os.ReadFile(weights)
	if err != nil {
		t.Fatal(err)
	}
	for name, broken := range map[string][]byte{"cut": data[:len(data)/2], "empty": nil, "text": []byte("some words that are no weights")} {
		if err := os.WriteFile(weights, broken, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Inspect(dir, Vectors); !errors.As(err, &unusable) || unusable.Next == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Inspect(t.TempDir(), Vectors); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
}

// TestExternalOutside: a model must not make the runtime read elsewhere.
func TestExternalOutside(t *testing.T) {
	dir := t.TempDir()
	for name, ok := range map[string]bool{"weights.bin": true, "../weights.bin": false, "/etc/passwd": false} {
		g := &onnxfile.Graph{Name: "g", External: name}
		for _, in := range []string{bert.InputIDs, bert.AttentionMask} {
			g.Input(in, onnxfile.Int64, "b", "s")
		}
		g.Node("", "Identity", []string{g.AddExternal("w", []int64{1}, 0, 4)}, bert.Sentence)
		g.Output(bert.Sentence, "b", "n")
		if err := os.WriteFile(filepath.Join(dir, ONNXFile), g.Model(), 0o600); err != nil {
			t.Fatal(err)
		}
		if dims, err := Inspect(dir, Vectors); (err == nil) != ok || dims != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnusableConfig(t *testing.T) {
	dir := t.TempDir()
	if err := (orttest.Spec{}).Write(dir); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]string{"model_type": "roberta"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ConfigFile), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Inspect(dir, Vectors); !errors.Is(err, bert.ErrUnsupported) || !strings.Contains(err.Error(), "roberta") {
		t.Errorf("%v", err)
	}
}
