package pipeline

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/repgen/repgen/internal/system"
)

// ErrInUse says that another process holds the run folder.
var ErrInUse = errors.New("the run folder is in use by another repgen process")

// ErrOtherReport says that the folder holds the run of another report.
var ErrOtherReport = errors.New("the folder holds another report's run")

// ErrForeign says that the folder holds a run that this user's repgen did not
// make, or that was changed since.
var ErrForeign = errors.New("the folder holds a run that was not made by this user's repgen")

// ErrNoRun says that a folder is no run folder.
var ErrNoRun = errors.New("no run of repgen is there")

// ErrNotFinished says that a run has no result yet.
var ErrNotFinished = errors.New("the run has not finished")

const (
	requestFile = "00-request.json"
	lockFile    = ".lock"
	workFolder  = "work"
	// inPlace ends the names of the files that are added to as they lie there; all
	// others are replaced.
	inPlace = ".jsonl"
)

// folder is a run folder, locked while it is open.
type folder struct {
	*keeper
	unlock func() error
}

// close lets others have the folder.
func (f *folder) close() {
	_ = f.unlock()
	_ = f.files.Close()
}

// openFolder makes dir for req, or reopens one that this user's repgen made.
func (p *Pipeline) openFolder(dir string, req *Request) (*folder, error) {
	if err := roomFor(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the run folder: %w", err)
	}
	files, err := system.OpenFolder(dir)
	if err != nil {
		return nil, fmt.Errorf("open the run folder: %w", err)
	}
	unlock, ok, err := system.TryLockFile(filepath.Join(files.Dir, lockFile))
	switch {
	case errors.Is(err, syscall.ELOOP):
		err = fmt.Errorf("open the run folder: %s: a link: %w", filepath.Join(files.Dir, lockFile), system.ErrNotPlain)
	case err != nil:
		err = fmt.Errorf("lock the run folder: %w", err)
	case !ok:
		err = fmt.Errorf("open %s: %w", dir, ErrInUse)
	}
	if err != nil {
		_ = files.Close()
		return nil, err
	}
	f := &folder{keeper: &keeper{files: files, key: p.Key, build: p.Build}, unlock: unlock}
	if err := f.claim(dir, req); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// roomFor wants a folder that is empty or a run's.
func roomFor(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return nil // what cannot be read cannot be made or opened either
	}
	for _, e := range entries {
		if e.Name() == requestFile || e.Name() == lockFile {
			return nil
		}
	}
	return fmt.Errorf("open the run folder %s: it is not empty and holds no run of repgen: choose another --out", dir)
}

// claim writes the request, or checks that the folder's is for this report.
func (f *folder) claim(dir string, req *Request) error {
	old, err := readRequest(f.files)
	switch {
	case errors.Is(err, ErrNoRun):
		req.ID = rand.Text()
	case err != nil:
		return err
	case !old.madeWith(f.key):
		return fmt.Errorf("open %s: %w", dir, ErrForeign)
	case old.Report.Text != req.Report.Text || old.Script != req.Script:
		return fmt.Errorf("open %s: %w", dir, ErrOtherReport)
	default:
		req.ID = old.ID
		// What a killed run left of its scripts' own folders may hold anything.
		_ = system.RemoveAll(filepath.Join(f.files.Dir, workFolder))
	}
	if err := f.files.Check("", inPlace); err != nil {
		return fmt.Errorf("open the run folder: %w", err)
	}
	f.run = req.ID
	if err := req.seal(f.key); err != nil {
		return err
	}
	data, err := json.MarshalIndent(req, "", "  ")
	if err == nil {
		err = f.files.Write(requestFile, append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write the request: %w", err)
	}
	return nil
}

// IsRun says that a folder is a run folder, whoever made it.
func IsRun(dir string) bool {
	files, err := system.OpenFolder(dir)
	if err != nil {
		return false
	}
	defer func() { _ = files.Close() }() // only read
	_, err = readRequest(files)
	return err == nil
}

// maxRequest bounds a request, in bytes. The report has at most 1 MiB, and stands
// there twice, once in parts; a script has at most 1 MiB. The rest is room.
const maxRequest = 32 << 20

// readRequest reads what a run was asked for, by whoever wrote it.
func readRequest(files *system.Folder) (*Request, error) {
	data, err := files.Read(requestFile, maxRequest)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("open %s: %w", files.Dir, ErrNoRun)
	}
	if err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	var req Request
	if err := json.Unmarshal(data, &req); err != nil || req.Report == nil {
		return nil, fmt.Errorf("read the request in %s: it is damaged: start a new run", files.Dir)
	}
	return &req, nil
}

var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

// DefaultDir is a fresh folder below root, named after the report.
func DefaultDir(root string, req *Request) string {
	slug := strings.Trim(notSlug.ReplaceAllString(strings.ToLower(req.Report.Title), "-"), "-")
	if len(slug) > 40 {
		slug = strings.Trim(slug[:40], "-")
	}
	if slug == "" {
		slug = "report"
	}
	dir := filepath.Join(root, slug)
	for i := 2; ; i++ {
		if _, err := os.Lstat(dir); errors.Is(err, os.ErrNotExist) {
			return dir
		}
		dir = filepath.Join(root, fmt.Sprintf("%s-%d", slug, i))
	}
}
