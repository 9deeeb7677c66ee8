package uv

import (
	"context"
	_ "embed" // the pinned uv
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/system/cachedir"
	"github.com/repgen/repgen/internal/system/lazyre"
	"github.com/repgen/repgen/internal/system/proc"
)

// Minimum is the oldest uv that is used from PATH. 0.13 was measured; older
// ones lack switches used here or word their failures differently.
const Minimum = "0.13.0"

//go:embed uv-pin.txt
var pin string

// NoToolError says that there is no uv and that none could be installed.
type NoToolError struct {
	Tried []string // one line per way tried
}

func (e *NoToolError) Error() string {
	return "no uv >= " + Minimum + " on PATH and none could be installed: " + strings.Join(e.Tried, "; ")
}

// Find returns the uv on PATH when it is new enough, else the one in repgen's
// own cache, installed there first when needed. A *NoToolError says what was
// tried in vain.
func Find(ctx context.Context, o Options) (*Tool, error) {
	o = o.fill()
	tool := &Tool{o: o}
	if path, err := lookPath("uv", environ(o.Environ)["PATH"]); err == nil {
		version, err := versionOf(ctx, path)
		if err == nil && newEnough(version) {
			tool.Path, tool.Version = path, version
			return tool, nil
		}
		o.Log.Debug("the uv on PATH is not used", "version", version, "error", err)
	}
	path, err := install(ctx, o)
	if err != nil {
		return nil, err
	}
	version, err := versionOf(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("the installed uv does not start: %w", err)
	}
	tool.Path, tool.Version = path, version
	return tool, nil
}

// lookPath is exec.LookPath on a given PATH.
func lookPath(name, path string) (string, error) {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue // a program in the current folder is somebody else's word
		}
		full := filepath.Join(dir, name)
		if st, err := os.Stat(full); err == nil && st.Mode().IsRegular() && st.Mode().Perm()&0o111 != 0 {
			return full, nil
		}
	}
	return "", exec.ErrNotFound
}

func versionOf(ctx context.Context, path string) (string, error) {
	r, err := proc.Run(ctx, proc.Spec{Argv: []string{path, "--version"}, Dir: neutral, Env: []string{"UV_NO_CONFIG=1"}, Timeout: askTime})
	if err != nil {
		return "", fmt.Errorf("ask uv for its version: %w", err)
	}
	fields := strings.Fields(string(r.Stdout))
	if r.ExitCode != 0 || len(fields) < 2 || fields[0] != "uv" {
		return "", fmt.Errorf("ask uv for its version: exit %d", r.ExitCode)
	}
	return fields[1], nil
}

func newEnough(version string) bool { return pydist.Match(">="+Minimum, version) }

// installerTime is pip's own time limit, a guess for 18 MB on a slow line.
const installerTime = 10 * time.Minute

// install puts the pinned uv into the cache with the first Python whose pip
// can; two processes at once install it once.
func install(ctx context.Context, o Options) (string, error) {
	store, err := cachedir.Open(filepath.Join(o.CacheDir, "tools"))
	if err != nil {
		return "", fmt.Errorf("install uv: %w", err)
	}
	dir, _, err := store.Build(ctx, pinKey(), func(ctx context.Context, tmp string) error {
		return installInto(ctx, o, tmp)
	})
	var none *NoToolError
	if errors.As(err, &none) {
		return "", none
	}
	if err != nil {
		return "", fmt.Errorf("install uv: %w", err)
	}
	return filepath.Join(dir, "bin", "uv"), nil
}

// pinKey names the pinned version: "uv-0-13-9".
func pinKey() string {
	pins := ParseLock(pin)
	return "uv-" + strings.ReplaceAll(pins[0].Version, ".", "-")
}

func installInto(ctx context.Context, o Options, tmp string) error {
	none := &NoToolError{}
	if len(o.Pythons) == 0 {
		none.Tried = append(none.Tried, "no Python at hand")
	}
	for _, python := range o.Pythons {
		if err := pipInstall(ctx, o, python, tmp); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			none.Tried = append(none.Tried, fmt.Sprintf("%s: %s", filepath.Base(python), err))
			if indexDown.MatchString(err.Error()) {
				return none // the next Python would ask the same index
			}
			continue
		}
		if _, err := os.Stat(filepath.Join(tmp, "bin", "uv")); err == nil {
			return nil
		}
		none.Tried = append(none.Tried, filepath.Base(python)+": its pip installed no program")
	}
	return none
}

// indexDown matches pip's words for an index that cannot be reached, or that
// has no uv at all: quiet and without retries it says the same of both.
var indexDown = lazyre.New(`(?i)\(from versions:\s*(?:none)?\s*\)|connection (refused|reset|aborted|error)|NewConnectionError|Max retries exceeded|name resolution|timed out|Could not fetch URL`)

// pipInstall runs one Python's pip: wheels only, each with a hash of ours.
func pipInstall(ctx context.Context, o Options, python, target string) error {
	work, err := os.MkdirTemp("", "repgen-uv-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	list := filepath.Join(work, "uv-pin.txt")
	if err := os.WriteFile(list, []byte(pin), 0o600); err != nil {
		return err
	}
	python, err = withPip(ctx, o, python, work)
	if err != nil {
		return err
	}
	r, err := runPip(ctx, o, python, target, list, "0")
	if err == nil && r.ExitCode != 0 && r.Wall < quick && indexDown.Match(r.Stderr) {
		r, err = runPip(ctx, o, python, target, list, "1") // trouble that may pass
	}
	if err != nil {
		return err
	}
	switch {
	case r.ExitCode == 0:
		return nil
	case r.Wall > quick && indexDown.Match(r.Stderr):
		return fmt.Errorf("the package index did not answer: connection timed out after %s s (pip says: %s)", pipTimeout, cut(oneLine(Redact(string(r.Stderr))), 200))
	}
	return errors.New(cut(oneLine(Redact(string(r.Stderr))), 300))
}

const (
	// pipTimeout is how many seconds an index may be silent. pip's own 15 s and
	// the caller's setting (180 s in some images) count for each try.
	pipTimeout = "12"
	// quick is how soon trouble must come to be worth another try.
	quick = 3 * time.Second
)

func runPip(ctx context.Context, o Options, python, target, list, retries string) (proc.Result, error) {
	return proc.Run(ctx, proc.Spec{
		Argv: []string{
			python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--retries", retries, "--timeout", pipTimeout,
			"--no-deps", "--require-hashes", "--only-binary", ":all:", "--target", target, "--requirement", list,
		},
		Dir: neutral, Env: pipEnv(o), Timeout: installerTime,
	})
}

// withPip returns a Python that has pip: the given one, else that of a new
// virtual environment.
func withPip(ctx context.Context, o Options, python, work string) (string, error) {
	r, err := proc.Run(ctx, proc.Spec{Argv: []string{python, "-m", "pip", "--version"}, Dir: neutral, Env: pipEnv(o), Timeout: venvTime})
	if err != nil {
		return "", err
	}
	if r.ExitCode == 0 {
		return python, nil
	}
	venv := filepath.Join(work, "venv")
	r, err = proc.Run(ctx, proc.Spec{Argv: []string{python, "-m", "venv", venv}, Dir: neutral, Env: pipEnv(o), Timeout: 2 * venvTime})
	if err != nil {
		return "", err
	}
	if r.ExitCode != 0 {
		return "", errors.New("it has neither pip nor a way to get it (on Debian: apt-get install python3-venv python3-pip)")
	}
	return filepath.Join(venv, "bin", "python"), nil
}

// pipEnv is the allow-listed environment and pip's own variables.
func pipEnv(o Options) []string {
	caller := environ(o.Environ)
	e := base(caller)
	for name, value := range caller {
		if strings.HasPrefix(name, "PIP_") {
			e[name] = value
		}
	}
	switch {
	case o.Index != "":
		e["PIP_INDEX_URL"] = o.Index
	case e["PIP_INDEX_URL"] == "" && caller["UV_DEFAULT_INDEX"] != "":
		e["PIP_INDEX_URL"] = unnamed(caller["UV_DEFAULT_INDEX"])
	}
	delete(e, "PIP_TARGET")
	delete(e, "PIP_REQUIREMENT")
	return flat(e)
}
