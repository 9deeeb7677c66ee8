// Package symptom recognises failures in any log, traceback or observer's
// record, and compares two of them. The same recogniser reads the expected
// side (a reporter's text) and the observed side (an execution).
//
// FromText walks over the lines of a text (text.go, lines.go) and offers each
// to one recogniser per form: CPython's tracebacks (traceback.go), IPython's
// (ipython.go), pytest's (pytest.go), native log lines, signals and
// faulthandler (native.go), warnings (warning.go), a last line alone (bare.go), the
// stacks of a process that does not end (stackdump.go). settle.go and unwrap.go
// look through what libraries put around a failure. FromProse (prose.go,
// prose_rules.go) reads talk of symptoms where no log was pasted. FromExecution
// (execution.go) takes the observer's record where the outside allows it.
// Compare (compare.go) goes field by field over what normalise.go leaves of a
// message and what frame.go keeps of a stack.
//
// Nothing read from text is trusted: frames of the observed side that the
// script could have put in place count as the script's own (frame.go).
package symptom
