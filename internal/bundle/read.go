package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"sort"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
)

// ErrNoBundle says that a folder is no bundle.
var ErrNoBundle = errors.New("no bundle of repgen is there")

// Bundle is one that was read back and whose files are what the manifest says.
type Bundle struct {
	// Wheels are those that it brings, by the sha256 that locks know them by.
	Wheels    map[string][]byte
	Candidate *candidate.Candidate
	Report    *report.Report // its text only
	Outcome   *proof.Outcome
	Result    *proof.Result
}

// What is read of a stranger's folder is bounded. Guesses: the largest file of
// the measured bundles is under 1 MiB, the largest bundle under 20.
const (
	maxFile  = 64 << 20
	maxBytes = 512 << 20
	maxFiles = 5000 // files and folders together
)

// Read reads a bundle. tampered lists what differs from the manifest or does
// not follow from the evidence; then nothing of the bundle may be believed.
func Read(dir string) (b *Bundle, tampered []string, err error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, nil, err
	}
	files, tampered, err := readFiles(dir, m)
	if err != nil || len(tampered) > 0 {
		return nil, tampered, err
	}
	b, err = assemble(files)
	if err != nil {
		return nil, []string{err.Error()}, nil
	}
	return b, append(b.inconsistent(), b.oddLocks()...), nil
}

func readManifest(dir string) (*Manifest, error) {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		return nil, fmt.Errorf("open %s: it is a file, a bundle is a folder: unpack it first: %w", dir, ErrNoBundle)
	}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open %s: %w", dir, ErrNoBundle)
	}
	if err != nil {
		return nil, fmt.Errorf("open the bundle: %w", err)
	}
	defer func() { _ = root.Close() }()
	data, err := readManifestFile(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open %s: %w", dir, ErrNoBundle)
	}
	if err != nil {
		return nil, fmt.Errorf("read the manifest: %w", err)
	}
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil || m.Schema == 0 {
		return nil, fmt.Errorf("read the manifest of %s: it is damaged: %w", dir, ErrNoBundle)
	}
	if m.Schema > Schema {
		return nil, fmt.Errorf("read the manifest of %s: layout %d is newer than this repgen knows: update repgen", dir, m.Schema)
	}
	return &m, nil
}

// readManifestFile accepts a plain file only: a pipe would be waited for and a
// device never ends.
func readManifestFile(root *os.Root) ([]byte, error) {
	info, err := root.Lstat(fileManifest)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("it is no plain file of a sensible size: %w", ErrNoBundle)
	}
	return root.ReadFile(fileManifest)
}

// readFiles reads what the manifest lists, without following links, and says
// what is changed, missing, added or no plain file.
func readFiles(dir string, m *Manifest) (map[string][]byte, []string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("open the bundle: %w", err)
	}
	defer func() { _ = root.Close() }()
	files, problems := map[string][]byte{}, []string{}
	seen, total := 0, int64(0)
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if seen++; seen > maxFiles {
			return fmt.Errorf("the bundle holds more than %d files", maxFiles)
		}
		if err != nil || d.IsDir() || name == fileManifest {
			return err
		}
		want, listed := m.Files[name]
		info, err := d.Info()
		switch {
		case err != nil:
			return err
		case !info.Mode().IsRegular():
			problems = append(problems, name+": is no plain file")
		case !listed:
			problems = append(problems, name+": was added")
		case info.Size() > maxFile:
			problems = append(problems, name+": is too large")
		case total+info.Size() > maxBytes:
			return fmt.Errorf("the bundle holds more than %d MiB", maxBytes>>20)
		default:
			total += info.Size()
			data, err := root.ReadFile(name)
			if err != nil {
				return err
			}
			files[name] = data
			if digest(data) != want {
				problems = append(problems, name+": was changed")
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read the bundle: %w", err)
	}
	for name := range m.Files {
		if _, ok := files[name]; !ok {
			problems = append(problems, name+": is missing")
		}
	}
	sort.Strings(problems)
	return files, problems, nil
}

// assemble puts the parts together.
func assemble(files map[string][]byte) (*Bundle, error) {
	var ev evidenceFile
	b := &Bundle{Candidate: &candidate.Candidate{}, Result: &proof.Result{}}
	exp := &oracle.Expectation{}
	for _, part := range []struct {
		name string
		into any
	}{{fileEvidence, &ev}, {fileCandidate, b.Candidate}, {fileVerdict, b.Result}, {fileOracle, &exp}} {
		if err := json.Unmarshal(files[part.name], part.into); err != nil {
			return nil, fmt.Errorf("%s: cannot be read: %w", part.name, err)
		}
	}
	script, ok := body(string(files[fileScript]))
	if !ok || ev.Outcome == nil {
		return nil, fmt.Errorf("%s: the line that begins the script is missing", fileScript)
	}
	b.Candidate.Script = script
	b.Report = &report.Report{Text: string(files[fileReport])}
	b.Wheels = wheelsOf(files)
	b.Outcome = ev.Outcome
	b.Outcome.Limits = bounded(b.Outcome.Limits)
	b.Outcome.Expectation = exp
	if err := b.takeControls(ev.Scripts, files); err != nil {
		return nil, err
	}
	for i, names := range ev.Executions {
		if i >= len(b.Outcome.Evidence.Groups) {
			return nil, fmt.Errorf("%s: more executions than groups", fileEvidence)
		}
		for _, name := range names {
			var ex sandbox.Execution
			file := path.Join(name, "record.json")
			if err := json.Unmarshal(files[file], &ex); err != nil {
				return nil, fmt.Errorf("%s: cannot be read: %w", file, err)
			}
			g := &b.Outcome.Evidence.Groups[i]
			g.Executions = append(g.Executions, ex)
		}
	}
	return b, nil
}

// inconsistent judges the recorded executions again: a verdict that does not
// follow from them was not made by them.
func (b *Bundle) inconsistent() []string {
	if b.Outcome.Expectation == nil || b.Outcome.Unavailable != nil {
		return nil
	}
	b.reread()
	v := proof.Rejudge(*b.Outcome.Expectation, b.Outcome.Evidence)
	out := b.unfounded()
	if v.Headline != b.Outcome.Verdict.Headline || v.Headline != b.Result.Headline {
		out = append(out, fmt.Sprintf("%s: says %s, the recorded executions say %s", fileVerdict, b.Result.Headline, v.Headline))
	}
	if v.Grade != b.Outcome.Verdict.Grade || v.Grade != b.Result.Grade {
		out = append(out, fmt.Sprintf("%s: says grade %q, the recorded executions say %q", fileVerdict, b.Result.Grade, v.Grade))
	}
	return out
}
