package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// configured writes a configuration and makes it the user's.
func configured(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(configVar, path)
	for _, name := range []string{openaiKeyVar, openaiBaseVar, anthropicKeyVar, anthropicBaseVar} {
		t.Setenv(name, "")
	}
	return path
}

const goodConfig = `
[llm]
default = "local"

[llm.local]
backend = "openai"
model = "qwen2.5-coder"
base_url = "http://127.0.0.1:8080/v1"
context_tokens = 8192
temperature = 0.2
timeout = "30m"
price_in = 0
price_out = 0

[llm.big]
backend = "anthropic"
model = "m-1"
key_file = "big.key"

[llm.mine]
backend = "exec"
command = "python3 my.py"

[llm.broken]
backend = "openai"
model = 7

[other]
anything = true
`

// The decoder goes through a table in no order: what is said of a model that
// cannot be read must not depend on it.
func TestBrokenModelIsSaidOnce(t *testing.T) {
	for range 200 {
		configured(t, goodConfig)
		c, err := loadConfig()
		if err != nil || len(c.Broken) != 1 || len(c.Notes) != 0 {
			t.Fatalf("%+v %v", c, err)
		}
	}
}

func TestLoadConfig(t *testing.T) {
	path := configured(t, goodConfig)
	c, err := loadConfig()
	if err != nil || c.Path != path || c.Default != "local" || len(c.Models) != 3 || c.Broken["broken"] == "" || len(c.Notes) != 0 {
		t.Fatalf("%+v %v", c, err)
	}
	if got := strings.Join(c.names(), " "); got != "big broken local mine" {
		t.Error(got)
	}
	if m := c.Models["local"]; m.ContextTokens != 8192 || *m.Temperature != 0.2 || m.Timeout != "30m" || *m.PriceIn != 0 {
		t.Errorf("%+v", m)
	}
}

func TestConfigPath(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv(configVar, "")
	t.Setenv("XDG_CONFIG_HOME", "not/absolute")
	if path, named := configPath(); path != filepath.Join(home, ".config/repgen/config.toml") || named {
		t.Error(path)
	}
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "x"))
	if path, named := configPath(); path != filepath.Join(home, "x/repgen/config.toml") || named {
		t.Error(path)
	}
	if c, err := loadConfig(); err != nil || c.Default != "" || len(c.names()) != 0 {
		t.Errorf("no file: %+v %v", c, err)
	}
	t.Setenv(configVar, filepath.Join(home, "mine.toml"))
	if _, err := loadConfig(); err == nil {
		t.Error("a file that was named is not there, and nobody said so")
	}
	t.Setenv(configVar, "")
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("HOME", "")
	if path, _ := configPath(); path != "" {
		t.Error(path)
	}
}

// What is wrong in the file is said with its place, and never with what stands
// there: it may be a key.
func TestBadConfig(t *testing.T) {
	const secret = "sk-abcdefghijklmnop0123456789"
	for text, want := range map[string]string{
		"[llm.a]\nbackend = " + secret + "\n":       "line 2",
		"[llm.a]\nbackend = \"" + secret + "\nx":    "line 2",
		"llm = \"" + secret + "\"\n":                "something else",
		"[llm.a]\nbackend = 'x'\n[llm.a]\n":         "line",
		"\x00\x01" + secret:                         "line 1",
		"[llm]\n" + strings.Repeat("# x\n", 300000): "1 MiB",
	} {
		configured(t, text)
		_, err := loadConfig()
		var setup *setupError
		if !errors.As(err, &setup) || !strings.Contains(setup.Why, want) || setup.Next == "" || strings.Contains(err.Error(), secret) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
	configured(t, "[llm]\ndefault = 3\n[llm.a]\nbackend = \"openai\"\nmodel = \"m\"\napi_key = \""+secret+"\"\ntempurature = 1\n[llm.a.extra]\nx = 1\n")
	c, err := loadConfig()
	if err != nil || len(c.Models) != 1 {
		t.Fatalf("%+v %v", c, err)
	}
	notes := strings.Join(c.Notes, "\n")
	for _, want := range []string{"api_key in [llm.a]", "key_env", "tempurature in [llm.a]", "default in [llm]"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in %s", want, notes)
		}
	}
	if strings.Contains(notes, secret) {
		t.Error(notes)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	// Nobody writes into the pipe: it must not be waited for.
	for _, path := range []string{t.TempDir(), pipe, "/dev/zero"} {
		t.Setenv(configVar, path)
		if _, err := loadConfig(); err == nil || !strings.Contains(err.Error(), "plain file") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func FuzzConfig(f *testing.F) {
	f.Add(goodConfig)
	f.Add("[llm]\nx = 1\n[llm.y.z]\na = [1, {b = 2}]\n")
	f.Add("llm = [[1]]")
	f.Fuzz(func(t *testing.T, text string) {
		c := &config{Path: "config.toml", Models: map[string]modelConfig{}, Broken: map[string]string{}}
		if err := c.parse(text); err != nil {
			return
		}
		for _, name := range c.names() {
			if m, err := c.choose(name); err == nil && (m.Backend == "" || m.Model == "") {
				t.Errorf("%+v", m)
			}
		}
		_ = configChecks(c, nil)
	})
}
