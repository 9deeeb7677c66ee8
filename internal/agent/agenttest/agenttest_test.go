package agenttest_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/agent/agenttest"
	"github.com/repgen/repgen/internal/agent/ask"
	"github.com/repgen/repgen/internal/agent/explain"
	"github.com/repgen/repgen/internal/agent/generate"
	"github.com/repgen/repgen/internal/agent/plan"
	"github.com/repgen/repgen/internal/agent/propose"
	"github.com/repgen/repgen/internal/agent/restructure"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/agent/veto"
	"github.com/repgen/repgen/internal/codebase"
	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest"
	"github.com/repgen/repgen/internal/report"
)

// everywhere asks every question with a text of others in every place that one
// can come to, and returns what was sent.
func everywhere(t *testing.T, text string) []llm.Request {
	t.Helper()
	m := llmtest.Scripted(map[string]llmtest.Reply{"": llmtest.Text(text)}) // even the answers are hostile
	a := &ask.Asker{Model: m, Prompt: 60000}
	r := agenttest.Report(text)
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ordered, err := restructure.Do(ctx, a, r, restructure.Options{})
	must(err)
	ordered.Title, ordered.Steps = text, append(ordered.Steps, task.Said{Text: text})
	facts := agenttest.Facts()
	facts.Subject, facts.Packages[0].Version = text, text
	facts.Signatures = append(facts.Signatures, task.Signature{Name: text, Doc: text, Signature: text, Near: []string{text}, Why: text})
	module := agenttest.Module(300)
	module.Path, module.Chunks[0].Text, module.Chunks[0].Chunk.Name = text, text, text
	expectation := agenttest.Expectation()
	expectation.Symptom.Message, expectation.Symptom.Exception, expectation.Subject = text, text, text
	feedback := []task.Feedback{{Stage: task.StageRun, Severity: task.SeverityError, Text: text}}
	attempt := task.Attempt{Number: 1, Script: text, Feedback: feedback}
	observations := []task.Observation{{Name: text, Type: text, Means: text}}
	thePlan := &task.Plan{Steps: []task.Step{{Do: text, Values: text, Shows: text}}, Names: []string{text}, Trigger: text}

	_, err = propose.Do(ctx, a, propose.Input{Report: r, Ordered: &ordered, Facts: facts})
	must(err)
	_, err = plan.Do(ctx, a, plan.Input{Report: r, Facts: facts, Module: module, Expectation: expectation, Observations: observations, Previous: thePlan, Feedback: feedback})
	must(err)
	for _, v := range generate.Variants {
		_, err = generate.Do(ctx, a, generate.Input{
			Variant: v, Report: r, Ordered: &ordered, Plan: thePlan, Module: module, Facts: facts, Expectation: expectation,
			Observations: observations, Script: text, Attempts: []task.Attempt{attempt, attempt, attempt},
		})
		must(err)
	}
	_, _, err = veto.Do(ctx, a, veto.Input{Report: r, Expectation: expectation, Script: text})
	must(err)
	_, err = explain.Do(ctx, a, explain.Input{Headline: "lead", Grade: "D", Report: r, Script: text, Facts: []string{text}})
	must(err)
	return m.Asked()
}

// TestInjections: whatever a report holds and however it is hidden, no word of
// it stands where a model is told what to do, and no character of it is hidden.
func TestInjections(t *testing.T) {
	all := agenttest.Injections(t)
	if len(all) < 15 {
		t.Fatalf("only %d injections", len(all))
	}
	// What is outside of the fences is the same words whatever the report says.
	words := map[string]bool{}
	for _, r := range everywhere(t, "x") {
		for line := range strings.Lines(agenttest.Outside(r)) {
			words[line] = true
		}
	}
	for _, i := range all {
		t.Run(i.Name, func(t *testing.T) {
			for n, r := range everywhere(t, i.Text) {
				out := agenttest.Outside(r)
				if strings.Contains(out, i.Canary) {
					t.Errorf("request %d (%s): the order stands outside of the fences:\n%s", n, r.Purpose, out)
				}
				for line := range strings.Lines(out) {
					if !words[line] && !sectionLine.MatchString(line) {
						t.Errorf("request %d (%s): not a line of ours: %q", n, r.Purpose, line)
					}
				}
				for _, m := range r.Messages {
					if strings.ContainsAny(m.Content, "\x1b\x00\u200b\u200c\u202e\u2066\u200f\U000e0049") || strings.Contains(m.Content, "<|im_start|>") {
						t.Errorf("request %d (%s): something hidden was sent", n, r.Purpose)
					}
				}
			}
		})
	}
}

// sectionLine is the heading of a section, in our words, or what says that some
// are cut; "x" has not all of them.
var sectionLine = regexp.MustCompile(`^(## (The|What|Values|Code|Earlier) [a-z ,\x27]+|Left out for lack of room: [A-Za-z ,;()\x270-9]+\.)\n$`)

// TestHiddenIsRecorded: what no reader sees is in the record of the call.
func TestHiddenIsRecorded(t *testing.T) {
	want := map[string]string{
		"zero-width": "invisible", "bidi": "direction", "html-comment": "comment", "system-message": "turn",
		"tag-characters": "tag", "control-characters": "control", "arabic": "direction",
	}
	for _, i := range agenttest.Injections(t) {
		kind, wanted := want[i.Name]
		if !wanted {
			continue
		}
		p := ask.Prompt{Purpose: "x", Task: "x", Sections: []ask.Section{{Name: "the report", Text: i.Text, Markdown: true}}}
		m := llmtest.Scripted(map[string]llmtest.Reply{"": llmtest.Text("x")})
		got, err := (&ask.Asker{Model: m}).Text(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(got.Hidden, func(h ask.Hidden) bool { return h.Kind == kind })
		if at < 0 {
			t.Errorf("%s: nothing of kind %s is recorded: %+v", i.Name, kind, got.Hidden)
			continue
		}
		if text := got.Hidden[at].Text; (kind == "comment" || kind == "tag") && !strings.Contains(text, i.Canary) {
			t.Errorf("%s: what it says is not recorded: %q", i.Name, text)
		}
	}
}

func TestInjectionsAreReports(t *testing.T) {
	seen := map[string]bool{}
	for _, i := range agenttest.Injections(t) {
		r := i.Report()
		if i.What == "" || i.Canary == "" || seen[i.Canary] || len(r.Blocks) < 2 || len(r.Tracebacks) == 0 {
			t.Errorf("%s: %q, %d blocks, %d tracebacks", i.Name, i.What, len(r.Blocks), len(r.Tracebacks))
		}
		if strings.Contains(i.Text, `\u{`) || strings.Contains(i.Text, `\zw{`) || strings.Contains(i.Text, `\tag{`) {
			t.Errorf("%s: something is still spelled out", i.Name)
		}
		seen[i.Canary] = true
	}
}

func TestOutside(t *testing.T) {
	r := llm.Request{Messages: []llm.Message{
		{Role: llm.System, Content: "rules"},
		{Role: llm.Assistant, Content: "mine"},
		{Role: llm.User, Content: "a\n<<<DATA 00ff>>>\nb\n<<<END 00fe>>>\nc\n<<<END 00ff>>>\nd\n<<<DATA 01>>>\ne"},
	}}
	if got := agenttest.Outside(r); got != "rules\na\nd\n\nAN OPEN FENCE 01\n\n" {
		t.Errorf("got %q", got)
	}
}

// TestPromptSize holds the aim: a median under 12,000 tokens, and never more
// than the cap, over reports and contexts of many sizes.
func TestPromptSize(t *testing.T) {
	var sizes []int
	for _, words := range []int{100, 3000, 12000} {
		r := agenttest.Report(agenttest.Crash + strings.Repeat("and the next word of it\n", words/6))
		for _, code := range []int{0, 3000, 12000} {
			for _, attempts := range []int{0, 1, 4} {
				sizes = append(sizes, size(t, r, code, attempts))
			}
		}
	}
	slices.Sort(sizes)
	median, largest := sizes[len(sizes)/2], sizes[len(sizes)-1]
	t.Logf("median %d, largest %d of %d prompts", median, largest, len(sizes))
	if median >= 12000 || largest > ask.DefaultPrompt {
		t.Errorf("median %d (aim 12000), largest %d (cap %d)", median, largest, ask.DefaultPrompt)
	}
}

func size(t *testing.T, r *report.Report, code, attempts int) int {
	t.Helper()
	m := llmtest.Scripted(map[string]llmtest.Reply{"": llmtest.Text("x = 1")})
	var module *codebase.Module
	if code > 0 {
		module = agenttest.Module(code)
	}
	in := generate.Input{
		Variant: generate.Full, Report: r, Plan: agenttest.Plan(), Module: module, Facts: agenttest.Facts(), Expectation: agenttest.Expectation(),
	}
	for i := range attempts {
		in.Attempts = append(in.Attempts, task.Attempt{
			Number: i + 1, Script: strings.Repeat("out = gridlib.resample(points, cells)\n", 80),
			Feedback: []task.Feedback{{Stage: task.StageRun, Severity: task.SeverityError, Text: strings.Repeat("frame of a traceback\n", 90)}},
		})
	}
	got, err := generate.Do(t.Context(), &ask.Asker{Model: m}, in)
	if err != nil {
		t.Fatal(err)
	}
	return got.Answer.Prompt
}

func TestSent(t *testing.T) {
	got := agenttest.Sent(llm.Request{Purpose: "plan", MaxTokens: 7, Schema: json.RawMessage("{}"), Messages: []llm.Message{{Role: llm.User, Content: "x"}}})
	if got != "purpose plan, at most 7 tokens, sample 0, schema true\n\n=== user\nx\n" {
		t.Errorf("got %q", got)
	}
}
