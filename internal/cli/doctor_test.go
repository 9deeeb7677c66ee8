package cli

import (
	"bytes"
	"strings"
	"testing"
)

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
