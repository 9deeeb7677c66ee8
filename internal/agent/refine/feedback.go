package refine

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/agent/task"
)

// maxMerged bounds the text of all feedback on one attempt, in bytes: three
// full ones. A guess: later stages are not entered after an error, so that more
// are warnings.
const maxMerged = 3 * task.MaxFeedback

// Merge puts the feedback of several sources into one list: errors first, then
// by stage and line, equal failures once, each cut to task.MaxFeedback and all
// together to three times that. What does not fit is left out from the end.
func Merge(lists ...[]task.Feedback) []task.Feedback {
	all := slices.Concat(lists...)
	slices.SortStableFunc(all, func(a, b task.Feedback) int {
		if a.Severity != b.Severity {
			return weight(a.Severity) - weight(b.Severity)
		}
		if d := Rank(a.Stage) - Rank(b.Stage); d != 0 {
			return d
		}
		return a.Line - b.Line
	})
	seen := map[string]bool{}
	var out []task.Feedback
	size := 0
	for _, f := range all {
		key := string(f.Stage) + "\x00" + f.Signature
		if f.Signature == "" {
			key += f.Text
		}
		f.Text = cut(f.Text, task.MaxFeedback)
		if seen[key] || len(out) > 0 && size+len(f.Text) > maxMerged {
			continue
		}
		seen[key] = true
		size += len(f.Text)
		out = append(out, f)
	}
	return out
}

func weight(s task.Severity) int {
	if s == task.SeverityError {
		return 0
	}
	return 1
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	const dots = "..."
	return strings.ToValidUTF8(s[:n-len(dots)], "") + dots
}

// Blind are the attempts as a prompt may show them where feedback from runs is
// switched off: what a run, its judgement and its control said is left out, and
// that there was one.
func Blind(attempts []task.Attempt) []task.Attempt {
	out := slices.Clone(attempts)
	for i := range out {
		a := &out[i]
		a.Hit, a.Clean, a.Headline = false, false, ""
		a.Feedback = slices.DeleteFunc(slices.Clone(a.Feedback), func(f task.Feedback) bool { return Ran(f.Stage) })
		if Ran(a.Reached) {
			a.Reached = task.StageRefused // the last stage before a run
		}
	}
	return out
}
