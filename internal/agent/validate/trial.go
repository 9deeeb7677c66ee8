package validate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/inert"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// FromTrial says what one run and its control showed: of the run when it did
// not come to its end, else of the oracle, else of the control. Empty: the
// symptom came and the control ran clean. Whether the symptom came is the
// trial's own to say (Judgement.Finding): an error of the stage control means
// that the control is worth another attempt, and other releases may still prove
// what the run showed. c tells where the model's own lines begin; nil: there is
// no shim.
func FromTrial(t *proof.Trial, c *candidate.Candidate) []task.Feedback {
	if t == nil {
		return nil
	}
	v := viewOf(t.Expectation, c)
	switch j := t.Judgement; {
	case t.Unavailable != nil:
		return []task.Feedback{environmentFault("unavailable", "", "The environment cannot be had: "+t.Unavailable.Why)}
	case j.Finding == oracle.Hit:
		return v.control(t, c)
	case j.Fault != "":
		return v.fault(j, t.Execution)
	case j.Limit, died(t.Execution) && j.Finding != oracle.Clean:
		return []task.Feedback{v.run(task.StageRun, "The run", t.Execution, j)}
	default:
		return []task.Feedback{v.absent(t.Execution, j)}
	}
}

// view is what one trial is read with.
type view struct {
	exp    oracle.Expectation
	shift  int    // lines of the shim before the model's own
	script string // with the shim
}

// viewOf knows the shim by the origin: the scripts of people have none.
func viewOf(e oracle.Expectation, c *candidate.Candidate) view {
	v := view{exp: e}
	if c != nil {
		v.script = c.Script
		if c.Origin == "agent" {
			v.shift = candidate.ShimLines
		}
	}
	return v
}

// died: the process did not come to an end of its own.
func died(ex sandbox.Execution) bool {
	return ex.Outcome != sandbox.Exited || ex.ExitCode != 0
}

const environmentPrefix = "environment: "

// environmentFault is a feedback that no model is shown.
func environmentFault(fault, detail, text string) task.Feedback {
	f := told(task.StageRun, task.SeverityError, 0, "", text)
	f.Signature = clip(strings.TrimSpace(environmentPrefix+fault+" "+word(detail)), maxSignature)
	return f
}

// EnvironmentFault says whether a feedback blames the environment and not the
// script: it goes to whoever makes environments and never to a model. detail is
// the missing module or library, where known.
func EnvironmentFault(f task.Feedback) (detail string, ok bool) {
	rest, ok := strings.CutPrefix(f.Signature, environmentPrefix)
	if !ok {
		return "", false
	}
	_, detail, _ = strings.Cut(rest, " ")
	return detail, true
}

// ForModel leaves out what blames the environment: a model cannot change it, and
// would change a good script for it.
func ForModel(list []task.Feedback) []task.Feedback {
	return slices.DeleteFunc(slices.Clone(list), func(f task.Feedback) bool {
		_, environment := EnvironmentFault(f)
		return environment
	})
}

// fault tells apart what the environment lacks and what the script asks for by a
// wrong name. By the time there is a trial, the ladder has added what it could.
func (v view) fault(j oracle.Judgement, ex sandbox.Execution) []task.Feedback {
	switch j.Fault {
	case oracle.FaultForged:
		return []task.Feedback{told(task.StageRefused, task.SeverityError, 0, "forged record",
			"The script wrote to the observer's own channel. Use observe(name, value) and nothing behind it.")}
	case oracle.FaultNoRecord, oracle.FaultContradicted:
		f := v.run(task.StageRun, "The run", ex, j)
		f.Text = clip("Nothing that the interpreter recorded says how far the script came: let it end by itself, without os._exit or a process of its own.\n"+f.Text, task.MaxFeedback)
		return []task.Feedback{f}
	}
	inner, ok := symptom.Innermost(j.Observed.Frames)
	if j.Fault == oracle.FaultMissingLibrary || !ok || !inner.InScript() {
		return []task.Feedback{environmentFault(j.Fault, j.Detail, "The environment lacks "+word(j.Detail)+": "+headline(j.Observed))}
	}
	f := v.run(task.StageRun, "The run", ex, j)
	if j.Fault == oracle.FaultMissingModule {
		f.Text = clip("No installed package has the module "+word(j.Detail)+", and none could be added: do without it.\n"+f.Text, task.MaxFeedback)
	}
	return []task.Feedback{f}
}

// run puts into words how one execution ended that came to no end of its own.
func (v view) run(stage task.Stage, what string, ex sandbox.Execution, j oracle.Judgement) task.Feedback {
	s := ending(ex, j)
	var b strings.Builder
	about := v.howEnded(&b, what, ex, s)
	if len(s.Frames) > 0 {
		v.frames(&b, s.Frames)
	}
	chain(&b, s)
	for _, r := range j.Reasons[:min(len(j.Reasons), 2)] {
		if j.Fault == "" && !j.Limit && !strings.Contains(r, s.Exception+": ") {
			b.WriteString(bullet(r))
		}
	}
	if inner, ok := symptom.Innermost(s.Frames); ok && inner.InScript() && s.IsA(v.exp.Symptom.Exception) && s.Exception != "" {
		// A script could raise that itself, so it counts for nothing.
		b.WriteString("It must come out of a function of the library and not out of a line of yours: call the function that the reported traceback shows.\n")
	}
	if stage == task.StageRun {
		b.WriteString(v.notWanted())
	}
	v.tail(&b, ex)
	return told(stage, task.SeverityError, v.lastLine(s.Frames), about, b.String())
}

// ending is the symptom that ended the main thread, else what was judged.
func ending(ex sandbox.Execution, j oracle.Judgement) symptom.Symptom {
	for _, s := range symptom.FromExecution(ex) {
		if s.Kind != symptom.Warning {
			return s
		}
	}
	if j.Observed.Kind != symptom.Warning {
		return j.Observed
	}
	return symptom.Symptom{}
}

// howEnded writes the first sentence and returns what equal endings share.
func (v view) howEnded(b *strings.Builder, what string, ex sandbox.Execution, s symptom.Symptom) (about string) {
	say := func(about, format string, args ...any) string {
		fmt.Fprintf(b, format+"\n", args...)
		return about
	}
	switch ex.Outcome {
	case sandbox.TimedOut:
		return say("timed out "+place(s.Frames), "%s did not end within the limit (%s). Make the data and the number of steps smaller.", what, ex.LimitHit)
	case sandbox.OutOfMemory:
		return say("out of memory", "%s took more memory than the limit (%s). Make the data smaller.", what, ex.LimitHit)
	case sandbox.OutputLimit, sandbox.DiskLimit, sandbox.PidsLimit:
		return say("limit "+string(ex.Outcome), "%s was stopped by a limit (%s). Print and write less, and start no processes.", what, ex.LimitHit)
	case sandbox.Canceled:
		return say("canceled", "%s was canceled.", what)
	}
	switch {
	case s.Kind == symptom.Signal:
		return say("died of "+s.Signal+" "+s.FatalLine, "%s died of %s. %s", what, s.Signal, word(s.FatalLine))
	case ex.Record.SystemExit != "", s.Exception == "SystemExit":
		return say("exit by hand", "%s ended itself: sys.exit(%s). Let it run to its end.", what, or(ex.Record.SystemExit, s.Message))
	case s.Exception != "":
		return say(s.Exception+" "+place(s.Frames)+": "+s.Message, "%s ended with %s", what, headline(s))
	case ex.OOMKills > 0:
		return say("out of memory", "%s: the memory limit killed a process of it. Make the data smaller.", what)
	}
	return say(fmt.Sprintf("exit %t", ex.ExitCode == 0), "%s ended with exit code %d.", what, ex.ExitCode)
}

// headline is class and message, of several lines where it has them.
func headline(s symptom.Symptom) string {
	if s.Exception == "" {
		return string(s.Kind)
	}
	return clip(inert.Text(clip(s.Exception+": "+s.Message, 8*maxWord)), 2*maxWord)
}

// place is the innermost function, without its line.
func place(frames []symptom.Frame) string {
	if inner, ok := symptom.Innermost(frames); ok {
		return "in " + inner.Function
	}
	return ""
}

const (
	// maxOwn of the script's frames and maxTheirs of the library's are told: the
	// call that led there and the place that raised teach most (guesses).
	maxOwn    = 6
	maxTheirs = 3
)

// frames tells the script's own lines, which the model can change, and the
// innermost ones of the library.
func (v view) frames(b *strings.Builder, frames []symptom.Frame) {
	var own, theirs []symptom.Frame
	for _, f := range frames {
		if f.InScript() {
			own, theirs = append(own, f), nil
		} else {
			theirs = append(theirs, f)
		}
	}
	for _, f := range own[max(0, len(own)-maxOwn):] {
		if n := f.Line - v.shift; n > 0 {
			source := f.Source
			if source == "" { // a sampled stack has none
				source = sourceLine(v.script, f.Line)
			}
			fmt.Fprintf(b, "  your line %d: %s\n", n, clip(word(source), maxWord/2))
		} else {
			b.WriteString("  in observe()\n")
		}
	}
	if n := len(theirs) - maxTheirs; n > 0 {
		fmt.Fprintf(b, "  ... %d calls inside libraries ...\n", n)
		theirs = theirs[n:]
	}
	for _, f := range theirs {
		fmt.Fprintf(b, "  %s, in %s: %s\n", word(f.File), word(f.Function), clip(word(f.Source), maxWord/2))
	}
}

// lastLine is the innermost line of the script itself.
func (v view) lastLine(frames []symptom.Frame) int {
	for _, f := range slices.Backward(frames) {
		if f.InScript() && f.Line > v.shift {
			return f.Line - v.shift
		}
	}
	return 0
}

// chain tells what the exception came from, nearest first.
func chain(b *strings.Builder, s symptom.Symptom) {
	const most = 2
	for _, c := range s.Chain[:min(len(s.Chain), most)] {
		fmt.Fprintf(b, "caused by %s\n", clip(headline(c), maxWord))
	}
}

// maxTail of each stream is told: its end.
const maxTail = 400

// tail tells the end of what was printed. Standard error repeats a traceback that
// is told already.
func (v view) tail(b *strings.Builder, ex sandbox.Execution) {
	stderr := ex.Stderr
	if ex.Record.Started && len(ex.Record.Exceptions) > 0 {
		stderr = ""
	}
	for _, s := range []struct{ name, text string }{{"It printed", ex.Stdout}, {"It wrote to standard error", stderr}} {
		text := strings.TrimSpace(v.ownLines(inert.Text(end(s.text))))
		if len(text) > maxTail {
			text = "… " + strings.ToValidUTF8(text[len(text)-maxTail:], "")
		}
		if text != "" {
			fmt.Fprintf(b, "%s:\n%s\n", s.name, text)
		}
	}
}

var scriptPlace = lazyre.New(`(?:File "` + sandbox.WorkDir + `/` + sandbox.ScriptNm + `", line |` + sandbox.WorkDir + `/` + sandbox.ScriptNm + `:)(\d+)`)

// ownLines counts the script's lines in a text as the model wrote them.
func (v view) ownLines(text string) string {
	return scriptPlace.ReplaceAllStringFunc(text, func(place string) string {
		n, err := strconv.Atoi(scriptPlace.FindStringSubmatch(place)[1])
		if err != nil || n <= v.shift {
			return "your script"
		}
		return fmt.Sprintf("your line %d", n-v.shift)
	})
}

// end is the last of a stream, more than is told of it: most of it is never read.
func end(s string) string { return strings.ToValidUTF8(s[max(0, len(s)-10*maxTail):], "") }

// bullet is one reason in a line of its own.
func bullet(s string) string { return "- " + clip(s, maxWord) + "\n" }
