package bm25

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/system/worktime"
)

func TestTokens(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", ""},
		{" \t\n()[]{}.,:;+-*/=!?'\"`~@#$%^&|\\<>", ""},
		{"loss", "loss"},
		{"Loss", "loss"},
		{"LOSS", "loss"},
		{"from_logits", "from_logits from logits"},
		{"_private", "_private private"},
		{"__init__", "__init__ init"},
		{"_", ""},
		{"___", ""},
		{"a_b_c", "a_b_c a b c"},
		{"SparseCategoricalCrossentropy", "sparsecategoricalcrossentropy sparse categorical crossentropy"},
		{"getHTTPResponseCode", "gethttpresponsecode get http response code"},
		{"HTTPServer", "httpserver http server"},
		{"Conv2D", "conv2d conv 2 d"},
		{"Conv2DTranspose", "conv2dtranspose conv 2 d transpose"},
		{"conv2d_bn", "conv2d_bn conv 2 d bn"},
		{"BatchNorm2d", "batchnorm2d batch norm 2 d"},
		{"MAX_LEN", "max_len max len"},
		{"float16", "float16 float 16"},
		{"x1", "x1 x 1"},
		{"3D", "3d 3 d"},
		{"keras.layers.Dense(10)", "keras layers dense 10"},
		{"self.assertEqual(a, b)", "self assertequal assert equal a b"},
		{"f(x)=2**40", "f x 2 40"},
		{"don't", "don t"},
		{"0.001 1e-3 1E5 1e+7 3.10.2 10_000", "0.001 1e-3 1e5 1e+7 3.10.2 10000"},
		{"1e", "1e 1 e"},
		{"1e-", "1e 1 e"},
		{"0x1F", "0x1f 0 x 1 f"},
		{"3.x", "3 x"},
		{"version 3.3.", "version 3.3"},
		{"[1:10]", "1 10"},
		{"1_", "1"},
		{"Größe", "größe"},
		{"naïveBayes", "naïvebayes naïve bayes"},
		{"ПотериМодели", "потеримодели потери модели"},
		{"損失関数", "損失関数"},
		{"損失 = 1", "損失 1"},
		{"ﬁt", "fit"},      // NFKC, as Python compares identifiers
		{"ｍodel", "model"}, // full-width
		{"x²", "x"},        // no identifier character
		{"bad\xff\xfeutf", "bad utf"},
		{"\xff", ""},
		{"emoji 🙂 between", "emoji between"},
		{strings.Repeat("a", maxWord), strings.Repeat("a", maxWord)},
		{"x " + strings.Repeat("a", maxWord+1) + " y", "x y"},
	}
	for _, tt := range tests {
		if got := strings.Join(Tokens(tt.text), " "); got != tt.want {
			t.Errorf("Tokens(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

// TestTokensAreLinear: hostile text of 256 KiB takes no longer than other text.
func TestTokensAreLinear(t *testing.T) {
	for _, unit := range []string{"1.", "1_", "1e-", "a1", "aB", "_", "\u0300", "é.", "\xff", "0x", "1.1x"} {
		text := strings.Repeat(unit, 1<<18/len(unit)) + "x"
		if took := worktime.Of(func() { Tokens(text) }); took > 10*time.Second { // some 20 ms; quadratic is longer
			t.Errorf("%q repeated took %v", unit, took)
		}
	}
}

func TestQuery(t *testing.T) {
	got := Query("fit fit")
	if !slices.Equal(got, []Weighted{{"fit", 1}, {"fit", 1}}) {
		t.Errorf("Query = %v", got)
	}
}

// codeLike draws text in which words, numbers and odd bytes meet.
func codeLike() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.StringMatching(`[A-Za-z_0-9]{1,8}`),
		rapid.SampledFrom([]string{" ", "\n", ".", "(", "1e-5", "0.5", "é", "Ж", "\xff", "ß", "ﬁ", "İ", "ǅ", "_", "２"}),
	)
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
	})
}

func checkTokens(t interface {
	Fatalf(string, ...any)
	Helper()
}, text string) {
	t.Helper()
	for _, tok := range Tokens(text) {
		if tok == "" || len(tok) > 4*maxWord || !utf8.ValidString(tok) {
			t.Fatalf("Tokens(%q) has %q", text, tok)
		}
		for _, r := range tok {
			if r < utf8.RuneSelf && unicode.IsUpper(r) {
				t.Fatalf("Tokens(%q) has upper case: %q", text, tok)
			}
		}
	}
}

// TestTokensJoin: a separator between two texts leaves both alone.
func TestTokensJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := codeLike().Draw(t, "a"), codeLike().Draw(t, "b")
		checkTokens(t, a)
		want := append(Tokens(a), Tokens(b)...)
		if got := Tokens(a + "\n" + b); !slices.Equal(got, want) {
			t.Fatalf("Tokens(%q) = %q, want %q", a+"\n"+b, got, want)
		}
	})
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{"", "fit_generator", "Conv2D", "1e-5", "1_0.0_1e+1_0", "\xff\xfe", "ﬁ", "a\u0300b", "İstanbul"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkTokens(t, text)
		// The builder counts what Tokens gives.
		b := NewBuilder()
		b.Text([]byte(text))
		b.Doc(0, len(text), "")
		if got, want := int(b.lengths[0]), len(Tokens(text)); got != want {
			t.Fatalf("a document of %d tokens, want %d", got, want)
		}
	})
}
