// Package exec asks a command: one JSON object on its standard input, one on
// its standard output. docs/llm.md holds the protocol, examples/llm two commands
// that speak it.
package exec

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/system/proc"
)

// Defaults of Options; guesses. An agent's command line may work for minutes at
// one answer, and no useful answer has megabytes.
const (
	DefaultTimeout  = 10 * time.Minute
	DefaultMaxBytes = 8 << 20
)

// grace is what a command is given to end by itself once it is cancelled: the
// rest of the second in which a cancelled call must return is for its output.
const grace = 200 * time.Millisecond

// Options of New. One of Command and Argv is set.
type Options struct {
	// Command is split into words as a shell does, without a shell (Split).
	Command string
	Argv    []string
	// Dir is the command's folder, from which a path to its program is taken as
	// well, "": the caller's.
	Dir string
	// Env is the whole environment, nil: the caller's own. Nothing is added to
	// either: a command that needs a key finds it where the user put it.
	Env []string
	// Timeout of one call, 0: DefaultTimeout.
	Timeout time.Duration
	// MaxBytes of standard output, 0: DefaultMaxBytes.
	MaxBytes int64
	// Name is what Info calls the model, "": the program's.
	Name string
}

// Model asks a command. It holds nothing that changes: each call is a process of
// its own, so calls may run at the same time.
type Model struct {
	o       Options
	secrets []string
}

// New checks the command line; the command itself is started by Complete. The
// error says what is wrong with the line; it is an llm.Error where there is no
// such program, or it may not be executed.
func New(o Options) (*Model, error) {
	if len(o.Argv) == 0 {
		words, err := Split(o.Command)
		if err != nil {
			return nil, fmt.Errorf("read the command line of the language model: %w", err)
		}
		o.Argv = words
	}
	if len(o.Argv) == 0 || o.Argv[0] == "" {
		return nil, errors.New("read the command line of the language model: it names no program")
	}
	if program := o.Argv[0]; o.Dir != "" && strings.Contains(program, "/") && !filepath.IsAbs(program) {
		o.Argv = append([]string{filepath.Join(o.Dir, program)}, o.Argv[1:]...)
	}
	if _, err := osexec.LookPath(o.Argv[0]); err != nil {
		return nil, startError(o.Argv[0], err)
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.Name == "" {
		o.Name = name(o.Argv)
	}
	return &Model{o: o, secrets: llm.EnvSecrets(o.Env)}, nil
}

// name is the program's, or that of the script which an interpreter runs.
func name(argv []string) string {
	program := filepath.Base(argv[0])
	plain := strings.TrimRight(program, "0123456789.")
	for _, interpreter := range []string{"python", "sh", "bash", "dash", "node", "env", "ruby", "perl"} {
		if plain != interpreter {
			continue
		}
		for _, word := range argv[1:] {
			if !strings.HasPrefix(word, "-") && !strings.ContainsAny(word, "\n =") {
				return filepath.Base(word)
			}
		}
	}
	return program
}

// Info of the model; the answers name what is behind the command.
func (m *Model) Info() llm.Info {
	sum := sha256.Sum256([]byte(strings.Join(m.o.Argv, "\x00")))
	return llm.Info{Backend: "exec", Model: m.o.Name, Command: hex.EncodeToString(sum[:6])}
}

// Complete runs the command once. Its whole process group is dead when this
// returns.
func (m *Model) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	if err := r.Validate(); err != nil {
		return llm.Response{}, err
	}
	stdin, err := question(r)
	if err != nil {
		return llm.Response{}, err
	}
	res, err := proc.Run(ctx, proc.Spec{
		Argv: m.o.Argv, Dir: m.o.Dir, Env: m.o.Env, Stdin: stdin,
		Timeout: m.o.Timeout, Grace: grace, KeepBytes: m.o.MaxBytes, FloodBytes: m.o.MaxBytes,
		// A killed run is gone on with: the command must not work (and cost) on beside it.
		DiesWithUs: true,
	})
	if err != nil {
		return llm.Response{}, m.notRun(ctx, err)
	}
	out, err := m.answer(r, res)
	if err != nil {
		return llm.Response{}, err
	}
	out.Seconds = res.Wall.Seconds()
	if r.OnText != nil && out.Text != "" {
		r.OnText(out.Text)
	}
	return out, nil
}

// question is what the command reads.
func question(r llm.Request) ([]byte, error) {
	data, err := json.Marshal(struct {
		Schema      int             `json:"schema"`
		Messages    []llm.Message   `json:"messages"`
		MaxTokens   int             `json:"max_tokens"`
		Temperature *float64        `json:"temperature,omitempty"`
		JSONSchema  json.RawMessage `json:"json_schema,omitempty"`
	}{1, r.Messages, r.MaxTokens, r.Temperature, r.Schema})
	if err != nil {
		return nil, fmt.Errorf("ask the command: %w", err)
	}
	return append(data, '\n'), nil
}

// notRun is the error of a command that did not start or was cancelled.
func (m *Model) notRun(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("ask the command %s: %w", m.o.Name, ctx.Err())
	}
	return startError(m.o.Argv[0], err)
}

// startError is the error of a program that cannot be started.
func startError(program string, err error) error {
	if errors.Is(err, osexec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return &llm.Error{
			Kind: llm.Crashed, Err: err,
			Why:  fmt.Sprintf("the command %q does not exist", program),
			Next: "check its name and that it is on the PATH",
		}
	}
	return &llm.Error{
		Kind: llm.Crashed, Err: err,
		Why:  fmt.Sprintf("the command %q does not start: %v", program, err),
		Next: "check that it may be executed, or name its interpreter before it",
	}
}
