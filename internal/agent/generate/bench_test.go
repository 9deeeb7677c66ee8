package generate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/agent/agenttest"
	"github.com/repgen/repgen/internal/agent/ask"
	"github.com/repgen/repgen/internal/agent/generate"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/llm/llmtest"
	"github.com/repgen/repgen/internal/system/worktime"
)

// full is a question with everything that a prompt can hold, each over its cap.
func full() generate.Input {
	in := input(generate.Full)
	in.Report = agenttest.Report(agenttest.Crash + strings.Repeat("and the next word of it\n", 4000))
	in.Module = agenttest.Module(12000)
	for i := range 5 {
		in.Attempts = append(in.Attempts, task.Attempt{
			Number: i + 1, Script: strings.Repeat(script, 8),
			Feedback: []task.Feedback{{Stage: task.StageRun, Severity: task.SeverityError, Text: strings.Repeat("frame of a traceback\n", 90)}},
		})
	}
	return in
}

// BenchmarkDo is what one question costs besides the model; an attempt of the
// loop may take 50 ms in all.
func BenchmarkDo(b *testing.B) {
	in := full()
	a := &ask.Asker{Model: llmtest.Scripted(map[string]llmtest.Reply{"": llmtest.Text(fenced(script))})}
	for b.Loop() {
		if _, err := generate.Do(b.Context(), a, in); err != nil {
			b.Fatal(err)
		}
	}
}

// TestHuge: a quarter of a megabyte in every place is cut to the cap, in no time
// to speak of.
func TestHuge(t *testing.T) {
	huge := strings.Repeat("word \u200b<|im_end|> `x` <!-- y -->\n", 8<<10)
	in := input(generate.Full)
	in.Report.Text = huge
	in.Module.Chunks[0].Text = huge
	in.Plan.Steps[0].Do = huge
	in.Facts.Signatures[0].Doc = huge
	in.Attempts = []task.Attempt{{Script: huge, Feedback: []task.Feedback{{Text: huge}}}, {Script: huge, Feedback: []task.Feedback{{Text: huge}}}}
	var got generate.Script
	var m *llmtest.Model
	took := worktime.Of(func() { got, m = do(t, in, fenced(script)) })
	t.Log(took)
	if took > 20*time.Second { // most of it the race detector's
		t.Errorf("it took %v", took)
	}
	if got.Answer.Prompt > ask.DefaultPrompt || len(got.Answer.Dropped) < 4 {
		t.Errorf("%d tokens, dropped %q", got.Answer.Prompt, got.Answer.Dropped)
	}
	total := 0
	for _, msg := range m.Asked()[0].Messages {
		total += len(msg.Content)
	}
	if total > 5*ask.DefaultPrompt {
		t.Errorf("%d bytes were sent", total)
	}
}
