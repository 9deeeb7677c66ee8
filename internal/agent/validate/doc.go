// Package validate says what is wrong with a script before and after it runs.
//
// Before: Checker looks at it in stages, cheapest first, and stops at the first
// that fails. Nothing of the script is executed; what is asked of the subject's
// own code (does this name exist, does this call fit) is asked inside the
// sandbox by import and inspect. After: FromTrial and FromOutcome put what one
// run and one proof showed into words that teach. Everything that came out of a
// program is data: capped, and without control characters.
package validate
