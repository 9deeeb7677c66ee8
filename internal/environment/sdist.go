package environment

import (
	"archive/tar"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/BurntSushi/toml"
)

// buildSystem is the [build-system] table of a source package (PEP 518).
type buildSystem struct {
	Requires    []string `toml:"requires"`
	Backend     string   `toml:"build-backend"`
	BackendPath []string `toml:"backend-path"`
}

// legacyRequires are the needs of a source package that states none.
var legacyRequires = []string{"setuptools", "wheel"}

const (
	// maxPyproject bounds the one file read from an archive.
	maxPyproject = 1 << 20
	// maxUnpacked bounds how far an archive is read for it: an archive may be
	// made to unpack without end.
	maxUnpacked = 2 << 30
	// maxEntries bounds the number of its files.
	maxEntries = 200_000
)

// readBuildSystem looks into a source archive for its pyproject.toml without
// unpacking it. A package without one is built the old way.
func readBuildSystem(path string) (buildSystem, error) {
	text, err := findPyproject(path)
	if err != nil {
		return buildSystem{}, fmt.Errorf("read the source package: %w", err)
	}
	return parseBuildSystem(text)
}

// parseBuildSystem reads the table; text may be empty.
func parseBuildSystem(text string) (buildSystem, error) {
	var doc struct {
		Build *buildSystem `toml:"build-system"`
	}
	if _, err := toml.Decode(text, &doc); err != nil {
		return buildSystem{}, fmt.Errorf("read pyproject.toml of the source package: %w", err)
	}
	if doc.Build == nil {
		return buildSystem{Requires: legacyRequires}, nil
	}
	if doc.Build.Backend == "" && len(doc.Build.Requires) == 0 {
		doc.Build.Requires = legacyRequires
	}
	return *doc.Build, nil
}

// isPyproject: "name-1.0/pyproject.toml", at the top only.
func isPyproject(name string) bool {
	dir, file, found := strings.Cut(strings.TrimPrefix(name, "./"), "/")
	return found && dir != "" && file == "pyproject.toml"
}

func findPyproject(path string) (string, error) {
	if strings.HasSuffix(path, ".zip") {
		return pyprojectOfZip(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	var stream io.Reader
	switch {
	case strings.HasSuffix(path, ".gz"), strings.HasSuffix(path, ".tgz"):
		if stream, err = gzip.NewReader(f); err != nil {
			return "", err
		}
	case strings.HasSuffix(path, ".bz2"):
		stream = bzip2.NewReader(f)
	default:
		return "", errors.New("an archive of a kind that is not read here")
	}
	return pyprojectOfTar(io.LimitReader(stream, maxUnpacked))
}

func pyprojectOfTar(r io.Reader) (string, error) {
	t := tar.NewReader(r)
	for range maxEntries {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		if h.Typeflag == tar.TypeReg && isPyproject(h.Name) {
			return readSome(t)
		}
	}
	return "", errors.New("too many files")
}

func pyprojectOfZip(path string) (string, error) {
	z, err := openZip(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = z.Close() }()
	for _, f := range z.File {
		if !isPyproject(f.Name) {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return "", err
		}
		defer func() { _ = r.Close() }()
		return readSome(r)
	}
	return "", nil
}

func readSome(r io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxPyproject+1))
	if err != nil {
		return "", err
	}
	if len(data) > maxPyproject {
		return "", errors.New("its pyproject.toml is too large")
	}
	return string(data), nil
}
