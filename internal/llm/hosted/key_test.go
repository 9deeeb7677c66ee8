package hosted

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const secret = "sk-proj-a/b+c=d_0123456789ABCDEFGHIJ"

func key(t testing.TB, value string) Key {
	t.Helper()
	k, err := NewKey(value)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestRedact(t *testing.T) {
	k := key(t, " "+secret+"\n")
	quoted, err := json.Marshal(secret)
	if err != nil {
		t.Fatal(err)
	}
	encode := base64.StdEncoding.EncodeToString
	for _, text := range []string{
		secret, "Bearer " + secret + ".", url.QueryEscape(secret), url.PathEscape(secret), strings.ToLower(url.QueryEscape(secret)), string(quoted),
		strings.ReplaceAll(secret, "/", `\/`), hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret))),
		encode([]byte(secret)), encode([]byte("Bearer " + secret)), encode([]byte("x=" + secret + "&y")), base64.URLEncoding.EncodeToString([]byte("ab" + secret)),
		"twice " + secret + secret,
	} {
		got := k.Redact(text)
		if !strings.Contains(got, masked) || strings.Contains(got, secret[8:20]) || len(got) > len(text)/2+24 {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	const plain = "nothing of it is here: sk-proj- or 0123456789"
	if got := k.Redact(plain); got != plain {
		t.Errorf("%q", got)
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if text := fmt.Sprintf(format, k); strings.Contains(text, secret[8:20]) {
			t.Errorf("%s shows %s", format, text)
		}
	}
}

func TestNewKey(t *testing.T) {
	for _, bad := range []string{"two\nlines", "a\x00b", "schlüssel", "a\x7f", "tab\tbed"} {
		if _, err := NewKey(bad); err == nil || strings.Contains(err.Error(), bad) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if k := key(t, " \r\n"); !k.Empty() || k.String() != "" {
		t.Errorf("%v", k)
	}
	// A placeholder is no secret: texts keep the word.
	if k := key(t, "none"); k.Empty() || k.Redact("none of it") != "none of it" {
		t.Errorf("%v", k)
	}
}

// However a text is cut into pieces, no piece and no sum of them shows the key,
// and nothing else is lost.
func TestPieces(t *testing.T) {
	k := key(t, secret)
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{secret, secret[:9], "s", "sk-proj-", " text ", url.QueryEscape(secret), "ü"}), 0, 8).Draw(t, "parts")
		text := strings.Join(parts, "")
		r, shown := k.Pieces(), strings.Builder{}
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			shown.WriteString(r.Next(rest[:n]))
			rest = rest[n:]
		}
		shown.WriteString(r.Rest())
		if got := shown.String(); got != k.Redact(text) || strings.Contains(got, secret) {
			t.Fatalf("%q becomes %q, want %q", text, got, k.Redact(text))
		}
	})
}

// TestPiecesAreShownAtOnce: only what may be a key's beginning waits.
func TestPiecesAreShownAtOnce(t *testing.T) {
	r := key(t, secret).Pieces()
	for _, step := range [][2]string{{"hello ", "hello "}, {"sk-", ""}, {"ip it", "sk-ip it"}, {secret[:20], ""}, {secret[20:], masked}} {
		if got := r.Next(step[0]); got != step[1] {
			t.Errorf("after %q: %q, want %q", step[0], got, step[1])
		}
	}
}
