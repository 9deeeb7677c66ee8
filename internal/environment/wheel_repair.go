package environment

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/repgen/repgen/internal/system"
)

const (
	// repairedNotes is the file beside a wheel that says what was repaired.
	repairedNotes = "repaired.json"
)

// repairWheel rewrites the wheel at file when its metadata has lines that no
// resolver reads, and keeps what it did beside it. Nothing of it is unpacked
// or run; all other files keep their bytes. A file that is no archive that is
// read here is left for the installer to refuse.
func repairWheel(file string) (notes []string, err error) {
	z, err := openZip(file)
	if errors.Is(err, zip.ErrFormat) || errors.Is(err, errZipList) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = z.Close() }()
	meta, record := distInfo(z.File)
	if meta == nil || record == nil {
		return nil, nil
	}
	text, err := readZipFile(meta, maxMetadata)
	if err != nil {
		return nil, err
	}
	fixed, notes := repairMetadata(text)
	if len(notes) == 0 {
		return nil, nil
	}
	rows, err := readZipFile(record, maxRecord)
	if err != nil {
		return nil, err
	}
	replaced := map[*zip.File]string{meta: fixed, record: withRecord(rows, meta.Name, fixed)}
	if err := rewriteZip(file, z.File, replaced); err != nil {
		return nil, err
	}
	return notes, system.KeepJSON(filepath.Join(filepath.Dir(file), repairedNotes), notes)
}

// distInfo finds the two files that describe a wheel.
func distInfo(files []*zip.File) (meta, record *zip.File) {
	for _, f := range files {
		dir, name := path.Split(f.Name)
		if !strings.HasSuffix(dir, ".dist-info/") || strings.Count(dir, "/") != 1 {
			continue
		}
		switch name {
		case "METADATA":
			meta = f
		case "RECORD":
			record = f
		}
	}
	return meta, record
}

func readZipFile(f *zip.File, limit int64) (string, error) {
	r, err := f.Open()
	if err != nil {
		return "", err
	}
	defer func() { _ = r.Close() }()
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s is larger than %d bytes", path.Base(f.Name), limit)
	}
	return string(data), err
}

// withRecord is RECORD with the row of one file made anew.
func withRecord(rows, name, content string) string {
	sum := sha256.Sum256([]byte(content))
	row := fmt.Sprintf("%s,sha256=%s,%d", name, base64.RawURLEncoding.EncodeToString(sum[:]), len(content))
	var out []string
	for _, line := range strings.Split(rows, "\n") {
		if strings.HasPrefix(line, name+",") {
			line = row
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// rewriteZip writes the archive anew with some files replaced. The others are
// copied as they are packed, so equal wheels stay equal.
func rewriteZip(file string, files []*zip.File, replaced map[*zip.File]string) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(file), ".repair-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(tmp.Name())
		}
	}()
	w := zip.NewWriter(tmp)
	for _, f := range files {
		if err := copyZipFile(w, f, replaced); err != nil {
			return errors.Join(err, tmp.Close())
		}
	}
	if err := errors.Join(w.Close(), tmp.Close()); err != nil {
		return err
	}
	if err := os.Chmod(tmp.Name(), 0o644); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}

func copyZipFile(w *zip.Writer, f *zip.File, replaced map[*zip.File]string) error {
	text, ok := replaced[f]
	if !ok {
		return w.Copy(f)
	}
	out, err := w.CreateHeader(&zip.FileHeader{Name: f.Name, Method: zip.Deflate, Modified: f.Modified, ExternalAttrs: f.ExternalAttrs})
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, text)
	return err
}
