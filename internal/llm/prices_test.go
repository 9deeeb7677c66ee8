package llm_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/llm"
)

func TestPrices(t *testing.T) {
	zero := llm.Price{}
	own := llm.Prices{Override: map[string]llm.Price{
		"gpt-4o": {In: 7, Out: 8}, "127.0.0.1:8080/qwen": {In: 1, Out: 1}, "free": zero,
	}}
	for name, c := range map[string]struct {
		prices llm.Prices
		info   llm.Info
		known  bool
		in     float64 // 0: any above zero
	}{
		"listed":              {llm.Prices{}, llm.Info{Backend: "openai", Provider: "openai", Model: "gpt-4o"}, true, 2.5},
		"by the backend":      {llm.Prices{}, llm.Info{Backend: "openai", Model: "gpt-4o"}, true, 2.5},
		"with its day":        {llm.Prices{}, llm.Info{Backend: "openai", Model: "gpt-4o-2024-11-20"}, true, 2.5},
		"without its day":     {llm.Prices{}, llm.Info{Backend: "anthropic", Model: "claude-haiku-4-5"}, true, 1},
		"another provider":    {llm.Prices{}, llm.Info{Backend: "openai", Provider: "deepseek", Model: "deepseek-v4-flash"}, true, 0},
		"a server of one's":   {llm.Prices{}, llm.Info{Backend: "openai", Provider: "127.0.0.1:8080", Model: "gpt-4o"}, false, 0},
		"no such model":       {llm.Prices{}, llm.Info{Backend: "openai", Model: "gpt-nothing"}, false, 0},
		"a command":           {llm.Prices{}, llm.Info{Backend: "exec", Model: "claude"}, false, 0},
		"said":                {own, llm.Info{Backend: "openai", Model: "gpt-4o"}, true, 7},
		"said, with provider": {own, llm.Info{Backend: "openai", Provider: "127.0.0.1:8080", Model: "qwen"}, true, 1},
		"said for another":    {own, llm.Info{Backend: "openai", Provider: "127.0.0.1:9", Model: "qwen"}, false, 0},
		"free":                {own, llm.Info{Backend: "exec", Model: "free"}, true, -1},
	} {
		p, ok := c.prices.Of(c.info)
		if ok != c.known || c.in > 0 && p.In != c.in || ok && c.in == 0 && p.In <= 0 {
			t.Errorf("%s: %+v, %v", name, p, ok)
		}
	}
}

// The table's columns for caches mean reading or writing by what they cost.
func TestPricesOfCaches(t *testing.T) {
	p, ok := llm.Prices{}.Of(llm.Info{Backend: "anthropic", Model: "claude-haiku-4-5"})
	if !ok || p.Cached == nil || *p.Cached >= p.In || p.Written == nil || *p.Written <= p.In {
		t.Errorf("%+v", p)
	}
	p, ok = llm.Prices{}.Of(llm.Info{Backend: "openai", Model: "gpt-4o"})
	if !ok || p.Cached == nil || *p.Cached >= p.In || p.Written != nil {
		t.Errorf("%+v", p)
	}
}

func TestPriceOf(t *testing.T) {
	cached, written := 0.1, 1.25
	p := llm.Price{In: 1, Out: 5, Cached: &cached, Written: &written}
	u := llm.Usage{InputTokens: 1000, CachedTokens: 400, WrittenTokens: 100, OutputTokens: 10}
	if got, want := p.Of(u), (500+40+125+50)/1e6; math.Abs(got-want) > 1e-15 {
		t.Errorf("got %g, want %g", got, want)
	}
	if got := (llm.Price{In: 1, Out: 5}).Of(u); math.Abs(got-1050/1e6) > 1e-15 {
		t.Errorf("got %g", got)
	}
}

func TestProviderOf(t *testing.T) {
	for base, want := range map[string]string{
		"https://api.openai.com/v1": "openai", "https://api.anthropic.com": "anthropic", "https://api.deepseek.com/v1/": "deepseek",
		"https://API.DeepSeek.com": "deepseek", "http://127.0.0.1:8080/v1": "127.0.0.1:8080", "http://user:pass@host:1/v1": "host:1",
		"": "", "::": "", "no url": "", "https://generativelanguage.googleapis.com/v1beta/openai/": "gemini",
	} {
		if got := llm.ProviderOf(base); got != want {
			t.Errorf("%q: %q, want %q", base, got, want)
		}
	}
}

func TestTokens(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a": 1, "abcd": 1, "abcde": 2, "äöü": 3, "日本": 2, "\xff\xfe": 2} {
		if got := llm.EstimateTokens(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		r := request(rapid.String().Draw(t, "text"), 1)
		if rapid.Bool().Draw(t, "schema") {
			r.Schema = []byte(`{"type":"object"}`)
		}
		if upper, guess := llm.UpperTokens(r), llm.EstimateUsage(r, "").InputTokens; upper < guess {
			t.Fatalf("at most %d, guessed %d", upper, guess)
		}
	})
}

func TestRedact(t *testing.T) {
	secrets := llm.EnvSecrets([]string{
		"OPENAI_API_KEY=sk-0123456789", "gh_token=ghp_0123456789", "SHORT_KEY=1", "HOME=/root/somewhere",
		"KEY_FILE=/root/key-file", "DB_PASSWORD=/starts-with-a-slash", "TOKEN", "",
	})
	got := llm.Redact("a sk-0123456789 b ghp_0123456789 c 1 /root/somewhere /root/key-file /starts-with-a-slash", secrets)
	if want := "a [redacted] b [redacted] c 1 /root/somewhere /root/key-file [redacted]"; got != want {
		t.Errorf("%q", got)
	}
	if got := llm.Redact("nothing", []string{"", "x"}); strings.Contains(got, "[") {
		t.Errorf("%q", got)
	}
}
