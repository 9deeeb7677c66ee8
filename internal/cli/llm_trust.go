package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/output"
	"github.com/repgen/repgen/internal/system"
)

// A run folder names its language model, and one may come from a stranger: going
// on with it must not start a command that the user never named. So repgen keeps,
// in its own cache, of which folders the user named the command himself.

// ownCommand is the file that says so of a folder and a model.
func ownCommand(dir, model string) (string, error) {
	cache, err := system.CacheDir()
	if err != nil {
		return "", err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(abs + "\x00" + model))
	return filepath.Join(cache, "commands", hex.EncodeToString(sum[:])), nil
}

func runsCommand(model string) bool { return strings.HasPrefix(model, "exec:") }

// rememberCommand is best effort: without it the user is asked to name the
// command again.
func rememberCommand(dir, model string) {
	if !runsCommand(model) {
		return
	}
	if path, err := ownCommand(dir, model); err == nil && os.MkdirAll(filepath.Dir(path), 0o700) == nil {
		_ = system.WriteFile(path, nil, 0o600)
	}
}

// checkCommand refuses a folder's own command that the user never named.
func checkCommand(dir, model string) error {
	if !runsCommand(model) {
		return nil
	}
	if path, err := ownCommand(dir, model); err == nil {
		if _, err := os.Stat(path); err == nil {
			return nil
		}
	}
	return usage("the run in %s asks a command, %s, that was not named here: to let it run, say --llm again; --llm none goes on without it",
		output.InertLine(dir), output.InertLine(llm.Redact(model, llm.EnvSecrets(os.Environ()))))
}
