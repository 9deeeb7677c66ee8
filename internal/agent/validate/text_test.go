package validate

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/agent/task"
)

func TestClip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, n := rapid.String().Draw(t, "s"), rapid.IntRange(8, 60).Draw(t, "n")
		got := clip(s, n)
		if len(got) > n || !utf8.ValidString(got) || len(s) <= n && got != s {
			t.Errorf("clip(%q, %d) is %q", s, n, got)
		}
	})
}

// Whatever a text holds, what is told of it is bounded, inert and has a signature.
func TestTold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("aé\x1b[31m\x00\n\u202e 9'\"0x7f")), 0, 4000, -1).Draw(t, "text")
		f := told(task.StageRun, task.SeverityError, rapid.Int().Draw(t, "line"), text, text)
		if len(f.Text) > task.MaxFeedback || f.Line < 0 || f.Signature == "" || strings.ContainsAny(f.Text+f.Signature, "\x1b\x00\u202e") || !utf8.ValidString(f.Text) {
			t.Errorf("%+v", f)
		}
	})
}

// Equal failures have equal signatures, whatever numbers and addresses they print.
func TestSignatureForgetsNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		say := func(name string) string {
			return fmt.Sprintf("operands could not be broadcast with shapes (%d,%d) at 0x%x", rapid.IntRange(0, 1e6).Draw(t, name), rapid.IntRange(0, 1e6).Draw(t, name), rapid.Uint32().Draw(t, name))
		}
		if a, b := signature(task.StageRun, say("a")), signature(task.StageRun, say("b")); a != b {
			t.Errorf("%q and %q", a, b)
		}
	})
}

func TestSourceLine(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "a = 1", 2: "b", 3: "", 9: ""} {
		if got := sourceLine("a = 1\n    b\n", n); got != want {
			t.Errorf("line %d: %q", n, got)
		}
	}
}

func TestOneOf(t *testing.T) {
	for want, names := range map[string][]string{"": nil, "a": {"a"}, "a or b": {"a", "b"}, "a, b or c": {"a", "b", "c"}} {
		if got := oneOf(names); got != want {
			t.Errorf("%q: %q", names, got)
		}
	}
}

func TestLintTarget(t *testing.T) {
	for python, want := range map[string]string{"3.6.15": "py37", "3.8.18": "py38", "3.13.0": "py313", "3.15.1": "py313", "": "py37", "3": "py37"} {
		if got := lintTarget(python); got != want {
			t.Errorf("%q: %q, want %q", python, got, want)
		}
	}
}
