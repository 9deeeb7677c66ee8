package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"syscall"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/system"
)

// ErrNoBundle says that a folder is no bundle.
var ErrNoBundle = errors.New("no bundle of repgen is there")

// Bundle is one that was read back and whose files are what the manifest says.
type Bundle struct {
	// Wheels are those that it brings, by the sha256 that locks know them by.
	Wheels    map[string][]byte
	Candidate *candidate.Candidate
	Report    *report.Report
	Outcome   *proof.Outcome
	Result    *proof.Result
	// Repgen is the build that it says it was written by.
	Repgen string
	// Words are the files for people to read that this build would not have
	// written from the evidence. Of a bundle by this build they were changed.
	Words []string
}

// What is read of a stranger's folder is bounded. Guesses: the largest file of
// the measured bundles is under 1 MiB, the largest bundle under 20.
const (
	maxFile  = 64 << 20
	maxBytes = 512 << 20
	maxFiles = 5000 // files and folders together
	// maxManifest holds maxFiles lines of 800 bytes.
	maxManifest = 4 << 20
	// maxRecord of an execution: two streams of a MiB, escaped, and what the
	// observer saw.
	maxRecord = 16 << 20
	// maxPart holds a script, twice, and what is said about it.
	maxPart = 8 << 20
	// maxScript is what a judged script may have, with our lines before it.
	maxScript = 2 << 20
)

// limitOf bounds one file: what is parsed at a price is small.
func limitOf(name string) int64 {
	switch {
	case path.Base(name) == "record.json":
		return maxRecord
	case strings.HasSuffix(name, ".py"), name == fileReport:
		return maxScript
	case strings.HasPrefix(name, dirWheels+"/"):
		return maxWheel
	case name == fileOracle, name == fileCandidate, name == fileVerdict:
		return maxPart
	}
	return maxFile
}

// Read reads a bundle. tampered lists what differs from the manifest or does
// not follow from the evidence; then nothing of the bundle may be believed.
func Read(dir string) (b *Bundle, tampered []string, err error) {
	f, err := system.OpenFolder(dir)
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return nil, nil, fmt.Errorf("open %s: it is a file, a bundle is a folder: unpack it first: %w", dir, ErrNoBundle)
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, fmt.Errorf("open %s: %w", dir, ErrNoBundle)
	case err != nil:
		return nil, nil, fmt.Errorf("open the bundle: %w", err)
	}
	defer func() { _ = f.Close() }() // only read
	return read(f)
}

// ReadIn is Read of the bundle in a run folder, which may be a stranger's: a link
// in the bundle's place is none.
func ReadIn(run, name string) (b *Bundle, tampered []string, err error) {
	dir := filepath.Join(run, name)
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
		return nil, nil, fmt.Errorf("open %s: %w: %w", dir, system.ErrNotPlain, ErrNoBundle)
	}
	return Read(dir)
}

func read(f *system.Folder) (b *Bundle, tampered []string, err error) {
	m, err := readManifest(f)
	if err != nil {
		return nil, nil, err
	}
	files, tampered, err := readFiles(f, m)
	if err != nil || len(tampered) > 0 {
		return nil, tampered, err
	}
	b, err = assemble(files)
	if err != nil {
		return nil, []string{err.Error()}, nil
	}
	if tampered = append(b.misshapen(), b.oddLocks()...); len(tampered) > 0 {
		return nil, tampered, nil
	}
	if tampered = b.inconsistent(); len(tampered) > 0 || !b.Judged() {
		return b, tampered, nil
	}
	b.Repgen = m.Repgen
	tampered, b.Words = b.altered(files)
	return b, tampered, nil
}

func readManifest(f *system.Folder) (*Manifest, error) {
	data, err := f.Read(fileManifest, maxManifest)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("open %s: %w", f.Dir, ErrNoBundle)
	case err != nil:
		return nil, fmt.Errorf("read the manifest: %w: %w", err, ErrNoBundle)
	}
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil || m.Schema == 0 {
		return nil, fmt.Errorf("read the manifest of %s: it is damaged: %w", f.Dir, ErrNoBundle)
	}
	if m.Schema > Schema {
		return nil, fmt.Errorf("read the manifest of %s: layout %d is newer than this repgen knows: update repgen", f.Dir, m.Schema)
	}
	if len(m.Files) > maxFiles {
		return nil, fmt.Errorf("read the manifest of %s: it lists more than %d files: %w", f.Dir, maxFiles, ErrNoBundle)
	}
	return &m, nil
}

// readFiles reads what the manifest lists, without following links, and says
// what is changed, missing, added or no plain file.
func readFiles(f *system.Folder, m *Manifest) (map[string][]byte, []string, error) {
	files, problems := map[string][]byte{}, []string{}
	total := int64(0)
	err := f.Walk(maxFiles, "", func(name string, info fs.FileInfo) error {
		want, listed := m.Files[name]
		switch {
		case name == fileManifest:
		case !listed:
			problems = append(problems, name+": was added")
		case info.Size() > limitOf(name):
			problems = append(problems, name+": is too large")
		case total+info.Size() > maxBytes:
			return fmt.Errorf("the bundle holds more than %d MiB", maxBytes>>20)
		default:
			total += info.Size()
			data, err := f.ReadSeen(name, info)
			if err != nil {
				return err
			}
			files[name] = data
			if digest(data) != want {
				problems = append(problems, name+": was changed")
			}
		}
		return nil
	}, func(name string, _ fs.FileMode) error {
		problems = append(problems, name+": is no plain file")
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
	b.Report = report.Parse(files[fileReport], report.Source{})
	b.Wheels = wheelsOf(files)
	b.Outcome = ev.Outcome
	b.Outcome.Limits = Bounded(b.Outcome.Limits)
	b.Outcome.Expectation = exp
	if err := b.takeControls(ev.Scripts, files); err != nil {
		return nil, err
	}
	if err := b.takeAudit(ev.Audited, files); err != nil {
		return nil, err
	}
	return b, b.takeExecutions(ev.Executions, files)
}

// takeExecutions puts the records back into the evidence. One record is one
// execution, however often it is named.
func (b *Bundle) takeExecutions(all [][]string, files map[string][]byte) error {
	if len(all) > len(b.Outcome.Evidence.Groups) {
		return fmt.Errorf("%s: more executions than groups", fileEvidence)
	}
	seen := map[string]bool{}
	for i, names := range all {
		g := &b.Outcome.Evidence.Groups[i]
		for _, name := range names {
			file := path.Join(name, "record.json")
			if seen[file] {
				return fmt.Errorf("%s: counts twice", file)
			}
			seen[file] = true
			ex, err := executionOf(name, files)
			if err != nil {
				return err
			}
			g.Executions = append(g.Executions, ex)
		}
	}
	return nil
}

// inconsistent judges the recorded executions again: a verdict that does not
// follow from them was not made by them. The bundle's own is then ours.
func (b *Bundle) inconsistent() []string {
	if !b.Judged() {
		if proof.Positive(b.Result.Headline) || b.Result.Grade != "" {
			return []string{fmt.Sprintf("%s: says %s, and nothing was run", fileVerdict, b.Result.Headline)}
		}
		return nil
	}
	b.reread()
	b.relabel()
	v := proof.Rejudge(*b.Outcome.Expectation, b.Outcome.Evidence)
	out := append(b.unfounded(), b.unaudited(v)...)
	if v.Headline != b.Outcome.Verdict.Headline || v.Headline != b.Result.Headline {
		out = append(out, fmt.Sprintf("%s: says %s, the recorded executions say %s", fileVerdict, b.Result.Headline, v.Headline))
	}
	if v.Grade != b.Outcome.Verdict.Grade || v.Grade != b.Result.Grade {
		out = append(out, fmt.Sprintf("%s: says grade %q, the recorded executions say %q", fileVerdict, b.Result.Grade, v.Grade))
	}
	b.Outcome.Verdict = v
	return out
}

// Judged says that the bundle holds executions and what they are judged by.
func (b *Bundle) Judged() bool {
	return b.Outcome.Expectation != nil && b.Outcome.Lock != nil && b.Outcome.Unavailable == nil
}

// executionOf reads the record of one execution.
func executionOf(name string, files map[string][]byte) (ex sandbox.Execution, err error) {
	file := path.Join(name, "record.json")
	if err := json.Unmarshal(files[file], &ex); err != nil {
		return ex, fmt.Errorf("%s: cannot be read: %w", file, err)
	}
	if len(ex.Stdout) > maxOutput || len(ex.Stderr) > maxOutput {
		return ex, fmt.Errorf("%s: holds more output than any execution keeps", file)
	}
	return ex, nil
}
