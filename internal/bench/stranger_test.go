package bench

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/system"
)

// someKey is the user's in these tests.
var someKey = pipeline.Key("some key of the user's, 32 bytes.")

// TestOutcomesOfAStranger: a table is made of what this user's repgen measured.
func TestOutcomesOfAStranger(t *testing.T) {
	cases := map[string][2]string{"x": {"fixed B", "expected: not_reproduced"}, "y": {"fixed B", "expected: not_reproduced"}}
	for name, c := range map[string]struct {
		change func(t *testing.T, out string, opts *Options)
		again  int
	}{
		"nothing": {func(*testing.T, string, *Options) {}, 0},
		"another user": {func(_ *testing.T, _ string, opts *Options) {
			opts.Key = pipeline.Key("another user's key, of 32 bytes.")
		}, 2},
		"no key": {func(_ *testing.T, _ string, opts *Options) { opts.Key = nil }, 2},
		"a headline": {func(t *testing.T, out string, _ *Options) {
			path := filepath.Join(out, "x", outcomeFile)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(strings.Replace(string(data), `"fixed"`, `"not_reproduced"`, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
		}, 1},
		"another case's": {func(t *testing.T, out string, _ *Options) {
			data, err := os.ReadFile(filepath.Join(out, "y", outcomeFile))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(out, "x", outcomeFile), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir, out, r := folder(t, cases), t.TempDir(), &fakeRunner{}
			opts := Options{Out: out, Identity: "v1", Key: someKey}
			runSample(t, r, dir, opts)
			calls := r.calls.Load()
			c.change(t, out, &opts)
			if table := runSample(t, r, dir, opts); len(table.FalseClaims) != 2 {
				t.Errorf("false claims: %v", table.FalseClaims)
			}
			if got := int(r.calls.Load() - calls); got != c.again {
				t.Errorf("%d cases ran again, want %d", got, c.again)
			}
		})
	}
}

// TestLinksAmongCases: neither a report nor the place of a run lies behind a link.
func TestLinksAmongCases(t *testing.T) {
	one := map[string][2]string{"x": {"fixed B", "expected: fixed"}}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("canary\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{reportFile, answerFile} {
		for what, make := range map[string]func(path string) error{
			"a link": func(path string) error { return os.Symlink(secret, path) },
			"a pipe": func(path string) error { return syscall.Mkfifo(path, 0o600) },
		} {
			dir := folder(t, one)
			path := filepath.Join(dir, "x", name)
			if err := errors.Join(os.Remove(path), make(path)); err != nil {
				t.Fatal(err)
			}
			if _, err := Read(dir); !errors.Is(err, system.ErrNotPlain) || !strings.Contains(err.Error(), what) {
				t.Errorf("%s for %s: %v", what, name, err)
			}
		}
	}
	for _, name := range []string{"x", "x/run"} {
		cases, err := Read(folder(t, one))
		if err != nil {
			t.Fatal(err)
		}
		out, outside, r := t.TempDir(), t.TempDir(), &fakeRunner{}
		path := filepath.Join(out, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(outside, path)); err != nil {
			t.Fatal(err)
		}
		if _, err := Run(t.Context(), r, cases, Options{Out: out, Identity: "v1", Key: someKey}); !errors.Is(err, system.ErrNotPlain) {
			t.Errorf("%s: %v", name, err)
		}
		if entries, err := os.ReadDir(outside); err != nil || len(entries) > 0 || r.calls.Load() > 0 {
			t.Errorf("%s: written outside: %v, %v", name, entries, err)
		}
	}
}
