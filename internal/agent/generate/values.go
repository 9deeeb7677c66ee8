package generate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
)

// maxChanged values are named; a script that lost more was written anew.
const maxChanged = 10

// changed warns of numbers in the reporter's code that the script does not have.
// Models change them without a word (measured with a small one: in two of six
// scripts), and the value is often the bug.
func changed(in Input, body string) []task.Feedback {
	theirs := numbersOf(reporters(in))
	if len(theirs) == 0 {
		return nil
	}
	ours := numbersOf(body)
	var gone []string
	for _, n := range theirs {
		if !slices.ContainsFunc(ours, func(o number) bool { return o.value == n.value }) {
			gone = append(gone, n.text)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	named := strings.Join(gone[:min(len(gone), maxChanged)], ", ")
	if len(gone) > maxChanged {
		named += fmt.Sprintf(" and %d more", len(gone)-maxChanged)
	}
	return []task.Feedback{{
		Stage:     task.StageAnswer,
		Severity:  task.SeverityWarning,
		Text:      "These values of the reporter's code are not in the script: " + named + ". Keep them, unless they only make it large.",
		Signature: "answer: changed values",
	}}
}

// reporters is the code that the reporter wrote.
func reporters(in Input) string {
	if in.Script != "" || in.Report == nil {
		return in.Script
	}
	var all []string
	for _, b := range in.Report.Blocks {
		switch b.Kind {
		case report.BlockPython:
			all = append(all, b.Text)
		case report.BlockREPL:
			for _, c := range b.Cells {
				all = append(all, c.Code)
			}
		}
	}
	return strings.Join(all, "\n")
}

type number struct {
	text  string
	value float64
}

// numbersOf are the different numbers of a script, in order. Those that stand in
// every script say nothing.
func numbersOf(src string) []number {
	if strings.TrimSpace(src) == "" {
		return nil
	}
	var all []number
	for _, l := range pysyntax.Split(src).Literals {
		v, ok := valueOf(l.Text)
		if !ok || v == 0 || v == 1 || v == 2 {
			continue
		}
		if !slices.ContainsFunc(all, func(n number) bool { return n.value == v }) {
			all = append(all, number{l.Text, v})
		}
	}
	return all
}

// valueOf reads a number as Python writes it; a complex one is none here.
func valueOf(text string) (float64, bool) {
	text = strings.ToLower(strings.ReplaceAll(text, "_", ""))
	if i, err := strconv.ParseInt(text, 0, 64); err == nil {
		return float64(i), true
	}
	if text == "nan" || strings.Contains(text, "inf") || strings.HasPrefix(text, "0x") {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}
