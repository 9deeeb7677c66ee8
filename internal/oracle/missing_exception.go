package oracle

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// judgeMissingException: the reporter asks for an exception that does not
// come. The symptom is a script that runs through (and prints what is stated);
// the control is the subject raising on purpose.
func judgeMissingException(e Expectation, ex sandbox.Execution) Judgement {
	if ended(ex) {
		return ranThrough(e, ex)
	}
	s, failed := mainFailure(ex)
	if failed && wantedRaised(e, s) {
		j := clean("the subject raises " + headline(s))
		j.Observed = s
		return j
	}
	return unfinished(e, ex)
}

// ranThrough: no exception came. Where output is stated as well it must be there:
// a script that skipped the call runs through too.
func ranThrough(e Expectation, ex sandbox.Execution) Judgement {
	observed := symptom.Symptom{Kind: symptom.MissingException, Exception: e.Wanted}
	match := symptom.Match{Relation: symptom.Same, Fields: []symptom.FieldMatch{{
		Field: "exception", Expected: wantedText(e), Observed: "none raised", Equal: true,
		Why: "the reported symptom is that none comes",
	}}}
	j := Judgement{Finding: Hit, Observed: observed, Match: match}
	j.Reasons = []string{"the script ran to its end, " + wantedText(e) + " was not raised"}
	if e.Printed == nil || len(e.Printed.Actual) == 0 {
		return j
	}
	found, missing := findLines(e.Printed.Actual, outputLines(ex))
	if missing >= 0 {
		return absent("the script ran to its end, but the stated line did not come: " + e.Printed.Actual[missing].Text)
	}
	j.Lines = found
	j.Observed.Message = strings.Join(found, "\n")
	j.Reasons = append(j.Reasons, "the stated output came: "+clip(strings.Join(found, " / ")))
	return j
}

// wantedText names what is asked for, for reasons.
func wantedText(e Expectation) string {
	if e.Wanted == "" {
		return "an exception"
	}
	return e.Wanted
}

// wantedRaised: the subject raised what the reporter asks for. Without a named
// class only a raise statement counts: a changed signature or a vanished
// attribute also ends a script, and is no answer to the report.
func wantedRaised(e Expectation, s symptom.Symptom) bool {
	if s.Kind == symptom.Signal || !fromSubject(e, s) || !atJudgedCall(e, s) || goneByHand(s) {
		return false
	}
	if e.Wanted != "" && !strings.EqualFold(e.Wanted, "error") && !strings.EqualFold(e.Wanted, "exception") {
		return s.IsA(e.Wanted)
	}
	if fault, _ := environmentFault(s); fault != "" {
		return false
	}
	inner, _ := symptom.Innermost(s.Frames)
	return inner.RaisesByHand()
}

// gone are the words of a name or an argument that a release no longer has.
var gone = lazyre.New(`has no attribute|unexpected keyword argument|no longer (?:exists|available|supported)|(?:has been|was) removed`)

// goneByHand: libraries raise by hand, in a module's __getattr__ or where they
// check their keywords, what Python itself raises for an absent name. The judged
// call was not reached then.
func goneByHand(s symptom.Symptom) bool {
	if !s.IsA("AttributeError") && !s.IsA("TypeError") && !s.IsA("ImportError") {
		return false
	}
	inner, ok := symptom.Innermost(s.Frames)
	return ok && inner.Function == "__getattr__" || gone.MatchString(s.Message)
}

// atJudgedCall: where the report singles out calls of the script, the exception
// must come from a line of theirs.
func atJudgedCall(e Expectation, s symptom.Symptom) bool {
	return len(e.Calls) == 0 || slices.ContainsFunc(s.Frames, func(f symptom.Frame) bool {
		return f.InScript() && slices.ContainsFunc(identifier.FindAllString(f.Source, -1), func(w string) bool {
			return slices.Contains(e.Calls, w)
		})
	})
}

var identifier = lazyre.New(`[A-Za-z_]\w*`)
