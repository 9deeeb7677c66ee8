package oracle

import (
	"fmt"
	"slices"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/symptom"
)

// Faults of an inconclusive judgement.
const (
	// FaultMissingModule: Detail is the module as Python named it, or the
	// distribution when only that is known.
	FaultMissingModule = "missing_module"
	// FaultMissingLibrary: Detail is a shared library of the system.
	FaultMissingLibrary = "missing_library"
	// FaultBrokenImport: Detail is the module that has not what is imported.
	FaultBrokenImport = "broken_import"
	// FaultNoRecord: the observer never spoke, or was cut off.
	FaultNoRecord = "no_record"
	// FaultForged: something else than the observer wrote to its channel.
	FaultForged = "forged_record"
	// FaultContradicted: the record and the outside cannot both be true.
	FaultContradicted = "contradicted_record"
)

// Judge says what one execution shows of an expectation. It is pure; an
// oracle that it does not know gives Inconclusive.
func Judge(e Expectation, ex sandbox.Execution) Judgement {
	if e.Oracle != OracleSignal {
		ex = settled(ex)
	}
	j, done := preflight(ex)
	if !done || readsLimits(e.Oracle, ex.Outcome) {
		j = judgeBy(e, ex)
	}
	j.Oracle = e.Oracle
	if ex.OOMKills > 0 && ex.Outcome != sandbox.OutOfMemory && j.Finding != Inconclusive {
		// The parent of a killed child ends as if nothing had happened.
		return Judgement{
			Finding: Inconclusive, Oracle: e.Oracle, Observed: j.Observed, Limit: true, Detail: "memory limit",
			Reasons: []string{fmt.Sprintf("our memory limit killed %d of its processes", ex.OOMKills)},
		}
	}
	return j
}

// readsLimits: to run into our limits is what a hang and a leak do. Both oracles
// ask for more than that: stack samples, a measured series.
func readsLimits(n Name, o sandbox.Outcome) bool {
	return n == OracleHang && o == sandbox.TimedOut || n == OracleMemory && (o == sandbox.TimedOut || o == sandbox.OutOfMemory)
}

// judgeBy picks the oracle. A claim of an unknown one says nothing rather than
// failing: evidence outlives the program that wrote it.
func judgeBy(e Expectation, ex sandbox.Execution) Judgement {
	switch e.Oracle {
	case OracleException, OracleImportError:
		return judgeException(e, ex)
	case OracleMissingException:
		return judgeMissingException(e, ex)
	case OracleSignal:
		return judgeSignal(e, ex)
	case OracleWarning:
		return judgeWarning(e, ex)
	case OraclePrinted:
		return judgePrinted(e, ex)
	case OracleAssert:
		return judgeAssert(e, ex)
	case OracleNonFinite:
		return judgeNonFinite(e, ex)
	case OracleShape:
		return judgeShape(e, ex)
	case OracleDuplicates:
		return judgeDuplicates(e, ex)
	case OracleLearning:
		return judgeLearning(e, ex)
	case OracleSpread:
		return judgeSpread(e, ex)
	case OracleMemory:
		return judgeMemory(e, ex)
	case OracleHang:
		return judgeHang(e, ex)
	case OracleSlow:
		return judgeSlow(e, ex)
	case OracleObserved:
		return judgeObserved(e, ex)
	case OracleDifferential, OracleNone:
		return judgeSingle(e, ex)
	}
	return Judgement{Finding: Inconclusive, Reasons: []string{fmt.Sprintf("no oracle is named %q", e.Oracle)}}
}

// preflight handles what no oracle may read anything into: limits of ours, a
// record that cannot be true, a record that is not there. A fatal signal is
// measured from outside and needs no record.
func preflight(ex sandbox.Execution) (Judgement, bool) {
	j := Judgement{Finding: Inconclusive, Match: symptom.Match{Relation: symptom.None}}
	switch ex.Outcome {
	case sandbox.TimedOut, sandbox.OutOfMemory, sandbox.OutputLimit, sandbox.DiskLimit, sandbox.PidsLimit, sandbox.Canceled:
		j.Limit, j.Detail = true, ex.LimitHit
		j.Reasons = []string{limitReason(ex)}
		return j, true
	case sandbox.Signaled:
		return j, false
	case sandbox.Exited:
	default:
		j.Reasons = []string{fmt.Sprintf("the outcome %q is not known", ex.Outcome)}
		return j, true
	}
	if why := symptom.Credible(ex); why != "" {
		j.Fault, j.Detail = FaultContradicted, why
		if ex.Record.Forged {
			j.Fault = FaultForged
		}
		j.Reasons = []string{"the observer's record cannot be believed: " + why}
		return j, true
	}
	if !ex.Record.Started && ex.Record.Fatal == "" {
		j.Fault, j.Detail = FaultNoRecord, "the observer never started"
		j.Reasons = []string{"there is no record from inside the interpreter, so nothing says how far the script came"}
		return j, true
	}
	return j, false
}

// limitReason says which limit ended it, in the words of the sandbox.
func limitReason(ex sandbox.Execution) string {
	if ex.Outcome == sandbox.Canceled {
		return "the execution was interrupted"
	}
	if ex.LimitHit == "" {
		return "ended by a limit of ours: " + string(ex.Outcome)
	}
	return "ended by a limit of ours: " + ex.LimitHit
}

// ended says whether the script ran through: exit code 0, the interpreter's
// normal shutdown, no uncaught exception. os._exit(0) half-way is not it.
func ended(ex sandbox.Execution) bool {
	if ex.Outcome != sandbox.Exited || ex.ExitCode != 0 || !ex.Record.Started || !ex.Record.Ended {
		return false
	}
	switch ex.Record.SystemExit {
	case "", "None", "0", "SystemExit()", "SystemExit(0)", "SystemExit(None)":
	default:
		return false
	}
	return !slices.ContainsFunc(failures(ex), func(s symptom.Symptom) bool { return s.Kind == symptom.Signal })
}

// failures are the symptoms of an execution without its warnings.
func failures(ex sandbox.Execution) []symptom.Symptom {
	return slices.DeleteFunc(symptom.FromExecution(ex), func(s symptom.Symptom) bool { return s.Kind == symptom.Warning })
}

// mainFailure is what ended the main thread, ok false when nothing did.
func mainFailure(ex sandbox.Execution) (symptom.Symptom, bool) {
	if ended(ex) {
		return symptom.Symptom{}, false
	}
	all := failures(ex)
	if len(all) == 0 {
		return symptom.Symptom{}, false
	}
	return all[0], true
}

// unfinished judges an execution that showed no symptom and did not run
// through: an environment fault, a collision, or something that cannot be read.
func unfinished(e Expectation, ex sandbox.Execution) Judgement {
	s, failed := mainFailure(ex)
	if !failed {
		return silentEnd(ex)
	}
	if fault, detail := environmentFault(s); fault != "" {
		return Judgement{
			Finding: Inconclusive, Observed: s, Match: symptom.Compare(e.Symptom, s), Fault: fault, Detail: detail,
			Reasons: []string{fmt.Sprintf("the environment is at fault: %s", headline(s))},
		}
	}
	if what, ours := isolationFault(s); ours {
		return Judgement{
			Finding: Inconclusive, Observed: s, Match: symptom.Compare(e.Symptom, s), Fault: FaultIsolation, Detail: what,
			Reasons: []string{fmt.Sprintf("the isolation withholds %s, which the script needs: %s", what, headline(s))},
		}
	}
	j := Judgement{Finding: Collided, Observed: s, Match: symptom.Compare(e.Symptom, s)}
	if j.Match.Relation == symptom.Same {
		j.Match.Relation = symptom.Collision
	}
	j.Reasons = []string{"it failed otherwise: " + headline(s)}
	if e.Oracle == OracleNone {
		j.Reasons = []string{"it failed: " + headline(s)} // otherwise than what, nobody said
	}
	return j
}

// silentEnd is an execution that ended early and left no failure behind.
func silentEnd(ex sandbox.Execution) Judgement {
	j := Judgement{Finding: Inconclusive, Match: symptom.Match{Relation: symptom.None}}
	switch {
	case ex.Record.SystemExit != "" || ex.ExitCode != 0 && ex.Record.Ended:
		j.Finding = Collided
		j.Observed = symptom.Symptom{Kind: symptom.Exception, Exception: "SystemExit", Message: ex.Record.SystemExit}
		j.Match.Relation = symptom.Collision
		j.Reasons = []string{fmt.Sprintf("the script ended itself with exit code %d", ex.ExitCode)}
	default:
		j.Fault, j.Detail = FaultNoRecord, "the interpreter was ended before its shutdown"
		j.Reasons = []string{fmt.Sprintf("the process ended with exit code %d before the interpreter's shutdown: nothing says how far it came", ex.ExitCode)}
	}
	return j
}

// headline is a symptom in one line, for reasons.
func headline(s symptom.Symptom) string {
	switch {
	case s.Kind == symptom.Signal && s.FatalLine != "":
		return s.Signal + " (" + clip(s.FatalLine) + ")"
	case s.Kind == symptom.Signal:
		return s.Signal
	case s.Exception == "":
		return clip(s.Message)
	case s.Message == "":
		return s.Exception
	}
	return s.Exception + ": " + clip(s.Message)
}

// clip shortens to the first line: reasons stand in a list.
func clip(s string) string {
	const width = 160 // one or two lines of a terminal
	for i, r := range s {
		if r == '\n' || i >= width {
			return s[:i] + " ..."
		}
	}
	return s
}

// clean is the judgement of a control that ran through the judged call.
func clean(why string) Judgement {
	return Judgement{Finding: Clean, Match: symptom.Match{Relation: symptom.None}, Reasons: []string{why}}
}

// absent is the judgement of an execution that ran through and satisfied nobody.
func absent(why string) Judgement {
	return Judgement{Finding: Absent, Match: symptom.Match{Relation: symptom.None}, Reasons: []string{why}}
}

// fromSubject says whether a library raised the failure: its innermost frame
// is no frame of the script, and the subject's code is on the stack when the
// expectation names the subject's modules.
func fromSubject(e Expectation, s symptom.Symptom) bool {
	inner, ok := symptom.Innermost(s.Frames)
	if !ok || !inner.InLibrary() {
		return false
	}
	if len(e.Modules) == 0 {
		return true
	}
	return slices.ContainsFunc(s.Frames, func(f symptom.Frame) bool {
		return f.InLibrary() && ofModules(e.Modules, f)
	})
}

// ofModules compares a frame with import names; a namespace package's second
// part counts too ("google.protobuf").
func ofModules(modules []string, f symptom.Frame) bool {
	return slices.ContainsFunc(modules, func(m string) bool {
		if m == f.Package {
			return true
		}
		dir := ""
		for _, r := range m {
			if r == '.' {
				r = '/'
			}
			dir += string(r)
		}
		return len(f.File) > len(dir) && f.File[:len(dir)] == dir && (f.File[len(dir)] == '/' || f.File[len(dir)] == '.')
	})
}
