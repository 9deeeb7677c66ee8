package pipeline

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/repgen/repgen/internal/system"
)

// ErrInUse says that another process holds the run folder.
var ErrInUse = errors.New("the run folder is in use by another repgen process")

// ErrOtherReport says that the folder holds the run of another report.
var ErrOtherReport = errors.New("the folder holds another report's run")

// ErrNoRun says that a folder is no run folder.
var ErrNoRun = errors.New("no run of repgen is there")

// ErrNotFinished says that a run has no result yet.
var ErrNotFinished = errors.New("the run has not finished")

const requestFile = "00-request.json"

// folder is a run folder, locked while it is open.
type folder struct {
	dir    string
	unlock func() error
}

// stageFile is how a stage's output lies on disk.
type stageFile[T any] struct {
	Input  string `json:"input"` // hash of what it was made from
	Output T      `json:"output"`
}

// openFolder makes or reopens dir for req.
func openFolder(dir string, req *Request) (*folder, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open the run folder: %w", err)
	}
	if entries, err := os.ReadDir(abs); err == nil && len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(abs, requestFile)); err != nil {
			if _, err := os.Stat(filepath.Join(abs, ".lock")); err != nil {
				return nil, fmt.Errorf("open the run folder %s: it is not empty and holds no run of repgen: choose another --out", dir)
			}
		}
	}
	if err := os.MkdirAll(abs, 0o755); err != nil {
		return nil, fmt.Errorf("make the run folder: %w", err)
	}
	unlock, ok, err := system.TryLockFile(filepath.Join(abs, ".lock"))
	if err != nil {
		return nil, fmt.Errorf("lock the run folder: %w", err)
	}
	if !ok {
		return nil, fmt.Errorf("open %s: %w", dir, ErrInUse)
	}
	f := &folder{dir: abs, unlock: unlock}
	if err := f.claim(req); err != nil {
		_ = unlock()
		return nil, err
	}
	return f, nil
}

// claim writes the request, or checks that the folder's is for this report.
func (f *folder) claim(req *Request) error {
	old, err := ReadRequest(f.dir)
	switch {
	case errors.Is(err, ErrNoRun):
		if err := system.WriteJSON(filepath.Join(f.dir, requestFile), req); err != nil {
			return fmt.Errorf("write the request: %w", err)
		}
		return nil
	case err != nil:
		return err
	case old.Report.Text != req.Report.Text || old.Script != req.Script:
		return fmt.Errorf("open %s: %w", f.dir, ErrOtherReport)
	}
	return system.WriteJSON(filepath.Join(f.dir, requestFile), req)
}

// ReadRequest reads what a run was asked for.
func ReadRequest(dir string) (*Request, error) {
	data, err := system.ReadPlain(filepath.Join(dir, requestFile), system.MaxKept)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("open %s: %w", dir, ErrNoRun)
	}
	if err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	var req Request
	if err := json.Unmarshal(data, &req); err != nil || req.Report == nil {
		return nil, fmt.Errorf("read the request in %s: it is damaged: start a new run", dir)
	}
	return &req, nil
}

// stage returns the kept output when the input is the same, else makes and
// keeps it. A file that cannot be read back is made again.
func stage[T any](f *folder, name string, input any, build func() (T, error)) (T, error) {
	return stageIf(f, name, input, func(T) bool { return true }, build)
}

// stageIf is stage for outputs of which some are not worth keeping: those that
// the next try may better.
func stageIf[T any](f *folder, name string, input any, final func(T) bool, build func() (T, error)) (T, error) {
	path := filepath.Join(f.dir, name+".json")
	hash, err := hashOf(input)
	if err != nil {
		var zero T
		return zero, fmt.Errorf("hash the input of %s: %w", name, err)
	}
	if old, ok := loadStage[T](path); ok && old.Input == hash {
		return old.Output, nil
	}
	v, err := build()
	if err != nil || !final(v) {
		return v, err
	}
	if err := system.KeepJSON(path, stageFile[T]{Input: hash, Output: v}); err != nil {
		return v, fmt.Errorf("keep the stage %s: %w", name, err)
	}
	return v, nil
}

func loadStage[T any](path string) (stageFile[T], bool) {
	var s stageFile[T]
	data, err := system.ReadPlain(path, system.MaxKept)
	if err != nil || json.Unmarshal(data, &s) != nil {
		return s, false
	}
	return s, true
}

func hashOf(v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
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
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
			return dir
		}
		dir = filepath.Join(root, fmt.Sprintf("%s-%d", slug, i))
	}
}
