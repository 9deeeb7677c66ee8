package pipeline

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/repgen/repgen/internal/agent"
	"github.com/repgen/repgen/internal/bundle"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system"
)

// Stored is a run folder as it lies on the disk, whoever made it. Its files are
// plain, and reached beneath it.
type Stored struct {
	*system.Folder
	// Request is what was asked for. Of a stranger's it is the question alone; see
	// Left.
	Request *Request
	// Own says that this user's repgen wrote the request.
	Own bool
	// Left is what is never taken from a stranger's folder, for the user to name
	// again.
	Left struct {
		Project *environment.ProjectSource
		Model   string
	}
	key Key
}

// OpenStored opens a run folder to read it.
func OpenStored(dir string, key Key) (*Stored, error) {
	files, err := system.OpenFolder(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open %s: %w", dir, ErrNoRun)
	}
	if err != nil {
		return nil, fmt.Errorf("open the run folder: %w", err)
	}
	s := &Stored{Folder: files, key: key}
	s.Request, err = readRequest(files)
	if err == nil {
		// Scripts that run just now make in their own folder what they like.
		err = files.Check(workFolder, "")
	}
	if err != nil {
		_ = files.Close()
		return nil, err
	}
	if s.Own = s.Request.madeWith(key); !s.Own {
		s.strip()
	}
	return s, nil
}

// maxStrangersRuns bounds the executions that a stranger's request asks for: as
// many as a run makes by itself while they are mixed. More cost hours.
const maxStrangersRuns = 20

// strip leaves the question: the report, read anew from its text, and the words
// about the environment. What it may cost, whom it may ask and what it may read
// of this machine is for the user to say.
func (s *Stored) strip() {
	q := s.Request
	s.Left.Project, s.Left.Model = q.Project, ""
	if q.hasModel() {
		s.Left.Model = q.Model
	}
	q.ID, q.Seal = "", ""
	q.Report = report.Reread(q.Report)
	q.Project, q.Model, q.Unsafe = nil, "", false
	q.Budget, q.AgentBudget, q.Strategy, q.Without = 0, agent.Budget{}, "", nil
	q.Limits = bundle.Bounded(q.Limits)
	if q.Runs != 0 {
		q.Runs = min(max(q.Runs, 1), maxStrangersRuns)
	}
	if q.Edited != nil {
		q.Edited.Expectation = nil
	}
}

// Result is that of a finished run. made says that this user's repgen wrote it.
func (s *Stored) Result() (r *proof.Result, made bool, err error) {
	data, err := s.Read(resultFile, system.MaxKept)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, fmt.Errorf("read the result of %s: %w: go on with --resume", s.Dir, ErrNotFinished)
	}
	if err != nil {
		return nil, false, fmt.Errorf("read the result: %w", err)
	}
	r = &proof.Result{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, false, fmt.Errorf("read the result of %s: it is damaged: go on with --resume", s.Dir)
	}
	seal, err := s.Read(sealFile, system.MaxKept)
	return r, err == nil && s.Own && s.key.Made(string(seal), "result", s.Request.ID, string(data)), nil
}

// Continue is what judging the run's script anew begins with: the run's request,
// and where the script was a model's the words that go with it. The script
// itself is the caller's to read; Body takes our own lines off it.
func (s *Stored) Continue() *Request {
	q := s.Request
	k := keeper{files: s.Folder, key: s.key, run: q.ID}
	var old keptAgent
	if _, ok := k.load(agentStage, &old); ok && old.Result != nil {
		q.Edited = &Edited{}
		a := old.Result
		if a.Candidate != nil {
			q.Edited.Trigger = a.Candidate.Trigger
		}
		if a.Decision != nil && a.Decision.Expectation != nil && a.Decision.Expectation.Observed != nil {
			q.Edited.Expectation = a.Decision.Expectation
		}
		return q
	}
	if q.Edited == nil && (q.hasModel() || s.Left.Model != "" || s.has(agentStage+".json")) {
		q.Edited = &Edited{}
	}
	return q
}

func (s *Stored) has(name string) bool {
	f, err := s.Open(name)
	if err != nil {
		return false
	}
	_ = f.Close()
	return true
}
