package validate

import (
	"strings"

	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/inert"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// dottedForm keeps anything but a dotted name out of what is asked and told.
var dottedForm = lazyre.New(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$`)

// maxSignature bounds Feedback.Signature: a normalised first line is far shorter.
const maxSignature = 200

// told makes one feedback. about is what equal failures have in common; it is
// normalised, so numbers, addresses and paths in it do not count.
func told(stage task.Stage, severity task.Severity, line int, about, text string) task.Feedback {
	return task.Feedback{
		Stage: stage, Severity: severity, Line: max(0, line),
		Text:      clip(strings.TrimSpace(inert.Text(text)), task.MaxFeedback),
		Signature: signature(stage, about),
	}
}

// signature says what a failure is, once everything that differs between two runs
// of the same script is gone.
func signature(stage task.Stage, about string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(inert.Text(clip(about, 4*maxWord))), "\n")
	return string(stage) + ": " + clip(symptom.Normalise(first), maxSignature)
}

// clip cuts a text to n bytes at a rune's edge and shows that it did.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	const sign = " …"
	return strings.ToValidUTF8(s[:max(0, n-len(sign))], "") + sign
}

// sourceLine is line n of a script, 1-based, without its indentation.
func sourceLine(script string, n int) string {
	for line := range strings.SplitSeq(script, "\n") {
		if n--; n == 0 {
			return clip(strings.TrimSpace(line), maxWord)
		}
	}
	return ""
}

// oneOf joins names for a sentence: "a, b or c".
func oneOf(names []string) string {
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " or " + names[n-1]
	}
}
