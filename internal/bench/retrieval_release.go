package bench

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/repgen/repgen/internal/codebase/source"
)

// Release is the source release of a project that stands for all commits of a
// set where no git directory is at hand: the newest one before the first of
// them, so that no fix is in it.
type Release struct {
	Package string `json:"package"`
	Version string `json:"release"`
}

// ReleasesFile is the name of the file beside the pairs that ReadReleases reads.
const ReleasesFile = "releases.json"

// ReadReleases reads an object of set to Release.
func ReadReleases(path string) (map[string]Release, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the releases: %w", err)
	}
	var out map[string]Release
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("read the releases: %s: %w", path, err)
	}
	for set, r := range out {
		if r.Package == "" || r.Version == "" {
			return nil, fmt.Errorf("read the releases: %s: %s needs package and release", path, set)
		}
	}
	return out, nil
}

const (
	// maxReleaseBytes bounds what is kept of a source release: keras has 9 MB of
	// Python, torch 60 (measured).
	maxReleaseBytes = 256 << 20
	// maxReleaseFiles bounds the entries that are looked at.
	maxReleaseFiles = 200_000
	// maxUnpacked bounds how far an archive is unpacked in passing.
	maxUnpacked = 2 << 30
)

// ReleaseTree reads a source release (.tar.gz) into memory: its Python files,
// by their paths below the release's own folder. Nothing is written or run.
func ReleaseTree(ctx context.Context, archive io.Reader) (source.Tree, error) {
	z, err := gzip.NewReader(archive)
	if err != nil {
		return nil, fmt.Errorf("read the source release: %w", err)
	}
	t := tar.NewReader(io.LimitReader(z, maxUnpacked))
	files := map[string]string{}
	size := int64(0)
	for range maxReleaseFiles {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return source.Memory(files), nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, fmt.Errorf("read the source release: %w", err)
		}
		name, ok := insideRelease(h)
		if !ok {
			continue
		}
		if size += h.Size; size > maxReleaseBytes {
			return nil, fmt.Errorf("read the source release: more than %d bytes of Python", int64(maxReleaseBytes))
		}
		text, err := io.ReadAll(t)
		if err != nil {
			return nil, fmt.Errorf("read the source release: %s: %w", name, err)
		}
		files[name] = string(text)
	}
	return nil, fmt.Errorf("read the source release: more than %d files", maxReleaseFiles)
}

// insideRelease is the path of a Python file below the archive's one folder.
func insideRelease(h *tar.Header) (string, bool) {
	_, name, found := strings.Cut(strings.TrimPrefix(h.Name, "./"), "/")
	if !found || h.Typeflag != tar.TypeReg || !strings.HasSuffix(name, ".py") || h.Size > source.MaxFile || h.Size < 0 {
		return "", false
	}
	return name, filepath.IsLocal(name) && filepath.ToSlash(filepath.Clean(name)) == name
}
