package validate

import (
	"fmt"
	"strings"

	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
)

// absent says what a run showed in which the symptom did not come.
func (v view) absent(ex sandbox.Execution, j oracle.Judgement) task.Feedback {
	var b strings.Builder
	switch j.Finding {
	case oracle.Within:
		b.WriteString("The run ended by itself; what differs lies inside the tolerance of the floats.\n")
	case oracle.Collided:
		b.WriteString("The run showed something else than what is reported.\n")
	default:
		b.WriteString("The run ended by itself and the reported symptom did not come.\n")
	}
	b.WriteString("Wanted: " + wanted(v.exp) + "\n")
	for _, r := range j.Reasons[:min(len(j.Reasons), 3)] {
		b.WriteString(bullet(r))
	}
	about := string(j.Finding) + " " + string(v.exp.Oracle) + " " + values(&b, ex.Record.Observations)
	v.tail(&b, ex)
	return told(task.StageOracle, task.SeverityError, 0, about, b.String())
}

// maxValues of the observations are told.
const maxValues = 12

// values writes the observations and returns the names with what stays equal
// between equal runs.
func values(b *strings.Builder, list []probe.Observation) (about string) {
	if len(list) == 0 {
		b.WriteString("It observed nothing.\n")
		return "nothing"
	}
	b.WriteString("It observed:\n")
	var names []string
	for _, o := range list[:min(len(list), maxValues)] {
		text := value(o)
		fmt.Fprintf(b, "  %s = %s\n", word(o.Name), text)
		names = append(names, word(o.Name)+"="+text)
	}
	if n := len(list) - maxValues; n > 0 {
		fmt.Fprintf(b, "  ... and %d more\n", n)
	}
	return strings.Join(names, ", ")
}

// value is one observation in a line.
func value(o probe.Observation) string {
	if o.Kind != "array" && o.Kind != "sequence" {
		return clip(word(o.Text), maxWord/4)
	}
	text := fmt.Sprintf("%s of %s %v", o.Kind, o.DType, o.Shape)
	switch {
	case len(o.Values) > 0:
		text += ": " + strings.Join(o.Values, ", ")
	case o.Min != "":
		text += fmt.Sprintf(", min %s, max %s, mean %s", o.Min, o.Max, o.Mean)
	}
	if o.Min != "" && o.Finite < o.Size {
		text += fmt.Sprintf(", %d of %d finite", o.Finite, o.Size)
	}
	return clip(word(text), maxWord/2)
}

// wanted says in words what the oracle looks for. It holds nothing that a script
// could print to be believed: what is looked at is how the process ended and
// what was observed.
func wanted(e oracle.Expectation) string {
	class := e.Symptom.Exception
	switch e.Oracle {
	case oracle.OracleException:
		return fmt.Sprintf("an uncaught %s, raised inside the library by what the report calls", or(class, "exception"))
	case oracle.OracleImportError:
		return fmt.Sprintf("an uncaught %s while the library is imported", or(class, "ImportError"))
	case oracle.OracleMissingException:
		return fmt.Sprintf("a script that runs through to its end where %s should be raised", or(e.Wanted, "an exception"))
	case oracle.OracleSignal:
		return fmt.Sprintf("the process dies of %s inside the library", or(e.Symptom.Signal, "a signal"))
	case oracle.OracleWarning:
		return fmt.Sprintf("a %s from the library", or(class, "warning"))
	case oracle.OracleNonFinite:
		return "a NaN or an infinity in a value where a finite number is right"
	case oracle.OracleShape:
		return "a value whose shape, dtype or type is the wrong one of the report"
	case oracle.OraclePrinted:
		return "the output that the report calls wrong, printed from values that the library computed"
	case oracle.OracleObserved:
		return observedWanted(e.Observed)
	case oracle.OracleHang:
		return "a call into the library that does not return"
	case oracle.OracleSlow:
		return "a call into the library that takes much longer than the one it is compared with"
	case oracle.OracleMemory:
		return "memory that grows with every call into the library"
	case oracle.OracleSpread:
		return "equal runs, or two equal calls, whose values differ"
	case oracle.OracleDuplicates:
		return "values that come twice and should come once"
	case oracle.OracleLearning:
		return "a printed series that does not go where training should take it"
	case oracle.OracleNone:
		return "nothing in the report can be judged by a machine; observe what it complains of"
	}
	return "what the report describes"
}

// observedWanted repeats the model's own proposal; Good is left out, since the run
// of the script has to be bad.
func observedWanted(o *oracle.Observed) string {
	if o == nil {
		return "observed values that show it"
	}
	var names []string
	for _, n := range o.Names {
		names = append(names, n.Name+" ("+n.Type+")")
	}
	return fmt.Sprintf("observe %s such that %s", strings.Join(names, ", "), clip(word(o.Bad), maxWord))
}

// or is s in one line, or what stands for an unknown one.
func or(s, instead string) string {
	if s == "" {
		return instead
	}
	return word(s)
}

// notWanted reminds of what the run should have shown.
func (v view) notWanted() string {
	if v.exp.Oracle == "" {
		return ""
	}
	return "Wanted: " + wanted(v.exp) + ".\n"
}
