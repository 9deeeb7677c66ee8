// Package audit compares what one script asked and was told on two sides.
//
// An audited execution (probe.Options.Audit) leaves a log of questions (calls,
// attributes of packages, operators, tests, iteration) and answers. Read makes a
// Log of it. Compare goes along two logs and finds the first answer that differs
// although the question was the same: what a package, and nothing else, makes
// different. A question that differs is traced back to the answers it was made
// from; where one of these was about which release runs (a version, what a module
// has, a file), the script chose its input by it and proves nothing. Nothing is
// executed here, and nothing of the log is believed to be more than what a script
// that shares its process with the recorder has left.
package audit
