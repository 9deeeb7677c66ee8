package report

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// nasty are the parts of which a careless parser's worst texts are made: the
// head once, the tail again and again.
var nasty = map[string][2]string{
	"backticks":       {"", "`"},
	"fences":          {"", "```a\n"},
	"bare fences":     {"", "```\n"},
	"unclosed fence":  {"```python\n", "x = f(x)\n"},
	"details":         {"", "<details>\n"},
	"summaries":       {"", "<details><summary>x</summary>\n\n```\n1\n```\n"},
	"headings":        {"", "# Expected\n"},
	"bold":            {"", "**a**\n\n"},
	"comments":        {"", "<!-- "},
	"one line":        {"", "jax 0.1.2 fails "},
	"one word":        {"", "a"},
	"versions":        {"", "from 0.6.1 to 0.6.2\n"},
	"sentences":       {"", "Expected `1`, got `2`. "},
	"freeze":          {"```\n", "numpy==1.2.3\n"},
	"frames":          {"", "  File \"a.py\", line 3, in f\n"},
	"tracebacks":      {"", "Traceback (most recent call last):\nValueError: x\n"},
	"prompts":         {"", ">>> f(1)\n2\n"},
	"pre":             {"", "<pre>\n"},
	"code":            {"```python\n", "x = f(x)  # prints 3, should be 4\n"},
	"output":          {"prints\n```\n", "loss 0.25 at step 7\n"},
	"list items":      {"", "- torch: 2.1.0\n"},
	"digits":          {"", "1."},
	"parentheses":     {"```\n", "("},
	"indented":        {"", "    x\n\n"},
	"env":             {"", "A_B=1 "},
	"imports":         {"", "import os\n"},
	"dates":           {"", "2024-03-05 "},
	"quotes":          {"```python\n", "'''"},
	"short blocks":    {"", "```\nx\n```\nfollowed by: 3\n\n"},
	"shell":           {"```\n", "$ python a.py\n3\n"},
	"prompt prefix":   {"```\n", "a@a@a@a@a:"},
	"pasted comments": {"```python\n", "print(1)\n# Output:\n# 3\n"},
	"printed values":  {"```python\nprint(1)\n# ", "1, "},
	"questions":       {"", ">>> a.__version__, b.__version__\n('1.2.3', '3.4.5')\n"},
	"asked tuple":     {"```python\nprint(", "a.__version__, "},
	"directions":      {"", "must not decrease with the more and as the more the more "},
	"labels":          {"", "1.4.4: [1.5, 1.5]\n"},
	"lists in prose":  {"", "[1. 0. "},
	"wide":            {"", "预期输出应该是，实际：1。"},
	"placeholders":    {"", "- OS (e.g., Linux): x\n"},
	"git describes":   {"", "v1.2.3-4-gabcdef0 1.2.3 "},
	"quoted lines":    {"", "> > > a\n"},
	"code tags":       {"", "<code>1</code>"},
	"one comment":     {"```python\n#", " expected but should be"},
	"diagnoses":       {"### Environment\n\n```\n", "----A Info----\nVersion : 1.2\n"},
	"commits":         {"", "at commit abcdef0 "},
	"nbsp":            {"", "\u00a0"},
	"returns":         {"", "\r"},
}

// nastyText is such a text of about the given size.
func nastyText(name string, size int) []byte {
	parts := nasty[name]
	return []byte(parts[0] + strings.Repeat(parts[1], max(1, (size-len(parts[0]))/len(parts[1]))))
}

// TestNasty parses each of them once: they must keep the limits (how fast is
// the benchmarks' business).
func TestNasty(t *testing.T) {
	for name := range nasty {
		t.Run(name, func(t *testing.T) {
			// 16 KiB is over most limits and quick under the race detector.
			check(t, Parse(nastyText(name, 16<<10), Source{}))
		})
	}
}

// TestNastyAndLarge parses what is over the size limit, cut in any place.
func TestNastyAndLarge(t *testing.T) {
	for _, name := range []string{"backticks", "one word"} {
		t.Run(name, func(t *testing.T) {
			r := Parse(nastyText(name, 5<<20), Source{})
			check(t, r)
			if len(r.Text) > MaxSize || len(r.Notes) == 0 {
				t.Errorf("%d bytes kept, notes %q", len(r.Text), r.Notes)
			}
		})
	}
}

// BenchmarkParse is the corpus: reports as people file them. The limit that the
// parser has to keep is 50 ms for 100 KiB, which is 2 MB/s.
func BenchmarkParse(b *testing.B) {
	var texts [][]byte
	total := 0
	for _, file := range corpusFiles(b) {
		data, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		texts = append(texts, data)
		total += len(data)
	}
	b.SetBytes(int64(total))
	start := cpuTime(b)
	for b.Loop() {
		for _, text := range texts {
			Parse(text, Source{})
		}
	}
	spent := float64(cpuTime(b)-start) / float64(b.N) / 1e6
	b.ReportMetric(spent/float64(total)*(100<<10), "cpu-ms/100KiB")
}

// BenchmarkNasty parses 100 KiB of each. It also reports the processor time,
// which a busy machine changes less: each must stay below 50 ms of it.
func BenchmarkNasty(b *testing.B) { benchNasty(b, 100<<10) }

// BenchmarkNastyAndLarge parses 5 MB of each, of which MaxSize is read.
func BenchmarkNastyAndLarge(b *testing.B) { benchNasty(b, 5<<20) }

func benchNasty(b *testing.B, size int) {
	for name := range nasty {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			text := nastyText(name, size)
			b.SetBytes(int64(len(text)))
			start := cpuTime(b)
			for b.Loop() {
				Parse(text, Source{})
			}
			b.ReportMetric(float64(cpuTime(b)-start)/float64(b.N)/1e6, "cpu-ms/op")
		})
	}
}

// cpuTime is the user time of this process in nanoseconds.
func cpuTime(b *testing.B) int64 {
	b.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano()
}
