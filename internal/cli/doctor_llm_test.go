package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest/servers"
)

// told finds a check by name.
func told(t *testing.T, checks []check, name string) check {
	t.Helper()
	for _, k := range checks {
		if k.Name == name {
			return k
		}
	}
	t.Fatalf("no check %q in %+v", name, checks)
	return check{}
}

func TestDoctorShowsWithoutAsking(t *testing.T) {
	s := servers.New(t, servers.Options{Protocol: servers.OpenAI})
	configured(t, fmt.Sprintf("[llm.a]\nbackend='openai'\nmodel='m'\nbase_url='%s'\n[llm.b]\nbackend='anthropic'\nmodel='n'\n[llm.c]\nbackend='x'\n[llm.d]\nbackend='exec'\ncommand='python3 x.py'\napi_key='"+servers.Key+"'\n", s.URL))
	checks := llmChecks(t.Context(), quiet, llmFlags{})
	for name, want := range map[string]string{
		"model a": "without a key", "model b": "ANTHROPIC_API_KEY is not set", "model c": "backend must be", "model d": "exec python3 x.py", "configuration": "api_key in [llm.d]", "language model": "none is chosen",
	} {
		k := told(t, checks, name)
		if !strings.Contains(k.Detail, want) || k.OK != (name != "model c") {
			t.Errorf("%+v", k)
		}
	}
	servers.NoKey(t, fmt.Sprint(checks))
	if len(s.Asked()) != 0 {
		t.Error("a server was asked")
	}
}

func TestDoctorAsks(t *testing.T) {
	usage := llm.Usage{InputTokens: 17, OutputTokens: 2}
	s := servers.New(t, servers.Options{Protocol: servers.OpenAI, Usage: &usage, Key: servers.Key})
	config := "[llm]\ndefault='a'\n[llm.a]\nbackend='openai'\nmodel='m'\nbase_url='" + s.URL + "'\nkey_env='A_KEY'\nprice_in=1000\nprice_out=1000\n"
	configured(t, config)
	t.Setenv("A_KEY", servers.Key)
	for _, flag := range []string{"", "a"} {
		k := told(t, llmChecks(t.Context(), quiet, llmFlags{LLM: flag}), "language model")
		if !k.OK || !strings.Contains(k.Detail, "a answers as "+servers.ModelName) || !strings.Contains(k.Detail, "17 tokens in, 2 out, 0.019000 USD") {
			t.Errorf("%+v", k)
		}
	}
	if n := len(s.Asked()); n != 2 {
		t.Errorf("asked %d times", n)
	}
	if k := told(t, llmChecks(t.Context(), quiet, llmFlags{LLM: "none"}), "language model"); !k.OK {
		t.Errorf("%+v", k)
	}
	// Each fault is said with its remedy, once, and is no success.
	for name, tt := range map[string]struct{ config, flag, key, detail, next string }{
		"wrong key":   {config, "a", "wrong-" + servers.Key, "invalid api key: [key]", "check the key in A_KEY"},
		"no key":      {config, "a", "", "A_KEY is not set", "key_file"},
		"no such":     {config, "b", "", "--llm b", "--help"},
		"broken file": {"[llm", "", "", "line 1", "docs/llm.md"},
		"nobody":      {"[llm.a]\nbackend='openai'\nmodel='m'\nbase_url='http://127.0.0.1:1/v1'\n", "a", "", "cannot be reached", "start the server"},
	} {
		configured(t, tt.config)
		t.Setenv("A_KEY", tt.key)
		checks := llmChecks(t.Context(), quiet, llmFlags{LLM: tt.flag})
		k := checks[len(checks)-1]
		if k.OK || !strings.Contains(k.Detail, tt.detail) || !strings.Contains(k.Next, tt.next) {
			t.Errorf("%s: %+v", name, k)
		}
		if tt.key != "" {
			// The server saw the wrong key and repeats it.
			servers.NoKey(t, fmt.Sprint(checks))
		}
	}
}

// TestDoctorAdviceNamesItself: what is to be done can be typed as it stands.
func TestDoctorAdviceNamesItself(t *testing.T) {
	configured(t, "")
	k := told(t, streams{command: "doctor"}.advised(llmChecks(t.Context(), quiet, llmFlags{LLM: "nosuch"})), "language model")
	if k.OK || !strings.Contains(k.Next, "repgen doctor --help") {
		t.Errorf("%+v", k)
	}
}
