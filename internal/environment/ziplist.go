package environment

import (
	"archive/zip"
	"errors"
	"io"
	"math"
	"os"
)

// maxZipList bounds the list of files at the end of an archive, in bytes. Go's
// reader takes it in whole, about 1,000 bytes of memory for 180 of an archive
// made for it (measured: 4 million files, 179 MB, 1 GB of memory), before anything
// can be asked of it. maxEntries files with long names have less than this.
const maxZipList = 64 << 20

var errZipList = errors.New("too many files")

// zipFile is an opened archive.
type zipFile struct {
	*zip.Reader
	f *os.File
}

func (z *zipFile) Close() error { return z.f.Close() }

// openZip opens an archive that a stranger made.
func openZip(file string) (*zipFile, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil {
		var z *zip.Reader
		if z, err = readZip(f, st.Size()); err == nil {
			return &zipFile{z, f}, nil
		}
	}
	return nil, errors.Join(err, f.Close())
}

func readZip(r io.ReaderAt, size int64) (*zip.Reader, error) {
	list := &limitedAt{r, maxZipList}
	z, err := zip.NewReader(list, size)
	list.left = math.MaxInt64
	if err == nil && len(z.File) > maxEntries {
		err = errZipList
	}
	return z, err
}

// limitedAt gives up after so many bytes.
type limitedAt struct {
	r    io.ReaderAt
	left int64
}

func (l *limitedAt) ReadAt(p []byte, off int64) (int, error) {
	if l.left -= int64(len(p)); l.left < 0 {
		return 0, errZipList
	}
	return l.r.ReadAt(p, off)
}
