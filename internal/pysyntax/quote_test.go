package pysyntax

import "testing"

func TestQuote(t *testing.T) {
	for text, want := range map[string]string{
		"plain": `"plain"`, `a"b\c`: `"a\"b\\c"`, "two\nlines\t": `"two\nlines\t"`, "bell\a": `"bell\x07"`, "Größe": `"Größe"`,
	} {
		got := Quote(text)
		if got != want {
			t.Errorf("Quote(%q) = %s, want %s", text, got, want)
		}
		if f := Parse("x = " + got + "\n"); len(f.SyntaxErrors) > 0 || len(f.Strings) != 1 {
			t.Errorf("%s is no literal", got)
		}
	}
}
