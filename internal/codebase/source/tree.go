package source

import "context"

// Tree is a project's source.
//
// List gives every Python text of it, sorted by path, and what was left out; a
// project without Python is an empty listing and no error. Read gives the text
// of a listed path as UTF-8 with line ends as they stand on disk: decoded by
// its PEP 263 line or byte order mark, code cells joined for a notebook, what
// cannot be decoded replaced by U+FFFD. Both may be called by many goroutines
// at once. An error of List means that the root itself cannot be read, or that
// ctx ended; one of Read is about that path only (fs.ErrNotExist when it is
// gone).
type Tree interface {
	List(ctx context.Context, known Known) (*Listing, error)
	Read(ctx context.Context, path string) ([]byte, error)
}
