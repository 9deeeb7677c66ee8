package source

import (
	"bytes"
	"regexp"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// replacement stands for what cannot be decoded.
var replacement = []byte("\uFFFD")

// decode gives the text of a file as UTF-8.
func decode(path string, b []byte) []byte {
	text := toUTF8(b)
	if strings.HasSuffix(path, ".ipynb") {
		code, _, err := notebook(text)
		if err != nil {
			return nil
		}
		return code
	}
	return text
}

// toUTF8 decodes by byte order mark, else by the PEP 263 line, else as UTF-8;
// what cannot be decoded is replaced.
func toUTF8(b []byte) []byte {
	switch {
	case bytes.HasPrefix(b, []byte("\xef\xbb\xbf")):
		return bytes.ToValidUTF8(b[3:], replacement)
	case bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")):
		return decodeBy(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), b)
	}
	if enc := declared(b); enc != nil {
		return decodeBy(enc, b)
	}
	return bytes.ToValidUTF8(b, replacement)
}

func decodeBy(enc encoding.Encoding, b []byte) []byte {
	out, err := enc.NewDecoder().Bytes(b)
	if err != nil {
		out = b
	}
	return bytes.ToValidUTF8(out, replacement)
}

// codingLine is the declaration of PEP 263.
var codingLine = regexp.MustCompile(`^[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)`)

// latin1 are names under which Python means exactly ISO 8859-1, where the web's
// index means Windows' superset.
var latin1 = map[string]bool{
	"latin-1": true, "latin1": true, "iso-8859-1": true, "iso8859-1": true, "8859": true, "l1": true,
}

// declared is the encoding of the PEP 263 line in the first two lines, nil for
// UTF-8, for none, and for one that is not known.
func declared(b []byte) encoding.Encoding {
	for range 2 {
		var line []byte
		line, b, _ = bytes.Cut(b, []byte{'\n'})
		if m := codingLine.FindSubmatch(line); m != nil {
			return encodingOf(strings.ToLower(strings.ReplaceAll(string(m[1]), "_", "-")))
		}
		if text := bytes.TrimLeft(line, " \t\f\r"); len(text) > 0 && text[0] != '#' {
			break
		}
	}
	return nil
}

func encodingOf(name string) encoding.Encoding {
	if latin1[name] || strings.HasPrefix(name, "iso-latin-1") || strings.HasPrefix(name, "iso-8859-1-") {
		return charmap.ISO8859_1
	}
	if page, ok := strings.CutPrefix(name, "cp125"); ok { // Python's name for windows-125x
		name = "windows-125" + page
	}
	enc, err := htmlindex.Get(name)
	if err != nil || enc == unicode.UTF8 || enc == encoding.Replacement {
		return nil
	}
	return enc
}
