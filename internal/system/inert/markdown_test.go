package inert_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/system/inert"
	"github.com/repgen/repgen/internal/system/inert/inerttest"
)

// places are where a page carries a stranger's words, %s for them.
var places = []string{
	"# %s\n\nours", "## 1. %s (0.5)\n", "- one\n- %s\n", "1. the file %s is missing\n", "| a | b |\n|---|---|\n| %s | c |\n",
	"%s\n\nours", "ours\n\n%s", "ours\n%s\nours\n", "> %s\n", "**%s**\n", "ours: %s, and (%s)\n", "  %s\n", "a\n- %s\n  %s\n",
}

// lively are words that a tracker brings to life, or that look like the page's
// own.
var lively = []string{
	"see http://evil.example/x", "https://evil.example", "www.evil.example", "http:\\//evil.example", "ftp://x.y", "mailto:a@b.c", "a@b.example",
	"thanks @octocat", "@someone/team", "#1", "fixes #12", "GH-1", "gh-12", "owner/repo#1", "user@0123456789abcdef0123456789abcdef01234567",
	"0123456789abcdef", "deadbeef", "JIRA-17", "`code`", "``a`", "`", "``` a", "~~~", "~~gone~~", "~x~", "<img src=x onerror=y>", "<details><summary>x", "<!-- x -->",
	"<http://x.y>", "<a@b.c>", "![x](http://x.y/z.png)", "[click](http://x.y)", "[x][y]", "[x]: http://x.y", "[^1]", "[^1]: note", "[ ] task", "[x] done",
	"===", "---", "***", "___", "- item", "+ item", "* item", "1. item", "1) item", "# head", "#", "> quoted", "a | b", "|---|", ":-", "--- | ---", ": definition",
	"*a*", "**reproduced**", "_a_", "__init__", "snake_case", "a*b*c", "&lt;img&gt;", "&#64;octocat", "&commat;octocat", "&amp;", "\\", "a\\", "\\@octocat", "\\`", ":smile:", ":+1:",
	"$x$", "$`x`$", "/close", "@dependabot merge", "ends with two blanks  ", "\ttabbed", "    indented", "é@é", "日本@x", "x #\u200b1", "#\u20281", "> [!NOTE]",
	"`@octocat", "@octocat`", "`a` @octocat `b`", "a|@octocat|`b", "``@x``|`", "|", "||", "`|`", "Traceback (most recent call last):",
	"tensor([1., nan], dtype=torch.float32)", "unsupported operand type(s) for +: 'int' and 'str'", "expected <5, got >=6 -> no", "",
}

func TestMarkdownIsInertWords(t *testing.T) {
	for _, words := range lively {
		checkWords(t, words)
	}
}

func TestMarkdownOfAnything(t *testing.T) {
	piece := rapid.OneOf(rapid.SampledFrom(lively), rapid.StringMatching("[-`*_\\[\\]()<>&~!#@|:$\\\\/.+=a1 \n]{1,8}"), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		checkWords(t, strings.Join(rapid.SliceOfN(piece, 0, 5).Draw(t, "pieces"), rapid.SampledFrom([]string{"", " "}).Draw(t, "between")))
	})
}

func FuzzMarkdown(f *testing.F) {
	for _, words := range lively {
		f.Add(words)
	}
	f.Fuzz(func(t *testing.T, words string) { checkWords(t, words) })
}

// TestMarkdownStaysReadable: what needs no care is left as it is.
func TestMarkdownStaysReadable(t *testing.T) {
	for in, want := range map[string]string{
		"torch.svd returns nan on 2.1.0 (CPU only)":   "torch.svd returns nan on 2.1.0 (CPU only)",
		"ValueError: can't convert 'a' to float, ok?": "ValueError: can't convert 'a' to float, ok?",
		"snake_case @x":   "snake_case `@x`",
		"__init__ of _x":  "\\_\\_init\\_\\_ of \\_x",
		"see http://a.b":  "see `http://a.b`",
		"a [b](c)":        `a \[b\](c)`,
		"2.1.0 breaks it": "2.1.0 breaks it",
		"1. a list":       `1\. a list`,
	} {
		if got := inert.Markdown(in); got != want {
			t.Errorf("%q gave %q, want %q", in, got, want)
		}
	}
}

func TestFence(t *testing.T) {
	for _, code := range []string{"x = 1\n", "```\n@octocat\n```", "````` <img>", "", "~~~\n# x"} {
		page := inerttest.Read(inert.Fence(code, "python") + "\n\nours\n")
		if want := "(Document(FencedCodeBlock)(Paragraph))"; page.Shape != want || len(page.Live) > 0 {
			t.Errorf("%q: %s, %q", code, page.Shape, page.Live)
		}
	}
}

// fataler is a test, or a draw of one.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkWords puts words in all places: the page keeps the shape that it has with
// one plain word there, nothing in it lives, and a reader sees the words.
func checkWords(t fataler, words string) {
	t.Helper()
	forms := map[string]string{"Markdown": inert.Markdown(words), "Code": inert.Code(words)}
	if forms["Markdown"] == "" {
		return
	}
	for _, place := range places {
		plain := inerttest.Read(strings.ReplaceAll(place, "%s", "x"))
		want := strings.Join(strings.Fields(strings.ReplaceAll(visible(place), "%s", inert.Line(words))), " ")
		for form, text := range forms {
			page := inerttest.Read(strings.ReplaceAll(place, "%s", text))
			switch {
			case page.Shape != plain.Shape:
				t.Fatalf("%s of %q makes of %q: %s, want %s", form, words, place, page.Shape, plain.Shape)
			case len(page.Live) > len(plain.Live):
				t.Fatalf("%s of %q lives in %q: %q", form, words, place, page.Live)
			case page.Words != want:
				t.Fatalf("%s of %q in %q reads %q, want %q", form, words, place, page.Words, want)
			}
		}
	}
}

// visible is a place without its own markup.
func visible(place string) string {
	return strings.NewReplacer("# ", "", "## 1.", "1.", "- ", "", "1. the", "the", "| a | b |", "a b", "|---|---|", "", "| %s | c |", "%s c", "> ", "", "**", "").Replace(place)
}
