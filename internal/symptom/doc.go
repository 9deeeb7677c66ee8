// Package symptom recognises failures in any log, traceback or observer's
// record, and compares two of them. The same recogniser reads the expected
// side (a reporter's text) and the observed side (an execution).
package symptom
