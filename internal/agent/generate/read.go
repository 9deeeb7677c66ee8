package generate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/agent/ask"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/pysyntax"
)

const maxTrigger = 300 // runes

// read makes a script of an answer.
func read(in Input, answer ask.Answer) Script {
	code, notes, err := llm.ReadCode(answer.Text)
	if err != nil || strings.TrimSpace(code) == "" {
		return Script{Notes: notes, Feedback: []task.Feedback{noScript(answer, err)}}
	}
	s := Script{Notes: notes}
	var stripped []string
	s.Body, stripped = withoutGiven(code)
	s.Notes = append(s.Notes, stripped...)
	s.Trigger = triggerOf(s.Body)
	if strings.TrimSpace(s.Body) == "" {
		return Script{Notes: s.Notes, Feedback: []task.Feedback{noScript(answer, nil)}}
	}
	if answer.Finish == llm.FinishLength {
		s.Notes = append(s.Notes, "the answer was cut off at its limit")
	}
	s.Feedback = append(s.Feedback, changed(in, s.Body)...)
	s.Feedback = append(s.Feedback, unobserved(in, s.Body)...)
	s.Feedback = append(s.Feedback, unused(s.Body)...)
	for _, f := range s.Feedback {
		s.Notes = append(s.Notes, f.Text)
	}
	return s
}

// noScript says why there is nothing to check.
func noScript(answer ask.Answer, err error) task.Feedback {
	text, signature := "The answer holds no Python script.", "answer: no script"
	switch {
	case answer.Finish == llm.FinishFilter:
		text, signature = "The answer was withheld by the model's provider.", "answer: withheld"
	case strings.TrimSpace(answer.Text) == "":
		text, signature = "The answer was empty.", "answer: empty"
	case answer.Finish == llm.FinishLength:
		text, signature = "The answer was cut off before a script was complete: write a shorter one, without prose.", "answer: cut off"
	case err != nil:
		text = "The answer holds no Python script that can be used: " + ask.OneLine(err.Error(), maxTrigger) + "."
		signature = "answer: " + ask.OneLine(err.Error(), 80)
	}
	return task.Feedback{Stage: task.StageAnswer, Severity: task.SeverityError, Text: text, Signature: signature}
}

var triggerLine = regexp.MustCompile(`(?i)^\s*#+\s*trigger\s*[:=-]\s*(.+)$`)

// triggerOf is the first trigger comment; models put a shebang or a docstring
// before it, so it is not looked for in the first line only.
func triggerOf(body string) string {
	for line := range strings.Lines(body) {
		if m := triggerLine.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			return ask.OneLine(m[1], maxTrigger)
		}
	}
	return ""
}

// given are the names that a script has without a word of its own.
var given = []string{"observe", "control"}

// withoutGiven takes out what a model writes to have observe and control:
// imports, a function of that name, an assignment. The observer gives the real
// ones, and a script that makes its own observes nothing.
func withoutGiven(code string) (string, []string) {
	f := pysyntax.Parse(code)
	var changes []pysyntax.Change
	var notes []string
	drop := func(from, to int, what string) {
		changes = append(changes, pysyntax.Change{Span: pysyntax.Span{Start: from, End: to}})
		notes = append(notes, "taken out: "+what)
	}
	for _, s := range f.Statements {
		if name := makes(s); name != "" {
			drop(s.Span.Start, lineEnd(code, s.Span.End), fmt.Sprintf("the script's own %s in line %d", name, s.Line))
		}
	}
	for _, i := range f.Imports {
		if !i.TopLevel || len(i.Names) == 0 || !slices.ContainsFunc(i.Names, isGiven) {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(i.Names), isGiven)
		if len(rest) == 0 && i.Module != "" {
			drop(i.Span.Start, lineEnd(code, i.Span.End), fmt.Sprintf("an import of observe or control in line %d", i.Line))
		}
	}
	if len(changes) == 0 {
		return code, nil
	}
	return pysyntax.Apply(code, changes), notes
}

func isGiven(n pysyntax.ImportedName) bool { return slices.Contains(given, n.Name) && n.Alias == "" }

var (
	ownFunction = regexp.MustCompile(`^(?:async\s+)?def\s+(observe)\s*\(`)
	ownControl  = regexp.MustCompile(`^(control)\s*(?::\s*bool\s*)?=\s*(?:True|False|bool\(.*\)|os\.(?:environ|getenv).*)\s*(?:#.*)?$`)
)

// makes is the given name that a top-level statement makes, "" for most.
func makes(s pysyntax.Statement) string {
	for _, form := range []*regexp.Regexp{ownFunction, ownControl} {
		if m := form.FindStringSubmatch(strings.TrimSpace(s.Text)); m != nil {
			return m[1]
		}
	}
	return ""
}

// lineEnd is the end of the line, its end mark included, when nothing but blanks
// and a comment follow; else the same place.
func lineEnd(code string, at int) int {
	at = min(at, len(code))
	rest, _, found := strings.Cut(code[at:], "\n")
	if trimmed := strings.TrimSpace(rest); trimmed != "" && !strings.HasPrefix(trimmed, "#") {
		return at
	}
	at += len(rest)
	if found {
		at++
	}
	return at
}

// unobserved warns of values that the script should observe and does not name.
func unobserved(in Input, body string) []task.Feedback {
	var missing []string
	for _, o := range in.Observations {
		if !strings.Contains(body, `"`+o.Name+`"`) && !strings.Contains(body, `'`+o.Name+`'`) {
			missing = append(missing, o.Name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return []task.Feedback{{
		Stage:     task.StageAnswer,
		Severity:  task.SeverityWarning,
		Text:      "The script does not observe " + strings.Join(missing, ", ") + ".",
		Signature: "answer: unobserved " + strings.Join(missing, ","),
	}}
}

// unused warns of a script without observe or control: it may show the symptom,
// and nothing then shows that the symptom is the trigger's.
func unused(body string) []task.Feedback {
	used := map[string]bool{}
	for _, n := range pysyntax.Parse(body).Undefined() {
		used[n.Name] = true
	}
	var out []task.Feedback
	for _, w := range []struct{ name, text string }{
		{"control", "The script never asks for control: there is no run without the trigger."},
		{"observe", "The script observes nothing: put observe(\"name\", value) right after the judged call."},
	} {
		if !used[w.name] {
			out = append(out, task.Feedback{Stage: task.StageAnswer, Severity: task.SeverityWarning, Text: w.text, Signature: "answer: no " + w.name})
		}
	}
	return out
}
