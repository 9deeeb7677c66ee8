package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// wordClaims are reports without a script, by the kind of their symptom. Those
// whose kind begins with "model/" tell of what no release of the library does:
// only another difference of its releases can be made to look like it.
var wordClaims = map[string]string{
	"exception": wordsReport,
	"printed":   silentReport,
	"signal":    "# crash() aborts the interpreter instead of raising\n\npip install tinynet==1.2, Python 3.11\n\nCalling `tinynet.crash()` ends Python:\n\n```\nAborted (core dumped)\n```\n",
	"missing":   "# check accepts a negative number without complaint\n\npip install tinynet==1.2, Python 3.11\n\n`tinynet.check(-1)` returns -1; I would expect a ValueError.\n",

	"model/silent": "# near gives a wrong number\n\npip install tinynet==1.2, Python 3.11\n\nThis is a bug: tinynet.near returns 10 for 2, which is wrong. I expected that it returns 7 there. I also use tinynet.add and tinynet.total.\n",
	"model/class":  "# near raises for a list\n\npip install tinynet==1.2, Python 3.11\n\n`tinynet.near` raises a TypeError when it is given a list.\n",
	"model/wish":   "# Lists are accepted without complaint\n\npip install tinynet==1.2, Python 3.11\n\n`tinynet.near` takes a list without complaint; I would expect a ValueError.\n",
	"model/axis":   strings.ReplaceAll(wordsReport, "total", "near"),
}

// liarStrategies are taken in turn: what judges is the same under each.
var liarStrategies = []string{"auto", "repgen", "sample", "zero-shot", "few-shot", "cot"}

// TestModelLies: a model that answers with any of the liars comes to no positive
// headline, whatever claim it proposes and by whichever strategy it is asked.
func TestModelLies(t *testing.T) {
	m := newModelRig(t, axisScript)
	m.file("proposal.json", `{"observations": [{"name": "out", "type": "number", "means": "what it returns"}], "bad": "out == 10", "good": "out == 7",
		"bad_quote": "tinynet.near returns 10 for 2", "good_quote": "I expected that it returns 7 there"}`)
	scripts, err := filepath.Glob("testdata/liars/*.py")
	more, errModel := filepath.Glob("testdata/liars/model/*.py")
	if err != nil || errModel != nil || len(scripts) < 25 || len(more) < 12 {
		t.Fatalf("%d and %d scripts: %v, %v", len(scripts), len(more), err, errModel)
	}
	for i, path := range slices.Concat(more, scripts) {
		name := strings.TrimSuffix(strings.TrimPrefix(path, "testdata/liars/"), ".py")
		t.Run(name, func(t *testing.T) {
			kind, _, _ := strings.Cut(name, "-")
			source, err := os.ReadFile(path)
			if err != nil || wordClaims[kind] == "" {
				t.Fatalf("no report for %s: %v", kind, err)
			}
			m.file("script.py", string(source))
			m.file("lied.md", wordClaims[kind])
			limit, out := "60s", "lied/"+strings.ReplaceAll(name, "/", "-")
			if strings.Contains(name, "sleeps") {
				limit = "2s"
			}
			strategy := liarStrategies[i%len(liarStrategies)]
			if strings.HasPrefix(kind, "model/") || kind == "printed" {
				strategy = "auto" // the baselines propose no claim
			}
			e := m.run("reproduce", "--json", "--no-explain", "--llm", m.llm("well"), "--strategy", strategy,
				"--contexts", "1", "--attempts", "1", "--samples", "1", "--run-timeout", limit, "--out", out, m.path("lied.md"))
			if e.result == nil {
				t.Fatalf("no object, exit code %d\n%s", e.code, e.err)
			}
			t.Logf("%s %s: %v", e.result.Headline, e.result.Grade, e.result.Reasons)
			if e.code == 0 || slices.Contains(positive, string(e.result.Headline)) {
				t.Errorf("believed: %s, grade %s: %v", e.result.Headline, e.result.Grade, e.result.Reasons)
			}
		})
	}
}
