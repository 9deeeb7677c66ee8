package inert

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestTextKeepsWordsAndDropsTricks(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ntext\tand 例 é 👍\ufe0f":             "plain\ntext\tand 例 é 👍\ufe0f",
		"\x1b[31mred\x1b[0m":                       "red",
		"\x1b]0;title\x07rest":                     "rest",
		"a\rb\x00c":                                "abc",
		"user\u202egnp.exe\u2066x\u2069":           "usergnp.exex",
		"\ufeffmark":                               "mark",
		"zero\u200bwidth\u2060 and\u00ad soft":     "zerowidth and soft",
		"tags\U000e0069\U000e0067 say":             "tags say",
		"selectors\ufe00\U000e0101 and \u3164fill": "selectors and fill",
		"line\u2028and paragraph\u2029 ends":       "lineand paragraph ends",
		"\u009b2Jcut":                              "2Jcut",
		"back\b\bspace\r":                          "backspace",
		"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\": "link",
		"half a rune \xc3(":                        "half a rune \ufffd(",
		"":                                         "",
	} {
		if got := Text(in); got != want {
			t.Errorf("%q gave %q, want %q", in, got, want)
		}
	}
	if got := Line(" a\n\n## b\t c\v "); got != "a ## b c" {
		t.Errorf("a line: %q", got)
	}
}

func TestTextProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		got := Text(in)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, Steers) || Text(got) != got {
			t.Fatalf("%q became %q", in, got)
		}
		for _, r := range Line(in) {
			if unicode.IsSpace(r) && r != ' ' || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
				t.Fatalf("%U in a line", r)
			}
		}
	})
}
