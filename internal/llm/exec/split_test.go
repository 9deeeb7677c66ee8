package exec_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/llm/exec"
)

func TestSplit(t *testing.T) {
	for line, want := range map[string][]string{
		"":                           nil,
		"  \t\n":                     nil,
		"claude -p":                  {"claude", "-p"},
		"  a   b\tc\n":               {"a", "b", "c"},
		`'a b' "c d"`:                {"a b", "c d"},
		`a'b c'd`:                    {"ab cd"},
		`''`:                         {""},
		`a "" b`:                     {"a", "", "b"},
		`"a \"b\" \\ \$x \y"`:        {`a "b" \ $x \y`},
		`'a \ "b"'`:                  {`a \ "b"`},
		`a\ b \\ \'`:                 {"a b", `\`, "'"},
		"a\\\nb":                     {"ab"},
		"\"a\\\nb\"":                 {"ab"},
		`python3 -c 'print("x; y")'`: {"python3", "-c", `print("x; y")`},
		`a $HOME *.py ; b | c > d #`: {"a", "$HOME", "*.py", ";", "b", "|", "c", ">", "d", "#"},
		"äöü '€ x'":                  {"äöü", "€ x"},
	} {
		got, err := exec.Split(line)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v, want %q", line, got, err, want)
		}
	}
	for _, line := range []string{`'a`, `"a`, `a\`, `"a\`, "a\x00b", "'\x00'"} {
		if got, err := exec.Split(line); err == nil {
			t.Errorf("%q: %q", line, got)
		}
	}
}

// Every list of words comes back from its quoted form.
func TestSplitQuoted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringMatching(`[^\x00]{0,12}`)).Draw(t, "words")
		var quoted []string
		for _, w := range words {
			quoted = append(quoted, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
		}
		got, err := exec.Split(strings.Join(quoted, " "))
		if err != nil || !slices.Equal(got, words) {
			t.Fatalf("%q became %q, %v", words, got, err)
		}
	})
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{`a 'b c' "d\"e" f\ g`, `'`, `\`, `""''`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words, err := exec.Split(line)
		if err != nil && words != nil {
			t.Fatalf("words %q with %v", words, err)
		}
		n := 0
		for _, w := range words {
			n += len(w)
		}
		if n > len(line) {
			t.Fatalf("%q grew to %q", line, words)
		}
	})
}
