package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/repgen/repgen/internal/system"
)

// configVar names a file that replaces the user's configuration.
const configVar = "REPGEN_CONFIG"

// maxConfig bounds what is read of a configuration; a guess, far above any.
const maxConfig = 1 << 20

// config is the configuration file:
//
//	[llm]
//	default = "local"
//
//	[llm.local]
//	backend = "openai"
//	model = "qwen2.5-coder"
//	base_url = "http://127.0.0.1:8080/v1"
type config struct {
	// Path of the file, which need not exist.
	Path string
	// Default is the model that is used where no flag names one, "": none.
	Default string
	// Models by name.
	Models map[string]modelConfig
	// Broken are the models whose settings cannot be read, with the reason.
	Broken map[string]string
	// Notes are about settings that were ignored.
	Notes []string
}

// modelConfig is one [llm.NAME].
type modelConfig struct {
	Backend string `toml:"backend"`
	Model   string `toml:"model"`
	BaseURL string `toml:"base_url"`
	// KeyEnv names a variable, KeyFile a file: a key itself never stands here.
	KeyEnv  string `toml:"key_env"`
	KeyFile string `toml:"key_file"`
	// Command of the backend exec, Dir of the backend replay.
	Command string `toml:"command"`
	Dir     string `toml:"dir"`
	// US dollars a million tokens.
	PriceIn  *float64 `toml:"price_in"`
	PriceOut *float64 `toml:"price_out"`
	// ContextTokens that the model can read, prompt and answer together.
	ContextTokens int      `toml:"context_tokens"`
	Temperature   *float64 `toml:"temperature"`
	// Timeout of one call, such as "30m".
	Timeout string `toml:"timeout"`
	// Cache: what was answered once is not asked again, in any run.
	Cache bool `toml:"cache"`
}

// setupError is something that the user has to set up first.
type setupError struct{ What, Why, Next string }

func (e *setupError) Error() string { return e.What + ": " + e.Why }

// configPath is $REPGEN_CONFIG, else $XDG_CONFIG_HOME/repgen/config.toml, else
// ~/.config/repgen/config.toml; "" when there is no home. Named says that the
// user asked for that very file.
func configPath() (path string, named bool) {
	if path := os.Getenv(configVar); path != "" {
		if abs, err := filepath.Abs(path); err == nil {
			path = abs
		}
		return path, true
	}
	// The base-directory rules say that a relative value is to be ignored.
	base := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(base) {
		home, err := os.UserHomeDir()
		if err != nil || !filepath.IsAbs(home) {
			return "", false
		}
		base = filepath.Join(home, ".config")
	}
	return filepath.Join(base, "repgen", "config.toml"), false
}

// loadConfig reads the configuration; a file that is not there is empty, unless
// it was named.
func loadConfig() (*config, error) {
	path, named := configPath()
	c := &config{Path: path, Models: map[string]modelConfig{}, Broken: map[string]string{}}
	if path == "" {
		return c, nil
	}
	text, err := readConfig(path)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return c, nil
	}
	if err != nil {
		var inner *fs.PathError
		if errors.As(err, &inner) {
			err = inner.Err
		}
		return c, &setupError{"read the configuration " + path, err.Error(), "check the file, or unset " + configVar}
	}
	return c, c.parse(text)
}

func readConfig(path string) (text string, err error) {
	f, err := system.OpenPlain(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	data, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err == nil && len(data) > maxConfig {
		err = errors.New("it has more than 1 MiB")
	}
	return string(data), err
}

// parse reads the file's text. A model whose settings cannot be read is kept
// apart, and the others stay.
func (c *config) parse(text string) error {
	var file struct {
		LLM map[string]toml.Primitive `toml:"llm"`
	}
	meta, err := toml.Decode(text, &file)
	if err != nil {
		return &setupError{"read the configuration " + c.Path, c.where(err), "write it as docs/llm.md shows"}
	}
	if kind := meta.Type("llm"); kind != "" && kind != "Hash" { // "": only its parts are written
		return &setupError{"read the configuration " + c.Path, c.where(nil), "write it as docs/llm.md shows"}
	}
	for name, raw := range file.LLM {
		if name == "default" && meta.Type("llm", name) != "Hash" {
			if err := meta.PrimitiveDecode(raw, &c.Default); err != nil {
				c.Notes = append(c.Notes, "default in [llm] must be the name of a model: it is ignored")
			}
			continue
		}
		c.model(&meta, name, raw)
	}
	c.ignored(meta.Undecoded())
	slices.Sort(c.Notes)
	return nil
}

func (c *config) model(meta *toml.MetaData, name string, raw toml.Primitive) {
	var m modelConfig
	if err := meta.PrimitiveDecode(raw, &m); err != nil {
		// The reader's own words may repeat a value, which may be anything.
		c.Broken[name] = "a setting has the wrong type; docs/llm.md lists them"
		return
	}
	c.Models[name] = m
}

// where says what the reader of the format stumbled over, without the line
// itself: somebody may have put a key there.
func (c *config) where(err error) string {
	var syntax toml.ParseError
	if errors.As(err, &syntax) {
		return fmt.Sprintf("line %d cannot be read as TOML", syntax.Position.Line)
	}
	return "[llm] holds something else than models by name"
}

// ignored tells of the settings that are not known. Their values are not shown.
// Of a model that cannot be read nothing is told: the decoder stops at the wrong
// setting, and which of the others it had seen by then is chance.
func (c *config) ignored(keys []toml.Key) {
	for _, k := range keys {
		if len(k) < 2 || k[0] != "llm" {
			continue // of another part, or of a later version
		}
		if c.Broken[k[1]] != "" {
			continue
		}
		note := fmt.Sprintf("%s in [%s] is not known: it is ignored", short(k[len(k)-1]), short(strings.Join(k[:len(k)-1], ".")))
		if word := strings.ToLower(k[len(k)-1]); strings.Contains(word, "key") || strings.Contains(word, "token") || strings.Contains(word, "secret") {
			note += "; a key does not belong into this file: name its variable with key_env, or its file with key_file"
		}
		c.Notes = append(c.Notes, note)
	}
}

// short keeps a word of the file from filling a message.
func short(word string) string {
	const most = 40
	if r := []rune(word); len(r) > most {
		return string(r[:most]) + "..."
	}
	return word
}

// names are the models of the configuration.
func (c *config) names() []string {
	var names []string
	for name := range c.Models {
		names = append(names, name)
	}
	for name := range c.Broken {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
