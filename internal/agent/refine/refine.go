// Package refine decides how the attempts at one context go on: what of their
// feedback the next prompt needs, when they have come to a dead end, and which
// of many scripts failed alike.
package refine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/agent/task"
)

// patience is how many attempts in a row may fail alike: a model that was told
// twice what is wrong and does it again does not learn it from a third telling.
const patience = 3

// DeadEnd says why the attempts at one context, in order, lead nowhere; "" when
// another one is worth making. What repeats is noticed with the third attempt
// from where it began, an identical script with the second.
func DeadEnd(attempts []task.Attempt) (why string) {
	if len(attempts) < 2 {
		return ""
	}
	last := attempts[len(attempts)-1]
	for _, a := range slices.Backward(attempts[:len(attempts)-1]) {
		if Same(a.Script, last.Script) {
			return fmt.Sprintf("attempt %d wrote the script of attempt %d again", last.Number, a.Number)
		}
	}
	marks := make([]string, len(attempts))
	for i, a := range attempts {
		marks[i] = Mark(a)
	}
	n := len(marks)
	switch {
	case n < patience:
		return ""
	case alike(marks[n-patience:]):
		return fmt.Sprintf("attempts %d to %d failed alike (%s)", attempts[n-patience].Number, last.Number, last.Reached)
	case marks[n-1] == marks[n-3]:
		return fmt.Sprintf("attempts %d to %d go back and forth between two failures", attempts[n-3].Number, last.Number)
	case !anyNews(attempts, marks):
		return fmt.Sprintf("attempts %d and %d showed nothing that was not known", attempts[n-2].Number, last.Number)
	}
	return ""
}

func alike(marks []string) bool {
	return !slices.ContainsFunc(marks, func(m string) bool { return m != marks[0] })
}

// anyNews: one of the last two attempts failed in a way not seen before, or
// came further than all before it.
func anyNews(attempts []task.Attempt, marks []string) bool {
	for i := len(attempts) - 2; i < len(attempts); i++ {
		further := !slices.ContainsFunc(attempts[:i], func(a task.Attempt) bool {
			return Rank(a.Reached) >= Rank(attempts[i].Reached)
		})
		if further || !slices.Contains(marks[:i], marks[i]) {
			return true
		}
	}
	return false
}

// Mark is equal for attempts that failed alike: the signatures of their errors,
// or, where there is none, how far they came and what they showed.
func Mark(a task.Attempt) string {
	var signatures []string
	for _, f := range a.Feedback {
		if f.Severity == task.SeverityError {
			signatures = append(signatures, string(f.Stage)+":"+f.Signature)
		}
	}
	if len(signatures) == 0 {
		return fmt.Sprintf("%s hit=%t clean=%t %s", a.Reached, a.Hit, a.Clean, a.Headline)
	}
	slices.Sort(signatures)
	return strings.Join(slices.Compact(signatures), "\n")
}

// order of the stages, as they are entered.
var order = []task.Stage{
	task.StageAnswer, task.StageParse, task.StageCompile, task.StageLint, task.StageNames, task.StageRelevance,
	task.StageRefused, task.StageRun, task.StageOracle, task.StageControl, task.StageProof,
}

// Rank orders stages by how far an attempt came; an unknown one is the first.
func Rank(s task.Stage) int { return max(slices.Index(order, s), 0) }

// Ran says that a stage is one of those for which a script is executed.
func Ran(s task.Stage) bool { return Rank(s) >= Rank(task.StageRun) }
