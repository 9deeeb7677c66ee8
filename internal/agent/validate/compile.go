package validate

import (
	"fmt"

	"github.com/repgen/repgen/internal/agent/task"
)

// checkCompile puts into words what the environment's own compile() said.
func checkCompile(a *compileAnswer, python, script string) []task.Feedback {
	if a == nil {
		return nil
	}
	if e := a.Error; e != nil {
		text := fmt.Sprintf("%s: %s", e.Type, e.Message)
		if e.Line > 0 {
			text = fmt.Sprintf("line %d: %s\n    %s", e.Line, text, sourceLine(script, e.Line))
		}
		return []task.Feedback{told(task.StageCompile, task.SeverityError, e.Line, e.Type+": "+e.Message,
			fmt.Sprintf("Python %s cannot compile the script.\n%s", python, text))}
	}
	var out []task.Feedback
	for _, w := range a.Warnings {
		out = append(out, told(task.StageCompile, task.SeverityWarning, w.Line, w.Category+": "+w.Message,
			fmt.Sprintf("line %d: %s: %s", w.Line, w.Category, w.Message)))
	}
	return out
}
