// Package bundle writes what a run reached as a folder that anyone can re-run,
// and reads and verifies it again.
package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/triage"
)

// Schema of the folder's layout.
const Schema = 1

// The files of a bundle.
const (
	fileScript    = "reproduce.py"
	fileLock      = "requirements.lock"
	fileOracle    = "oracle.json"
	fileCandidate = "candidate.json"
	fileEvidence  = "evidence.json"
	fileVerdict   = "verdict.json"
	fileReport    = "report.md"
	fileReadme    = "README.md"
	fileManifest  = "manifest.json"
	dirExecutions = "executions"
	dirControls   = "controls" // scripts of variants
)

// Content is everything that goes into a bundle.
type Content struct {
	Report    *report.Report
	Decision  *triage.Decision
	Candidate *candidate.Candidate
	Outcome   *proof.Outcome
	Result    *proof.Result
	Version   string // of repgen
	// Wheel reads a wheel that was built from a project; nil where there is
	// none.
	Wheel func(environment.Package) ([]byte, error)
}

// Manifest lists every other file of the bundle.
type Manifest struct {
	Schema int               `json:"schema"`
	Repgen string            `json:"repgen"`
	Files  map[string]string `json:"files"` // path with slashes -> sha256 in hex
}

// evidenceFile is the evidence without its executions, which are folders.
type evidenceFile struct {
	Outcome *proof.Outcome `json:"outcome"`
	// Executions names, for each group, the folders of its executions.
	Executions [][]string `json:"executions"`
	// Scripts names, for each group, the file of the script that ran where it
	// was not the candidate's own; "" elsewhere. Absent when there is none.
	Scripts []string `json:"scripts,omitempty"`
	// Audited names the folders of the audited executions.
	Audited []string `json:"audited,omitempty"`
}

// Write makes the bundle in dir (replacing an older one of the same run) and
// returns its absolute path. It is made under another name and renamed, so
// that a bundle is whole or not there.
func Write(dir string, c Content) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("place the bundle: %w", err)
	}
	files, err := contents(c)
	if err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(abs), ".bundle-")
	if err != nil {
		return "", fmt.Errorf("make the bundle: %w", err)
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	if err := writeAll(tmp, files); err != nil {
		return "", err
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return "", fmt.Errorf("open the bundle to readers: %w", err)
	}
	if err := os.RemoveAll(abs); err != nil {
		return "", fmt.Errorf("replace the old bundle: %w", err)
	}
	if err := os.Rename(tmp, abs); err != nil {
		return "", fmt.Errorf("place the bundle: %w", err)
	}
	return abs, nil
}

// contents lays out every file, the manifest last.
func contents(c Content) (map[string][]byte, error) {
	files := map[string][]byte{fileReport: []byte(c.Report.Text)}
	put := func(name string, v any) error {
		data, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		files[name] = append(data, '\n')
		return nil
	}
	if err := putWheels(files, c); err != nil {
		return nil, err
	}
	ev := evidenceFile{Outcome: bareOutcome(c.Outcome), Executions: executionNames(c.Outcome), Scripts: scriptNames(c.Outcome)}
	if err := putAudit(files, put, &ev, c.Outcome.Evidence.Audit); err != nil {
		return nil, err
	}
	putControls(files, c, ev.Scripts)
	verdict := *c.Result
	verdict.Run, verdict.Bundle = nil, nil // no absolute path in a bundle
	bare := *c.Candidate
	bare.Script = ""
	files[fileScript] = []byte(header(c, nil) + setAside(c.Candidate.Script))
	if c.Outcome.Lock != nil {
		files[fileLock] = []byte(c.Outcome.Lock.Text)
	}
	files[fileReadme] = []byte(readme(c))
	for name, v := range map[string]any{fileOracle: c.Outcome.Expectation, fileCandidate: bare, fileEvidence: ev, fileVerdict: verdict} {
		if err := put(name, v); err != nil {
			return nil, err
		}
	}
	for i, names := range ev.Executions {
		for j, name := range names {
			if err := putExecution(files, put, name, c.Outcome.Evidence.Groups[i].Executions[j]); err != nil {
				return nil, err
			}
		}
	}
	m := Manifest{Schema: Schema, Repgen: c.Version, Files: map[string]string{}}
	for name, data := range files {
		m.Files[name] = digest(data)
	}
	return files, put(fileManifest, m)
}

// bareOutcome leaves out what has a file of its own, and where on this machine
// the project lies.
func bareOutcome(o *proof.Outcome) *proof.Outcome {
	bare := *o
	bare.Expectation, bare.Candidate = nil, nil
	bare.Evidence.Groups = slices.Clone(o.Evidence.Groups)
	for i := range bare.Evidence.Groups {
		bare.Evidence.Groups[i].Script = ""
	}
	if p := o.Spec.Project; p != nil {
		there := *p
		there.Dir = ""
		bare.Spec.Project = &there
	}
	return &bare
}

// executionNames gives each execution its folder, in order of the evidence.
func executionNames(o *proof.Outcome) [][]string {
	names := make([][]string, len(o.Evidence.Groups))
	for i, g := range o.Evidence.Groups {
		for j := range g.Executions {
			names[i] = append(names[i], fmt.Sprintf("%s/%02d-%s-%d", dirExecutions, i+1, slug(string(g.Side)+" "+g.Subject+" "+g.Version), j+1))
		}
	}
	return names
}

func slug(s string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '+':
			return r
		}
		return '-'
	}, s), "-.")
}

// putExecution writes one execution: the record for machines, its streams and
// observations for people.
func putExecution(files map[string][]byte, put func(string, any) error, name string, ex sandbox.Execution) error {
	files[name+"/stdout.txt"] = []byte(ex.Stdout)
	files[name+"/stderr.txt"] = []byte(ex.Stderr)
	var lines []byte
	for _, list := range [][]any{anys(ex.Record.Observations), anys(ex.Record.Names)} {
		for _, o := range list {
			line, err := json.Marshal(o)
			if err != nil {
				return fmt.Errorf("write the observations of %s: %w", name, err)
			}
			lines = append(append(lines, line...), '\n')
		}
	}
	files[name+"/observations.jsonl"] = lines
	return put(name+"/record.json", ex)
}

func anys[T any](list []T) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = v
	}
	return out
}

func writeAll(dir string, files map[string][]byte) error {
	for name, data := range files {
		if !filepath.IsLocal(name) {
			return fmt.Errorf("write %q: it leads out of the bundle", name) // a defect: names are ours
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("make the bundle: %w", err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
