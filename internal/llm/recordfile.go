package llm

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// recordSchema is the version of a record's form.
const recordSchema = 1

// record is one call as it is kept. It holds what was sent and what came, and no
// key and no header.
type record struct {
	Schema  int    `json:"schema"`
	Number  int    `json:"number,omitempty"` // the order of the run
	Purpose string `json:"purpose,omitempty"`
	// Hash of the request: a file whose request was changed is not believed.
	Hash    string  `json:"hash"`
	Info    Info    `json:"info"`
	Request Request `json:"request"`
	// One of these two.
	Response *Response `json:"response,omitempty"`
	Failure  *failure  `json:"failure,omitempty"`

	name string // of the file
}

// failure is an Error without what cannot be written down.
type failure struct {
	Kind       Kind    `json:"kind"`
	Why        string  `json:"why"`
	Next       string  `json:"next,omitempty"`
	Status     int     `json:"status,omitempty"`
	RetryAfter float64 `json:"retry_after_s,omitempty"`
	Usage      Usage   `json:"usage"`
}

func (f *failure) err() error {
	return &Error{
		Kind: f.Kind, Why: f.Why, Next: f.Next, Status: f.Status, Usage: f.Usage,
		RetryAfter: time.Duration(f.RetryAfter * float64(time.Second)),
	}
}

func failureOf(e *Error, u Usage) *failure {
	return &failure{
		Kind: e.Kind, Why: e.Why, Next: e.Next, Status: e.Status, Usage: u,
		RetryAfter: e.RetryAfter.Seconds(),
	}
}

// check says why a record is not to be believed.
func (c *record) check() error {
	switch {
	case c.Schema != recordSchema:
		return fmt.Errorf("its form is version %d, not %d", c.Schema, recordSchema)
	case c.Request.hash() != c.Hash:
		return errors.New("its request does not fit its hash")
	case (c.Response == nil) == (c.Failure == nil):
		return errors.New("it holds no answer")
	}
	return nil
}

// parseRecord reads one file's bytes.
func parseRecord(data []byte) (*record, error) {
	var c record
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	return &c, nil
}

// recordName is NNN-purpose-hash.json.
var recordName = regexp.MustCompile(`^\d{3,}-[a-z0-9-]*-[0-9a-f]{12}\.json$`)

func (c *record) fileName() string {
	return fmt.Sprintf("%03d-%s-%s.json", c.Number, slug(c.Purpose), c.Hash[:12])
}

// slug is a purpose as part of a file's name.
func slug(purpose string) string {
	out := strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-':
			return c
		case c >= 'A' && c <= 'Z':
			return c - 'A' + 'a'
		}
		return '-'
	}, purpose)
	return out[:min(len(out), 40)]
}

// loadRecords reads a folder's records in their order. A torn or foreign file is
// left out with a warning: the call that it stood for is asked again. A folder
// that does not exist holds none. last is the highest number of any file, so that
// no number is given twice.
func loadRecords(dir string) (out []*record, last int, err error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read the records of the language model: %w", err)
	}
	for _, f := range files {
		if !f.Type().IsRegular() || !recordName.MatchString(f.Name()) {
			continue
		}
		number, _, _ := strings.Cut(f.Name(), "-")
		if n, err := strconv.Atoi(number); err == nil {
			last = max(last, n)
		}
		data, err := readRegular(filepath.Join(dir, f.Name()))
		var c *record
		if err == nil {
			c, err = parseRecord(data)
		}
		if err != nil {
			slog.Warn("a record of the language model is left out", "file", f.Name(), "why", err)
			continue
		}
		c.name = f.Name()
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b *record) int { return cmp.Compare(a.Number, b.Number) })
	return out, last, nil
}

// maxRecord bounds a record's file, in bytes; a guess far above any prompt with
// its answer.
const maxRecord = 64 << 20

// readRegular reads a plain file of a sane size; it never waits for a pipe.
func readRegular(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxRecord {
		return nil, fmt.Errorf("%s is no plain file of at most %d bytes", filepath.Base(path), maxRecord)
	}
	return os.ReadFile(path)
}
