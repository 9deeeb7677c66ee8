package validate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/sandbox"
)

const (
	// lintWall bounds the linter; it takes 20 ms.
	lintWall = 30 * time.Second
	// lintRules are those that mean a failure when the line runs: syntax, format
	// strings, comparisons, flow, undefined names.
	lintRules = "E9,F50,F52,F63,F7,F82"
	// maxLint of the findings are told: the first ones bring most.
	maxLint = 6
)

// lintMild are findings of those rules that fail nothing when the line runs.
var lintMild = []string{"F504", "F522", "F523", "F632", "F822"}

// lintVersions are the targets that the linter knows, oldest and newest; others
// take the nearest.
var lintOldest, lintNewest = "3.7", "3.13"

// finding is one of the linter's, as it prints them.
type finding struct {
	Code     *string `json:"code"`
	Message  string  `json:"message"`
	Location struct {
		Row int `json:"row"`
	} `json:"location"`
}

// checkLint runs the linter, in its own environment, in the sandbox.
func (c *Checker) checkLint(ctx context.Context, script, python string) ([]task.Feedback, error) {
	if c.Tool == nil {
		return nil, nil
	}
	box, why, err := c.once.toolBox(ctx, c.Tool)
	if err != nil {
		return nil, err
	}
	if why != "" {
		return c.noLint(why), nil
	}
	ex, err := box.run(ctx, lintCommand(box, script, python), sandbox.Limits{Wall: lintWall})
	if err != nil {
		return nil, err
	}
	found, ok := readLint(ex.Stdout)
	if !ok {
		return c.noLint(fmt.Sprintf("it ended %s %d: %s", ex.Outcome, ex.ExitCode, word(ex.Stderr))), nil
	}
	return lintFeedback(found, script), nil
}

// noLint says once that the stage was left out.
func (c *Checker) noLint(why string) []task.Feedback {
	if !c.once.first() {
		return nil
	}
	return []task.Feedback{told(task.StageLint, task.SeverityWarning, 0, "no linter",
		"The script was not linted: the linter cannot be had ("+clip(why, maxWord)+").")}
}

// lintCommand reads no configuration: one could lie in a folder that a script
// wrote, or on the machine of whoever runs this, and change what is found.
func lintCommand(b Box, script, python string) sandbox.Command {
	cmd := b.Env.Command(sandbox.EnvDir+"/bin/ruff", "check", "--isolated", "--no-cache", "--quiet",
		"--select", lintRules, "--config", `builtins=["observe","control"]`,
		"--target-version", lintTarget(python), "--output-format", "json", "--stdin-filename", sandbox.ScriptNm, "-")
	cmd.Stdin, cmd.Label = []byte(script), "lint"
	return cmd
}

// lintTarget is the linter's word for a Python: "py38".
func lintTarget(python string) string {
	parts := strings.SplitN(python, ".", 3)
	if len(parts) < 2 {
		return "py" + strings.ReplaceAll(lintOldest, ".", "")
	}
	minor := parts[0] + "." + parts[1]
	if pydist.Match("<"+lintOldest, minor) {
		minor = lintOldest
	}
	if pydist.Match(">"+lintNewest, minor) {
		minor = lintNewest
	}
	return "py" + strings.ReplaceAll(minor, ".", "")
}

// readLint reads the linter's JSON; ok is false when it is none.
func readLint(stdout string) (found []finding, ok bool) {
	if strings.TrimSpace(stdout) == "" {
		return nil, false
	}
	return found, json.Unmarshal([]byte(stdout), &found) == nil
}

// lintFeedback tells the first findings, each with its line: a model that sees the
// line finds it again in its own answer.
func lintFeedback(found []finding, script string) []task.Feedback {
	var out []task.Feedback
	for _, f := range found[:min(len(found), maxLint)] {
		code := "invalid-syntax"
		if f.Code != nil {
			code = word(*f.Code)
		}
		severity := task.SeverityError
		// Syntax is compile's to judge: the linter reads a Python of its own.
		if slices.Contains(lintMild, code) || code == "invalid-syntax" {
			severity = task.SeverityWarning
		}
		text := fmt.Sprintf("line %d: %s (%s)\n    %s", f.Location.Row, word(f.Message), code, sourceLine(script, f.Location.Row))
		if code == "F821" {
			text += "\nDefine or import it: the script must run as it is."
		}
		out = append(out, told(task.StageLint, severity, f.Location.Row, code+" "+word(f.Message), text))
	}
	return out
}
