package sections

import (
	"fmt"
	"strings"

	"github.com/repgen/repgen/internal/agent/ask"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/symptom"
)

const (
	maxExpectation  = 500
	maxObservations = 500
	// maxMessage bounds an exception's message, in runes.
	maxMessage = 400
	// maxStated bounds how many printed lines are named.
	maxStated = 12
)

// Expectation is what a script must show, in words. Never the rule by which it
// is judged: a script that is written to please a rule shows nothing.
func Expectation(e *oracle.Expectation) ask.Section {
	s := ask.Section{Name: "What must be shown", Priority: 0, Max: maxExpectation}
	if e == nil {
		return s
	}
	s.Text = strings.TrimSpace(words(e))
	if s.Text != "" && e.Subject != "" {
		s.Text += "\nIt must come from the package " + e.Subject + ": out of its code or of what that calls, not out of a line of the script."
	}
	return s
}

func words(e *oracle.Expectation) string {
	switch e.Oracle {
	case oracle.OracleException, oracle.OracleImportError:
		return raised(e.Symptom)
	case oracle.OracleMissingException:
		return "The call passes where it should raise " + wanted(e.Wanted) + "."
	case oracle.OracleSignal:
		return died(e)
	case oracle.OracleWarning:
		return "This warning comes: " + header(e.Symptom)
	case oracle.OraclePrinted, oracle.OracleAssert:
		return printed(e)
	case oracle.OracleHang:
		return "The call does not return."
	case oracle.OracleSlow:
		return "The call takes much longer than it should."
	case oracle.OracleMemory:
		return "Memory grows with every call."
	case oracle.OracleSpread:
		return "Equal calls give different results."
	case oracle.OracleDuplicates:
		return "Something comes twice that should come once."
	case oracle.OracleNonFinite, oracle.OracleShape:
		return value(e.Value)
	case oracle.OracleLearning:
		return series(e.Series)
	}
	return ""
}

func raised(s symptom.Symptom) string {
	text := "The script ends with this exception, uncaught:\n" + header(s)
	if f, ok := symptom.Innermost(s.Frames); ok && f.InLibrary() {
		text += "\nraised in " + f.File
		if f.Function != "" {
			text += ", function " + f.Function
		}
	}
	return text
}

// header is the last line of a traceback.
func header(s symptom.Symptom) string {
	name := s.Exception
	if s.Message == "" {
		return name
	}
	return name + ": " + ask.OneLine(s.Message, maxMessage)
}

func wanted(class string) string {
	if class == "" {
		return "an exception"
	}
	return class
}

func died(e *oracle.Expectation) string {
	text := "The process dies of " + e.Symptom.Signal
	if e.Symptom.Signal == "" {
		text = "The process dies of a signal"
	}
	if e.Symptom.FatalLine != "" {
		text += " after the line: " + ask.OneLine(e.Symptom.FatalLine, maxMessage)
	}
	if e.Wanted != "" {
		text += "\nwhere it should raise " + e.Wanted
	}
	return text
}

func printed(e *oracle.Expectation) string {
	var b strings.Builder
	if p := e.Printed; p != nil {
		stated(&b, "The reporter got this output:", p.Actual)
		stated(&b, "and expected this:", p.Expected)
	}
	for _, c := range e.Compare {
		fmt.Fprintf(&b, "The reporter compares %s with %s.\n", c.Left, c.Right)
	}
	return b.String()
}

func stated(b *strings.Builder, lead string, lines []oracle.Line) {
	if len(lines) == 0 {
		return
	}
	b.WriteString(lead + "\n")
	for _, l := range lines[:min(len(lines), maxStated)] {
		b.WriteString("  " + l.Text + "\n")
	}
}

func value(v *oracle.Value) string {
	if v == nil {
		return ""
	}
	target := v.Target
	if target == "" {
		target = "a result"
	}
	text := fmt.Sprintf("The %s of %s is wrong", v.Property, target)
	if v.Property == "finite" {
		text = target + " is not finite"
	}
	if v.Actual != "" {
		text += ": it is " + v.Actual
	}
	if v.Expected != "" {
		text += ", it should be " + v.Expected
	}
	return text + "."
}

func series(s *oracle.Series) string {
	if s == nil {
		return ""
	}
	label := s.Label
	if label == "" {
		label = "the printed number"
	}
	return fmt.Sprintf("Over the training %s does not do what it should (%s).", label, s.Want)
}

// Observations are the values that a script must observe. How they are judged
// is not said.
func Observations(all []task.Observation) ask.Section {
	var b strings.Builder
	for _, o := range all {
		fmt.Fprintf(&b, "observe(%q, ...)  # %s", o.Name, o.Type)
		if o.Means != "" {
			b.WriteString(": " + ask.OneLine(o.Means, maxMessage))
		}
		b.WriteByte('\n')
	}
	return ask.Section{Name: "Values to observe", Text: b.String(), Priority: 0, Max: maxObservations}
}
