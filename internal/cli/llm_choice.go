package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/anthropic"
	"github.com/repgen/repgen/internal/llm/openai"
	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/proof"
)

// noModel is the word for no language model.
const noModel = pipeline.NoModel

// Variables that are read when --llm names a backend itself. A model of the
// configuration takes its key only from what the configuration names: a key
// must not travel to a server that nobody meant it for.
const (
	openaiKeyVar     = "OPENAI_API_KEY"
	openaiBaseVar    = "OPENAI_BASE_URL"
	anthropicKeyVar  = "ANTHROPIC_API_KEY"
	anthropicBaseVar = "ANTHROPIC_BASE_URL"
)

// backends that --llm and the configuration know.
var backends = []string{"openai", "anthropic", "exec", "replay"}

// choice is a model that was chosen, with nothing opened yet.
type choice struct {
	// Name as it can be chosen again.
	Name    string
	Backend string
	// Model, or the command of exec, or the folder of replay.
	Model   string
	BaseURL string
	Key     keySource
	Timeout time.Duration
	// Cache: answers are shared between runs.
	Cache bool

	// Dir is where a command of the configuration runs, "": the current folder,
	// which may be a stranger's checkout with a program of that name.
	Dir string
	// Label is what a command is called as a model; "": by its program.
	Label string
	// Price of the configuration, nil: the embedded table's.
	Price         *llm.Price
	ContextTokens int
	Temperature   *float64
	Notes         []string
}

// choose finds what --llm means; nil is no model.
func choose(word string) (*choice, error) {
	c, err := loadConfig()
	if word == "" {
		if err != nil {
			return nil, err
		}
		if word = c.Default; word == "" {
			return nil, nil
		}
	}
	if word == noModel {
		return nil, nil
	}
	if holdsKey(word) {
		return nil, usage("--llm holds the value of a variable that is called a key, a token or a secret: it would be kept in the run folder. Let the command read the variable itself")
	}
	if backend, rest, ok := strings.Cut(word, ":"); ok && slices.Contains(backends, backend) {
		if strings.TrimSpace(rest) == "" {
			return nil, usage("--llm %s names nothing: write %s", word, form(backend))
		}
		// A broken file is not asked for anything here.
		return direct(word, backend, strings.TrimSpace(rest)), nil
	}
	if err != nil {
		return nil, err
	}
	return c.choose(word)
}

// holdsKey says that a model's name, which is kept and shown, holds a key of the
// environment: a shell puts one there that expands exec:"agent --key $MY_KEY". A
// path is none.
func holdsKey(word string) bool {
	return slices.ContainsFunc(llm.EnvSecrets(os.Environ()), func(secret string) bool {
		return !strings.HasPrefix(secret, "/") && strings.Contains(word, secret)
	})
}

func form(backend string) string {
	return map[string]string{"openai": "openai:MODEL", "anthropic": "anthropic:MODEL", "exec": "exec:COMMAND", "replay": "replay:DIR"}[backend]
}

// direct is a backend with the words of the flag and the usual variables.
func direct(word, backend, rest string) *choice {
	c := &choice{Name: word, Backend: backend, Model: rest}
	switch backend {
	case "openai":
		c.BaseURL, c.Key = os.Getenv(openaiBaseVar), keySource{Env: openaiKeyVar}
	case "anthropic":
		c.BaseURL, c.Key = os.Getenv(anthropicBaseVar), keySource{Env: anthropicKeyVar}
	}
	// Only the services themselves want a key for sure.
	c.Key.Optional = c.BaseURL != ""
	return c
}

// choose takes a model of the configuration.
func (c *config) choose(name string) (*choice, error) {
	if why, ok := c.Broken[name]; ok {
		return nil, c.wrong(name, why)
	}
	m, ok := c.Models[name]
	if !ok {
		known := "it holds none"
		if names := c.names(); len(names) > 0 {
			known = "it holds " + short(strings.Join(names, ", "))
		}
		return nil, usage("--llm %s is no model: it is none, openai:MODEL, anthropic:MODEL, exec:COMMAND, replay:DIR or a name of the configuration %s (%s)", name, c.Path, known)
	}
	out := &choice{
		Name: name, Backend: m.Backend, Model: m.Model, BaseURL: m.BaseURL, ContextTokens: m.ContextTokens, Temperature: m.Temperature, Notes: c.Notes,
	}
	for _, fill := range []func(*choice, modelConfig) string{c.backend, c.key, numbers} {
		if why := fill(out, m); why != "" {
			return nil, c.wrong(name, why)
		}
	}
	return out, nil
}

func (c *config) wrong(name, why string) error {
	return &setupError{fmt.Sprintf("use the language model %s", name), why, fmt.Sprintf("correct [llm.%s] in %s", name, c.Path)}
}

// backend wants what each backend needs, and nothing that it would ignore.
func (c *config) backend(out *choice, m modelConfig) string {
	needs := map[string]string{"openai": m.Model, "anthropic": m.Model, "exec": m.Command, "replay": m.Dir}
	word := map[string]string{"openai": "model", "anthropic": "model", "exec": "command", "replay": "dir"}[m.Backend]
	switch {
	case !slices.Contains(backends, m.Backend):
		return "backend must be openai, anthropic, exec or replay"
	case needs[m.Backend] == "":
		return fmt.Sprintf("the backend %s needs %s", m.Backend, word)
	case word != "model" && (m.BaseURL != "" || m.KeyEnv != "" || m.KeyFile != ""):
		return fmt.Sprintf("the backend %s has no server: leave out base_url, key_env and key_file", m.Backend)
	}
	if word != "model" {
		out.Model, out.Label = needs[m.Backend], out.Name
	}
	if m.Backend == "exec" {
		out.Dir = filepath.Dir(c.Path)
	}
	if m.Backend == "replay" {
		out.Model = below(filepath.Dir(c.Path), m.Dir)
	}
	return ""
}

// key: without a word about one, the service itself gets the usual variable,
// and any other server gets none.
func (c *config) key(out *choice, m modelConfig) string {
	out.Key = keySource{Env: m.KeyEnv, File: below(filepath.Dir(c.Path), m.KeyFile)}
	switch {
	case m.KeyEnv != "" && m.KeyFile != "":
		return "key_env and key_file exclude each other"
	case m.KeyEnv != "" || m.KeyFile != "" || m.BaseURL != "":
	case m.Backend == "openai":
		out.Key.Env = openaiKeyVar
	case m.Backend == "anthropic":
		out.Key.Env = anthropicKeyVar
	}
	return ""
}

// numbers reads what must be in bounds.
func numbers(out *choice, m modelConfig) string {
	out.Cache = m.Cache
	if m.Timeout != "" {
		d, err := time.ParseDuration(m.Timeout)
		if err != nil || d <= 0 {
			return `timeout must be a duration, such as "30m"`
		}
		out.Timeout = d
	}
	switch {
	case m.ContextTokens < 0:
		return "context_tokens must not be negative"
	case m.Temperature != nil && !(*m.Temperature >= 0 && *m.Temperature <= 2):
		return "temperature must be between 0 and 2"
	case (m.PriceIn == nil) != (m.PriceOut == nil):
		return "price_in and price_out belong together"
	case m.PriceIn == nil:
		return ""
	case !(*m.PriceIn >= 0 && *m.PriceOut >= 0 && *m.PriceIn < 1e6 && *m.PriceOut < 1e6):
		return "price_in and price_out are US dollars a million tokens, and not negative"
	}
	out.Price = &llm.Price{In: *m.PriceIn, Out: *m.PriceOut}
	return ""
}

// recordedPrices are those of the configuration by the names that records have:
// what was recorded is priced as it was when it was asked for.
func recordedPrices() map[string]llm.Price {
	prices := map[string]llm.Price{}
	c, err := loadConfig()
	if err != nil {
		return prices // the replay needs no configuration
	}
	for _, name := range c.names() {
		one, err := c.choose(name)
		if err != nil || one.Price == nil {
			continue
		}
		if one.Label != "" {
			prices[one.Label] = *one.Price
		} else {
			prices[one.Model] = *one.Price
		}
	}
	return prices
}

// host is where a choice is asked, for people.
func (c *choice) host() string {
	if c.BaseURL != "" {
		return c.BaseURL
	}
	return map[string]string{"openai": openai.DefaultBaseURL, "anthropic": anthropic.DefaultBaseURL}[c.Backend]
}

// explainLLM turns a failure around the language model into what, why and next.
func explainLLM(err error) (proof.ResultError, int, bool) {
	var setup *setupError
	var failed *llm.Error
	switch {
	case errors.As(err, &setup):
		return proof.ResultError{What: setup.What, Why: setup.Why, Next: setup.Next}, exitUsage, true
	case errors.As(err, &failed):
		return proof.ResultError{What: "the language model could not be asked", Why: failed.Why, Next: failed.Next}, exitFailed, true
	}
	return proof.ResultError{}, 0, false
}
