package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// hostile are reports of 1 MiB that make a careless parser slow.
var hostile = map[string]string{
	"backticks":    strings.Repeat("`", MaxSize),
	"fences":       strings.Repeat("```a\n", MaxSize/5),
	"bare fences":  strings.Repeat("```\n", MaxSize/4),
	"details":      strings.Repeat("<details>\n", MaxSize/10),
	"headings":     strings.Repeat("# Expected\n", MaxSize/11),
	"bold":         strings.Repeat("**a**\n\n", MaxSize/7),
	"comments":     strings.Repeat("<!-- ", MaxSize/5),
	"one line":     strings.Repeat("jax 0.1.2 fails ", MaxSize/16),
	"one word":     strings.Repeat("a", MaxSize),
	"versions":     strings.Repeat("from 0.6.1 to 0.6.2\n", MaxSize/20),
	"sentences":    strings.Repeat("Expected `1`, got `2`. ", MaxSize/23),
	"freeze":       "```\n" + strings.Repeat("numpy==1.2.3\n", MaxSize/13),
	"frames":       strings.Repeat("  File \"a.py\", line 3, in f\n", MaxSize/29),
	"tracebacks":   strings.Repeat("Traceback (most recent call last):\nValueError: x\n", MaxSize/50),
	"prompts":      strings.Repeat(">>> f(1)\n2\n", MaxSize/11),
	"pre":          strings.Repeat("<pre>\n", MaxSize/6),
	"code":         "```python\n" + strings.Repeat("x = f(x)  # prints 3, should be 4\n", MaxSize/35),
	"output":       "prints\n```\n" + strings.Repeat("loss 0.25 at step 7\n", MaxSize/20),
	"list items":   strings.Repeat("- torch: 2.1.0\n", MaxSize/15),
	"digits":       strings.Repeat("1.", MaxSize/2),
	"parentheses":  "```\n" + strings.Repeat("(", MaxSize-5),
	"indented":     strings.Repeat("    x\n\n", MaxSize/7),
	"env":          strings.Repeat("A_B=1 ", MaxSize/6),
	"imports":      strings.Repeat("import os\n", MaxSize/10),
	"dates":        strings.Repeat("2024-03-05 ", MaxSize/11),
	"quotes":       "```python\n" + strings.Repeat("'''", MaxSize/3-10),
	"short blocks": strings.Repeat("```\nx\n```\nfollowed by: 3\n\n", MaxSize/26),
}

// TestHostile parses each of them once: they must keep the limits (how fast is
// the benchmark's business).
func TestHostile(t *testing.T) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			// A sixteenth is over most limits and quick under the race detector.
			check(t, Parse([]byte(text[:len(text)/16]), Source{}))
		})
	}
}

// BenchmarkParse is a report as people file them.
func BenchmarkParse(b *testing.B) {
	for _, name := range []string{"jax-jit-exp-nan", "tf-27-protobuf4-import"} {
		b.Run(name, func(b *testing.B) {
			data, err := os.ReadFile(filepath.Join("testdata", "cases", name+".md"))
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if r := Parse(data, Source{}); len(r.Blocks) == 0 {
					b.Fatal("no block")
				}
			}
		})
	}
}

// BenchmarkHostile also reports the processor time, which a busy machine does not
// change: each text must stay below 500 ms of it.
func BenchmarkHostile(b *testing.B) {
	for name, text := range hostile {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			start := cpuTime(b)
			for b.Loop() {
				Parse([]byte(text), Source{})
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
