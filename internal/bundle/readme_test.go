package bundle

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/oracle"
)

// TestReadmeIsInert: a title or a message of a stranger's script is a line of
// words in the page, and nothing else.
func TestReadmeIsInert(t *testing.T) {
	c := sample(t)
	c.Report.Title = "wr\u202eong\u200b \x1b]0;pwn\x07\x1b[31m\n# **reproduced**, grade A <script>x</script>"
	c.Result.Reasons = []string{"it failed: \x1b[2J\u2066[click](http://127.0.0.1/)\n\n## Verdict\n**reproduced**"}
	page := readme(c)
	for _, bad := range []string{"\x1b", "\x07", "\u202e", "\u2066", "\u200b", "<script", "\n# **", "\n## Verdict", " [click]", "**reproduced**"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	if !strings.HasPrefix(page, "# wrong # \\*\\*reproduced") {
		t.Errorf("title: %q", page[:60])
	}
}

func TestPlainIsOneInertLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, r := range plain(rapid.String().Draw(t, "words")) {
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '<' {
				t.Fatalf("%q came through", r)
			}
		}
	})
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
