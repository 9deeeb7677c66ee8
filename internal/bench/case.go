package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/system"
)

// The files of a case folder.
const (
	reportFile = "report.md"
	answerFile = "case.yaml"
)

// maxAnswer bounds case.yaml, in bytes. Ours have under 3 KiB; the rest is room.
const maxAnswer = 64 << 10

// Case is a bug report with a known answer.
type Case struct {
	ID     string // the folder's name
	Report string // path of the report, all that a Runner is given
	Answer Answer
}

// Answer is the part of case.yaml that grading needs.
type Answer struct {
	Expected oracle.Headline   `yaml:"expected"`
	Accept   []oracle.Headline `yaml:"accept"`
	NeedsLLM bool              `yaml:"needs_llm"`
	Shape    string            `yaml:"shape"`
	Symptom  struct {
		Kind string `yaml:"kind"`
	} `yaml:"symptom"`
}

// Positive says that the bug is there to be found.
func (a Answer) Positive() bool { return proof.Positive(a.Expected) }

// ErrNoCases says that a folder holds no case.
var ErrNoCases = errors.New("no case found: a case is a folder with " + reportFile + " and " + answerFile)

// Read lists the cases of a folder by name: its sub-folders with a report and
// an answer, or the folder itself. A sub-folder with one of the two only is an
// error, since a case that is left out in silence flatters the table.
func Read(dir string) ([]Case, error) {
	if c, ok, err := readCase(dir); err != nil || ok {
		return []Case{c}, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read the cases: %w", err)
	}
	var cases []Case
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		c, ok, err := readCase(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		if ok {
			cases = append(cases, c)
		}
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("%s: %w", dir, ErrNoCases)
	}
	sort.Slice(cases, func(i, j int) bool { return cases[i].ID < cases[j].ID })
	return cases, nil
}

// readCase reads one folder; ok is false when it holds neither file.
func readCase(dir string) (c Case, ok bool, err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return c, false, fmt.Errorf("read the case: %w", err)
	}
	c = Case{ID: filepath.Base(abs), Report: filepath.Join(dir, reportFile)}
	f, err := system.OpenFolder(abs)
	if err != nil {
		return c, false, fmt.Errorf("read the case %s: %w", c.ID, err)
	}
	defer func() { _ = f.Close() }() // only read
	text, errAnswer := f.Read(answerFile, maxAnswer)
	report, errReport := f.Open(reportFile)
	if errReport == nil {
		_ = report.Close() // only looked at: a link in its place would be somebody's secret in a result
	}
	switch {
	case errors.Is(errAnswer, fs.ErrNotExist) && errors.Is(errReport, fs.ErrNotExist):
		return c, false, nil
	case errAnswer != nil:
		return c, false, fmt.Errorf("read the case %s: %w", c.ID, errAnswer)
	case errReport != nil:
		return c, false, fmt.Errorf("read the case %s: %w", c.ID, errReport)
	}
	if c.Answer, err = readAnswer(text); err != nil {
		return c, false, fmt.Errorf("read %s of the case %s: %w", answerFile, c.ID, err)
	}
	for _, h := range append([]oracle.Headline{c.Answer.Expected}, c.Answer.Accept...) {
		if !slices.Contains(headlines, h) {
			return c, false, fmt.Errorf("read %s of the case %s: %q is no headline", answerFile, c.ID, h)
		}
	}
	return c, true, nil
}

// headlines in the order of the tables: claims first.
var headlines = []oracle.Headline{
	oracle.Reproduced, oracle.Fixed, oracle.Regression, oracle.Flaky, oracle.Lead, oracle.DifferentFailure,
	oracle.NotReproduced, oracle.Undecided, oracle.NotABug, oracle.Hostile, oracle.NeedsInfo, oracle.NeedsModel,
	oracle.NeedsHardware, oracle.HumanFirst, oracle.EnvUnavailable, oracle.Exhausted, oracle.Failed,
}
