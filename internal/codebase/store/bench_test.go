package store

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/codebase/bm25"
	"github.com/repgen/repgen/internal/codebase/chunk"
	"github.com/repgen/repgen/internal/codebase/source"
)

// projectVar names a folder to measure with; without it the project is made up.
const projectVar = "REPGEN_BENCH_PROJECT"

// benchProject gives a folder that holds copies of a project, each below a
// folder of its own, with times that are believed.
func benchProject(b *testing.B, copies int) string {
	b.Helper()
	files := map[string]string{}
	if from := os.Getenv(projectVar); from != "" {
		readProject(b, from, files)
	} else {
		makeProject(files)
	}
	root := b.TempDir()
	settled := time.Now().Add(-time.Hour)
	for n := range copies {
		for path, text := range files {
			name := filepath.Join(root, fmt.Sprintf("copy%d", n), path)
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				b.Fatal(err)
			}
			if err := os.Chtimes(name, settled, settled); err != nil {
				b.Fatal(err)
			}
		}
	}
	return root
}

func readProject(b *testing.B, from string, files map[string]string) {
	b.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".py") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		files[rel] = string(text)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}

// makeProject writes 200 files of about 15 KB, as large as keras's are.
func makeProject(files map[string]string) {
	rng := rand.New(rand.NewPCG(7, 8))
	zipf := rand.NewZipf(rng, 1.1, 4, 20_000)
	word := func() string { return fmt.Sprintf("name_%x", zipf.Uint64()) }
	for f := range 200 {
		var sb strings.Builder
		for c := range 5 {
			fmt.Fprintf(&sb, "class Layer%d(%s):\n    \"\"\"%s %s.\"\"\"\n", c, word(), word(), word())
			for m := range 6 {
				fmt.Fprintf(&sb, "    def method_%d(self, %s):\n", m, word())
				for range 12 {
					fmt.Fprintf(&sb, "        self.%s = %s(%s, 0.5)\n", word(), word(), word())
				}
			}
		}
		files[fmt.Sprintf("pkg/m%d.py", f)] = sb.String()
	}
}

func benchOptions() Options {
	return Options{Split: chunk.Split, EmbedText: chunk.EmbedText, IdentOf: chunk.IdentOf}
}

// measured times fn, and reports CPU time, peak memory and size as metrics.
func measured(b *testing.B, prepare func(), fn func() *Store) {
	b.Helper()
	var took, cpu time.Duration
	var n, chunks, files int
	resetPeak()
	b.ResetTimer()
	for b.Loop() {
		b.StopTimer()
		prepare()
		b.StartTimer()
		began, used := time.Now(), cpuTime()
		s := fn()
		took, cpu = took+time.Since(began), cpu+cpuTime()-used
		n, chunks, files = n+1, s.Len(), len(s.Files())
		b.StopTimer()
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(took.Seconds()*1000/float64(n), "ms")
	b.ReportMetric(cpu.Seconds()*1000/float64(n), "cpu-ms")
	b.ReportMetric(float64(chunks), "chunks")
	b.ReportMetric(float64(files), "files")
	b.ReportMetric(peakMiB(), "peak-MiB")
	b.ReportMetric(0, "ns/op")
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// resetPeak makes the kernel forget the process's peak of resident memory.
func resetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

func peakMiB() float64 {
	data, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(data), "VmHWM:")
	kb, _ := strconv.ParseFloat(strings.Fields(rest + " 0")[0], 64)
	return kb / 1024
}

func benchOpen(b *testing.B, dir, root string) *Store {
	b.Helper()
	tree, err := source.Dir(root)
	if err != nil {
		b.Fatal(err)
	}
	s, c, err := Open(b.Context(), dir, tree, benchOptions())
	if err != nil || c.Unsaved != "" {
		b.Fatal(err, c)
	}
	return s
}

// BenchmarkFromNothing is parse, words and writing; 1 to 8 copies show how it
// grows.
func BenchmarkFromNothing(b *testing.B) {
	for _, copies := range []int{1, 2, 4, 8} {
		b.Run(fmt.Sprintf("copies=%d", copies), func(b *testing.B) {
			root, dir := benchProject(b, copies), b.TempDir()
			measured(b, func() { _ = os.Remove(filepath.Join(dir, fileName)) }, func() *Store { return benchOpen(b, dir, root) })
			info, err := os.Stat(filepath.Join(dir, fileName))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(info.Size())/(1<<20), "index-MiB")
		})
	}
}

func BenchmarkReopen(b *testing.B) {
	for _, copies := range []int{1, 2, 4, 8} {
		b.Run(fmt.Sprintf("copies=%d", copies), func(b *testing.B) {
			root, dir := benchProject(b, copies), b.TempDir()
			_ = benchOpen(b, dir, root).Close()
			measured(b, func() {}, func() *Store { return benchOpen(b, dir, root) })
		})
	}
}

func BenchmarkOneChangedFile(b *testing.B) {
	for _, copies := range []int{1, 2, 4, 8} {
		b.Run(fmt.Sprintf("copies=%d", copies), func(b *testing.B) {
			root, dir := benchProject(b, copies), b.TempDir()
			s := benchOpen(b, dir, root)
			name := filepath.Join(root, s.Files()[len(s.Files())/2].Path)
			_ = s.Close()
			n := 0
			measured(b, func() {
				n++
				if err := os.WriteFile(name, fmt.Appendf(nil, "def changed_%d(x):\n    return x\n", n), 0o600); err != nil {
					b.Fatal(err)
				}
			}, func() *Store { return benchOpen(b, dir, root) })
		})
	}
}

// BenchmarkSearch asks questions of 60 tokens.
func BenchmarkSearch(b *testing.B) {
	for _, copies := range []int{1, 4} {
		b.Run(fmt.Sprintf("copies=%d", copies), func(b *testing.B) {
			s := benchOpen(b, b.TempDir(), benchProject(b, copies))
			defer func() { _ = s.Close() }()
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				text, err := s.Text(b.Context(), i*97%s.Len())
				if err != nil {
					b.Fatal(err)
				}
				q := bm25.Query(text)
				q = q[:min(60, len(q))]
				b.StartTimer()
				began := time.Now()
				s.BM25().Search(q, 200, func(i int) bool { return !s.Test(i) })
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			ms := func(q float64) float64 { return took[int(q*float64(len(took)-1))].Seconds() * 1000 }
			b.ReportMetric(ms(.5), "p50-ms")
			b.ReportMetric(ms(.95), "p95-ms")
			b.ReportMetric(float64(s.Len()), "chunks")
		})
	}
}
