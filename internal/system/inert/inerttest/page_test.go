package inerttest

import (
	"strings"
	"testing"
)

// TestRead: what is alive is seen, or no test that uses Read proves anything.
func TestRead(t *testing.T) {
	for page, want := range map[string]string{
		"[x](http://a.b)": "Link", "![x](y)": "Image", "<http://a.b>": "AutoLink", "see www.a.b now": "AutoLink", "a@b.example": "AutoLink", "a <img src=x>": "RawHTML",
		"<details>\nx": "HTMLBlock", "*x*": "Emphasis", "~~x~~": "Strikethrough", "- [ ] x": "TaskCheckBox", "x[^1]\n\n[^1]: y": "FootnoteLink", "a  \nb": "line break",
		"\\@octocat": "@o", "&#64;octocat": "@o", "fixes #12": "#1", "GH-1": "GH-1", "deadbeef01": "deadbeef01", ":tada:": ":tada:", "a $x$ b": "$x$", "http\\://a.b": "http://",
	} {
		if p := Read(page); len(p.Live) == 0 || !strings.Contains(strings.Join(p.Live, " "), want) {
			t.Errorf("%q: %q, want %s", page, p.Live, want)
		}
	}
	p := Read("# A &amp; `@b`\n\n- \\*c\\*\n\n| d |\n|---|\n| e |\n")
	if len(p.Live) > 0 || p.Words != "A & @b *c* d e" || p.Shape != "(Document(Heading1)(List(ListItem(TextBlock)))(Table(TableHeader(TableCell))(TableRow(TableCell))))" {
		t.Errorf("%+v", p)
	}
}
