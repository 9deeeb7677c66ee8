package output

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/proof"
)

// Off a terminal: stage lines on out, progress on err, no escape sequence.
func TestPlainProgress(t *testing.T) {
	var out, errOut bytes.Buffer
	p := NewProgress(&out, Style{}, &errOut, Style{})
	p.Event(pipeline.Event{Time: time.Now(), Stage: pipeline.StageRun, State: "progress", Text: "1 of 5\x1b[2J", Done: 3 << 20, Total: 9 << 20})
	p.Event(pipeline.Event{Time: time.Now(), Stage: pipeline.StageRun, State: "done", Text: "5 of 5 show it"})
	p.Close()
	if got := errOut.String(); got != "run: 1 of 5 (3 of 9 MB)\n" {
		t.Errorf("progress %q", got)
	}
	if got := out.String(); got != " run          5 of 5 show it\n" {
		t.Errorf("result %q", got)
	}
}

// With --json nothing but the object may reach out; with --quiet nothing
// reaches err.
func TestSilentStreams(t *testing.T) {
	p := NewProgress(nil, Style{}, nil, Style{Live: true})
	p.Event(pipeline.Event{Stage: pipeline.StageRun, State: "progress", Text: "x"})
	p.Event(pipeline.Event{Stage: pipeline.StageRun, State: "done", Text: "x"})
	p.Close()
}

// On a terminal the live line is cut to its width and cleared at the end.
func TestLiveLine(t *testing.T) {
	var errOut bytes.Buffer
	p := NewProgress(nil, Style{}, &errOut, Style{Live: true, Width: 30})
	p.Event(pipeline.Event{Time: time.Now(), Stage: pipeline.StageEnvironment, State: "progress", Text: strings.Repeat("long ", 40)})
	p.Close()
	s := errOut.String()
	for _, line := range strings.Split(s, "\r\x1b[2K") {
		if n := len([]rune(line)); n >= 30 {
			t.Errorf("a line of %d columns: %q", n, line)
		}
	}
	if !strings.HasSuffix(s, "\r\x1b[2K") {
		t.Errorf("the live line stays: %q", s)
	}
}

func TestDetails(t *testing.T) {
	var out bytes.Buffer
	r := proof.Failure(proof.ResultError{What: "x", Why: "y", Next: "do z"})
	r.Headline = oracle.NeedsInfo
	r.Missing = []string{"the version"}
	r.Reply = "Thanks.\nWhich version?"
	for range maxReasons + 3 {
		r.Reasons = append(r.Reasons, "a reason")
	}
	r.Reasons[len(r.Reasons)-1] = "the sum"
	Details(&out, r)
	for _, want := range []string{"   - x: y\n", "   ... and 4 more: --json has all\n   - the sum\n", "missing: the version", "next: do z", "   > Which version?"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// A quoted reply ends with its last line.
func TestReplyEndsWithItsText(t *testing.T) {
	if got := indent("Thanks.\n\nWhich?\n"); got != "   > Thanks.\n   > \n   > Which?" {
		t.Errorf("got %q", got)
	}
}

func TestRerunCanBePasted(t *testing.T) {
	for path, want := range map[string]string{
		"repgen-out/a/bundle": "verify repgen-out/a/bundle   or  uv run repgen-out/a/bundle/reproduce.py\n",
		"my runs/b":           "verify 'my runs/b'   or  uv run 'my runs/b/reproduce.py'\n",
		"it's/b":              `verify 'it'\''s/b'   or`,
		"$(x)":                "verify '$(x)'   or",
		"-rf":                 "verify '-rf'   or",
	} {
		var out bytes.Buffer
		Rerun(&out, path)
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q: no %q in %q", path, want, out.String())
		}
	}
}

func TestJSONKeepsTextReadable(t *testing.T) {
	var out bytes.Buffer
	if err := JSON(&out, map[string]string{"a": "x < y & z"}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "x < y & z") {
		t.Errorf("got %s", out.String())
	}
	var back map[string]string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
}

// What a model is writing at the moment is for a terminal: a log and the result
// lines have none of it.
func TestLiveTextIsNoLineOfALog(t *testing.T) {
	var out, log bytes.Buffer
	p := NewProgress(&out, Style{}, &log, Style{})
	p.Event(pipeline.Event{Stage: pipeline.StageAgent, State: "live", Text: "generate (9 bytes): import x"})
	p.Event(pipeline.Event{Stage: pipeline.StageAgent, State: "progress", Text: "attempt 1: names"})
	p.Close()
	if out.Len() > 0 || log.String() != "agent: attempt 1: names\n" {
		t.Errorf("out %q, log %q", out.String(), log.String())
	}
	var live bytes.Buffer
	p = NewProgress(nil, Style{}, &live, Style{Live: true, Width: 60})
	p.Event(pipeline.Event{Stage: pipeline.StageAgent, State: "live", Text: "generate (9 bytes): \x1b[31mimport x"})
	p.Close()
	if !strings.Contains(live.String(), "import x") || strings.Contains(live.String(), "[31m") {
		t.Errorf("live %q", live.String())
	}
}

// TestBudgetSaysHowToGoOn: the next step can be copied as it stands.
func TestBudgetSaysHowToGoOn(t *testing.T) {
	run := "/runs/a b"
	var b bytes.Buffer
	ModelPart(&b, &proof.Result{Model: &proof.ResultModel{Name: "m", Ending: budgetEnded}, Run: &run})
	if !strings.Contains(b.String(), "repgen reproduce --resume '/runs/a b'\n") {
		t.Errorf("got %s", b.String())
	}
}
