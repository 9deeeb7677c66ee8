package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/anthropic"
	"github.com/repgen/repgen/internal/llm/exec"
	"github.com/repgen/repgen/internal/llm/openai"
	"github.com/repgen/repgen/internal/system"
	"github.com/repgen/repgen/internal/system/inert"
)

// llmFlags choose the language model; every command that asks one embeds them.
type llmFlags struct {
	LLM string `help:"Language model that writes scripts: none, openai:MODEL (any server of that protocol: OPENAI_BASE_URL, OPENAI_API_KEY), anthropic:MODEL (ANTHROPIC_API_KEY), exec:COMMAND, replay:DIR, or a name from the configuration file. Default: the file's default, else none." name:"llm" placeholder:"MODEL"`
}

// llmUse is what a command wants of the model.
type llmUse struct {
	// Record is the folder of the run's answers; "" keeps none.
	Record string
	// Limit bounds all calls together.
	Limit llm.Limit
	// Attempts of one call, 0: the usual number.
	Attempts int
	// Tell is told when a call is asked again; nil: the log is.
	Tell func(text string)
}

// wiredModel is the model of a run with its wrappers: the meter outermost.
type wiredModel struct {
	// Model is nil when no model was chosen.
	llm.Model
	// Meter is the same model, for its totals and its limit; nil without one.
	Meter *llm.Meter
	// Name as --llm or the configuration has it.
	Name string
	// Temperature of the configuration, nil: the caller's own.
	Temperature *float64
	// ContextTokens that the model can read, 0: not known.
	ContextTokens int
	// Notes for the user: a key file that others can read, an ignored setting.
	Notes []string
}

// wireModel opens the model that the flags, or else the configuration, name.
// Nothing is sent. The order of the wrappers, from the inside:
//
//	backend  one request, one answer
//	retry    asks again; what the failed attempts cost is in the answer
//	cache    where the configuration wants it: what any run asked before
//	record   keeps the answer that was paid for, whatever comes after
//	meter    counts what the run used, recorded answers included, so that a
//	         resumed run stands at the count at which it was killed
func wireModel(ctx context.Context, s streams, f llmFlags, use llmUse) (*wiredModel, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c, err := choose(f.LLM)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return &wiredModel{Name: noModel}, nil
	}
	m, notes, err := c.open()
	if err != nil {
		return nil, err
	}
	m = llm.Retry(m, c.patience(s, use))
	if c.Cache {
		dir, err := system.CacheDir()
		if err != nil {
			return nil, err
		}
		m = llm.Cached(m, filepath.Join(dir, "answers"))
	}
	if use.Record != "" {
		m = llm.Recorded(m, use.Record)
	}
	meter := llm.NewMeter(m, c.prices(m.Info()), use.Limit)
	return &wiredModel{
		Model: meter, Meter: meter, Name: c.Name, Temperature: c.Temperature, ContextTokens: c.ContextTokens, Notes: append(notes, c.Notes...),
	}, nil
}

// prices puts the configuration's before the embedded table's.
func (c *choice) prices(i llm.Info) llm.Prices {
	switch {
	case c.Price != nil:
		return llm.Prices{Override: map[string]llm.Price{i.Model: *c.Price}}
	case c.Backend == "replay":
		return llm.Prices{Override: recordedPrices()}
	}
	return llm.Prices{}
}

// patience bounds the retries: a slow server's second attempt must have room.
func (c *choice) patience(s streams, use llmUse) llm.RetryOptions {
	tell := use.Tell
	if tell == nil {
		tell = func(text string) { logger(s.err, false).Warn(text) }
	}
	return llm.RetryOptions{
		Attempts: use.Attempts, Total: max(llm.DefaultTotal, 2*c.Timeout),
		OnRetry: func(attempt int, wait time.Duration, err error) {
			tell(fmt.Sprintf("try %d of the call failed, the next is in %v: %v", attempt, wait.Round(100*time.Millisecond), err))
		},
	}
}

// open makes the backend.
func (c *choice) open() (llm.Model, []string, error) {
	switch c.Backend {
	case "exec":
		m, err := exec.New(exec.Options{Command: c.Model, Dir: c.Dir, Timeout: c.Timeout, Name: c.Label})
		if err != nil {
			return nil, nil, c.wrong(err, "write a command that can be run, such as exec:'python3 my_model.py'")
		}
		return m, nil, nil
	case "replay":
		m, err := llm.Replay(c.Model)
		if err != nil {
			return nil, nil, c.wrong(err, "name a folder of recorded answers: the folder llm of a run")
		}
		return m, nil, nil
	}
	return c.server()
}

// server opens the adapters that talk to one.
func (c *choice) server() (llm.Model, []string, error) {
	key, notes, err := c.Key.read()
	if err != nil {
		return nil, nil, c.wrong(err, "set the variable, or name another with key_env, or a file with key_file, in the configuration (docs/llm.md)")
	}
	var m interface {
		llm.Model
		Plain() bool
	}
	if c.Backend == "openai" {
		m, err = openai.New(openai.Options{BaseURL: c.BaseURL, Model: c.Model, Key: key, KeyFrom: c.Key.String(), Timeout: c.Timeout})
	} else {
		m, err = anthropic.New(anthropic.Options{BaseURL: c.BaseURL, Model: c.Model, Key: key, KeyFrom: c.Key.String(), Timeout: c.Timeout})
	}
	if err != nil {
		return nil, nil, c.wrong(err, "correct the model's settings (docs/llm.md)")
	}
	if m.Plain() {
		notes = append(notes, "the key goes to another machine unencrypted: use https")
	}
	return m, notes, nil
}

func (c *choice) wrong(err error, next string) error {
	return &setupError{"use the language model " + inert.Line(c.Name), err.Error(), next}
}
