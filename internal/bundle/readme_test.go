package bundle

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/system/inert"
	"github.com/repgen/repgen/internal/system/inert/inerttest"
)

// strange are words that a reporter, a package or a program may bring into the
// page.
var strange = []string{
	"wr\u202eong\u200b \x1b]0;pwn\x07\x1b[31m\n# **reproduced**, grade A <script>x</script>",
	"it failed: \x1b[2J\u2066[click](http://127.0.0.1/)\n\n## Verdict\n**reproduced**",
	"see http://evil.example and www.evil.example, thanks @octocat, fixes #1 and GH-2, owner/repo#3",
	"`a` @octocat ![x](http://evil.example/x.png) <img src=x> `b", "| a | b |\n|---|---|", "</details>\n\n<h1>x</h1>", "$x$ :tada: 0123456789abcdef",
}

// strangePage is the page of a bundle in which every word of others is the same.
func strangePage(c Content, words string) string {
	r := c.Result
	c.Report.Title, r.Reasons = words, []string{words, words}
	r.Subject.Name, r.Subject.Version = words, words
	for i := range r.Versions {
		r.Versions[i].Package, r.Versions[i].Version, r.Versions[i].Change = words, words, words
	}
	c.Outcome.Lock.Packages[0].Why, c.Outcome.Lock.Packages[0].Wheel, c.Outcome.Lock.Packages[0].Name = words, "w", words
	if r.Environment != nil {
		r.Environment.AsOfSource = words
	}
	r.Edits = []candidate.Edit{{Kind: "indent", Why: words}}
	c.Outcome.Evidence.Groups[1].Side, c.Outcome.Evidence.Groups[1].Change = oracle.SideAuthored, words
	return readme(c)
}

// TestReadmeIsInert: a title or a message of a stranger's script is words in the
// page, and nothing else.
func TestReadmeIsInert(t *testing.T) {
	c := sample(t)
	for _, words := range strange {
		checkReadme(t, c, words)
	}
	page := strangePage(c, strange[0])
	if !strings.HasPrefix(page, "# Bug report: wrong `#` \\*\\*reproduced") {
		t.Errorf("title: %q", page[:60])
	}
}

func FuzzReadme(f *testing.F) {
	c := sample(f)
	for _, words := range strange {
		f.Add(words)
	}
	f.Fuzz(func(t *testing.T, words string) { checkReadme(t, c, words) })
}

func checkReadme(t *testing.T, c Content, words string) {
	if inert.Line(words) == "" {
		return // a page without a title has another shape
	}
	text := strangePage(c, words)
	plain, page := inerttest.Read(strangePage(c, "x")), inerttest.Read(text)
	if page.Shape != plain.Shape {
		t.Errorf("%q changes the page:\n%s\n%s", words, page.Shape, plain.Shape)
	}
	if len(page.Live) > len(plain.Live) {
		t.Errorf("%q lives in the page: %q", words, page.Live)
	}
	if strings.ContainsFunc(text, inert.Steers) {
		t.Errorf("%q steers the terminal that shows the page", words)
	}
}

// TestReadmeOfWhatWasNotJudged: what nothing in the report can judge did not
// fail to come; and each file of the folder is named.
func TestReadmeOfWhatWasNotJudged(t *testing.T) {
	c := sample(t)
	if page := readme(c); !strings.Contains(page, "the symptom came in") {
		t.Errorf("of a verdict: %s", page)
	}
	e := *c.Outcome.Expectation
	e.Oracle = oracle.OracleNone
	c.Outcome.Expectation = &e
	page := readme(c)
	if !strings.Contains(page, "recorded and not judged") || strings.Contains(page, "the symptom came in") {
		t.Errorf("of what was not judged: %s", page)
	}
	for _, name := range []string{fileReport, "candidate.json", "evidence.json", "executions/", "manifest.json", "oracle.json", "reproduce.py", "requirements.lock", "verdict.json"} {
		if !strings.Contains(page, name) {
			t.Errorf("%s is not named", name)
		}
	}
}
