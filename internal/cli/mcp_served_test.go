package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestServedSaysWhoseFault: a line that is no message is told apart from a
// failure of the server.
func TestServedSaysWhoseFault(t *testing.T) {
	garbage := fmt.Errorf("read: %w", json.Unmarshal([]byte("garbage"), new(any)))
	for _, c := range []struct {
		err  error
		line bool
	}{{garbage, true}, {errors.New("pipe is broken"), false}} {
		got := served(c.err)
		if !errors.Is(got, c.err) || strings.Contains(got.Error(), "one JSON-RPC message a line") != c.line {
			t.Errorf("%v became %v", c.err, got)
		}
	}
}
