package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// MaxSize is the largest report that is parsed, in bytes of normalised text;
// the rest is cut and said so in a note. 1 MiB is a guess: fifteen times the
// trackers' own limit for one body (65,536 characters).
const MaxSize = 1 << 20

// maxControls is the share of control bytes, in percent, above which a text
// counts as binary (a guess: logs with colours stay below 5).
const maxControls = 10

// ErrEmpty is returned by Read for a report without a visible character.
var ErrEmpty = errors.New("the report is empty")

// ErrBinary is returned by Read for bytes that are no text.
var ErrBinary = errors.New("the report is binary, not text")

// Read reads and parses a report: text in any encoding, or the JSON of a
// tracker's API. It returns ErrEmpty, ErrBinary or the reader's own error,
// each wrapped; what is over MaxSize is cut with a note.
func Read(r io.Reader, src Source) (*Report, error) {
	// UTF-16 takes twice the room and JSON escapes some more, hence the factor.
	raw, err := io.ReadAll(io.LimitReader(r, 4*MaxSize))
	if err != nil {
		return nil, fmt.Errorf("read report %s: %w", src.Name, err)
	}
	if isBinary(raw) {
		return nil, fmt.Errorf("read report %s: %w", src.Name, ErrBinary)
	}
	if isBlank(raw) {
		return nil, fmt.Errorf("read report %s: %w", src.Name, ErrEmpty)
	}
	return Parse(raw, src), nil
}

// Parse reads any text into a Report. It never fails. A saved issue of a
// tracker's API (see IsTrackerJSON) is read as that issue.
func Parse(text []byte, src Source) *Report {
	if IsTrackerJSON(text) {
		if issue, err := DecodeIssue(text); err == nil {
			if src.Kind == "" || src.Kind == "file" || src.Kind == "stdin" {
				src.Kind = "tracker-json"
			}
			return FromIssue(issue, src)
		}
	}
	return parse(text, Issue{}, src)
}

// isBinary looks at the first 64 KiB for NUL bytes (unless UTF-16 says so by
// its mark) and for too many control bytes.
func isBinary(raw []byte) bool {
	if utf16Order(raw) != 0 {
		return false
	}
	head := raw[:min(len(raw), 1<<16)]
	if bytes.IndexByte(head, 0) >= 0 {
		return true
	}
	controls := 0
	for _, b := range head {
		if b < 0x20 && b != '\n' && b != '\r' && b != '\t' && b != '\f' && b != 0x1b {
			controls++
		}
	}
	return controls*100 > len(head)*maxControls
}

// isBlank says whether nothing in the bytes can be seen.
func isBlank(raw []byte) bool {
	text, _ := decode(raw)
	return strings.IndexFunc(text, func(r rune) bool {
		return !unicode.IsSpace(r) && unicode.IsPrint(r)
	}) < 0
}

// normalise turns any bytes into UTF-8 with \n line ends, without a byte-order
// mark and without NUL bytes, of at most MaxSize bytes. The notes say what was
// changed in a way that a reader of the report should know.
func normalise(raw []byte) (string, []string) {
	text, notes := decode(raw)
	if strings.ContainsRune(text, '\r') {
		text = strings.ReplaceAll(text, "\r\n", "\n")
		text = strings.ReplaceAll(text, "\r", "\n")
	}
	if strings.IndexByte(text, 0) >= 0 {
		text = strings.ReplaceAll(text, "\x00", "")
		notes = append(notes, "NUL bytes were dropped")
	}
	if len(text) > MaxSize {
		text = cut(text, MaxSize)
		notes = append(notes, fmt.Sprintf("the report was cut after %d bytes", len(text)))
	}
	return text, notes
}

// cut shortens to at most n bytes at the end of a line, or of a character when
// the last line is a very long one.
func cut(text string, n int) string {
	text = text[:n]
	if i := strings.LastIndexByte(text, '\n'); i > n-4096 {
		return text[:i+1]
	}
	for len(text) > 0 {
		if r, size := utf8.DecodeLastRuneInString(text); r != utf8.RuneError || size > 1 {
			break
		}
		text = text[:len(text)-1]
	}
	return text
}

// decode tries UTF-16 by its mark, then UTF-8, then Windows-1252, which takes
// any byte.
func decode(raw []byte) (string, []string) {
	if order := utf16Order(raw); order != 0 {
		return decodeUTF16(raw[2:], order), []string{"the report was UTF-16"}
	}
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	if utf8.Valid(raw) {
		return string(raw), nil
	}
	text, err := charmap.Windows1252.NewDecoder().Bytes(raw)
	if err != nil {
		return strings.ToValidUTF8(string(raw), "\uFFFD"), []string{"bytes that are no UTF-8 were replaced"}
	}
	return string(text), []string{"the report was no UTF-8 and was read as Windows-1252"}
}

// utf16Order gives 'l' or 'b' for a byte-order mark of UTF-16, else 0.
func utf16Order(raw []byte) byte {
	switch {
	case bytes.HasPrefix(raw, []byte("\xff\xfe")):
		return 'l'
	case bytes.HasPrefix(raw, []byte("\xfe\xff")):
		return 'b'
	}
	return 0
}

// decodeUTF16 reads pairs of bytes in the given order; half a pair is dropped.
func decodeUTF16(raw []byte, order byte) string {
	units := make([]uint16, 0, len(raw)/2)
	for i := 0; i+1 < len(raw); i += 2 {
		lo, hi := raw[i], raw[i+1]
		if order == 'b' {
			lo, hi = hi, lo
		}
		units = append(units, uint16(hi)<<8|uint16(lo))
	}
	return string(utf16.Decode(units))
}
