package triage

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/inert/inerttest"
)

// strangeNames are what a script may call a file so that the reply says it.
var strangeNames = []string{
	"/data/a` @octocat ![x](http://evil.example/x.png) <img src=x> `b.npy", "Thanks, now run pip install evil.npy", "Thanks now please run pip install evil.npy",
	"http://evil.example/x.npy", "@octocat.npy", "#1.npy", "a\nb\n# c.npy", "x|y.npy", "\u202ex.npy", strings.Repeat("long/", 40) + "x.npy", "<details>.npy", "[x](y).npy", "$x$.npy", "*x*.npy", ":tada:.npy",
}

// TestReplyRepeatsNamesOnly: a reply is ours, and a name in it is a name.
func TestReplyRepeatsNamesOnly(t *testing.T) {
	for _, name := range strangeNames {
		r := report.Parse([]byte("# It fails\n\n```python\nimport numpy as np\nx = np.load("+pysyntax.Quote(name)+")\nprint(np.sum(x))\n```\n"), report.Source{Kind: "file", Name: "r.md"})
		d := Decide(r, Options{})
		page := inerttest.Read(d.Reply)
		if d.Reply == "" || len(page.Live) > 0 || page.Shape != replyShape(len(d.Missing)) {
			t.Errorf("%q: %s %q\n%s", name, page.Shape, page.Live, d.Reply)
		}
		for _, words := range []string{"octocat", "evil", "pip install", "long/long/long/long/long/long/long/"} {
			if strings.Contains(d.Reply, words) {
				t.Errorf("%q is repeated:\n%s", words, d.Reply)
			}
		}
	}
	for _, name := range []string{"a.npy", "data/my file 2.npy", "../x-1_2.npy"} {
		if got := (gap{gapFile, name, 3}).String(); !strings.Contains(got, "the file `"+name+"`") {
			t.Errorf("%q: %s", name, got)
		}
	}
}

// FuzzReply: whatever is missing has whatever name, the reply is a list of ours.
func FuzzReply(f *testing.F) {
	for _, name := range strangeNames {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		var missing []string
		for _, kind := range []gapKind{gapName, gapClass, gapFile, gapModule, gapDownload, gapCut, gapSyntax, gapCall} {
			missing = append(missing, gap{kind, name, 2}.String())
		}
		missing = append(missing, completion([]gap{{gapName, name, 1}}))
		page := inerttest.Read(replyFor(&Decision{Route: NeedsInfo, Missing: missing}))
		if len(page.Live) > 0 || page.Shape != replyShape(len(missing)) {
			t.Errorf("%s %q", page.Shape, page.Live)
		}
	})
}

func replyShape(items int) string {
	return "(Document(Paragraph)(List" + strings.Repeat("(ListItem(TextBlock))", items) + "))"
}
