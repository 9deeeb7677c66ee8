package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest/servers"
)

var quiet = streams{out: io.Discard, err: io.Discard}

func TestChoose(t *testing.T) {
	configured(t, goodConfig)
	t.Setenv(openaiBaseVar, "http://127.0.0.1:9/v1")
	tests := map[string]choice{
		"openai:gpt-x":                {Backend: "openai", Model: "gpt-x", BaseURL: "http://127.0.0.1:9/v1", Key: keySource{Env: openaiKeyVar, Optional: true}},
		"anthropic:m":                 {Backend: "anthropic", Model: "m", Key: keySource{Env: anthropicKeyVar}},
		"exec:python3 x.py --a 'b c'": {Backend: "exec", Model: "python3 x.py --a 'b c'"},
		"replay: some/dir":            {Backend: "replay", Model: "some/dir"},
		"local":                       {Backend: "openai", Model: "qwen2.5-coder", BaseURL: "http://127.0.0.1:8080/v1", Timeout: 30 * time.Minute, ContextTokens: 8192},
		"mine":                        {Backend: "exec", Model: "python3 my.py"},
		"openai:a:b":                  {Backend: "openai", Model: "a:b", BaseURL: "http://127.0.0.1:9/v1", Key: keySource{Env: openaiKeyVar, Optional: true}},
	}
	for word, want := range tests {
		got, err := choose(word)
		if err != nil {
			t.Errorf("%s: %v", word, err)
			continue
		}
		if got.Name != word || got.Backend != want.Backend || got.Model != want.Model || got.BaseURL != want.BaseURL || got.Key != want.Key || got.Timeout != want.Timeout || got.ContextTokens != want.ContextTokens {
			t.Errorf("%s: %+v", word, got)
		}
	}
	if got, err := choose(""); err != nil || got.Name != "local" {
		t.Errorf("the default: %+v %v", got, err)
	}
	if got, err := choose("none"); err != nil || got != nil {
		t.Errorf("none: %+v %v", got, err)
	}
	for _, word := range []string{"gpt", "openai:", "exec: ", "http://x", "default", "broken", "openai", "Local"} {
		_, err := choose(word)
		var use usageError
		var setup *setupError
		if !errors.As(err, &use) && !errors.As(err, &setup) {
			t.Errorf("%s: %v", word, err)
		}
	}
	if _, err := choose("gpt"); !strings.Contains(err.Error(), "big, broken, local, mine") {
		t.Errorf("what is known is not said: %v", err)
	}
}

// A key goes to the server that it was meant for: a configured server of one's
// own gets none that was not named for it.
func TestKeysStayHome(t *testing.T) {
	configured(t, `
[llm.own]
backend = "openai"
model = "m"
base_url = "https://elsewhere.example/v1"
[llm.hosted]
backend = "openai"
model = "m"
[llm.named]
backend = "anthropic"
model = "m"
base_url = "https://elsewhere.example"
key_env = "NAMED_KEY"
`)
	for name, want := range map[string]string{"own": "", "hosted": openaiKeyVar, "named": "NAMED_KEY"} {
		got, err := choose(name)
		if err != nil || got.Key.Env != want {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
}

func TestBadSettings(t *testing.T) {
	for settings, want := range map[string]string{
		`backend = "gpt"`:    "backend must be",
		`model = "m"`:        "backend must be",
		`backend = "openai"`: "needs model",
		`backend = "exec"`:   "needs command",
		`backend = "replay"`: "needs dir",
		"backend = 'exec'\ncommand='x'\nkey_env='A'":                  "leave out",
		"backend = 'openai'\nmodel='m'\nkey_env='A'\nkey_file='b'":    "exclude",
		"backend = 'openai'\nmodel='m'\ntimeout='soon'":               "timeout",
		"backend = 'openai'\nmodel='m'\ntimeout='-1s'":                "timeout",
		"backend = 'openai'\nmodel='m'\ntemperature=3.0":              "temperature",
		"backend = 'openai'\nmodel='m'\ntemperature=nan":              "temperature",
		"backend = 'openai'\nmodel='m'\nprice_in=1.0":                 "belong together",
		"backend = 'openai'\nmodel='m'\nprice_in=-1.0\nprice_out=1.0": "not negative",
		"backend = 'openai'\nmodel='m'\ncontext_tokens=-1":            "context_tokens",
		"backend = 'openai'\nmodel='m'\ncontext_tokens='many'":        "wrong type",
	} {
		path := configured(t, "[llm.a]\n"+settings+"\n")
		_, err := choose("a")
		var setup *setupError
		if !errors.As(err, &setup) || !strings.Contains(setup.Why, want) || !strings.Contains(setup.Next, path) {
			t.Errorf("%q: %v", settings, err)
		}
	}
}

func TestKeySource(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("SOME_KEY", " abc ")
	t.Setenv("EMPTY_KEY", " ")
	tests := []struct {
		k                   keySource
		key, err, note, not string
	}{
		{k: keySource{}},
		{k: keySource{Env: "SOME_KEY"}, key: "abc"},
		{k: keySource{Env: "EMPTY_KEY"}, err: "EMPTY_KEY is not set"},
		{k: keySource{Env: "EMPTY_KEY", Optional: true}},
		{k: keySource{Env: "sk-pasted0123456789"}, err: "key_env must name", not: "pasted"},
		{k: keySource{Env: "gsk_pasted0123456789"}, err: "key_env must name", not: "pasted"},
		{k: keySource{File: file("good", "abc\n", 0o600)}, key: "abc"},
		{k: keySource{File: file("open", "abc", 0o644)}, key: "abc", note: "chmod 600"},
		{k: keySource{File: file("empty", "\n", 0o600)}, err: "is empty"},
		{k: keySource{File: file("big", strings.Repeat("sk-pasted", 9000), 0o600)}, err: "more than a key", not: "pasted"},
		{k: keySource{File: dir}, err: "folder"},
		{k: keySource{File: filepath.Join(dir, "gone")}, err: "no such file"},
	}
	for _, tt := range tests {
		key, notes, err := tt.k.read()
		if key != tt.key || (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) || !strings.Contains(strings.Join(notes, " "), tt.note) {
			t.Errorf("%s: %q %v %v", tt.k, key, notes, err)
		}
		if tt.not != "" && strings.Contains(fmt.Sprint(err), tt.not) {
			t.Errorf("%v repeats it", err)
		}
	}
}

// The whole stack: what is paid for is recorded, what is recorded is not asked
// again, and the meter counts both.
func TestWireModel(t *testing.T) {
	usage := llm.Usage{InputTokens: 100, OutputTokens: 10}
	s := servers.New(t, servers.Options{Protocol: servers.OpenAI, Usage: &usage, Key: servers.Key})
	configured(t, fmt.Sprintf("[llm.fake]\nbackend='openai'\nmodel='m'\nbase_url='%s'\nkey_env='FAKE_KEY'\nprice_in=10\nprice_out=100.0\ncontext_tokens=500\nunknown=1\n", s.URL))
	t.Setenv("FAKE_KEY", servers.Key)
	dir := filepath.Join(t.TempDir(), "llm")
	for round := range 2 {
		m, err := wireModel(t.Context(), quiet, llmFlags{LLM: "fake"}, llmUse{Record: dir})
		if err != nil {
			t.Fatal(err)
		}
		if m.Name != "fake" || m.ContextTokens != 500 || len(m.Notes) != 1 || m.Info().Backend != "openai" {
			t.Errorf("%+v", m)
		}
		got, err := m.Complete(t.Context(), servers.Question())
		if err != nil || got.Text != "the answer" {
			t.Fatalf("%+v %v", got, err)
		}
		if totals := m.Meter.Totals(); totals.InputTokens != 100 || totals.OutputTokens != 10 || totals.Calls != 1 || !totals.Priced || totals.USD < 0.00199 || totals.USD > 0.00201 {
			t.Errorf("round %d: %+v", round, totals)
		}
	}
	if len(s.Asked()) != 1 {
		t.Errorf("asked %d times", len(s.Asked()))
	}
	noKeyBelow(t, dir)
}

// noKeyBelow wants no form of the servers' key in any file.
func noKeyBelow(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("nothing is recorded: %v", err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		servers.NoKey(t, string(data))
	}
}

// A server that repeats the key does not get it into a record or an error.
func TestEchoedKeyIsNotRecorded(t *testing.T) {
	for _, does := range []servers.Behaviour{servers.EchoesKeyInOwn, servers.EchoesKey} {
		s := servers.New(t, servers.Options{Protocol: servers.Anthropic, Does: does})
		configured(t, "")
		t.Setenv(anthropicBaseVar, s.URL)
		t.Setenv(anthropicKeyVar, servers.Key)
		dir := filepath.Join(t.TempDir(), "llm")
		m, err := wireModel(t.Context(), quiet, llmFlags{LLM: "anthropic:m"}, llmUse{Record: dir})
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Complete(t.Context(), servers.Question())
		servers.NoKey(t, fmt.Sprintf("%+v %v", got, err))
		if err == nil {
			noKeyBelow(t, dir)
		}
	}
}

func TestWireFaults(t *testing.T) {
	configured(t, "[llm.nokey]\nbackend='openai'\nmodel='m'\nbase_url='http://127.0.0.1:1'\nkey_env='UNSET_KEY'\n[llm.url]\nbackend='openai'\nmodel='m'\nbase_url='h:1'\n")
	for word, want := range map[string]string{
		"openai:m": "OPENAI_API_KEY is not set", "anthropic:m": "ANTHROPIC_API_KEY is not set", "nokey": "UNSET_KEY is not set", "url": "no address", "replay:no/such/dir": "no/such/dir",
	} {
		_, err := wireModel(t.Context(), quiet, llmFlags{LLM: word}, llmUse{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", word, err)
			continue
		}
		if p, code := explain(err); code != exitUsage || p.Next == "" || p.What == "" {
			t.Errorf("%s: %+v, exit code %d", word, p, code)
		}
	}
	if m, err := wireModel(t.Context(), quiet, llmFlags{}, llmUse{}); err != nil || m.Model != nil || m.Name != "none" {
		t.Errorf("no model: %+v %v", m, err)
	}
}
