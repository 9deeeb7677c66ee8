package bench

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Pair is a bug report in words with what its real fix changed. A search sees
// the query and the commit; Relevant is read for grading only.
type Pair struct {
	ID string `json:"id"`
	// Set is the base name of the pairs' file without its ending ("keras").
	Set string `json:"-"`
	// Commit is the parent of the fix: the project as the reporter had it.
	Commit   string   `json:"commit_parent"`
	Query    string   `json:"query"`
	Relevant []string `json:"relevant_files"` // slash-separated, in the commit
}

const (
	// maxPairLine bounds one line of a file of pairs, in bytes: a report in words
	// has some hundreds, a pasted log some ten thousands (guess).
	maxPairLine = 1 << 20
	// maxBadPairs is how many bad lines are named before reading ends.
	maxBadPairs = 20
)

// commitName: a hash of git, in full or short. Nothing else is passed on to it.
var commitName = regexp.MustCompile(`^[0-9a-f]{7,64}$`)

// ReadPairs reads files of pairs, one JSON object a line. Unknown fields and
// empty lines are passed over. Every bad line is named with its number in one
// error: a pair that is left out in silence would flatter the table.
func ReadPairs(files ...string) ([]Pair, error) {
	var pairs []Pair
	var bad []error
	seen := map[string]string{}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("read the pairs: %w", err)
		}
		got, err := readPairs(f, name, seen)
		_ = f.Close()
		if err != nil {
			bad = append(bad, err)
		}
		pairs = append(pairs, got...)
	}
	if err := errors.Join(bad...); err != nil {
		return nil, err
	}
	if len(pairs) == 0 {
		return nil, fmt.Errorf("read the pairs: no pair in %s", strings.Join(files, ", "))
	}
	return pairs, nil
}

// readPairs reads one file; seen holds the place of every id so far.
func readPairs(r io.Reader, name string, seen map[string]string) ([]Pair, error) {
	set := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 64<<10), maxPairLine)
	var pairs []Pair
	var bad []error
	line := 0
	for in.Scan() && len(bad) < maxBadPairs {
		line++
		text := strings.TrimSpace(in.Text())
		if text == "" {
			continue
		}
		place := fmt.Sprintf("%s:%d", name, line)
		p, err := parsePair(text)
		if other := seen[p.ID]; err == nil && other != "" {
			err = fmt.Errorf("id %q stands at %s already", p.ID, other)
		}
		if err != nil {
			bad = append(bad, fmt.Errorf("%s: %w", place, err))
			continue
		}
		seen[p.ID] = place
		p.Set = set
		pairs = append(pairs, p)
	}
	if err := in.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("longer than %d bytes", maxPairLine)
		}
		bad = append(bad, fmt.Errorf("%s:%d: %w", name, line+1, err))
	}
	return pairs, errors.Join(bad...)
}

// parsePair reads and checks one line.
func parsePair(text string) (Pair, error) {
	var p Pair
	if !utf8.ValidString(text) {
		return p, errors.New("no valid UTF-8")
	}
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return p, fmt.Errorf("no pair in JSON: %w", err)
	}
	switch {
	case strings.TrimSpace(p.ID) == "" || strings.ContainsFunc(p.ID, func(r rune) bool { return r < ' ' }):
		return p, fmt.Errorf("id %q: it must have visible characters only", p.ID)
	case !commitName.MatchString(p.Commit):
		return p, fmt.Errorf("commit_parent %q: it must be a git hash of 7 to 64 hexadecimal digits", p.Commit)
	case strings.TrimSpace(p.Query) == "":
		return p, errors.New("query is empty")
	case len(p.Relevant) == 0:
		return p, errors.New("relevant_files is empty")
	}
	for i, path := range p.Relevant {
		if !filepath.IsLocal(path) || filepath.ToSlash(filepath.Clean(path)) != path || strings.ContainsRune(path, 0) {
			return p, fmt.Errorf("relevant_files: %q is no clean path inside the project", path)
		}
		if slices.Contains(p.Relevant[:i], path) {
			return p, fmt.Errorf("relevant_files: %q is named twice", path)
		}
	}
	return p, nil
}
