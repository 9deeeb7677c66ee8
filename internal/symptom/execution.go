package symptom

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
)

// FromExecution lists the failures and warnings of one execution: what ended
// the main thread first (a signal, a time-out with samples of the stack, an
// exception), then other threads, then warnings in order. The
// observer's record says what they were; the outside (exit code, signal) says
// whether that can be true. Where the observer never spoke, stderr is read.
func FromExecution(ex sandbox.Execution) []Symptom {
	var out []Symptom
	if sig, ok := deadly(ex); ok {
		out = append(out, sig)
	}
	if hang, ok := hanging(ex); ok {
		out = append(out, hang)
	}
	if !ex.Record.Started {
		return append(out, fromStderr(ex)...)
	}
	if Credible(ex) == "" {
		out = append(out, exceptions(ex.Record, true)...)
	}
	out = append(out, exceptions(ex.Record, false)...)
	for _, w := range ex.Record.Warnings {
		out = append(out, fromWarning(w))
	}
	return out
}

// Credible says why the record contradicts what was measured from outside, ""
// when it does not. The script shares the process with the observer and could
// write any record, but not with any exit.
func Credible(ex sandbox.Execution) string {
	r := ex.Record
	main := false
	for _, e := range r.Exceptions {
		main = main || e.Thread == ""
	}
	switch {
	case r.Forged:
		return "something else wrote to the observer's channel"
	case !r.Started || !main || ex.Outcome != sandbox.Exited:
		return ""
	case ex.ExitCode == 0:
		return "an uncaught exception is recorded, yet the process ended with exit code 0"
	case r.SystemExit != "":
		return "an uncaught exception is recorded beside a SystemExit"
	case !printed(r.Exceptions, ex.Stderr):
		return "an uncaught exception is recorded, yet standard error does not show it as the interpreter prints it"
	case !r.Ended && !r.Truncated:
		return "an uncaught exception is recorded, yet the interpreter was ended without its shutdown"
	}
	return ""
}

// shownOf is how much of a message is looked for, in characters that every
// terminal, encoding and frame of a box leaves as they are; a guess: enough to
// tell messages apart, little enough to stand before what a run changes.
const shownOf = 60

// printed says whether what ended the main thread stands on standard error: the
// name of its class and the beginning of its message, whatever a prettier
// printer drew around them or broke into lines.
func printed(all []probe.Exception, stderr string) bool {
	text := letters(stderr, len(stderr))
	return !slices.ContainsFunc(all, func(e probe.Exception) bool {
		message, _, _ := strings.Cut(strings.TrimSpace(e.Message), "\n")
		message, _, _ = strings.Cut(message, "<exception str() failed>")
		message, _, _ = strings.Cut(message, "0x") // an address may be another one by now
		if at := strings.IndexFunc(message, func(r rune) bool { return r > unicode.MaxASCII }); at >= 0 {
			message = message[:at] // written out as the encoding can
		}
		class := e.Type[strings.LastIndexByte(e.Type, '.')+1:]
		return e.Thread == "" && !(strings.Contains(text, letters(class, len(class))) && strings.Contains(text, letters(message, shownOf)))
	})
}

// letters keeps at most n of a text's ASCII letters and digits.
func letters(s string, n int) string {
	var b strings.Builder
	for i := 0; i < len(s) && b.Len() < n; i++ {
		if c := s[i]; '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func exceptions(r probe.Record, main bool) []Symptom {
	var out []Symptom
	for _, e := range r.Exceptions {
		if (e.Thread == "") == main && !r.Forged {
			out = append(out, fromException(e))
		}
	}
	return out
}

func fromException(e probe.Exception) Symptom {
	s := Symptom{Kind: Exception, Exception: e.Type, Bases: e.MRO, Message: e.Message, Frames: fromProbe(e.Frames)}
	for _, c := range e.Chain {
		s.Chain = append(s.Chain, fromException(c))
	}
	return settleObserved(s)
}

// settleObserved looks through wrappers only as far as the script could not
// have written them: what it raises by hand is what it is, and a message that
// came out of native code below the script's line adds no frames.
func settleObserved(s Symptom) Symptom {
	inner, ok := Innermost(s.Frames)
	if !ok || inner.InScript() && inner.RaisesByHand() {
		return settleKind(s)
	}
	n := len(s.Frames)
	out := settle(s)
	if !inner.InLibrary() {
		out.Frames = out.Frames[:n:n]
	}
	trusted(out.Frames[n:])
	return out
}

func fromWarning(w probe.Warning) Symptom {
	s := Symptom{Kind: Warning, Exception: w.Category, Bases: w.MRO, Message: w.Message}
	s.Frames = fromProbe(w.Frames)
	// The place that the warning is blamed on comes last when it is no frame.
	blamed := newFrame(w.File, "", w.Line, "")
	for _, f := range s.Frames {
		if path.Base(f.File) == path.Base(blamed.File) {
			return s
		}
	}
	s.Frames = append([]Frame{blamed}, s.Frames...)
	return s
}

// hanging builds the symptom of a process that did not end: our own time-out,
// measured from outside, and where its main thread was at the last sample. A
// child's main thread counts when the script's own was never seen.
func hanging(ex sandbox.Execution) (Symptom, bool) {
	if ex.Outcome != sandbox.TimedOut {
		return Symptom{}, false
	}
	var last *probe.Stack
	for i := range ex.Record.Stacks {
		st := &ex.Record.Stacks[i]
		if st.Main && len(st.Frames) > 0 && (last == nil || last.Child || !st.Child) {
			last = st
		}
	}
	if last == nil {
		return Symptom{}, false
	}
	return Symptom{Kind: Hang, Frames: fromProbe(last.Frames)}, true
}

// deadly builds the symptom of a process that died of a signal. Only what was
// measured from outside says that it did; log lines and faulthandler's text
// say where. An exit code above 128 is the same thing passed on by a parent
// process, believed only together with faulthandler's text.
func deadly(ex sandbox.Execution) (Symptom, bool) {
	name := ""
	switch {
	case ex.Outcome == sandbox.Signaled:
		name = ex.Signal
	case ex.Outcome == sandbox.Exited && ex.ExitCode > 128 && ex.Record.Fatal != "":
		name = SignalName(ex.ExitCode - 128)
	}
	if name == "" {
		return Symptom{}, false
	}
	s := Symptom{Kind: Signal, Signal: name}
	for _, f := range FromText(ex.Record.Fatal) {
		if f.Kind == Signal && len(f.Frames) > 0 {
			s.Frames = trusted(f.Frames)
		}
	}
	for l := range strings.SplitSeq(ex.Stderr, "\n") {
		if m := fatalMessage(l); m != "" {
			s.FatalLine = m
		}
	}
	return s, true
}

// trusted corrects the place of frames that were read from text but are paths
// of this machine.
func trusted(frames []Frame) []Frame {
	for i := range frames {
		if writable(frames[i].File) || frames[i].File == sandbox.ScriptNm {
			frames[i].Where, frames[i].Package = whereScript, ""
		}
	}
	return frames
}

// fromStderr reads failures from the text when there is no record. With exit
// code 0 a traceback on stderr was caught and printed: no failure.
func fromStderr(ex sandbox.Execution) []Symptom {
	var crashes, warnings []Symptom
	for _, s := range FromText(ex.Stderr) {
		switch {
		case s.Kind == Warning:
			warnings = append(warnings, s)
		case s.Kind == Signal, s.Kind == Hang:
		case ex.Outcome == sandbox.Exited && ex.ExitCode != 0:
			crashes = []Symptom{s} // the last one ended the process
		}
	}
	return append(crashes, warnings...)
}
