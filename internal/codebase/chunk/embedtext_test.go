package chunk

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

const embedSource = `"""Stops early.

The long story.
"""

import numpy as np
from a import b

LIMIT = 3


@export("keras.EarlyStopping")
class EarlyStopping(Callback):
    """Stop training when a metric has stopped improving.

    Args:
        patience: epochs without improvement.
    """

    monitor = "val_loss"

    def __init__(self, patience=0):
        self.patience = patience  # epochs
        self.filler = "FILLER"

    def on_epoch_end(self,
                     epoch):
        """Looks.

        The rest of it.
        """
        if self.wait:
            # it waits

            return self.wait
`

// embedOf is the text of the first chunk of that name.
func embedOf(t *testing.T, path, name, src string) string {
	t.Helper()
	for _, c := range Split(path, []byte(src)) {
		if c.Name == name {
			return EmbedText(c, []byte(src))
		}
	}
	t.Fatalf("no chunk %q", name)
	return ""
}

func TestEmbedText(t *testing.T) {
	long := strings.Replace(embedSource, "FILLER", strings.Repeat("x", wholeClass), 1)
	for _, c := range []struct{ name, chunk, src, want string }{
		{"module", "", embedSource, "\"\"\"Stops early.\nThe long story.\n\"\"\"\nLIMIT = 3\nimport numpy as np\nfrom a import b\n"},
		{"method", "EarlyStopping.on_epoch_end", embedSource,
			"EarlyStopping.on_epoch_end\ndef on_epoch_end(self,\nepoch):\n\"\"\"Looks.\nThe rest of it.\n\"\"\"\nif self.wait:\n# it waits\nreturn self.wait\n"},
		{"long class", "EarlyStopping", long,
			"@export(\"keras.EarlyStopping\")\nclass EarlyStopping(Callback):\n\"\"\"Stop training when a metric has stopped improving.\nArgs:\n" +
				"patience: epochs without improvement.\n\"\"\"\nmonitor = \"val_loss\"\ndef __init__(self, patience=0):\ndef on_epoch_end(self,\nepoch):\n"},
		{"function", "f", "def f():\n\n    return 1  # é\n", "def f():\nreturn 1  # é\n"},
	} {
		if got := embedOf(t, "keras/src/callbacks/early_stopping.py", c.chunk, c.src); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
	short := embedOf(t, "a.py", "EarlyStopping", embedSource)
	if !strings.Contains(short, "return self.wait") {
		t.Errorf("a short class is embedded whole:\n%s", short)
	}
}

// TestEmbedTextPieces: a later piece says what it belongs to.
func TestEmbedTextPieces(t *testing.T) {
	src := []byte("def f():\n    'About it.'\n" + strings.Repeat("    call(a, b)\n", 400))
	cs := Split("a.py", src)
	if len(cs) < 3 {
		t.Fatalf("%d pieces", len(cs))
	}
	for i, c := range cs {
		want := "def f():\n'About it.'\ncall(a, b)\n"
		if i > 0 {
			want = "f\nAbout it.\ncall(a, b)\n"
		}
		if got := EmbedText(c, src); !strings.HasPrefix(got, want) {
			t.Errorf("piece %d: %.60q", i+1, got)
		}
	}
}

func TestEmbedTextLimits(t *testing.T) {
	src := "def f():\n    '''" + strings.Repeat("doc ", 2000) + "'''\n    x = '" + strings.Repeat("ö", 5000) + "'\n    y\n"
	for _, c := range Split("a.py", []byte(src)) {
		if text := EmbedText(c, []byte(src)); len(text) > maxEmbed || !utf8.ValidString(text) {
			t.Errorf("%d bytes: %.60q", len(text), text)
		}
	}
	if got := EmbedText(Chunk{Path: "a/b.py", Name: "A.f", Start: 10, End: 20}, nil); got != "A.f\n" {
		t.Errorf("a span that is not there: %q", got)
	}
}

func TestIdentOf(t *testing.T) {
	// The first half of SHA-256 of "a" (FIPS 180-4).
	if got := fmt.Sprintf("%x", IdentOf("a")); got != "ca978112ca1bbdcafac231b39a23dc4d" || IdentOf("a") == IdentOf("b") {
		t.Error(got)
	}
}
