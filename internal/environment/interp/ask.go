package interp

import (
	"context"
	_ "embed" // the question
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/system/proc"
)

//go:embed ask.py
var question string

// askTime bounds one question: it takes 30 to 80 ms, a second on a cold and
// busy disk.
const askTime = 15 * time.Second

// errSlow says nothing of the interpreter: the machine may have been busy.
var errSlow = errors.New("no answer within " + askTime.String())

// answer is what ask.py prints.
type answer struct {
	Implementation string   `json:"implementation"`
	Version        string   `json:"version"`
	Minor          string   `json:"minor"`
	BasePrefix     string   `json:"base_prefix"`
	Prefix         string   `json:"prefix"`
	SOABI          string   `json:"soabi"`
	FreeThreaded   bool     `json:"free_threaded"`
	Debug          bool     `json:"debug"`
	Bits           int      `json:"bits"`
	Machine        string   `json:"machine"`
	Glibc          string   `json:"glibc"`
	Shared         bool     `json:"shared"`
	Libdir         string   `json:"libdir"`
	Lacks          []string `json:"lacks"`
}

// ask runs the interpreter in isolated mode, with an empty environment and without
// its site-packages (-S): the lines of the .pth files there are run otherwise,
// and a copied virtual environment on PATH is somebody's packages.
func ask(ctx context.Context, c candidate) (Interpreter, error) {
	r, err := proc.Run(ctx, proc.Spec{
		Argv: []string{c.path, "-I", "-S", "-c", question}, Dir: "/",
		Env: []string{"LANG=C.UTF-8"}, Timeout: askTime,
	})
	if err != nil {
		return Interpreter{}, fmt.Errorf("ask %s: %w", c.path, err)
	}
	if r.TimedOut {
		return Interpreter{}, fmt.Errorf("ask %s: %w", c.path, errSlow)
	}
	if r.ExitCode != 0 {
		return Interpreter{}, fmt.Errorf("ask %s: exit %d", c.path, r.ExitCode)
	}
	var a answer
	if err := json.Unmarshal(r.Stdout, &a); err != nil {
		return Interpreter{}, fmt.Errorf("ask %s: %w", c.path, err)
	}
	return a.interpreter(c)
}

// interpreter turns an answer into an Interpreter, or says why it is of no use.
func (a answer) interpreter(c candidate) (Interpreter, error) {
	switch {
	case a.Implementation != "cpython":
		return Interpreter{}, fmt.Errorf("%s is %s, not CPython", c.path, a.Implementation)
	case a.FreeThreaded || a.Debug || a.Bits != 64:
		// Few packages have wheels for these, and none of the measured ones.
		return Interpreter{}, fmt.Errorf("%s is a free-threaded, debug or 32-bit build", c.path)
	case a.Prefix != a.BasePrefix:
		return Interpreter{}, fmt.Errorf("%s is a virtual environment", c.path)
	case !strings.HasPrefix(a.Minor, "3."):
		return Interpreter{}, fmt.Errorf("%s is Python %s", c.path, a.Minor)
	}
	prefix, err := filepath.EvalSymlinks(a.BasePrefix)
	if err != nil {
		return Interpreter{}, fmt.Errorf("%s: %w", c.path, err)
	}
	if !within(prefix, c.path) {
		return Interpreter{}, fmt.Errorf("%s is not below its own prefix %s", c.path, prefix)
	}
	if prefix == "/" {
		return Interpreter{}, errors.New("its prefix is the root folder")
	}
	tag := "cp" + strings.ReplaceAll(a.Minor, ".", "")
	return Interpreter{
		Path: c.path, Prefix: prefix, Version: a.Version, Minor: a.Minor,
		Tag: tag, ABI: abi(a.SOABI, tag), Arch: a.Machine, Glibc: a.Glibc,
		Shared: a.Shared && within(prefix, a.Libdir), Lacks: a.Lacks, Source: c.source,
	}, nil
}

func within(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// abi makes the wheel's ABI tag from SOABI: "cpython-37m-x86_64-linux-gnu" is
// cp37m.
func abi(soabi, tag string) string {
	parts := strings.Split(soabi, "-")
	if len(parts) > 1 && parts[0] == "cpython" {
		return "cp" + parts[1]
	}
	return tag
}
