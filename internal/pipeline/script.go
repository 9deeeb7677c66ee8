package pipeline

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
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
	old, err := f.files.Read(ScriptFile, system.MaxKept)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the model's script: %w", err)
	}
	if err == nil {
		written, err := f.files.Read(writtenFile, system.MaxKept)
		if err != nil || string(written) != textHash(string(old)) {
			return nil
		}
	}
	// The hash goes first: a kill between the two leaves an old script that looks
	// edited, never a new one.
	if err := f.files.Write(writtenFile, []byte(textHash(script))); err != nil {
		return fmt.Errorf("keep the model's script: %w", err)
	}
	if err := f.files.Write(ScriptFile, []byte(script)); err != nil {
		return fmt.Errorf("keep the model's script: %w", err)
	}
	return nil
}

func textHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
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
