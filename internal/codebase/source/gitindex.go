package source

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// maxIndex is the largest git index that is read, in bytes: about half a
// million files.
const maxIndex = 64 << 20

// tracked are the Python files that git tracks in the work tree whose top
// folder is given, relative to it. What is tracked is not ignored, whatever the
// .gitignore files say. It is nil where the index cannot be read.
func tracked(top string) map[string]bool {
	dir := filepath.Join(top, ".git")
	if b, err := readRegular(dir, maxPattern); err == nil { // a worktree or a submodule
		to, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir: ")
		if !ok {
			return nil
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(top, to)
		}
		dir = to
	}
	b, err := readRegular(filepath.Join(dir, "index"), maxIndex)
	if err != nil {
		return nil
	}
	paths, err := indexPaths(b)
	if err != nil {
		return nil
	}
	return paths
}

// readRegular reads a file that may be anything: a pipe that nobody writes into
// and a device that never ends are refused, like one of more than limit bytes.
func readRegular(name string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read from
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return nil, errIndex
	}
	return io.ReadAll(io.LimitReader(f, limit))
}

var errIndex = errors.New("no git index that can be read")

// Sizes of git's index format (gitformat-index): the header, the facts of an
// entry up to its flags with a SHA-1, and a longer hash's extra bytes.
const (
	indexHeader  = 12
	indexEntry   = 62
	indexSHA256  = 12
	indexLonger  = 0x4000 // flag: two more bytes of flags
	indexPadding = 8
)

// indexPaths reads the paths of Python files in an index of version 2 to 4.
func indexPaths(b []byte) (map[string]bool, error) {
	if len(b) < indexHeader || string(b[:4]) != "DIRC" {
		return nil, errIndex
	}
	version, count := binary.BigEndian.Uint32(b[4:]), int(binary.BigEndian.Uint32(b[8:]))
	if version < 2 || version > 4 {
		return nil, errIndex
	}
	for _, entry := range []int{indexEntry, indexEntry + indexSHA256} {
		if paths, err := entries(b[indexHeader:], version, count, entry); err == nil {
			return paths, nil
		}
	}
	return nil, errIndex
}

// entries reads count entries whose fixed part takes size bytes.
func entries(b []byte, version uint32, count, size int) (map[string]bool, error) {
	paths, last := map[string]bool{}, ""
	room := maxIndex // version 4 repeats paths for a byte each
	for range count {
		if len(b) < size+2 {
			return nil, errIndex
		}
		at := size
		if flags := binary.BigEndian.Uint16(b[size-2:]); version >= 3 && flags&indexLonger != 0 {
			at += 2
		}
		path := ""
		if version == 4 { // what is cut from the end of the last path, then the rest
			cut, n := varint(b[at:])
			if n == 0 || cut > len(last) {
				return nil, errIndex
			}
			path, at = last[:len(last)-cut], at+n
		}
		end := bytes.IndexByte(b[at:], 0)
		if end < 0 {
			return nil, errIndex
		}
		path += string(b[at : at+end])
		at += end + 1
		if version < 4 {
			at = (at + indexPadding - 1) / indexPadding * indexPadding
			at = min(at, len(b))
		}
		if path < last || len(path) > maxPattern { // entries are sorted: these are no paths
			return nil, errIndex
		}
		if isPython(path) {
			if room -= len(path); room < 0 {
				return nil, errIndex
			}
			paths[path] = true
		}
		last, b = path, b[at:]
	}
	return paths, nil
}

// varint reads git's offset encoding; n is 0 where there is none.
func varint(b []byte) (value, n int) {
	for n < len(b) && n < 4 {
		c := b[n]
		n++
		value = value<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return value, n
		}
		value++
	}
	return 0, 0
}
