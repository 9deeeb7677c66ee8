package oracle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// judgeHang: the execution does not end within our limit, and at two moments or
// more its main thread is in the subject. Our limit alone says nothing: scripts
// sleep, wait for input or are slow by themselves. The control ends, or the
// subject raises on purpose.
func judgeHang(e Expectation, ex sandbox.Execution) Judgement {
	if ex.Outcome == sandbox.TimedOut {
		return timedOut(e, ex)
	}
	if ended(ex) {
		return clean("the script ran to its end")
	}
	s, failed := mainFailure(ex)
	if failed && raisesInstead(e, s) {
		j := clean("the subject raises an exception of its own instead: " + headline(s))
		j.Observed = s
		return j
	}
	return unfinished(e, ex)
}

// raisesInstead: the subject refuses on purpose what it hung on. Not where the
// isolation is the reason: one release waits for the network for ever, the next
// one says that there is none.
func raisesInstead(e Expectation, s symptom.Symptom) bool {
	if s.Kind == symptom.Signal || s.Kind == symptom.ImportError || !fromSubject(e, s) || goneByHand(s) {
		return false
	}
	if what, _ := isolationFault(s); what != "" {
		return false
	}
	inner, _ := symptom.Innermost(s.Frames)
	return inner.RaisesByHand()
}

// timedOut reads the stack samples of an execution that our limit ended.
func timedOut(e Expectation, ex sandbox.Execution) Judgement {
	limit, _ := preflight(ex)
	if ex.Record.Forged {
		limit.Fault, limit.Limit = FaultForged, false
		return limit
	}
	if strings.HasPrefix(ex.LimitHit, "cpu") && ex.WallSeconds > 0 && ex.WallSeconds < minHang {
		limit.Reasons = append(limit.Reasons, "it was ended so early that it may only be slow")
		return limit
	}
	where, why := stuck(e, ex.Record.Stacks)
	if why != "" {
		limit.Reasons = append(limit.Reasons, why)
		return limit
	}
	if why := elsewhere(e, where); why != "" {
		return Judgement{
			Finding: Collided, Observed: symptom.Symptom{Kind: symptom.Hang, Frames: where.frames},
			Match: symptom.Match{Relation: symptom.Elsewhere}, Reasons: []string{why},
		}
	}
	j := hitOf(symptom.Hang, symptom.FieldMatch{Field: "frame", Expected: "in " + orSubject(e), Observed: where.place}, e,
		fmt.Sprintf("it did not end (%s) and was in %s in each of %d samples%s", orLimit(ex), where.place, where.samples, where.process))
	j.Observed.Frames = where.frames
	return j
}

// minHang is how long, in seconds, a busy loop must have gone on (guess: a
// quarter of a minute of work that a good release does not do).
const minHang = 15

// orLimit names our limit, for reasons.
func orLimit(ex sandbox.Execution) string {
	if ex.LimitHit == "" {
		return "our limit"
	}
	return ex.LimitHit
}

// orSubject names the subject, for reasons.
func orSubject(e Expectation) string {
	if e.Subject == "" {
		return "a library"
	}
	return e.Subject
}

// place is where every sample found it.
type stuckAt struct {
	place   string
	process string
	frames  []symptom.Frame // of the last sample
	samples int
}

// stuck finds the subject on the main thread's stack in every sample, or why it
// is not there. A main thread that waits for its children hands the question on
// to them (rule 12: a hang samples the whole process tree).
func stuck(e Expectation, stacks []probe.Stack) (at stuckAt, why string) {
	main := mainStacks(stacks, "")
	if len(main) < 2 {
		return at, fmt.Sprintf("%d samples of its main thread were taken, two are needed to tell a hang from a long run", len(main))
	}
	at, why = inSubject(e, main)
	if why == "" || !waitsForChildren(main) {
		return at, why
	}
	for _, thread := range childThreads(stacks) {
		if child, no := inSubject(e, mainStacks(stacks, thread)); no == "" {
			child.process = ", in a child process that the script waits for"
			return child, ""
		}
	}
	return at, why
}

// mainStacks are the frames of the main thread of the script's own process, or
// of the children's threads of that name.
func mainStacks(stacks []probe.Stack, child string) [][]symptom.Frame {
	var out [][]symptom.Frame
	for _, s := range stacks {
		if s.Main && len(s.Frames) > 0 && s.Child == (child != "") && (child == "" || s.Thread == child) {
			out = append(out, stackFrames(s.Frames))
		}
	}
	return out
}

// childThreads tells children apart by their thread; their dumps carry no process
// number.
func childThreads(stacks []probe.Stack) []string {
	var names []string
	for _, s := range stacks {
		if s.Child && s.Main && !slices.Contains(names, s.Thread) {
			names = append(names, s.Thread)
		}
	}
	return names
}

// stackFrames makes the observer's frames stable ones, by the recogniser that
// does so for exceptions.
func stackFrames(frames []probe.Frame) []symptom.Frame {
	ex := sandbox.Execution{Outcome: sandbox.Exited, ExitCode: 1, Record: probe.Record{
		Started: true, Ended: true, Exceptions: []probe.Exception{{Thread: "sampled", Type: "Stack", Frames: frames}},
	}}
	for _, s := range symptom.FromExecution(ex) {
		return s.Frames
	}
	return nil
}

// inSubject asks that every sample is in the subject: its innermost frame that is
// not the standard library's is a library's, and the subject is on the stack. The
// script's own sleep, input or loop is the script's.
func inSubject(e Expectation, samples [][]symptom.Frame) (at stuckAt, why string) {
	if len(samples) < 2 {
		return at, "too few samples"
	}
	for _, frames := range samples {
		inner, ok := symptom.Innermost(frames)
		switch {
		case !ok:
			return at, "no frame of a package was on the stack"
		case inner.InScript():
			return at, fmt.Sprintf("it was in the script's own code (line %d in %s), not in a library", inner.Line, inner.Function)
		case !inner.InLibrary():
			return at, "it was outside any installed package: " + frameName(inner)
		case slices.ContainsFunc(frames, onNetwork):
			return at, "it was waiting for the network, which the isolation withholds"
		case importing(frames) && !importMeant.MatchString(e.Symptom.Message):
			return at, "it was still importing, which was not reported"
		}
		own, ok := subjectFrame(e, frames)
		if !ok {
			return at, fmt.Sprintf("%s was not on the stack; it was in %s", orSubject(e), frameName(inner))
		}
		at.place, at.frames = frameName(own), frames
	}
	at.samples = len(samples)
	return at, ""
}

// network are the files and packages through which Python programs reach it.
var network = lazyre.New(`^(?:socket|ssl|ftplib|smtplib|http/client|urllib/request)\.py$|^(?:urllib3|requests|httpx|httpcore|aiohttp|botocore|pycurl|websockets?)/`)

// onNetwork says that a frame waits for the network or prepares to.
func onNetwork(f symptom.Frame) bool { return !f.InScript() && network.MatchString(f.File) }

// importMeant: the report itself speaks of importing.
var importMeant = lazyre.New(`(?i)\bimport(?:s|ing|ed)?\b`)

// importing says that an import is under way anywhere on the stack.
func importing(frames []symptom.Frame) bool {
	return slices.ContainsFunc(frames, func(f symptom.Frame) bool { return strings.HasPrefix(f.File, "<frozen importlib") })
}

// subjectFrame is the innermost frame of the subject, of any library when the
// modules of the subject are not known.
func subjectFrame(e Expectation, frames []symptom.Frame) (symptom.Frame, bool) {
	for i := len(frames) - 1; i >= 0; i-- {
		if f := frames[i]; f.InLibrary() && (len(e.Modules) == 0 || ofModules(e.Modules, f)) {
			return f, true
		}
	}
	return symptom.Frame{}, false
}

// waiting are files of the standard library in which a parent waits for children.
var waiting = lazyre.New(`^(?:subprocess|selectors|multiprocessing/\w+|concurrent/futures/\w+|threading)\.py$`)

// waitsForChildren: in every sample the script has called into the standard
// library and waits there.
func waitsForChildren(samples [][]symptom.Frame) bool {
	return !slices.ContainsFunc(samples, func(frames []symptom.Frame) bool {
		return len(frames) == 0 || !waiting.MatchString(frames[len(frames)-1].File)
	})
}

// elsewhere: the report says where it hangs, and this is not there.
func elsewhere(e Expectation, at stuckAt) string {
	if e.Cost != nil && e.Cost.Line > 0 && at.process == "" {
		i := lastScript(at.frames)
		outer := slices.IndexFunc(at.frames, symptom.Frame.InScript)
		if i >= 0 && !near(e.Cost.Line, at.frames[i].Line) && !near(e.Cost.Line, at.frames[outer].Line) {
			return fmt.Sprintf("it hangs at line %d of the script, the report says line %d", at.frames[outer].Line, e.Cost.Line)
		}
	}
	stated := false
	for _, want := range e.Symptom.Frames {
		if !want.InLibrary() || want.Function == "" {
			continue
		}
		stated = true
		if slices.ContainsFunc(at.frames, func(f symptom.Frame) bool { return f.Function == want.Function }) {
			return ""
		}
	}
	if stated {
		return "it hangs in " + at.place + ", and no function of the reporter's own stack is there"
	}
	return ""
}

// frameName is a frame without its line, which moves between releases.
func frameName(f symptom.Frame) string {
	if f.Function == "" {
		return f.File
	}
	return f.File + " in " + f.Function
}
