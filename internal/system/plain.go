package system

import (
	"fmt"
	"os"
	"syscall"
)

// OpenPlain opens a plain file that may have come from anywhere. What is none (a
// folder, a device, a pipe that nobody writes into) is an error at once, and
// never waited for. Links are followed.
func OpenPlain(path string) (*os.File, error) {
	// Without O_NONBLOCK the opening itself waits for a pipe's other end.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("open %s: it is no plain file", path)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// MaxKept bounds a file of a run folder that is read whole, in bytes. Outcomes
// with all their executions have a few megabytes; the bound is a guess.
const MaxKept = 256 << 20

// ReadPlain reads a plain file of at most limit bytes.
func ReadPlain(path string, limit int64) ([]byte, error) {
	f, err := OpenPlain(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	return readAll(f, path, limit)
}
