package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/repgen/repgen/internal/system"
)

var modified = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// real skips a test that needs bubblewrap, uv and an interpreter, unless they
// are promised; then a missing one fails.
func real(t testing.TB) {
	t.Helper()
	if os.Getenv("REPGEN_REAL") == "" {
		t.Skip("set REPGEN_REAL=1 to run with the real sandbox, uv and interpreters")
	}
}

// tinyWheels are made-up libraries: `tinynet` multiplies in 1.1 and 1.2 what it
// should add, and dies of an int axis in 1.2; 1.3 is right again.
func tinyWheels() []wheel {
	// What has nothing to do with the bugs differs too, for scripts that ask.
	base := map[string]string{"+": "list", "*": "object"}
	source := func(version, op, axis string) map[string]string {
		files := map[string]string{"tinynet/__init__.py": fmt.Sprintf("__version__ = %q\nfrom .core import add, total, near, warn, crash, check, Row\n", version),
			"tinynet/core.py": fmt.Sprintf(`import os
import warnings


def add(a, b):
    return a %s b


def total(rows, axis):
    %s
    return [sum(row) for row in rows for _ in axis]


def near(x):
    return x * 0.1 * 3


def warn(x):
    if %q in ("1.1", "1.2"):
        warnings.warn("lists are copied, use arrays", UserWarning, stacklevel=2)
    return x


def crash():
    if %q in ("1.1", "1.2"):
        os.abort()
    raise ValueError("empty input")


def check(x):
    if %q == "1.3" and x < 0:
        raise ValueError("x must not be negative")
    return x


class Row(%s):
    pass
`, op, axis, version, version, version, base[op])}
		if op == "+" {
			files["tinynet/extra.py"] = ""
			files["tinynet/core.py"] += "\n\nadd.__annotations__[\"a\"] = float\n"
		}
		return files
	}
	fixed := "axis = (axis,) if isinstance(axis, int) else axis"
	return []wheel{
		{name: "tinynet", version: "1.0", uploaded: "2024-01-10T00:00:00Z", files: source("1.0", "+", fixed)},
		{name: "tinynet", version: "1.1", uploaded: "2024-02-10T00:00:00Z", files: source("1.1", "*", "pass")},
		{name: "tinynet", version: "1.2", uploaded: "2024-03-10T00:00:00Z", files: source("1.2", "*", "pass"), requires: []string{"tinydep"}},
		{name: "tinynet", version: "1.3", uploaded: "2024-06-10T00:00:00Z", files: source("1.3", "+", fixed)},
		{name: "tinydep", version: "0.5", uploaded: "2024-01-02T00:00:00Z", files: map[string]string{"tinydep/__init__.py": "value = 1\n"}},
	}
}

// TestReal runs the command line with the real sandbox, uv and interpreter on
// a made-up index, so that every ending can be had in seconds.
func TestReal(t *testing.T) {
	real(t)
	x := newIndex(t, tinyWheels()...)
	cache := sharedCache(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/real",
		RequireExplicitExec: true,
		Cmds:                commands(),
		Setup: func(e *testscript.Env) error {
			e.Setenv("REPGEN_CACHE_DIR", cache)
			e.Setenv("UV_DEFAULT_INDEX", x.URL+"/simple")
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("NO_COLOR", "1")
			e.Setenv("CANARY_TOKEN", "canary-4711")
			return os.MkdirAll(filepath.Join(e.WorkDir, "home"), 0o755)
		},
	})
}

// sharedCache is the cache of all real tests of this machine: it holds uv.
func sharedCache(t testing.TB) string {
	t.Helper()
	dir, err := system.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("REPGEN_CACHE_DIR", dir)
	var out bytes.Buffer
	if code := Main([]string{"doctor"}, strings.NewReader(""), &out, &out); code != 0 {
		t.Fatalf("repgen doctor: %s", out.String())
	}
	return dir
}
