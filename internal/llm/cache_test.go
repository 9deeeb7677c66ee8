package llm_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest"
)

// hits says whether the second of two requests is answered from the cache.
func hits(t *testing.T, first, second llm.Request) bool {
	t.Helper()
	dir := t.TempDir()
	text(t, llm.Cached(counting(), dir), first)
	res, err := llm.Cached(counting(), dir).Complete(t.Context(), second)
	if err != nil {
		t.Fatal(err)
	}
	return res.Source == llm.SourceCache
}

func TestCacheKey(t *testing.T) {
	warm := 0.5
	for name, c := range map[string]struct {
		change func(*llm.Request)
		both   bool // change both
		sample int  // of the second alone
		want   bool
	}{
		"same":             {func(*llm.Request) {}, true, 0, true},
		"another purpose":  {func(r *llm.Request) { r.Purpose = "other" }, false, 0, true},
		"cold, sampled":    {func(*llm.Request) {}, true, 3, true},
		"warm, sampled":    {func(r *llm.Request) { r.Temperature = &warm }, true, 3, false},
		"warm, same":       {func(r *llm.Request) { r.Temperature = &warm }, true, 0, true},
		"default, sampled": {func(r *llm.Request) { r.Temperature = nil }, true, 3, false},
		"other words":      {func(r *llm.Request) { r.Messages[0].Content += "." }, false, 0, false},
		"longer":           {func(r *llm.Request) { r.MaxTokens++ }, false, 0, false},
		"schema":           {func(r *llm.Request) { r.Schema = []byte("{}") }, false, 0, false},
		"temperature":      {func(r *llm.Request) { r.Temperature = &warm }, false, 0, false},
	} {
		first, second := llmtest.Request("x"), llmtest.Request("x")
		if c.both {
			c.change(&first)
		}
		c.change(&second)
		second.Sample = c.sample
		if got := hits(t, first, second); got != c.want {
			t.Errorf("%s: hit %v", name, got)
		}
	}
}

// other is another model.
type other struct{ llm.Model }

func (other) Info() llm.Info { return llm.Info{Backend: "scripted", Model: "other"} }

func TestCacheByModel(t *testing.T) {
	dir := t.TempDir()
	text(t, llm.Cached(counting(), dir), llmtest.Request("x"))
	res, err := llm.Cached(other{counting()}, dir).Complete(t.Context(), llmtest.Request("x"))
	if err != nil || res.Source != llm.SourceBackend {
		t.Errorf("%+v, %v", res, err)
	}
}

// Nothing but whole answers is kept.
func TestCacheKeepsWholeAnswers(t *testing.T) {
	for name, reply := range map[string]llmtest.Reply{
		"cut off": llmtest.Truncated(), "empty": llmtest.Empty(), "filtered": llmtest.Finished("x", llm.FinishFilter), "failed": llmtest.WrongKey(),
	} {
		dir := t.TempDir()
		_, _ = llm.Cached(llmtest.Scripted(map[string]llmtest.Reply{"": reply}), dir).Complete(t.Context(), llmtest.Request("x"))
		if n := names(t, dir); len(n) != 0 {
			t.Errorf("%s: files %q", name, n)
		}
	}
}

func TestCacheTorn(t *testing.T) {
	for name, damage := range map[string]func(string) error{
		"torn":   func(p string) error { return os.Truncate(p, 100) },
		"empty":  func(p string) error { return os.Truncate(p, 0) },
		"a pipe": func(p string) error { _ = os.Remove(p); return syscall.Mkfifo(p, 0o644) },
	} {
		dir := t.TempDir()
		text(t, llm.Cached(counting(), dir), llmtest.Request("x"))
		err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			return damage(p)
		})
		if err != nil {
			t.Fatal(err)
		}
		m := counting()
		if text(t, llm.Cached(m, dir), llmtest.Request("x")); len(m.Asked()) != 1 {
			t.Errorf("%s: it was believed", name)
		}
	}
}

// What a cache gave is in the totals, and said to be unpaid; also when the run
// is resumed from its records.
func TestCacheTotals(t *testing.T) {
	dir, run := t.TempDir(), t.TempDir()
	text(t, llm.Cached(counting(), dir), llmtest.Request("x"))
	totals := func() llm.Totals {
		m := llm.NewMeter(llm.Recorded(llm.Cached(counting(), dir), run), priced, llm.Limit{})
		text(t, m, llmtest.Request("x"))
		text(t, m, llmtest.Request("y"))
		return m.Totals()
	}
	first := totals()
	if first.Calls != 2 || first.Cached != 1 || first.UnpaidUSD <= 0 || first.UnpaidUSD >= first.USD {
		t.Errorf("totals %+v", first)
	}
	if again := totals(); again != first {
		t.Errorf("resumed %+v, first %+v", again, first)
	}
}

func TestCacheUnwritable(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(plain, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := text(t, llm.Cached(counting(), plain), llmtest.Request("x")); got != "answer 0" {
		t.Errorf("%q", got)
	}
}
