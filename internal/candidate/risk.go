package candidate

import (
	"fmt"
	"slices"

	"github.com/repgen/repgen/internal/oracle"
)

// RiskyFor says in words which edits could themselves cause or hide the
// expected symptom. When it is not empty, grade C by likeness or by removal is
// forbidden: only another release, which runs the same edited script, can be a
// control. A nil expectation is every symptom.
func (c *Candidate) RiskyFor(e *oracle.Expectation) []string {
	var found []string
	for _, edit := range c.Edits {
		if edit.couldCause(e) {
			found = addOnce(found, fmt.Sprintf("%s: %s", edit.Kind, edit.Why))
		}
	}
	return found
}

// couldCause weighs one edit against one symptom. In doubt it says yes: a risk
// too many costs a grade, a risk too few a wrong claim.
func (e Edit) couldCause(exp *oracle.Expectation) bool {
	switch {
	case exp == nil:
		return e.Risky
	case e.Kind == "headless" || e.Kind == "show":
		// Where the drawing itself is under suspicion, drawing to nowhere is
		// another subject.
		return e.Risky || slices.ContainsFunc(exp.Modules, func(m string) bool { return drawing[firstOf(m)] })
	case !e.Risky:
		return false
	case e.Kind == "stand_in_weights":
		return !ofInterface(exp)
	case e.Kind == "stand_in_file":
		// What a package does while it is imported comes before any file is read.
		return exp.Oracle != oracle.OracleImportError
	}
	return true
}

var drawing = map[string]bool{"matplotlib": true, "pygame": true, "PyQt5": true, "PyQt6": true, "PySide2": true, "PySide6": true}

// ofInterface: the symptom is in how functions are called or found, which the
// values of weights cannot change.
func ofInterface(exp *oracle.Expectation) bool {
	if exp.Oracle == oracle.OracleImportError {
		return true
	}
	if exp.Oracle != oracle.OracleException {
		return false
	}
	switch lastPart(exp.Symptom.Exception) {
	case "TypeError", "AttributeError", "NameError", "ImportError", "ModuleNotFoundError", "NotImplementedError":
		return true
	}
	return false
}
