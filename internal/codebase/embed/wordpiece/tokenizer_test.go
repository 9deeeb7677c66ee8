package wordpiece

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

var small = []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "ab", "##b", "##bc", "c", "!", "é", "e", "##e", "日", "##c"}

func smallTokenizer(t testing.TB) *Tokenizer {
	t.Helper()
	tk, err := New(small)
	if err != nil {
		t.Fatal(err)
	}
	return tk
}

func TestWordPiece(t *testing.T) {
	tk := smallTokenizer(t)
	for _, c := range []struct {
		text string
		want string
	}{
		{"", ""},
		{"ab", "ab"},
		{"abbc", "ab ##bc"},
		{"abc", "ab ##c"},
		{"ABC", "ab ##c"},
		{"abx", "[UNK]"}, // a word that cannot be taken apart is one unknown
		{"a!b", "a ! [UNK]"},
		{"a\x00b", "ab"}, // control characters vanish and join
		{"a\u200bb", "ab"},
		{"a\xffb", "ab"}, // so do bytes that are no UTF-8
		{"é", "e"},       // accents are stripped before the look-up
		{"a日c", "a 日 c"},
		{"[MASK]", "[MASK]"},
		{"[mask]", "[UNK] [UNK] [UNK]"},
		{"a" + strings.Repeat("b", 99), "ab" + strings.Repeat(" ##b", 98)}, // 100 characters are taken apart
		{strings.Repeat("a", 101), "[UNK]"},
	} {
		if got := names(tk.Append(nil, c.text, 1000)); got != c.want {
			t.Errorf("%.40q: %s, want %s", c.text, got, c.want)
		}
	}
}

func names(ids []int32) string {
	var out []string
	for _, id := range ids {
		out = append(out, small[id])
	}
	return strings.Join(out, " ")
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return p
	}
	vocab := map[string]int{}
	for i, v := range small {
		vocab[v] = i
	}
	js := func(change func(m map[string]any)) string {
		m := map[string]any{
			"truncation":    map[string]any{"max_length": 2},
			"padding":       map[string]any{"strategy": map[string]any{"Fixed": 128}},
			"added_tokens":  []any{map[string]any{"id": 4, "content": "[MASK]"}},
			"normalizer":    map[string]any{"type": "BertNormalizer", "lowercase": true, "strip_accents": nil},
			"pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
			"model":         map[string]any{"type": "WordPiece", "vocab": vocab},
		}
		change(m)
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	same := func(map[string]any) {}
	good := []string{
		write("tokenizer.json", js(same)),
		write("vocab.txt", strings.Join(small, "\n")+"\n"),
		write("crlf.txt", strings.Join(small, "\r\n")+"\r\n"),
		dir,
	}
	for _, p := range good {
		tk, err := Load(p)
		if err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		// The stored truncation of 2 and padding of 128 are passed over.
		if got := names(tk.Encode("AB abbc [MASK]", 64)); got != "[CLS] ab ab ##bc [MASK] [SEP]" {
			t.Errorf("%s: %s", p, got)
		}
		if tk.Size() != len(small) || tk.PadID() != 0 {
			t.Errorf("%s: size %d, pad %d", p, tk.Size(), tk.PadID())
		}
	}
	for name, c := range map[string]struct{ text, want string }{
		"no unk":      {"[CLS]\n[SEP]\n", "no [UNK]"},
		"empty":       {"", "the vocabulary has no"},
		"cut":         {js(same)[:60], "unexpected end"},
		"unigram":     {js(func(m map[string]any) { m["model"] = map[string]any{"type": "Unigram"} }), "Unigram"},
		"wrong shape": {`{"model":{"type":"WordPiece","vocab":[["a",0]]}}`, "unmarshal"},
		"normalizer":  {js(func(m map[string]any) { m["normalizer"] = nil }), "BertNormalizer"},
		"splitter":    {js(func(m map[string]any) { m["pre_tokenizer"] = nil }), "BertPreTokenizer"},
		"big number": {js(func(m map[string]any) {
			m["model"] = map[string]any{"type": "WordPiece", "vocab": map[string]int{"[UNK]": 1 << 30}}
		}), "out of range"},
		"big added": {js(func(m map[string]any) {
			m["added_tokens"] = []any{map[string]any{"id": 99999, "content": "[X]"}}
		}), "out of range"},
	} {
		if _, err := Load(write("bad", c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := Load(filepath.Join(dir, "absent")); !os.IsNotExist(err) && err == nil {
		t.Errorf("absent: %v", err)
	}
}

// TestCased reads the flags of a model that keeps case and accents.
func TestCased(t *testing.T) {
	vocab := map[string]int{"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "A": 3, "é": 4, "日日": 5}
	b, err := json.Marshal(map[string]any{
		"normalizer":    map[string]any{"type": "BertNormalizer", "lowercase": false, "handle_chinese_chars": false},
		"pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
		"model":         map[string]any{"type": "WordPiece", "vocab": vocab},
	})
	if err != nil {
		t.Fatal(err)
	}
	tk, err := Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	if got := tk.Encode("A a é 日日", 20); !slices.Equal(got, []int32{1, 3, 0, 4, 5, 2}) {
		t.Errorf("%d", got)
	}
}

func TestSmallLimits(t *testing.T) {
	tk := smallTokenizer(t)
	for _, limit := range []int{-5, 0, 1, 2} {
		if got := names(tk.Encode("a a a", limit)); got != "[CLS] [SEP]" {
			t.Errorf("limit %d: %s", limit, got)
		}
		ids, types := tk.EncodePair("a a", "c c", limit)
		if got := names(ids); got != "[CLS] [SEP] [SEP]" || !slices.Equal(types, []int32{0, 0, 1}) {
			t.Errorf("limit %d: %s %d", limit, got, types)
		}
	}
}

// TestConcurrent has many goroutines share one tokenizer (run with -race).
func TestConcurrent(t *testing.T) {
	tk := uncased(t)
	rows := golden(t)[:120]
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, r := range rows {
				if got := tk.Encode(r.Text, 1<<30); !slices.Equal(got, r.IDs) {
					t.Errorf("%q: %d", r.Text, got)
				}
			}
		})
	}
	wg.Wait()
}

// TestJoin wants the tokens of two texts with a blank between to be the tokens
// of each, one after the other.
func TestJoin(t *testing.T) {
	tk := uncased(t)
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		both := tk.Append(tk.Append(nil, a, 1<<20), b, 1<<20)
		if got := tk.Append(nil, a+" "+b, 1<<20); !slices.Equal(got, both) {
			t.Fatalf("%d, want %d", got, both)
		}
	})
}

// TestCaseAndAccents wants ASCII case and invalid bytes to change nothing.
func TestCaseAndAccents(t *testing.T) {
	tk := uncased(t)
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`[a-zA-Z0-9_ .(\n]{0,60}`).Draw(t, "s")
		want := tk.Append(nil, s, 1<<20)
		if got := tk.Append(nil, strings.ToUpper(s), 1<<20); !slices.Equal(got, want) {
			t.Fatalf("upper case: %d, want %d", got, want)
		}
		if got := tk.Append(nil, s+"\xff\xc3", 1<<20); !slices.Equal(got, want) {
			t.Fatalf("invalid bytes: %d, want %d", got, want)
		}
	})
}

// TestLongTextIsCheap wants a text far over the limit to be read no further
// than needed: 64 MB would take seconds.
func TestLongTextIsCheap(t *testing.T) {
	tk := uncased(t)
	for _, s := range []string{strings.Repeat("word ", 1<<23), strings.Repeat("日", 1<<23)} {
		if n := testing.AllocsPerRun(3, func() { tk.Encode(s, 256) }); n > 600 {
			t.Errorf("%.0f allocations", n)
		}
	}
}

func FuzzEncode(f *testing.F) {
	for _, r := range golden(f) {
		f.Add(r.Text, "pair", 16)
	}
	tk := uncased(f)
	f.Fuzz(func(t *testing.T, a, b string, limit int) {
		limit = max(0, min(limit, 1<<20))
		ids := tk.Encode(a, limit)
		if len(ids) > max(limit, 2) {
			t.Fatalf("%d tokens, limit %d", len(ids), limit)
		}
		for _, id := range ids {
			if id < 0 || int(id) >= tk.Size() {
				t.Fatalf("token %d", id)
			}
		}
		if tk.Count(a, limit) != len(ids) {
			t.Fatal("Count differs from Encode")
		}
		if !utf8.ValidString(a) && !slices.Equal(ids, tk.Encode(strings.ToValidUTF8(a, "\ufffd"), limit)) && !strings.Contains(a, "[") {
			t.Fatal("invalid bytes changed the tokens")
		}
		pair, types := tk.EncodePair(a, b, limit)
		if len(pair) != len(types) || len(pair) > max(limit, 3) {
			t.Fatalf("pair of %d, types %d, limit %d", len(pair), len(types), limit)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(strings.Join(small, "\n")))
	f.Add([]byte(`{"normalizer":{"type":"BertNormalizer"},"pre_tokenizer":{"type":"BertPreTokenizer"},"model":{"vocab":{"[UNK]":0,"[CLS]":1,"[SEP]":2,"a":3}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if tk, err := Parse(data); err == nil {
			tk.Encode("a text é 日", 16)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	tk := uncased(b)
	src, err := os.ReadFile(filepath.Join("gen", "golden.py"))
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat(string(src[1200:1300])+string(src[3000:]), 20)
	var ids []int32
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		ids = tk.Append(ids[:0], text, noLimit)
	}
}

// BenchmarkLoad builds the tokenizer of the whole vocabulary.
func BenchmarkLoad(b *testing.B) {
	z, err := gzip.NewReader(bytes.NewReader(uncasedGz))
	if err != nil {
		b.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Parse(data); err != nil {
			b.Fatal(err)
		}
	}
}
