package llm

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// secretNames are parts of the names of environment variables that hold keys.
var secretNames = []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"}

// shortestSecret that is looked for, in bytes: the value "1" of some _KEY would
// blank half of a text. No provider's key is as short.
const shortestSecret = 8

// EnvSecrets are the values of an environment's variables ("NAME=value") whose
// names say that they hold a key.
func EnvSecrets(environ []string) []string {
	var out []string
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		name = strings.ToUpper(name)
		if len(value) < shortestSecret || strings.HasSuffix(name, "_FILE") || strings.HasSuffix(name, "_PATH") {
			continue // too short, or where a key lies
		}
		if slices.ContainsFunc(secretNames, func(part string) bool { return strings.Contains(name, part) }) {
			out = append(out, value)
		}
	}
	return out
}

// Redact replaces secrets in a text, in each of their forms.
func Redact(text string, secrets []string) string {
	for _, s := range secrets {
		for _, form := range KeyForms(s) {
			text = strings.ReplaceAll(text, form, "[redacted]")
		}
	}
	return text
}

// KeyForms are the ways in which somebody may write a key: as it is, and as a URL,
// JSON, hexadecimal digits or base64 have it; longest first, and none that is too
// short to be looked for.
func KeyForms(key string) []string {
	all := []string{key, url.QueryEscape(key), url.PathEscape(key), hex.EncodeToString([]byte(key))}
	all = append(all, strings.ToLower(all[1]), strings.ToLower(all[2]), strings.ToUpper(all[3]))
	if quoted, err := json.Marshal(key); err == nil {
		all = append(all, strings.Trim(string(quoted), `"`))
	}
	all = append(all, strings.ReplaceAll(key, "/", `\/`))
	for before := range 3 {
		all = append(all, inBase64(base64.RawStdEncoding, key, before), inBase64(base64.RawURLEncoding, key, before))
	}
	slices.SortFunc(all, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(f string) bool { return len(f) < shortestSecret })
}

// inBase64 are the characters that the key alone decides when it stands in a
// longer text that is encoded as one ("Bearer KEY"), with so many bytes, modulo
// three, before it.
func inBase64(e *base64.Encoding, key string, before int) string {
	first := []int{0, 2, 3}[before]
	whole := e.EncodeToString([]byte(strings.Repeat("\x00", before) + key))
	last := (before + len(key)) * 8 / 6
	return whole[min(first, last):last]
}
