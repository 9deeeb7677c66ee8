package sections

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/agent/ask"
	"github.com/repgen/repgen/internal/agent/task"
)

const (
	maxPlan     = 900
	maxScript   = 2500
	maxFeedback = 1500
	maxEarlier  = 1200
	// earlierScript bounds the script of an attempt that is not the newest.
	earlierScript = 250
	// earlierAttempts are shown: what is older was answered since.
	earlierAttempts = 3
)

// Plan is a plan. A nil one gives an empty section.
func Plan(p *task.Plan) ask.Section {
	s := ask.Section{Name: "The plan", Priority: 1, Max: maxPlan}
	if p == nil {
		return s
	}
	var b strings.Builder
	for i, step := range p.Steps {
		fmt.Fprintf(&b, "%d. %s", i+1, step.Do)
		if step.Values != "" {
			b.WriteString(" | values: " + step.Values)
		}
		if step.Shows != "" {
			b.WriteString(" | shows: " + step.Shows)
		}
		b.WriteByte('\n')
	}
	if len(p.Names) > 0 {
		b.WriteString("Uses: " + strings.Join(p.Names, ", ") + "\n")
	}
	if p.Trigger != "" {
		b.WriteString("Trigger: " + p.Trigger + "\n")
	}
	s.Text = b.String()
	return s
}

// Script is a script of the reporter's.
func Script(text string) ask.Section {
	return ask.Section{Name: "The reporter's script", Text: text, Priority: 0, Max: maxScript, Keep: ask.KeepEnds}
}

// Feedback is what was said of the last attempt, errors first.
func Feedback(all []task.Feedback) ask.Section {
	return ask.Section{Name: "What came of it", Text: feedback(all), Changing: true, Priority: 0, Max: maxFeedback, Keep: ask.KeepEnds}
}

func feedback(all []task.Feedback) string {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b task.Feedback) int { return rank(a) - rank(b) })
	var b strings.Builder
	for _, f := range all {
		fmt.Fprintf(&b, "[%s, %s", f.Stage, f.Severity)
		if f.Line > 0 {
			fmt.Fprintf(&b, ", line %d", f.Line)
		}
		text, _ := ask.Cut(strings.TrimSpace(f.Text), task.MaxFeedback/4, ask.KeepEnds)
		b.WriteString("] " + text + "\n")
	}
	return b.String()
}

func rank(f task.Feedback) int {
	if f.Severity == task.SeverityError {
		return 0
	}
	return 1
}

// Earlier are the attempts before the last, shortened, newest first.
func Earlier(attempts []task.Attempt) ask.Section {
	s := ask.Section{Name: "Earlier attempts, shortened, newest first", Changing: true, Priority: 2, Max: maxEarlier}
	var b strings.Builder
	for i, shown := len(attempts)-2, 0; i >= 0 && shown < earlierAttempts; i, shown = i-1, shown+1 {
		a := attempts[i]
		script, _ := ask.Cut(strings.TrimSpace(a.Script), earlierScript, ask.KeepEnds)
		came, _ := ask.Cut(feedback(a.Feedback), earlierScript/2, ask.KeepEnds)
		fmt.Fprintf(&b, "Attempt %d:\n%s\n%s\n", a.Number, script, came)
	}
	s.Text = b.String()
	return s
}
