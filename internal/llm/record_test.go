package llm_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest"
)

// counting answers with the number of the call.
func counting() *llmtest.Model {
	return llmtest.Scripted(map[string]llmtest.Reply{"": llmtest.Func(func(n int, _ llm.Request) string {
		return fmt.Sprint("answer ", n)
	})})
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var out []string
	for _, f := range files {
		out = append(out, f.Name())
	}
	return out
}

func text(t *testing.T, m llm.Model, r llm.Request) string {
	t.Helper()
	res, err := m.Complete(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return res.Text
}

// A resumed run gets the answers of the first one, in their order where the same
// was asked twice, and shows the same totals.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	asks := []llm.Request{llmtest.Request("a"), llmtest.Request("b"), llmtest.Request("a"), llmtest.Request("c")}
	run := func(back llm.Model, n int) ([]string, llm.Totals) {
		m := llm.NewMeter(llm.Recorded(back, dir), priced, llm.Limit{Calls: 10})
		var got []string
		for _, r := range asks[:n] {
			got = append(got, text(t, m, r))
		}
		return got, m.Totals()
	}
	whole := t.TempDir()
	m := llm.NewMeter(llm.Recorded(counting(), whole), priced, llm.Limit{Calls: 10})
	for _, r := range asks {
		text(t, m, r)
	}
	first, _ := run(counting(), 3) // and is killed
	second := counting()
	got, totals := run(second, 4)
	if strings.Join(got[:3], ",") != strings.Join(first, ",") || got[3] != "answer 0" {
		t.Errorf("first %q, then %q", first, got)
	}
	if len(second.Asked()) != 1 {
		t.Errorf("%d calls were repeated", len(second.Asked())-1)
	}
	if want := m.Totals(); totals != want {
		t.Errorf("totals %+v, uninterrupted %+v", totals, want)
	}
	if n := names(t, dir); len(n) != 4 || !strings.HasPrefix(n[3], "004-conform-") {
		t.Errorf("files %q", n)
	}
}

func TestRecordSource(t *testing.T) {
	dir := t.TempDir()
	res, err := llm.Recorded(counting(), dir).Complete(t.Context(), llmtest.Request("a"))
	if err != nil || res.Source != llm.SourceBackend || res.Record != names(t, dir)[0] {
		t.Errorf("%+v, %v", res, err)
	}
	res, err = llm.Recorded(counting(), dir).Complete(t.Context(), llmtest.Request("a"))
	if err != nil || res.Source != llm.SourceRecord || res.Record != names(t, dir)[0] {
		t.Errorf("%+v, %v", res, err)
	}
}

// A call that did not end leaves nothing.
func TestUnfinishedLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	m := llm.Recorded(llmtest.Scripted(map[string]llmtest.Reply{"": llmtest.Hang()}), dir)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := m.Complete(ctx, llmtest.Request("a")); err == nil {
		t.Fatal("no error")
	}
	if n := names(t, dir); len(n) != 0 {
		t.Errorf("files %q", n)
	}
}

// What is torn, changed, foreign or no file is asked again; nothing of it fails
// the run.
func TestRecordsNotBelieved(t *testing.T) {
	for name, damage := range map[string]func(path string, data []byte) error{
		"torn":    func(path string, data []byte) error { return os.WriteFile(path, data[:len(data)/2], 0o644) },
		"empty":   func(path string, _ []byte) error { return os.WriteFile(path, nil, 0o644) },
		"no JSON": func(path string, _ []byte) error { return os.WriteFile(path, []byte("x"), 0o644) },
		"null":    func(path string, _ []byte) error { return os.WriteFile(path, []byte("null"), 0o644) },
		"request changed": func(path string, data []byte) error {
			return os.WriteFile(path, []byte(strings.Replace(string(data), "You write scripts.", "You write poems.", 1)), 0o644)
		},
		"no answer": func(path string, data []byte) error {
			return os.WriteFile(path, []byte(strings.Replace(string(data), `"response"`, `"reply"`, 1)), 0o644)
		},
		"newer form": func(path string, data []byte) error {
			return os.WriteFile(path, []byte(strings.Replace(string(data), `"schema": 1`, `"schema": 2`, 1)), 0o644)
		},
		"other model": func(path string, data []byte) error {
			return os.WriteFile(path, []byte(strings.Replace(string(data), `"backend": "scripted"`, `"backend": "other"`, 1)), 0o644)
		},
		"a folder": func(path string, _ []byte) error { _ = os.Remove(path); return os.Mkdir(path, 0o755) },
		"a pipe":   func(path string, _ []byte) error { _ = os.Remove(path); return syscall.Mkfifo(path, 0o644) },
		"a link":   func(path string, _ []byte) error { _ = os.Remove(path); return os.Symlink("/dev/zero", path) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			text(t, llm.Recorded(counting(), dir), llmtest.Request("a"))
			path := filepath.Join(dir, names(t, dir)[0])
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := damage(path, data); err != nil {
				t.Fatal(err)
			}
			again := counting()
			if got := text(t, llm.Recorded(again, dir), llmtest.Request("a")); got != "answer 0" || len(again.Asked()) != 1 {
				t.Errorf("%q, asked %d times", got, len(again.Asked()))
			}
		})
	}
}

func TestRecordNames(t *testing.T) {
	dir := t.TempDir()
	m := llm.Recorded(counting(), dir)
	for _, purpose := range []string{"plan", "", "../../etc/passwd", "Große Namen", strings.Repeat("x", 300)} {
		r := llmtest.Request("a")
		r.Purpose = purpose
		text(t, m, r)
	}
	for _, n := range names(t, dir) {
		if len(n) > 100 || strings.Trim(n, "abcdefghijklmnopqrstuvwxyz0123456789-.") != "" || strings.Contains(n, "..") {
			t.Errorf("name %q", n)
		}
	}
	if n := len(names(t, dir)); n != 5 {
		t.Errorf("%d files", n)
	}
	if _, err := llm.Replay(dir); err != nil {
		t.Error(err)
	}
}

// A folder that cannot be written to costs the records, not the answers.
func TestRecordedUnwritable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("/no/such/folder", dir); err != nil {
		t.Fatal(err)
	}
	res, err := llm.Recorded(counting(), dir).Complete(t.Context(), llmtest.Request("a"))
	if err != nil || res.Text != "answer 0" || res.Record != "" {
		t.Errorf("%+v, %v", res, err)
	}
}

// One that cannot be read stops the calls: what the run has spent is not known.
func TestRecordedUnreadable(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(plain, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	back := counting()
	_, err := llm.Recorded(back, plain).Complete(t.Context(), llmtest.Request("a"))
	if kindOf(err) != llm.NoRecord || len(back.Asked()) != 0 {
		t.Errorf("error %v", err)
	}
}

// A failure that the run survived fails again when it is resumed; the last one is
// asked again, and both are paid for.
func TestResumeFailures(t *testing.T) {
	dir := t.TempDir()
	cost := llm.Usage{InputTokens: 7}
	failing := llmtest.Fail(llm.Error{Kind: llm.BadResponse, Why: "as told", Next: "x", Usage: cost})
	purposed := func(p string) llm.Request { r := llmtest.Request(p); r.Purpose = p; return r }
	first := llm.NewMeter(llm.Recorded(llmtest.Scripted(map[string]llmtest.Reply{"bad": failing, "last": failing, "": llmtest.Text("x")}), dir), priced, llm.Limit{})
	for _, p := range []string{"bad", "good", "last"} {
		_, _ = first.Complete(t.Context(), purposed(p))
	}
	back := llmtest.Scripted(map[string]llmtest.Reply{"": llmtest.Text("x")})
	m := llm.NewMeter(llm.Recorded(back, dir), priced, llm.Limit{Tokens: 100_000})
	if _, err := m.Complete(t.Context(), purposed("bad")); kindOf(err) != llm.BadResponse {
		t.Errorf("the survived failure: %v", err)
	}
	text(t, m, purposed("good"))
	before := m.Totals()
	text(t, m, purposed("last"))
	after := m.Totals()
	if n := len(back.Asked()); n != 1 {
		t.Errorf("%d calls were made", n)
	}
	if before.Failed != 1 || after.Failed != 2 || after.Calls != 4 || after.InputTokens < before.InputTokens+7 {
		t.Errorf("before %+v, after %+v", before, after)
	}
	if got := first.Totals(); got.Calls != 3 || got.Failed != 2 {
		t.Errorf("totals %+v", got)
	}
}

func TestReplay(t *testing.T) {
	dir := t.TempDir()
	back := llmtest.Scripted(map[string]llmtest.Reply{"": llmtest.Text("one", "two"), "bad": llmtest.Overflow()})
	live := llm.NewMeter(llm.Recorded(back, dir), llm.Prices{Override: map[string]llm.Price{"scripted/scripted": {In: 1, Out: 2}}}, llm.Limit{})
	bad := llmtest.Request("x")
	bad.Purpose, bad.MaxTokens = "bad", 99
	text(t, live, llmtest.Request("x"))
	_, _ = live.Complete(t.Context(), bad)
	text(t, live, llmtest.Request("x"))
	r, err := llm.Replay(dir)
	if err != nil {
		t.Fatal(err)
	}
	if i := r.Info(); i.Backend != "replay" || i.Model != "scripted" || i.Provider != "scripted" {
		t.Errorf("info %+v", i)
	}
	m := llm.NewMeter(r, llm.Prices{Override: map[string]llm.Price{"scripted/scripted": {In: 1, Out: 2}}}, llm.Limit{})
	// In another order, and with another purpose: it is found by what it says.
	if _, err := m.Complete(t.Context(), bad); kindOf(err) != llm.TooLong {
		t.Errorf("error %v", err)
	}
	other := llmtest.Request("x")
	other.Purpose = "renamed"
	for i, want := range []string{"one", "two"} {
		if got := text(t, m, other); got != want {
			t.Errorf("answer %d: %q", i, got)
		}
	}
	got, want := m.Totals(), live.Totals()
	if got.Replayed != 2 || got.UnpaidUSD != got.USD || got.USD == 0 {
		t.Errorf("totals %+v", got)
	}
	got.Replayed, got.UnpaidUSD = 0, 0
	if got != want {
		t.Errorf("totals %+v, recorded %+v", got, want)
	}
	if got := text(t, m, other); got != "one" { // a second run
		t.Errorf("then %q", got)
	}
}

func TestReplayMissing(t *testing.T) {
	dir := t.TempDir()
	r := llmtest.Request("The report says that mean returns nan for an empty array.")
	text(t, llm.Recorded(counting(), dir), r)
	m, err := llm.Replay(dir)
	if err != nil {
		t.Fatal(err)
	}
	warm := 0.5
	for name, c := range map[string]struct {
		change func(*llm.Request)
		why    string
	}{
		"purpose":     {func(r *llm.Request) { r.Purpose, r.MaxTokens = "poem", 1 }, `nothing is recorded for the purpose "poem" (recorded: ["conform"])`},
		"words":       {func(r *llm.Request) { r.Messages[1].Content = "The report says that median\x1b" }, `message 2 differs at byte 23: "rt says that median\x1b"`},
		"fewer":       {func(r *llm.Request) { r.Messages = r.Messages[:1] }, "2 messages were recorded, 1 are asked"},
		"more":        {func(r *llm.Request) { r.Messages = append(r.Messages, r.Messages[1]) }, "2 messages were recorded, 3 are asked"},
		"role":        {func(r *llm.Request) { r.Messages[1].Role = llm.Assistant }, "message 2 is assistant, recorded was user"},
		"length":      {func(r *llm.Request) { r.MaxTokens = 7 }, "max_tokens is 7, recorded was 100"},
		"temperature": {func(r *llm.Request) { r.Temperature = &warm }, "the temperature differs"},
		"default":     {func(r *llm.Request) { r.Temperature = nil }, "the temperature differs"},
		"schema":      {func(r *llm.Request) { r.Schema = []byte("{}") }, "the JSON schema differs"},
		"sample":      {func(r *llm.Request) { r.Sample = 4 }, "it is sample 4, recorded was 0"},
	} {
		asked := llmtest.Request(r.Messages[1].Content)
		c.change(&asked)
		_, err := m.Complete(t.Context(), asked)
		if kindOf(err) != llm.NoRecord || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReplayNothing(t *testing.T) {
	for _, dir := range []string{t.TempDir(), "/no/such/folder"} {
		if _, err := llm.Replay(dir); err == nil || !strings.Contains(err.Error(), "no record") {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

// The layout of a schema and bytes that are no text do not hide a record.
func TestRecordIsFoundAgain(t *testing.T) {
	dir := t.TempDir()
	r := llmtest.Request("bad \xff byte <&> \u2028 and \uFFFD")
	r.Schema = []byte("{ \"type\" :\n \"object\", \"description\": \"<b>\" }")
	text(t, llm.Recorded(counting(), dir), r)
	m, err := llm.Replay(dir)
	if err != nil {
		t.Fatal(err)
	}
	r.Schema = []byte(`{"type":"object","description":"<b>"}`)
	if got := text(t, m, r); got != "answer 0" {
		t.Errorf("%q", got)
	}
}

func FuzzParseRecord(f *testing.F) {
	dir := f.TempDir()
	m := llm.Recorded(counting(), dir)
	if _, err := m.Complete(f.Context(), llmtest.Request("a")); err != nil {
		f.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		f.Fatal(err)
	}
	name := files[0].Name()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"schema":1,"hash":"","request":{"messages":null,"max_tokens":0},"response":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
		if m, err := llm.Replay(dir); err == nil {
			_, _ = m.Complete(t.Context(), llmtest.Request("a"))
			_, _ = m.Complete(t.Context(), llmtest.Request("b"))
		}
	})
}
