package sandbox

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"plain":               {"a\tb\nc ü 漢\n", "a\tb\nc ü 漢\n"},
		"windows ends":        {"a\r\nb\r\n", "a\nb\n"},
		"lone return":         {"50%\r100%\n", "50%100%\n"},
		"bad utf-8":           {"a\xffb\xc3", "a\ufffdb\ufffd"},
		"controls":            {"a\x00\x01\x07\x08\x0b\x7fb\u0085c", "abc"},
		"colour":              {"\x1b[1;31mred\x1b[0m", "red"},
		"private mode":        {"\x1b[?25lx\x1b[2Jy", "xy"},
		"title":               {"\x1b]0;owned\x07x", "x"},
		"title, long end":     {"\x1b]8;;url\x1b\\link\x1b]8;;\x1b\\", "link"},
		"device string":       {"\x1bP1$r\x1b\\x", "x"},
		"one-rune CSI":        {"\u009b31mx", "x"},
		"one-rune OSC and ST": {"\u009d0;t\u009cx", "x"},
		"charset":             {"\x1b(Bx\x1b)0y", "xy"},
		"two bytes":           {"\x1bcx\x1b7y\x1b=z", "xyz"},
		"cut CSI":             {"x\x1b[31", "x"},
		"cut escape":          {"x\x1b", "x"},
		"CSI broken by text":  {"\x1b[31\nx", "\nx"},
		"unended title":       {"\x1b]0;never\nnext line", "\nnext line"},
		"nested":              {"\x1b\x1b[31mx", "x"},
		"escape then letter":  {"\x1b漢x", "漢x"},
		"escape then bad":     {"\x1b\xdbx", "\ufffdx"},
		"raw C1 byte is bad":  {"\x9b31mx", "\ufffd31mx"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Clean([]byte(tt.in)); got != tt.want {
				t.Errorf("Clean(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "a\r\n", "\x1b[31mx", "\x1b]0;t\x07", "\x1bP\x1b\\", "\xff\x1b", "\u009d\n", strings.Repeat("\x1b", 9)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := Clean(raw)
		if !utf8.ValidString(got) {
			t.Fatalf("not UTF-8: %q", got)
		}
		for _, r := range got {
			if isControl(r) && r != '\n' && r != '\t' {
				t.Fatalf("control character %U in %q", r, got)
			}
		}
		if again := Clean([]byte(got)); again != got {
			t.Fatalf("cleaned twice: %q, then %q", got, again)
		}
		if strings.Count(got, "\n") != strings.Count(string(raw), "\n") {
			t.Fatalf("lines were swallowed: %q from %q", got, raw)
		}
	})
}
