package trace

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/system/worktime"
)

// clock goes on by one second each time it is asked.
func clock() func() time.Time {
	var mu sync.Mutex
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Second)
		return now
	}
}

func TestSpansFormATree(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "trajectory.jsonl")
	r := NewAt(path, clock())
	ctx, endPlan := r.Begin(context.Background(), KindStage, "plan")
	call := &Call{Model: "m", Usage: llm.Usage{InputTokens: 10, OutputTokens: 2}, USD: 0.5, Template: "plan v1"}
	_, endCall := r.Begin(WithAttempt(ctx, 3), KindCall, "plan")
	endCall(Span{Text: "ok", Call: call, Detail: "two\nlines"})
	endCall(Span{Text: "twice"}) // counts once
	r.Note(ctx, KindDecision, "dead end", "attempts failed alike")
	endPlan(Span{Text: "3 steps", Failed: true})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	spans, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(spans) != 3 {
		t.Fatalf("%d spans, want 3: %+v", len(spans), spans)
	}
	plan, asked, note := spans[0], spans[1], spans[2]
	if plan.ID != 1 || plan.Parent != 0 || !plan.Failed || plan.Text != "3 steps" || plan.End <= plan.Start {
		t.Errorf("the stage: %+v", plan)
	}
	if asked.Parent != plan.ID || asked.Attempt != 3 || asked.Text != "ok" || asked.Call == nil || asked.Call.USD != 0.5 || asked.Detail != "two\nlines" {
		t.Errorf("the call: %+v", asked)
	}
	if note.Parent != plan.ID || note.Attempt != 0 || note.Kind != KindDecision {
		t.Errorf("the decision: %+v", note)
	}
}

func TestNilRecorderKeepsNothing(t *testing.T) {
	var r *Recorder
	ctx, end := r.Begin(context.Background(), KindRun, "try")
	end(Span{})
	r.Note(ctx, KindDecision, "x", "y")
	if ctx == nil || r.Close() != nil {
		t.Error("a nil recorder does something")
	}
}

// TestKilled: a span that ended is in the file before anything is closed, and a
// line that was cut is left out with all else kept.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trajectory.jsonl")
	r := New(path)
	t.Cleanup(func() { _ = r.Close() })
	ctx, _ := r.Begin(context.Background(), KindStage, "never ends")
	r.Note(ctx, KindDecision, "one", "")
	r.Note(ctx, KindDecision, "two", "")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := Read(path)
	if err != nil || len(whole) != 2 || whole[0].Parent != 1 {
		t.Fatalf("read %+v, %v", whole, err)
	}
	for n := range data {
		cutPath := filepath.Join(t.TempDir(), "cut.jsonl")
		if err := os.WriteFile(cutPath, data[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		spans, err := Read(cutPath)
		first := strings.IndexByte(string(data), '\n')
		switch {
		case err != nil:
			t.Fatal(err)
		case n < first && len(spans) != 0 || n > first && len(spans) < 1 || len(spans) > 2:
			t.Errorf("cut at %d of %d: %d spans", n, len(data), len(spans))
		}
	}
}

// TestAgain: a resumed run writes its trajectory from the beginning.
func TestAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trajectory.jsonl")
	for _, name := range []string{"first", "second"} {
		r := New(path)
		r.Note(context.Background(), KindDecision, name, "")
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		r.Note(context.Background(), KindDecision, "too late", "")
	}
	spans, err := Read(path)
	if err != nil || len(spans) != 1 || spans[0].Name != "second" {
		t.Errorf("read %+v, %v", spans, err)
	}
}

func TestUnwritable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	r := New(filepath.Join(file, "trajectory.jsonl")) // below a file
	r.Note(context.Background(), KindDecision, "lost", "")
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), `"lost"`) {
		t.Errorf("Close = %v, want the span that was lost", err)
	}
	if _, err := Read(filepath.Join(file, "none")); err == nil {
		t.Error("a file that is not there was read")
	}
}

func TestConcurrent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trajectory.jsonl")
	r := New(path)
	ctx, end := r.Begin(context.Background(), KindStage, "sample")
	var wg sync.WaitGroup
	const n = 50
	for range n {
		wg.Go(func() {
			_, end := r.Begin(ctx, KindRun, "try")
			end(Span{Sandbox: 1, Detail: strings.Repeat("x", 10_000)})
		})
	}
	wg.Wait()
	end(Span{})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	spans, err := Read(path)
	if err != nil || len(spans) != n+1 {
		t.Fatalf("%d spans, %v", len(spans), err)
	}
	if costs := Totals(spans); len(costs) != 1 || costs[0].Sandbox != n {
		t.Errorf("Totals = %+v", costs)
	}
}

func TestTotals(t *testing.T) {
	call := func(id, parent, in, out int) Span {
		return Span{ID: id, Parent: parent, Kind: KindCall, Name: "ask", Call: &Call{Usage: llm.Usage{InputTokens: in, OutputTokens: out}, USD: 0.25}}
	}
	spans := []Span{
		{ID: 1, Kind: KindStage, Name: "plan", Start: 0, End: 2},
		call(2, 1, 100, 10),
		{ID: 3, Kind: KindStage, Name: "attempt", Start: 2, End: 9},
		{ID: 4, Parent: 3, Kind: KindStage, Name: "generate", Start: 2, End: 4},
		call(5, 4, 200, 20),
		{ID: 6, Parent: 3, Kind: KindRun, Name: "try", Sandbox: 3},
		{ID: 7, Parent: 3, Kind: KindDecision, Name: "dead end"},
		{ID: 8, Kind: KindStage, Name: "plan", Start: 9, End: 10},
		call(9, 99, 7, 7), // its parent never ended
	}
	got := map[string]Cost{}
	var in int
	for _, c := range Totals(spans) {
		got[c.Name] = c
		in += c.InputTokens
	}
	if c := got["plan"]; c.Count != 2 || c.Seconds != 3 || c.Calls != 1 || c.InputTokens != 100 || c.USD != 0.25 {
		t.Errorf("plan: %+v", c)
	}
	if c := got["generate"]; c.OutputTokens != 20 || c.Calls != 1 {
		t.Errorf("generate: %+v", c)
	}
	if c := got["attempt"]; c.Sandbox != 3 || c.Calls != 0 || c.Count != 1 {
		t.Errorf("attempt: %+v", c)
	}
	if got["ask"].InputTokens != 7 || in != 307 || len(got) != 4 {
		t.Errorf("the sums do not hold everything: %+v", got)
	}
	circle := []Span{{ID: 1, Parent: 2, Kind: KindRun, Name: "a"}, {ID: 2, Parent: 1, Kind: KindRun, Name: "b"}}
	if len(Totals(circle)) != 2 {
		t.Error("a circle has other totals than its spans")
	}
}

func FuzzRead(f *testing.F) {
	good, _ := json.Marshal(Span{ID: 1, Kind: KindCall, Name: "plan", Call: &Call{}})
	f.Add(append(good, '\n'))
	f.Add([]byte("{\"id\":1,\"parent\":1}\n\x00\n[]\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		spans, err := ReadFrom(strings.NewReader(string(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range spans {
			if s.ID <= 0 {
				t.Errorf("a span without a number: %+v", s)
			}
		}
		Totals(spans)
	})
}

// A damaged file's sums come at once: a chain of calls without a stage above.
func TestTotalsOfALongChain(t *testing.T) {
	var spans []Span
	for i := range 50_000 {
		spans = append(spans, Span{ID: i + 1, Parent: i, Kind: KindCall, Name: "call", Call: &Call{Usage: llm.Usage{InputTokens: 1}}})
	}
	var costs []Cost
	took := worktime.Of(func() { costs = Totals(spans) })
	if len(costs) != 1 || costs[0].InputTokens != len(spans) {
		t.Errorf("%+v", costs)
	}
	if took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}

// A line with numbers that no run has is no span.
func TestNumbersOfADamagedFile(t *testing.T) {
	const good = `{"id":1,"kind":"run","name":"x","start_s":1,"end_s":2}`
	for _, line := range []string{
		`{"id":1,"start_s":-1.7e308}`, `{"id":1,"end_s":1.7e308}`, `{"id":4611686018427387904}`, `{"id":1,"sandbox_s":1e300}`,
		`{"id":1,"call":{"usd":1e300}}`, `{"id":1,"call":{"usage":{"input_tokens":4611686018427387904}}}`, `{"id":1,"parent":-4611686018427387904}`,
	} {
		spans, err := ReadFrom(strings.NewReader(line + "\n" + good + "\n"))
		if err != nil || len(spans) != 1 || spans[0].Name != "x" {
			t.Errorf("%s: %+v, %v", line, spans, err)
		}
	}
}
