package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
)

// layered is an isolation that only says what it has.
type layered struct {
	sandbox.Sandbox
	layers []sandbox.Layer
}

func (l layered) Layers(context.Context) ([]sandbox.Layer, error) { return l.layers, nil }

// TestWeakLimit: a limit that the kernel does not hold here is a note that says
// why; nothing fails by it.
func TestWeakLimit(t *testing.T) {
	checks := isolationChecks(t.Context(), layered{layers: []sandbox.Layer{
		{Name: "memory", Active: true, How: "watcher", Weak: "cgroup v1: /sys/x cannot be written"},
		{Name: "pids", Active: true, How: "cgroup v2"},
	}})
	var out bytes.Buffer
	for _, k := range checks {
		tellCheck(streams{out: &out}, k)
	}
	text := out.String()
	if strings.Count(text, "\n") != 3 || !strings.HasPrefix(text, " note     isolation: memory") ||
		!strings.Contains(text, "weak: ") || !strings.Contains(text, "/sys/x cannot be written") || !strings.Contains(text, " ok       isolation: pids") {
		t.Errorf("it says\n%s", text)
	}
}

// TestDiskCheck: a disk too small for the largest environments is told, and
// fails nothing: most reports need far less.
func TestDiskCheck(t *testing.T) {
	for name, tt := range map[string]struct {
		free       uint64
		ok         bool
		mark, says string
	}{
		"ample":   {40 << 30, true, " ok ", "40.0 GiB free\n"},
		"short":   {7 << 30, true, " note ", "enough for most reports"},
		"too low": {500 << 20, false, " MISSING ", "set REPGEN_CACHE_DIR"},
	} {
		t.Run(name, func(t *testing.T) {
			k := freeCheck("/a/cache", tt.free)
			if k.OK != tt.ok {
				t.Errorf("ok is %v: %+v", k.OK, k)
			}
			var out bytes.Buffer
			tellCheck(streams{out: &out}, k)
			if !strings.HasPrefix(out.String(), tt.mark) || !strings.Contains(out.String(), tt.says) {
				t.Errorf("it says %q", out.String())
			}
			if tt.mark == " ok " && strings.Count(out.String(), "\n") != 1 {
				t.Errorf("more than a line: %q", out.String())
			}
		})
	}
}

// TestCacheFolderIsBlamed: what fails for want of the cache folder is not to be
// installed, and what fails otherwise keeps its own advice.
func TestCacheFolderIsBlamed(t *testing.T) {
	checks := func(cache bool) []check {
		return blamed([]check{
			{Name: "isolation", Detail: "sandbox: mkdir /a/cache: permission denied", Next: "install it", Refused: "nothing runs", Unsafe: "a way"},
			{Name: cacheCheck, OK: cache, Detail: "mkdir /a/cache: permission denied", Next: cacheNext},
			{Name: "package index", Detail: "no such host", Next: "check the network"},
			{Name: "disk", OK: true, Detail: "/a/cache, 9 GiB free"},
		}, "/a/cache")
	}
	got := checks(false)
	if got[0].Next != cacheNext || got[0].Refused+got[0].Unsafe != "" || got[2].Next != "check the network" || got[3].Next != "" {
		t.Errorf("got %+v", got)
	}
	if got = checks(true); got[0].Next != "install it" || got[0].Unsafe == "" {
		t.Errorf("with a cache folder: %+v", got)
	}
}
