package environment

import (
	"errors"
	"strings"
	"testing"
)

// TestZipList: the list of an archive is not taken in without a bound.
func TestZipList(t *testing.T) {
	var files []string
	for range 1000 {
		files = append(files, strings.Repeat("n", 1<<10), "")
	}
	data := zipped(t, files...)
	if err := checkUnpacked(data); err != nil {
		t.Errorf("a thousand files: %v", err)
	}
	if _, err := readZip(endless{}, 1<<40); !errors.Is(err, errZipList) {
		t.Errorf("an endless list: %v", err)
	}
}

// endless is an archive of a terabyte that is nothing but its list, all files of
// which are named "n".
type endless struct{}

func (endless) ReadAt(p []byte, off int64) (int, error) {
	const end = "PK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	file := "PK\x01\x02" + strings.Repeat("\x00", 24) + "\x01" + strings.Repeat("\x00", 17) + "n"
	for i := range p {
		if at := off + int64(i); at < 1<<40-int64(len(end)) {
			p[i] = file[at%int64(len(file))]
		} else {
			p[i] = end[at-1<<40+int64(len(end))]
		}
	}
	return len(p), nil
}
