package models

import (
	"bytes"
	_ "embed" // the manifest
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
)

//go:embed manifest.json
var manifestJSON []byte

// Schema is the version of the manifest's form that this program reads.
const Schema = 1

// ErrManifest says that a manifest, or a record in the cache, cannot be
// believed.
var ErrManifest = errors.New("the list of models is broken")

type manifest struct {
	Schema  int     `json:"schema"`
	Entries []Entry `json:"entries"`
}

// Limits of a manifest: guesses, far above what is in it.
const (
	maxEntries = 1000
	maxFiles   = 100
	maxSize    = 1 << 40
)

var (
	nameForm     = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)
	fileForm     = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$`)
	hashForm     = regexp.MustCompile(`^[0-9a-f]{64}$`)
	revisionForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,79}$`)
	repoForm     = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}$`)
)

// Manifest gives the entries that this program knows.
func Manifest() []Entry { return builtin() }

var builtin = sync.OnceValue(func() []Entry {
	entries, err := ParseManifest(manifestJSON)
	if err != nil {
		panic(err) // a test reads it
	}
	return entries
})

// ParseManifest reads a manifest and refuses what it does not know: an unknown
// field would be one that an older program does not obey.
func ParseManifest(data []byte) ([]Entry, error) {
	var m manifest
	if err := strict(data, &m); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrManifest, err)
	}
	if m.Schema != Schema {
		return nil, fmt.Errorf("%w: schema %d, this program reads %d", ErrManifest, m.Schema, Schema)
	}
	if len(m.Entries) > maxEntries {
		return nil, fmt.Errorf("%w: %d entries", ErrManifest, len(m.Entries))
	}
	seen := map[string]bool{}
	for _, e := range m.Entries {
		key := e.Name + " " + e.Platform
		if seen[key] {
			return nil, fmt.Errorf("%w: %s is there twice", ErrManifest, e.Name)
		}
		seen[key] = true
		if err := e.check(); err != nil {
			return nil, fmt.Errorf("%w: %.80q: %w", ErrManifest, e.Name, err)
		}
	}
	return m.Entries, nil
}

// strict decodes one JSON value without unknown fields or anything behind it.
func strict(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something stands behind the end")
	}
	return nil
}

// check is what every entry must hold, whoever wrote it.
func (e Entry) check() error {
	switch {
	case !nameForm.MatchString(e.Name):
		return errors.New("a name is of small letters, digits, '.', '_' and '-', at most 64")
	case e.Kind != Embedder && e.Kind != Reranker && e.Kind != Runtime:
		return fmt.Errorf("the kind %.20q is unknown", e.Kind)
	case !revisionForm.MatchString(e.Revision):
		return fmt.Errorf("the revision %.80q cannot be used", e.Revision)
	case e.Dims < 0 || e.Dims > 1<<16 || e.MaxTokens < 0 || e.MaxTokens > 1<<20:
		return fmt.Errorf("%d numbers of %d tokens", e.Dims, e.MaxTokens)
	case e.Kind != Runtime && e.MaxTokens == 0:
		return errors.New("it does not say how many tokens the model takes")
	case len(e.Files) == 0 || len(e.Files) > maxFiles:
		return fmt.Errorf("%d files", len(e.Files))
	}
	seen := map[string]bool{}
	for _, f := range e.Files {
		// Names that differ only in their case are one file on some systems.
		if key := strings.ToLower(f.Path); seen[key] || key == recordName {
			return fmt.Errorf("the file %.80q is there twice", f.Path)
		} else {
			seen[key] = true
		}
		if err := f.check(); err != nil {
			return fmt.Errorf("the file %.80q: %w", f.Path, err)
		}
	}
	for _, s := range e.Sources {
		if err := s.check(e); err != nil {
			return err
		}
	}
	return nil
}

func (f File) check() error {
	switch {
	case !fileForm.MatchString(f.Path):
		return errors.New("the name cannot be used")
	case f.Size < 0 || f.Size > maxSize:
		return fmt.Errorf("%d bytes", f.Size)
	case f.Unknown && (f.SHA256 != "" || f.Size != 0):
		return errors.New("its hash is both known and unknown")
	case !f.Unknown && (!hashForm.MatchString(f.SHA256) || f.Size == 0):
		return errors.New("size and SHA-256 are not both there")
	}
	return nil
}

func (s Source) check(e Entry) error {
	switch s.Kind {
	case Hub:
		if !repoForm.MatchString(s.Repository) || !revisionForm.MatchString(s.Revision) || s.Project != "" || s.Version != "" || s.Tag != "" {
			return errors.New("a hub source is a repository and a revision")
		}
	case Index:
		if !nameForm.MatchString(s.Project) || !revisionForm.MatchString(s.Version) || s.Repository != "" || s.Revision != "" {
			return errors.New("an index source is a project and a version")
		}
		if _, err := path.Match(s.Tag, ""); err != nil {
			return fmt.Errorf("the tag %.40q is no pattern", s.Tag)
		}
	default:
		return fmt.Errorf("the source %.20q is unknown", s.Kind)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Members)) {
		member := s.Members[name]
		if !e.has(name) {
			return fmt.Errorf("a source has %.80q, which is no file of it", name)
		}
		if !filepath.IsLocal(member) || member != path.Clean(member) || strings.ContainsAny(member, "\\?#%\x00") {
			return fmt.Errorf("a source has it at %.80q", member)
		}
	}
	return nil
}

func (e Entry) has(name string) bool {
	for _, f := range e.Files {
		if f.Path == name {
			return true
		}
	}
	return false
}

// Size is the sum of the known sizes, and whether all are known.
func (e Entry) Size() (bytes int64, all bool) {
	all = true
	for _, f := range e.Files {
		bytes += f.Size
		all = all && !f.Unknown
	}
	return bytes, all
}

// fits says whether the entry is for this machine.
func (e Entry) fits() bool {
	return e.Platform == "" || e.Platform == runtime.GOOS+"/"+runtime.GOARCH
}

// String names a source for people; no address, which may hold credentials.
func (s Source) String() string {
	if s.Kind == Hub {
		return "model hub " + s.Repository + "@" + short(s.Revision)
	}
	return "package index " + s.Project + "==" + s.Version
}

func short(revision string) string { return revision[:min(12, len(revision))] }
