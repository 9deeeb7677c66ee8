// Package report reads any text a reporter wrote into a Report: title, typed
// sections, code blocks, tracebacks, versions, statements of what came and
// what should have come, each with its span in the source. Parsing never
// fails; the worst text gives a title and one section.
package report
