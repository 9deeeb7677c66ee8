package triage

import (
	"testing"

	"github.com/repgen/repgen/internal/report"
)

// A table that is read, with its columns named in the script.
const readsTable = "import pandas as pd\n\ndf = pd.read_csv(\"sales.csv\")\nprint(df[\"shop\"].sum(), df[\"day\"].max())\n"

func decideText(t *testing.T, text string) *Decision {
	t.Helper()
	return Decide(report.Parse([]byte(text), report.Source{Kind: "file", Name: "x.md"}), Options{})
}

// TestStandInsByClaim: made-up data may show a crash, never the value that was
// printed for the reporter's own.
func TestStandInsByClaim(t *testing.T) {
	code := "```python\n" + readsTable + "```\n"
	for name, tt := range map[string]struct {
		text string
		want Route
	}{
		"crash": {"# crash in pandas 2.2.2\n\n" + code + "\n```\nTraceback (most recent call last):\n  File \"x.py\", line 4, in <module>\n    print(df[\"shop\"].sum())\n  File \"/usr/lib/python3/site-packages/pandas/core/series.py\", line 9, in sum\n    raise TypeError(\"no\")\nTypeError: no\n```\n", Attempt},
		"value": {"# wrong sum with pandas 2.2.2\n\n" + code + "\nIt prints `17 3`, should be `18 3`.\n", NeedsInfo},
		"none":  {"# something is odd with pandas 2.2.2\n\n" + code, NeedsInfo},
	} {
		t.Run(name, func(t *testing.T) {
			if d := decideText(t, tt.text); d.Route != tt.want {
				t.Errorf("route %s, want %s (%v)", d.Route, tt.want, d.Reasons)
			}
		})
	}
}

// TestRepairedScript: what a paste lost is no gap.
func TestRepairedScript(t *testing.T) {
	text := "# crash in tinynet 1.2\n\n```python\nimport tinynet\n\nnet = tinynet.Net(3)\n    net.fit()\n    print(net)\n```\n\nIt prints `Net(4)`, should be `Net(3)`.\n"
	if d := decideText(t, text); d.Route != Attempt || d.Expectation == nil {
		t.Errorf("route %s, %v", d.Route, d.Reasons)
	}
}
