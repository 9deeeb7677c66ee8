package report

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// check holds what is true of every parse: spans in range and about the words
// they stand for, limits kept.
func check(t interface {
	Helper()
	Errorf(string, ...any)
}, r *Report) {
	t.Helper()
	in := func(what string, s Span) string {
		if s.Start < 0 || s.End < s.Start || s.End > len(r.Text) {
			t.Errorf("%s: span %v of %d bytes", what, s, len(r.Text))
			return ""
		}
		return r.Text[s.Start:s.End]
	}
	if r.Title == "" || len(r.Sections) == 0 || len(r.Text) > MaxSize || len(r.Blocks) > MaxBlocks {
		t.Errorf("title %q, %d sections, %d bytes, %d blocks", r.Title, len(r.Sections), len(r.Text), len(r.Blocks))
	}
	if got := in("title", r.TitleSpan); r.TitleSpan.End > 0 && got != r.Title {
		t.Errorf("title %q is not at its span: %q", r.Title, got)
	}
	for i, s := range r.Sections {
		in("section", s.Span)
		if i > 0 && s.Span.Start < r.Sections[i-1].Span.End {
			t.Errorf("section %d overlaps the one before", i)
		}
	}
	checkBlocks(t, r, in)
	for _, v := range r.Versions {
		got := strings.NewReplacer(", minor=", ".", ", micro=", ".").Replace(in("version", v.Span))
		if !strings.Contains(got, strings.TrimLeft(v.Spec, "=<>!~ ")) && v.Kind != VersionMoving && v.Kind != VersionRange && !v.Local {
			t.Errorf("version %+v is not at its span: %q", v, got)
		}
	}
	for _, e := range r.Env {
		if got := in("env", e.Span); !strings.Contains(got, e.Name) || !strings.Contains(got, e.Value) {
			t.Errorf("variable %+v is not at its span: %q", e, got)
		}
	}
	for _, f := range r.Platform {
		if got := in("platform", f.Span); got != f.Value && !strings.Contains(f.Value, "  ") && !strings.Contains(got, "`") && !strings.ContainsAny(got, "*|_\u00a0") {
			t.Errorf("fact %+v is not at its span: %q", f, got)
		}
	}
	for _, tb := range r.Tracebacks {
		in("traceback", tb.Span)
	}
	checkStatements(t, r, in)
}

func checkBlocks(t interface {
	Helper()
	Errorf(string, ...any)
}, r *Report, in func(string, Span) string) {
	t.Helper()
	for i, b := range r.Blocks {
		got := in("block", b.Span)
		if b.Section < 0 || b.Section >= len(r.Sections) {
			t.Errorf("block %d is in section %d of %d", i, b.Section, len(r.Sections))
		}
		for _, l := range strings.Split(b.Text, "\n") {
			if !strings.Contains(got, l) {
				t.Errorf("block %d: line %q is not at its span", i, l)
				break
			}
		}
		for _, c := range b.Cells {
			in("cell", c.Span)
		}
	}
}

func checkStatements(t interface {
	Helper()
	Errorf(string, ...any)
}, r *Report, in func(string, Span) string) {
	t.Helper()
	for _, s := range r.Statements {
		got := in("statement", s.Span)
		if s.Block >= len(r.Blocks) || s.Role != RoleExpected && s.Role != RoleActual {
			t.Errorf("statement %+v", s)
		}
		if got != s.Text && !(s.Kind == SaysException && (s.Text == "error" || strings.Contains(got, s.Text))) {
			t.Errorf("statement %+v is not at its span: %q", s, got)
		}
	}
}

// pieces are what random reports are put together from.
var pieces = []string{
	"# Title\n", "### Expected behavior\n", "**Actual**\n", "Expected output:\n", "```python\n", "```\n", "~~~\n", "```shell\n", "<details><summary>x</summary>\n", "</details>\n", "<!-- ", " -->", "<pre>", "</pre>\n",
	"import numpy as np\n", "print(np.ones(3))  # prints 3, should be 4\n", ">>> 1 + 1\n", "... 2\n", "2\n", "In [3]: x\n", "Out[3]: 5\n", "\n", "\n\n", "    ", "\t",
	"Traceback (most recent call last):\n", "  File \"a.py\", line 3, in f\n", "ValueError: no\n", "During handling of the above exception, another exception occurred:\n",
	"jax 0.6.2 works, ", "fails in 0.6.3. ", "from 0.1 to 0.2 ", "upgrade ", "numpy==1.2\n", "torch @ file:///x\n", "- keras: 3.1\n", "pip install x==1.2 y\n", "KERAS_BACKEND=jax ", "should be `2`, got `3`. ", "Both should be nan. ", "---\n", "title: \"a\"\n", "date: 2024-03-05\n", "é😀\u00a0", "\x00", "\xff", "\r\n", "`", "====\n", "Ubuntu 22.04, CPU only ", "With 3.5.0 I get\n\n", "prints\n\n", "1. Downgrade the x package to 3.20.x\n", "workaround 1 helps ",
	"预期输出应该是 2，实际是 3。", "# Output:\n# 3\n", "# torch==2.1\n", "print(np.__version__)\n", "1.4.4: `[1.5, 1.5]`\n", "must not decrease with more x. ", "$ python a.py\n", "me@host:~$ pip install x==1.2\n", "> ", "<code>1</code>", "- OS (e.g., Linux): ", "v1.2.3-4-gabcdef0 1.2.3 ", "at commit abcdef0 ", "### v1.2.0\n", "Output with 1.1.0:\n", "Expected: 2 1\n", "no UserWarning ", "----A Info----\nVersion : 1.2\n", "**OS**: Linux\n", "| a | 1.2.3 |\n", "“nan” ", "[1. 0. 1.] ", "\x1b[31m",
}

func TestSpansHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 60).Draw(t, "parts")
		check(t, Parse([]byte(strings.Join(parts, "")), Source{Kind: "file"}))
	})
}

func TestReadersSpansHold(t *testing.T) {
	for _, file := range reportFiles(t) {
		check(t, parseFile(t, file))
	}
}

func TestParseIsStable(t *testing.T) {
	// The same text gives the same facts when read a second time.
	for _, file := range reportFiles(t) {
		a := parseFile(t, file)
		b := Parse([]byte(a.Text), a.Source)
		if len(a.Blocks) != len(b.Blocks) || len(a.Versions) != len(b.Versions) || a.Title != b.Title {
			t.Errorf("%s: %d blocks and %d versions, then %d and %d", file, len(a.Blocks), len(a.Versions), len(b.Blocks), len(b.Versions))
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, p := range pieces {
		f.Add([]byte(p))
	}
	for _, name := range []string{"testdata/cases/tf-27-protobuf4-import.md", "testdata/cases/keras-logsumexp-symbolic.md", "testdata/tracker-issue.json", "testdata/form-nested-fence.md", "testdata/lightning-env.md", "testdata/setext-details.md"} {
		raw, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r := Parse(raw, Source{Kind: "stdin", Name: "-"})
		check(t, r)
	})
}

func TestRead(t *testing.T) {
	tests := []struct {
		name string
		in   string
		err  error
		text string
		note string
	}{
		{"empty", "", ErrEmpty, "", ""},
		{"white space", " \n\t\r\n \u00a0", ErrEmpty, "", ""},
		{"only a mark", "\xef\xbb\xbf", ErrEmpty, "", ""},
		{"binary", "\x7fELF\x02\x01\x00\x00", ErrBinary, "", ""},
		{"control bytes", "\x01\x02\x03\x04\x05abc", ErrBinary, "", ""},
		{"plain", "a bug", nil, "a bug", ""},
		{"utf-8 mark", "\xef\xbb\xbfa bug", nil, "a bug", ""},
		{"utf-16 little", "\xff\xfea\x00 \x00b\x00", nil, "a b", "UTF-16"},
		{"utf-16 big", "\xfe\xff\x00a\x00 \x00b", nil, "a b", "UTF-16"},
		{"windows-1252", "caf\xe9 \x80", nil, "café €", "Windows-1252"},
		{"line ends", "a\r\nb\rc", nil, "a\nb\nc", ""},
		{"colours", "\x1b[31mred\x1b[0m", nil, "\x1b[31mred\x1b[0m", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Read(strings.NewReader(tt.in), Source{Name: "x.md"})
			if tt.err != nil {
				if !errors.Is(err, tt.err) || !strings.Contains(err.Error(), "x.md") {
					t.Fatalf("error %v, want %v", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.Text != tt.text || !strings.Contains(strings.Join(r.Notes, ";"), tt.note) {
				t.Errorf("text %q, notes %q", r.Text, r.Notes)
			}
		})
	}
}

func TestReadCutsLongReports(t *testing.T) {
	r, err := Read(io.MultiReader(strings.NewReader("# Long\n\n"), strings.NewReader(strings.Repeat("some words of a long log é\n", 250_000))), Source{})
	if err != nil {
		t.Fatal(err)
	}
	check(t, r)
	if !strings.Contains(strings.Join(r.Notes, ";"), "was cut after") {
		t.Errorf("notes %q", r.Notes)
	}
}

func TestReadPassesErrorsOn(t *testing.T) {
	broken := errors.New("disk gone")
	if _, err := Read(iotest.ErrReader(broken), Source{}); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

func TestTrackerJSON(t *testing.T) {
	for in, want := range map[string]bool{
		`{"title": "x", "body": "y"}`:            true,
		`{"title": "x", "body": null}`:           true,
		`{"title": "x", "body": 3}`:              false,
		"\n {\"title\": \"x\", \"body\": \"\"} ": true,
		`{"title": "x"}`:                         false,
		`{"body": "x"}`:                          false,
		`[1]`:                                    false,
		`{"title": 3, "body": "x"}`:              false,
		`# {"title": "x", "body": "y"}`:          false,
		``:                                       false,
	} {
		if got := IsTrackerJSON([]byte(in)); got != want {
			t.Errorf("IsTrackerJSON(%q) = %v", in, got)
		}
	}
}

func TestLimits(t *testing.T) {
	r := Parse([]byte("# Many\n\n"+strings.Repeat("```\nx = 1\n```\n\n", MaxBlocks+5)), Source{})
	check(t, r)
	if len(r.Blocks) != MaxBlocks || !strings.Contains(strings.Join(r.Notes, ";"), "5 blocks after the first 64") {
		t.Errorf("%d blocks, notes %q", len(r.Blocks), r.Notes)
	}
}
