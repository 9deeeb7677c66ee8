package onnx_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/repgen/repgen/internal/codebase/models"
	"github.com/repgen/repgen/internal/codebase/models/modelstest"
	"github.com/repgen/repgen/internal/codebase/ort"
	"github.com/repgen/repgen/internal/codebase/ort/orttest"
	"github.com/repgen/repgen/internal/codebase/rerank"
	"github.com/repgen/repgen/internal/codebase/rerank/onnx"
)

func made(t testing.TB, s orttest.Spec) *models.Installed {
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
	return in
}

func TestNewRefuses(t *testing.T) {
	good := made(t, orttest.Spec{Cross: true})
	none := filepath.Join(t.TempDir(), "none.so")
	if _, err := onnx.New(t.Context(), onnx.Options{Model: good, Library: none}); !errors.Is(err, ort.ErrNoRuntime) {
		t.Errorf("no library: %v", err)
	}
	empty := *good
	empty.Dir = t.TempDir()
	for name, o := range map[string]onnx.Options{
		"none": {}, "embedder": {Model: made(t, orttest.Spec{})}, "no tokenizer": {Model: &empty}, "no room": {Model: good, MaxTokens: 4},
	} {
		o.Library = none
		if r, err := onnx.New(t.Context(), o); err == nil || r != nil || errors.Is(err, ort.ErrNoRuntime) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func open(t testing.TB, o onnx.Options) rerank.Reranker {
	t.Helper()
	o.Library = modelstest.Runtime(t)
	r, err := onnx.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// TestRealScore: one score a text, in order, the same alone and among others.
func TestRealScore(t *testing.T) {
	r := open(t, onnx.Options{Model: made(t, orttest.Spec{Cross: true})})
	texts := []string{"training the model", "", "loss is nan", strings.Repeat("keras layer ", 500), "\xff\x00 損失"}
	all, err := r.Score(t.Context(), "the loss does not train", texts)
	if err != nil || len(all) != len(texts) {
		t.Fatalf("%v %v", all, err)
	}
	for i, text := range texts {
		one, err := r.Score(t.Context(), "the loss does not train", []string{text})
		if err != nil || math.Abs(one[0]-all[i]) > 1e-5 {
			t.Errorf("%d: %v alone, %v among others, %v", i, one, all[i], err)
		}
	}
	if other, err := r.Score(t.Context(), "batch size", texts[:1]); err != nil || other[0] == all[0] {
		t.Errorf("the query has no part in the score: %v %v", other, err)
	}
	if none, err := r.Score(t.Context(), "x", nil); err != nil || len(none) != 0 {
		t.Errorf("%v %v", none, err)
	}
	if r.Name() != "made-up" {
		t.Error(r.Name())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if scores, err := r.Score(ctx, "x", texts); !errors.Is(err, context.Canceled) || scores != nil {
		t.Errorf("%v %v", scores, err)
	}
}

// BenchmarkRealScore times twenty pairs with a model of the published size
// (twelve layers of 384), whose weights are made up: time does not depend on
// them.
func BenchmarkRealScore(b *testing.B) {
	library := modelstest.Runtime(b)
	in := made(b, orttest.Spec{Layers: 12, Hidden: 384, Inner: 1536, Heads: 12, Positions: 512, Cross: true})
	text := strings.Repeat("def fit ( self , model ) : return loss ", 40)
	for _, tokens := range []int{128, 192, 256, 512} {
		b.Run(strconv.Itoa(tokens), func(b *testing.B) {
			r, err := onnx.New(b.Context(), onnx.Options{Model: in, Library: library, MaxTokens: tokens})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = r.Close() }()
			texts := slices.Repeat([]string{text}, 20)
			var before, after syscall.Rusage
			if err := syscall.Getrusage(0, &before); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := r.Score(b.Context(), "the loss does not train", texts); err != nil {
					b.Fatal(err)
				}
			}
			if err := syscall.Getrusage(0, &after); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(after.Utime.Nano()-before.Utime.Nano())/1e9/float64(b.N), "cpu-s/op")
		})
	}
}
