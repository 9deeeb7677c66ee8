package pipeline

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/agent"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/system"
)

// ScriptFile is the model's best script in a run folder, for people to edit.
const ScriptFile = "candidate.py"

// writtenFile holds the hash of ScriptFile as we wrote it, so that an edited
// one is never written over.
const writtenFile = ".candidate"

// stages in the order of the validation: the later one was reached by the
// better script.
var stages = []task.Stage{
	task.StageAnswer, task.StageParse, task.StageCompile, task.StageLint, task.StageNames, task.StageRelevance,
	task.StageRefused, task.StageRun, task.StageOracle, task.StageControl, task.StageProof,
}

// bestScript is what was judged, else the attempt that came farthest; of equals
// the later one. "" where the model wrote nothing.
func bestScript(a *agent.Result) string {
	if a.Candidate != nil {
		return a.Candidate.Script
	}
	best := -1
	for i, t := range a.Attempts {
		if strings.TrimSpace(t.Script) == "" {
			continue
		}
		if best < 0 || goodness(t) >= goodness(a.Attempts[best]) {
			best = i
		}
	}
	if best < 0 {
		return ""
	}
	return candidate.FromAgent(a.Attempts[best].Script, "").Script
}

func goodness(t task.Attempt) int {
	n := slices.Index(stages, t.Reached)
	if t.Hit {
		n += len(stages)
	}
	return n
}

// keepScript writes the best script, unless a person has edited the one there.
func keepScript(f *folder, a *agent.Result) error {
	script := bestScript(a)
	if script == "" {
		return nil
	}
	path := filepath.Join(f.dir, ScriptFile)
	old, err := system.ReadPlain(path, system.MaxKept)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the model's script: %w", err)
	}
	if err == nil {
		hash, herr := hashOf(string(old))
		written, rerr := system.ReadPlain(filepath.Join(f.dir, writtenFile), system.MaxKept)
		if herr != nil || rerr != nil || string(written) != hash {
			return nil
		}
	}
	hash, err := hashOf(script)
	if err != nil {
		return fmt.Errorf("hash the model's script: %w", err)
	}
	// The hash goes first: a kill between the two leaves an old script that looks
	// edited, never a new one.
	if err := system.WriteFile(filepath.Join(f.dir, writtenFile), []byte(hash), 0o644); err != nil {
		return fmt.Errorf("keep the model's script: %w", err)
	}
	if err := system.WriteFile(path, []byte(script), 0o644); err != nil {
		return fmt.Errorf("keep the model's script: %w", err)
	}
	return nil
}

// Continue is what judging a run's script anew begins with: the run's request,
// and where the script was a model's the words that go with it. The script
// itself is the caller's to read; Body takes our own lines off it.
func Continue(dir string) (*Request, error) {
	req, err := ReadRequest(dir)
	if err != nil {
		return nil, err
	}
	kept, ok := loadStage[*keptAgent](filepath.Join(dir, "05-agent.json"))
	if !ok || kept.Output == nil || kept.Output.Result == nil {
		if req.hasModel() {
			req.Edited = &Edited{}
		}
		return req, nil
	}
	req.Edited = &Edited{}
	a := kept.Output.Result
	if a.Candidate != nil {
		req.Edited.Trigger = a.Candidate.Trigger
	}
	if a.Decision != nil && a.Decision.Expectation != nil && a.Decision.Expectation.Observed != nil {
		req.Edited.Expectation = a.Decision.Expectation
	}
	return req, nil
}

// Body is a model's script without the lines that we put before it, and without
// the header of a bundle before those.
func Body(script string) string {
	script = strings.ReplaceAll(script, "\r\n", "\n")
	before, rest, ok := strings.Cut(script, candidate.FromAgent("", "").Script)
	if !ok || headless(before) != "" {
		return script
	}
	return rest
}

// headless is a script without the comments and empty lines at its head.
func headless(script string) string {
	for script != "" {
		line, rest, _ := strings.Cut(script, "\n")
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			break
		}
		script = rest
	}
	return script
}
