package mcp

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
)

// TestTrimProperties: whatever a program wrote, what is handed over is inert,
// valid, and no longer than allowed, also as JSON.
func TestTrimProperties(t *testing.T) {
	hostile := rapid.SliceOf(rapid.OneOf(
		rapid.SampledFrom([]string{"\x1b[31m", "\x1b]0;x\x07", "\x00", "\u202e", "\u2028", "<", "&", `"`, `\`, "\n", "\t", "\xff", "zwölf", "日本", "\x9b2J", "\r"}),
		rapid.String(),
	))
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(hostile.Draw(rt, "parts"), "")
		n := rapid.IntRange(1, 300).Draw(rt, "n")
		for name, cut := range map[string]func(string, int) (string, int){"head": head, "tail": tail, "line": func(s string, n int) (string, int) { return line(s, n), 0 }} {
			kept, left := cut(text, n)
			if !utf8.ValidString(kept) && utf8.ValidString(text) || left < 0 {
				rt.Fatalf("%s(%q, %d) = %q, %d", name, text, n, kept, left)
			}
			data, err := json.Marshal(kept)
			if err != nil || len(data) > n+2+len("…")+2 && utf8.ValidString(kept) {
				rt.Fatalf("%s(%q, %d) takes %d bytes: %s %v", name, text, n, len(data), data, err)
			}
			if strings.ContainsAny(kept, "\x1b\x00\x07\r\u202e") || name == "line" && strings.Contains(kept, "\n") {
				rt.Fatalf("%s(%q, %d) = %q", name, text, n, kept)
			}
		}
	})
}

// TestWindowProperties: windows together are the whole text, each within its
// size.
func TestWindowProperties(t *testing.T) {
	part := rapid.SampledFrom([]string{"<", `"`, "\n", "zwölf ", "a line of text\n", "&&&&&&&&", "日本"})
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(part, 0, 60).Draw(rt, "parts"), "")
		text = strings.Repeat(text, rapid.IntRange(1, 200).Draw(rt, "times"))
		var got strings.Builder
		for rest := text; rest != ""; {
			kept, size := window(rest)
			data, err := json.Marshal(kept)
			if err != nil || size <= 0 || len(data) > maxWindow+2 {
				rt.Fatalf("a window of %d bytes for %d: %d as JSON, %v", len(kept), size, len(data), err)
			}
			got.WriteString(kept)
			rest = rest[size:]
		}
		if got.String() != text {
			rt.Fatalf("%d bytes of %d came through", got.Len(), len(text))
		}
	})
}

func TestTail(t *testing.T) {
	if kept, left := tail("one\ntwo\n", 100); kept != "one\ntwo\n" || left != 0 {
		t.Errorf("%q %d", kept, left)
	}
	if kept, left := tail(strings.Repeat("a", 5000)+"end", 10); kept != "aaaaaaaend" || left != 4993 {
		t.Errorf("%q %d", kept, left)
	}
	if kept, left := head("begin"+strings.Repeat("a", 5000), 10); kept != "beginaaaaa" || left != 4995 {
		t.Errorf("%q %d", kept, left)
	}
}

func TestTraceback(t *testing.T) {
	frames := []probe.Frame{{File: "/box/reproduce.py", Line: 3, Function: "<module>", Source: "f()"}, {File: "/env/lib/python3.11/site-packages/tinynet/core.py", Line: 9, Function: "total"}}
	for name, c := range map[string]struct {
		ex   sandbox.Execution
		want string
	}{
		"nothing": {sandbox.Execution{}, ""},
		"exception": {
			sandbox.Execution{Record: probe.Record{Exceptions: []probe.Exception{{Type: "TypeError", Message: "no", Frames: frames, Notes: []string{"hint"}}}}},
			"TypeError: no\n  reproduce.py:3 in <module>: f()\n  tinynet/core.py:9 in total\n  note: hint\n",
		},
		"thread": {
			sandbox.Execution{Record: probe.Record{Exceptions: []probe.Exception{{Thread: "worker", Type: "OSError", Message: "gone"}}}},
			"in thread worker: OSError: gone\n",
		},
		"signal":           {sandbox.Execution{Signal: "SIGSEGV", Record: probe.Record{Fatal: "Fatal Python error: Segmentation fault"}}, "Fatal Python error: Segmentation fault"},
		"fatal, no signal": {sandbox.Execution{Record: probe.Record{Fatal: "printed"}}, ""},
		"exit":             {sandbox.Execution{Record: probe.Record{SystemExit: "'gave up'"}}, "sys.exit('gave up')\n"},
		"hang": {
			sandbox.Execution{Outcome: sandbox.TimedOut, Record: probe.Record{Stacks: []probe.Stack{{Sample: 1, Main: true}, {Sample: 2, Main: true, Frames: frames[:1]}, {Sample: 2, Thread: "x"}, {Sample: 3, Main: true, Child: true}}}},
			"at sample 2 the main thread was in\n  reproduce.py:3 in <module>: f()\n",
		},
	} {
		if got := traceback(&c.ex); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// FuzzRootPath: no accepted path leaves the root or is hidden.
func FuzzRootPath(f *testing.F) {
	for _, p := range []string{"a.md", "../a", "/etc/passwd", "a/../../b", ".env", "a/.git/x", "", ".", "a\x00", `a\..\b`} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, name string) {
		clean, err := rootPath(name)
		if err != nil {
			return
		}
		for part := range strings.SplitSeq(clean, "/") {
			if part == ".." || part == "" || strings.HasPrefix(part, ".") && clean != "." {
				t.Errorf("%q is taken as %q", name, clean)
			}
		}
	})
}

// FuzzWishes: no accepted requirement is an option, a path or a URL.
func FuzzWishes(f *testing.F) {
	for _, w := range []string{"a", "a==1", "a[b]>=1,<2", "-r x", "a @ u", "a;b", "git+https://x", "a\nb"} {
		f.Add(w)
	}
	f.Fuzz(func(t *testing.T, with string) {
		in := SolveIn{With: []string{with}}
		if in.check() != nil {
			return
		}
		if strings.ContainsAny(with, "@;/\\\n\r\x00:#'\"$`") || strings.HasPrefix(with, "-") {
			t.Errorf("%q is taken", with)
		}
	})
}
