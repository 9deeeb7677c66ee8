// Package bench runs folders of bug reports with known answers and counts what
// came of them: the confusion of headlines, false claims first.
//
// Cases (case.go) are read for grading only: a Runner sees the report and
// nothing else. Run (run.go) is resumable, since every case has a run folder of
// its own and a finished one is not run again. Summarise (table.go) is pure: it
// counts graded outcomes, and markdown.go lays the same counts out for reading.
package bench
