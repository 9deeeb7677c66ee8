package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// memoryTree is a made-up project.
type memoryTree map[string]string

// Memory is a project of the given files: path to bytes. The rules that look at
// names and contents hold as in a folder; .gitignore files are not read.
func Memory(files map[string]string) Tree { return memoryTree(files) }

func (m memoryTree) List(ctx context.Context, _ Known) (*Listing, error) {
	l := &Listing{}
	for path, text := range m {
		if !isPython(path) {
			continue
		}
		if dir, more := vendored(path); dir != "" {
			l.skip(path, WhyVendored, more)
			continue
		}
		if why, more := generatedName(path); why != "" {
			l.skip(path, why, more)
			continue
		}
		if len(text) > MaxFile {
			l.skip(path, WhyTooLarge, sizeText(int64(len(text))))
			continue
		}
		if why, more := contents(path, []byte(text)); why != "" {
			l.skip(path, why, more)
			continue
		}
		sum := sha256.Sum256([]byte(text))
		l.add(path, File{Size: int64(len(text)), Hash: hex.EncodeToString(sum[:])})
	}
	l.sort()
	return l, ctx.Err()
}

func (m memoryTree) Read(_ context.Context, path string) ([]byte, error) {
	text, ok := m[path]
	if !ok {
		return nil, fmt.Errorf("read %s: %w", path, fs.ErrNotExist)
	}
	return decode(path, []byte(text)), nil
}

// add appends a file with what its path tells.
func (l *Listing) add(path string, f File) {
	f.Path, f.Test, f.Notebook = path, IsTest(path), strings.HasSuffix(path, ".ipynb")
	l.Files = append(l.Files, f)
}

func (l *Listing) skip(path, why, more string) {
	l.Skipped = append(l.Skipped, Skip{Path: path, Why: why, More: more})
}

func (l *Listing) sort() {
	slices.SortFunc(l.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(l.Skipped, func(a, b Skip) int { return strings.Compare(a.Path, b.Path) })
}
