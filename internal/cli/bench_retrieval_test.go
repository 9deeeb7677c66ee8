package cli

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/codebase/chunk"
	"github.com/repgen/repgen/internal/codebase/embed"
	embedonnx "github.com/repgen/repgen/internal/codebase/embed/onnx"
	"github.com/repgen/repgen/internal/codebase/models"
	"github.com/repgen/repgen/internal/system"
)

// someTexts are texts to embed, none equal to another.
type someTexts []string

func (s someTexts) Len() int { return len(s) }

func (s someTexts) Ident(i int) (id chunk.Ident) {
	binary.LittleEndian.PutUint64(id[:], uint64(i))
	return id
}

func (s someTexts) EmbedText(_ context.Context, i int) (string, error) { return s[i], nil }

// forgetful has nothing and keeps nothing.
type forgetful struct{}

func (forgetful) Has(chunk.Ident) bool                 { return false }
func (forgetful) Add([]chunk.Ident, [][]float32) error { return nil }

// BenchmarkRetrievalEmbed embeds the texts of REPGEN_BENCH_TEXTS (a JSON list)
// with the default model; scripts/bench-retrieval.sh calls it.
func BenchmarkRetrievalEmbed(b *testing.B) {
	name := os.Getenv("REPGEN_BENCH_TEXTS")
	if name == "" {
		b.Skip("set REPGEN_BENCH_TEXTS; scripts/bench-retrieval.sh does")
	}
	data, err := os.ReadFile(name)
	if err != nil {
		b.Fatal(err)
	}
	var texts someTexts
	if err := json.Unmarshal(data, &texts); err != nil {
		b.Fatal(err)
	}
	cache, err := system.CacheDir()
	if err != nil {
		b.Fatal(err)
	}
	m := models.Open(cache, models.Options{Offline: true})
	threads, _ := strconv.Atoi(os.Getenv("REPGEN_BENCH_THREADS"))
	e, err := openEmbedder(b.Context(), m, models.DefaultEmbedder, max(1, threads))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	if _, ok := e.(*embedonnx.Embedder); !ok {
		b.Fatalf("%T is not the model", e)
	}
	for b.Loop() {
		cpu, began := processorTime(b), time.Now()
		if _, err := embed.All(b.Context(), e, texts, forgetful{}, embed.Options{}); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(time.Since(began).Seconds(), "embed-s")
		b.ReportMetric((processorTime(b) - cpu).Seconds(), "embed-cpu-s")
	}
}

// processorTime is what this process has used of it so far.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Pairs and goldens of the retrieval benchmark.
const retrievalData = "../bench/testdata/retrieval/"

// updateGolden writes the goldens instead of comparing with them.
var updateGolden = flag.Bool("update-golden", false, "write the goldens of the retrieval benchmark")

// benchRetrieval runs the command and fails when the ranks are not the golden's.
func benchRetrieval(t *testing.T, golden string, args ...string) {
	t.Helper()
	args = append([]string{"bench", "retrieval", "--quiet", "--reranker", "none", "--golden", retrievalData + golden}, args...)
	if *updateGolden {
		args = append(args, "--update-golden")
	}
	var out, errOut bytes.Buffer
	if code := Main(args, strings.NewReader(""), &out, &errOut); code != 0 {
		t.Fatalf("repgen %s: exit code %d\n%s\n%s", strings.Join(args, " "), code, out.String(), errOut.String())
	}
	t.Logf("\n%s", out.String())
}

// TestRetrievalGolden ranks the real fixes on one source release a project: by
// words and by the shipped vectors, which need no model.
func TestRetrievalGolden(t *testing.T) {
	real(t)
	sharedCache(t)
	benchRetrieval(t, "golden-releases.jsonl", "--embedder", "static", "--methods", "bm25,bm25-frames,static,static-hybrid",
		retrievalData+"keras.jsonl", retrievalData+"torchmetrics.jsonl")
}

// TestRetrievalGoldenModel ranks one project as a first answer does: candidates
// by words and shipped vectors, these embedded with the model.
func TestRetrievalGoldenModel(t *testing.T) {
	real(t)
	sharedCache(t)
	var out bytes.Buffer
	if code := Main([]string{"models", "pull", "default", "--quiet"}, strings.NewReader(""), &out, &out); code != 0 {
		t.Fatalf("repgen models pull: exit code %d\n%s", code, out.String())
	}
	benchRetrieval(t, "golden-releases-model.jsonl", "--methods", "first", retrievalData+"torchmetrics.jsonl")
}
