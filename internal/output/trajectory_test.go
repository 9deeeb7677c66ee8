package output

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/repgen/repgen/internal/agent/trace"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/system/inert"
)

// spans are a small trajectory; hostile is what a model or a program may write.
const hostile = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>\x1b[31mred\u202e\u200b\U000e0041{{.Result}}"

func spans() []trace.Span {
	return []trace.Span{
		{ID: 1, Kind: trace.KindStage, Name: "auto", Start: 0, End: 9},
		{ID: 3, Parent: 2, Kind: trace.KindCall, Name: "generate", Start: 1, End: 3, Attempt: 1, Call: &trace.Call{
			Model: "m", Usage: llm.Usage{InputTokens: 1200, OutputTokens: 300, CachedTokens: 1000}, USD: 0.01, Record: "001-generate-ab.json", Source: "record",
		}},
		{ID: 2, Parent: 1, Kind: trace.KindStage, Name: "attempt", Attempt: 1, Text: "names: tinynet.foo does not exist", Start: 1, End: 4, Failed: true, Detail: "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight"},
		{ID: 4, Parent: 1, Kind: trace.KindRun, Name: "run", Text: hostile, Start: 5, End: 8, Sandbox: 2.5, Detail: hostile},
		{ID: 6, Parent: 5, Kind: trace.KindDecision, Name: "orphan", Start: 8.5, End: 8.5},
	}
}

func TestTrajectoryOnATerminal(t *testing.T) {
	var b bytes.Buffer
	Trajectory(&b, spans(), TrajectoryView{}, Style{})
	got := b.String()
	for _, want := range []string{
		"trajectory   1 call, 1200 + 300 tokens, 0.0100 USD, 9 s, 2.5 s of executions\n",
		"  auto  (9 s)\n",
		"    ! attempt 1: names: tinynet.foo does not exist  (3 s)\n",
		"      | six\n      | ... 2 more lines",
		"      generate  (2 s, 1200 + 300 tokens (1000 cached), 0.0100 USD, from record)\n",
		"in the sandbox)\n",
		"  orphan  (0 s)\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.ContainsAny(got, "\x1b\u202e") {
		t.Errorf("what steers a terminal got through: %q", got)
	}
	if strings.Index(got, "attempt 1") > strings.Index(got, "generate") {
		t.Error("a call stands before the attempt that it belongs to")
	}
	b.Reset()
	Trajectory(&b, spans(), TrajectoryView{Details: true}, Style{Color: true})
	if !strings.Contains(b.String(), "| eight") || !strings.Contains(b.String(), "\x1b[") {
		t.Errorf("all details, in colour:\n%s", b.String())
	}
	b.Reset()
	Trajectory(&b, nil, TrajectoryView{}, Style{})
	if b.Len() > 0 {
		t.Errorf("nothing was done, and shown as %q", b.String())
	}
}

// Files that somebody edited: circles, own parents, one number twice, depths.
func TestDamagedTrajectories(t *testing.T) {
	deep := []trace.Span{}
	for i := 1; i < 5000; i++ {
		deep = append(deep, trace.Span{ID: i, Parent: i - 1, Name: "deep"})
	}
	for name, list := range map[string][]trace.Span{
		"circle":     {{ID: 1, Parent: 2, Name: "a"}, {ID: 2, Parent: 1, Name: "b"}},
		"own parent": {{ID: 1, Parent: 1, Name: "a"}},
		"twice":      {{ID: 1, Name: "a"}, {ID: 1, Name: "b"}},
		"deep":       deep,
	} {
		var b bytes.Buffer
		Trajectory(&b, list, TrajectoryView{}, Style{})
		if b.Len() == 0 {
			t.Errorf("%s: nothing is shown", name)
		}
		if err := HTML(&b, Page{Spans: list}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The page holds nothing that runs or loads, whatever stands in a run.
func TestPageIsInert(t *testing.T) {
	result := proof.Failure(proof.ResultError{What: hostile, Why: hostile, Next: hostile})
	result.Reasons = []string{hostile}
	result.Headline, result.Grade, result.Also = hostile, hostile, []oracle.Headline{hostile}
	result.Model = &proof.ResultModel{Name: hostile, Model: hostile, Why: []string{hostile}, Ending: hostile, Explanation: hostile, Without: []string{"plan", hostile}, Strategy: hostile, Backend: hostile}
	result.Versions = []proof.ResultVersion{{Package: hostile, Version: hostile, Side: hostile, Symptom: hostile, Change: hostile, Moved: []string{hostile}, Unavailable: hostile}}
	result.Environment = &proof.ResultEnv{Python: hostile, AsOf: hostile, AsOfSource: hostile, Packages: []environment.Package{{Name: hostile, Version: hostile}}}
	var b bytes.Buffer
	Quiet(&b, result)
	Details(&b, result)
	ModelPart(&b, result)
	strange := append(spans(), trace.Span{ID: 9, Kind: hostile, Name: hostile, Start: 9, Call: &trace.Call{Source: hostile}})
	Trajectory(&b, strange, TrajectoryView{Details: true}, Style{})
	_, _ = b.WriteString(StageLine(hostile, hostile, Style{}))
	if strings.ContainsFunc(b.String(), inert.Steers) || strings.Count(b.String()[:200], "\n") == 0 {
		t.Errorf("what steers a terminal got through: %q", b.String())
	}
	b.Reset()
	err := HTML(&b, Page{
		Title: hostile, Result: result, Spans: strange, Script: hostile,
		Stages: []StageText{{Stage: hostile, Text: hostile}}, Answers: map[string]string{"001-generate-ab.json": hostile},
	})
	if err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if strings.ContainsFunc(page, inert.Steers) {
		t.Error("control characters got through")
	}
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.ElementNode {
			switch n.Data {
			case "script", "img", "iframe", "object", "embed", "link", "a", "form", "base", "svg":
				t.Errorf("the page has a <%s>", n.Data)
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "src" || a.Key == "href" || a.Key == "style" {
					t.Errorf("<%s> has %s=%q", n.Data, a.Key, a.Val)
				}
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
	for _, want := range []string{"failed", "without plan", "1200 &#43; 300 tokens", "eight", "&lt;script&gt;", "Content-Security-Policy"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
}

// The page has what each release showed, and in what environment; where nothing
// was judged, or nothing ran, it claims no count.
func TestPageOfAVerdict(t *testing.T) {
	r := proof.Failure(proof.ResultError{})
	r.Headline, r.Hits, r.Runs, r.Symptom.Oracle = oracle.Fixed, 5, 5, oracle.OraclePrinted
	r.Versions = []proof.ResultVersion{{Package: "tinynet", Version: "1.3", Side: "newest", Symptom: "no", Runs: 3, Moved: []string{"tinylib 2 -> 3"}}}
	r.Environment = &proof.ResultEnv{Python: "3.11.7", AsOf: "2025-01-01T00:00:00Z", AsOfSource: "report", Rung: 1, Packages: []environment.Package{{Name: "tinynet", Version: "1.2"}, {Name: "tinylib", Version: "2"}}}
	page := func() string {
		var b bytes.Buffer
		if err := HTML(&b, Page{Title: "A report", Result: r}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	got := page()
	for _, want := range []string{"5 of 5 executions", "<td>0 of 3</td>", "tinylib 2 -&gt; 3", "Python 3.11.7", "tinynet 1.2, tinylib 2<"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	r.Symptom.Oracle, r.Hits = oracle.OracleNone, 0
	if got = page(); !strings.Contains(got, "5 executions, recorded and not judged") || strings.Contains(got, "0 of 5") {
		t.Errorf("of what was not judged: %s", got)
	}
	r.Symptom.Oracle, r.Runs = "", 0
	if got = page(); strings.Contains(got, "0 of 0") {
		t.Errorf("of nothing that ran: %s", got)
	}
}

func TestPageOfAnUnfinishedRun(t *testing.T) {
	var b bytes.Buffer
	if err := HTML(&b, Page{Title: "A report", Spans: spans()}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "has not finished") || !strings.Contains(b.String(), "attempt 1") {
		t.Errorf("got %s", b.String())
	}
}

// FuzzPage: no text of a run opens an element of its own.
func FuzzPage(f *testing.F) {
	f.Add("a", hostile)
	f.Add("<b>", "\x00\xff")
	f.Fuzz(func(t *testing.T, name, text string) {
		var plain, b bytes.Buffer
		list := []trace.Span{{ID: 1, Kind: trace.KindStage, Name: name, Detail: text, Text: text}}
		if err := HTML(&b, Page{Title: name, Spans: list, Script: text}); err != nil {
			t.Fatal(err)
		}
		if err := HTML(&plain, Page{Title: "x", Spans: []trace.Span{{ID: 1, Kind: trace.KindStage, Name: "x", Detail: "x", Text: "x"}}, Script: "x"}); err != nil {
			t.Fatal(err)
		}
		if got, want := strings.Count(b.String(), "<"), strings.Count(plain.String(), "<"); got > want {
			t.Errorf("%d opening brackets, %d without the texts", got, want)
		}
	})
}

// A model's part on a terminal: marked as its own words, and inert.
func TestModelPart(t *testing.T) {
	r := proof.Failure(proof.ResultError{})
	var b bytes.Buffer
	ModelPart(&b, r)
	if b.Len() > 0 {
		t.Errorf("no model was asked, and %q shown", b.String())
	}
	r.Model = &proof.ResultModel{Name: "exec:m", Model: "m2", Wrote: true, Calls: 2, Attempts: 1, Explanation: "first\n" + hostile, Without: []string{"plan"}, Usage: proof.ResultUsage{Input: 5, Output: 7, Estimated: true}}
	ModelPart(&b, r)
	for _, want := range []string{"exec:m (m2), 1 attempt in 0 contexts, 2 calls", "5 + 7 tokens (partly estimated), price unknown", "switched off: plan", "in the model's words", "the script is the model's"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
	if strings.ContainsAny(b.String(), "\x1b\u202e") {
		t.Error("what steers a terminal got through")
	}
	if strings.Contains(b.String(), "raise the budget") {
		t.Error("no budget ended it, and one is to be raised")
	}
	b.Reset()
	r.Model.Ending = "budget"
	if ModelPart(&b, r); !strings.Contains(b.String(), "raise the budget that ended it (docs/llm.md, Budget) and go on: repgen reproduce --resume RUN") {
		t.Errorf("no way on after the budget in\n%s", b.String())
	}
}

// TestReplyOfFailure: who has a wrong key is not sent to the reporter.
func TestReplyOfFailure(t *testing.T) {
	r := proof.Failure(proof.ResultError{Next: "check the key"})
	r.Reply = "Which version?"
	var b bytes.Buffer
	Details(&b, r)
	if strings.Contains(b.String(), r.Reply) || !strings.Contains(b.String(), "check the key") {
		t.Errorf("got\n%s", b.String())
	}
}
