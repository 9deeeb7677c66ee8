package candidate

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/symptom"
)

// RefusalsFor are the Refusals, and those Notes that forbid belief once the
// expected symptom is known: raising the expected class by hand, issuing the
// expected warning, printing constants where the output is judged, asserting
// something that no library computed. A nil expectation adds nothing. For a
// reporter's own script the caller decides how much weight they have.
func (c *Candidate) RefusalsFor(e *oracle.Expectation) []string {
	refusals := slices.Clone(c.Refusals)
	if e == nil {
		return refusals
	}
	f := pysyntax.Parse(c.Own())
	for _, reason := range slices.Concat(raisedByHand(c, f, e), warnedByHand(f, e), unrelated(c, f, e), slowByHand(f, e), goesOn(c, f, e)) {
		refusals = addOnce(refusals, reason)
	}
	return refusals
}

// raisedByHand: the expected class stands in a raise statement of the script,
// directly, through an alias, or is thrown into something.
func raisedByHand(c *Candidate, f *pysyntax.File, e *oracle.Expectation) []string {
	class := lastPart(e.Symptom.Exception)
	if class == "" || e.Oracle == oracle.OracleWarning || e.Oracle == oracle.OracleMissingException {
		return nil
	}
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(class) + `\b`)
	names := map[string]bool{} // variables that hold the class or an instance
	for _, a := range f.Assigns {
		if word.MatchString(a.Value) {
			names[a.Target] = true
		}
	}
	var found []string
	for _, r := range c.Raises {
		if word.MatchString(r.Class) || names[r.Class] {
			found = append(found, fmt.Sprintf("line %d: raises %s by hand", r.Line, class))
		}
	}
	for _, r := range f.Raises {
		if word.MatchString(r.Text) {
			found = addOnce(found, fmt.Sprintf("line %d: raises %s by hand", r.Line, class))
		}
	}
	for _, call := range f.Calls {
		if call.Method != "throw" && call.Method != "set_exception" && call.Method != "side_effect" {
			continue
		}
		if a := arg(call, 0); word.MatchString(a) || names[a] {
			found = append(found, fmt.Sprintf("line %d: raises %s by hand (%s)", call.Line, class, call.Method))
		}
	}
	return found
}

func warnedByHand(f *pysyntax.File, e *oracle.Expectation) []string {
	if e.Oracle != oracle.OracleWarning && e.Symptom.Kind != symptom.Warning {
		return nil
	}
	var found []string
	for _, call := range f.Calls {
		if call.Full == "warnings.warn" || call.Full == "warnings.warn_explicit" || call.Full == "warnings.showwarning" {
			found = append(found, fmt.Sprintf("line %d: issues a warning by hand", call.Line))
		}
	}
	return found
}

// unrelated: what the oracle will look at was not computed by a library. For a
// script of somebody else it must have been computed by the subject: the
// subject is the report's there, not a guess from the script.
func unrelated(c *Candidate, f *pysyntax.File, e *oracle.Expectation) []string {
	printed := e.Oracle == oracle.OraclePrinted || e.Oracle == oracle.OracleDifferential
	if !printed && e.Oracle != oracle.OracleAssert {
		return nil
	}
	found := unmarked(f, f.Influenced(libraries(f)...), printed, "a library")
	if len(found) > 0 || c.Origin == originReporter || !importsAny(f, e.Modules) {
		return found
	}
	return unmarked(f, f.Influenced(e.Modules...), printed, e.Subject)
}

func unmarked(f *pysyntax.File, marked map[string]bool, printed bool, who string) []string {
	if printed {
		if len(f.Prints) > 0 && !printsInfluenced(f, marked) {
			return []string{"prints only constants: nothing that " + who + " computed"}
		}
		return nil
	}
	for _, a := range f.Asserts {
		if anyMarked(a.Reads, marked) {
			return nil
		}
	}
	if len(f.Asserts) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("line %d: asserts nothing that %s computed", f.Asserts[0].Line, who)}
}

func importsAny(f *pysyntax.File, modules []string) bool {
	for _, m := range modules {
		if slices.Contains(f.TopModules(), firstOf(m)) {
			return true
		}
	}
	return false
}

// longSleep is the shortest sleep, in seconds, that could be taken for a hang or
// for slowness: a guess; polling loops of honest scripts sleep a second at most.
const longSleep = 2

func slowByHand(f *pysyntax.File, e *oracle.Expectation) []string {
	if e.Symptom.Kind != symptom.Hang && e.Symptom.Kind != symptom.Slow {
		return nil
	}
	var found []string
	for _, call := range f.Calls {
		if call.Full != "time.sleep" && call.Full != "asyncio.sleep" {
			continue
		}
		seconds, err := strconv.ParseFloat(strings.TrimSpace(arg(call, 0)), 64)
		if err != nil || seconds >= longSleep {
			found = append(found, fmt.Sprintf("line %d: sleeps by itself (%s)", call.Line, call.Func))
		}
	}
	return found
}
