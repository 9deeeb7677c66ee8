package mcp

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/report"
)

// rootNext is said to a client that asks for more than it may see.
const rootNext = "give a relative path below the server's root folder; who started the server chose it with --root"

// rootPath checks the form of a path below the root. Names that begin with a
// dot hold keys and settings more often than reports.
func rootPath(name string) (string, error) {
	clean := filepath.Clean(name)
	if strings.ContainsRune(name, 0) || !filepath.IsLocal(clean) {
		return "", refuse(rootNext, "%s is no path below the root", line(name, maxLine))
	}
	for part := range strings.SplitSeq(filepath.ToSlash(clean), "/") {
		if strings.HasPrefix(part, ".") && part != "." {
			return "", refuse("give a path without hidden names", "%s is hidden: %s", line(name, maxLine), line(part, maxLine))
		}
	}
	return clean, nil
}

// openBelow opens a file or folder below the root. Links may not lead out, and
// a pipe is not waited for.
func (s *session) openBelow(name string) (*os.File, fs.FileInfo, error) {
	clean, err := rootPath(name)
	if err != nil {
		return nil, nil, err
	}
	root, err := os.OpenRoot(s.opts.Root)
	if err != nil {
		return nil, nil, fmt.Errorf("open the root folder: %w", err)
	}
	defer func() { _ = root.Close() }()
	f, err := root.OpenFile(clean, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, refuse(rootNext, "%s cannot be read: %s", line(name, maxLine), reason(err))
	}
	info, err := f.Stat()
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("look at %s: %w", name, err), f.Close())
	}
	return f, info, nil
}

// reason is an error without the host's path.
func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// readBelow reads a report from a file below the root.
func (s *session) readBelow(name string) (*report.Report, error) {
	f, info, err := s.openBelow(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if !info.Mode().IsRegular() {
		return nil, refuse("give the report's file", "%s is no file", line(name, maxLine))
	}
	return report.Read(f, report.Source{Kind: "file", Name: line(name, maxLine)})
}

// dirBelow is the real path of a folder below the root.
func (s *session) dirBelow(name string) (string, error) {
	f, info, err := s.openBelow(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	if !info.IsDir() {
		return "", refuse("give the project's folder", "%s is no folder", line(name, maxLine))
	}
	// The path is resolved once more for who works by paths; it must still be the
	// folder that was opened, and below the root.
	real, err := filepath.EvalSymlinks(filepath.Join(s.opts.Root, filepath.Clean(name)))
	if err != nil {
		return "", fmt.Errorf("find the folder: %w", err)
	}
	top, err := filepath.EvalSymlinks(s.opts.Root)
	if err != nil {
		return "", fmt.Errorf("find the root folder: %w", err)
	}
	if rel, err := filepath.Rel(top, real); err != nil || !filepath.IsLocal(rel) {
		return "", refuse(rootNext, "%s leads out of the root", line(name, maxLine))
	}
	if again, err := os.Stat(real); err != nil || !os.SameFile(info, again) {
		return "", refuse("try again", "%s changed while it was opened", line(name, maxLine))
	}
	return real, nil
}
