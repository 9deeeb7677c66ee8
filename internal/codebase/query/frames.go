package query

import (
	"strings"

	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// failure is the class and the message of the report's last traceback: with
// several it is mostly the one that ended the program.
func failure(r *report.Report) (exception, message string) {
	for i := len(r.Tracebacks) - 1; i >= 0; i-- {
		s := r.Tracebacks[i].Symptom
		exception, message = lastName(s.Exception), CleanMessage(s.Message)
		if message == "" {
			message = CleanMessage(s.FatalLine)
		}
		if exception != "" || message != "" {
			return exception, message
		}
	}
	return "", ""
}

// lastName is the class without its module.
func lastName(dotted string) string { return dotted[strings.LastIndexByte(dotted, '.')+1:] }

var (
	address = lazyre.New(`\b0x[0-9a-fA-F]+\b`)
	uuid    = lazyre.New(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`)
	anyPath = lazyre.New(`(?:[A-Za-z]:\\|~?/)[\w.+@\\/-]+`)
	// number is one that stands alone: the 2 of "conv2d" is part of a name.
	number = lazyre.New(`[-+]?\b\d[\d_]*(?:\.\d*)?(?:[eE][-+]?\d+)?\b`)
	// holes are brackets that lost their numbers; "len()" has none to lose.
	holes = lazyre.New(`[(\[{][\s,;]+[)\]}]|\s+`)
)

// maxMessage cuts messages that print whole tensors (guess).
const maxMessage = 600

// CleanMessage is a message without addresses, paths and numbers, which differ
// between machines and stand in no source.
func CleanMessage(s string) string {
	s = clip(s, 4*maxMessage)
	for _, re := range []*lazyre.Regexp{address, uuid, anyPath, number} {
		s = re.ReplaceAllString(s, " ")
	}
	for range 3 { // nested brackets empty out from inside
		s = holes.ReplaceAllString(s, " ")
	}
	return clip(strings.TrimSpace(s), maxMessage)
}

// frames are those of all tracebacks, innermost first, each once. The last
// traceback comes first, and a cause before what it caused.
func frames(r *report.Report) []Frame {
	var out []Frame
	seen := map[Frame]bool{}
	for i := len(r.Tracebacks) - 1; i >= 0; i-- {
		s := r.Tracebacks[i].Symptom
		for _, c := range s.Chain {
			out = addFrames(out, c.Frames, seen)
		}
		out = addFrames(out, s.Frames, seen)
	}
	if len(out) > maxFrames {
		out = out[:maxFrames]
	}
	return out
}

// addFrames appends the frames of one traceback, innermost first.
func addFrames(out []Frame, frames []symptom.Frame, seen map[Frame]bool) []Frame {
	for i := len(frames) - 1; i >= 0; i-- {
		f := frames[i]
		// Typed code and compiled modules are in no project's source.
		if f.File == "" || strings.HasPrefix(f.File, "<") || !strings.Contains(f.File, ".py") {
			continue
		}
		q := Frame{File: f.File, Function: f.Function, Line: f.Line, Source: f.Source}
		if seen[q] {
			continue
		}
		seen[q] = true
		q.Depth = len(frames) - 1 - i
		out = append(out, q)
	}
	return out
}
