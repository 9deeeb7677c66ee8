// Package agent writes scripts for reports that hold none, or none that shows
// the bug: restructure, plan, generate, validate, run, refine, until proof
// accepts one or the budget ends. Nothing here judges: every script that passes
// the cheap checks is run and judged by proof, as a reporter's own would be.
//
// The way through: Run (agent.go) makes a run (run.go), which follows a strategy
// (strategy.go, sample.go) through scenes: a context of the code, or none, with
// its plan. A scene makes attempts (attempt.go): a script is asked for, grounded
// in an environment that holds its imports (ground.go), checked, and tried once.
// What shows the symptom is proved (prove.go) by the expectation that triage or a
// checked proposal gives (expect.go). Who asks and who checks are two small
// interfaces with their real ones in rooms.go.
//
// Three things can end a run early, each before it costs too much: the model's
// meter refuses a call, the guard (guard.go) lets none outlive the run's time,
// and the gate (gate.go) stands before every execution. All of them unwind as a
// stopped error with the ending; any other error is infrastructure.
package agent
