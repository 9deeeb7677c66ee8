package pipeline

import (
	"time"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
)

// Request is one report with the user's words. It is kept in the run folder,
// so that a resumed run asks for the same.
type Request struct {
	Report *report.Report `json:"report"`
	// Script and ScriptName: somebody else's candidate, judged instead of the
	// reporter's own script.
	Script     string `json:"script,omitempty"`
	ScriptName string `json:"script_name,omitempty"`

	Date    time.Time `json:"date,omitzero"` // the end of that day, UTC
	Python  string    `json:"python,omitempty"`
	Subject string    `json:"subject,omitempty"`
	Good    string    `json:"good,omitempty"`
	With    []string  `json:"with,omitempty"`
	// Project, when set, is where the subject is built from: Dir, Revision and
	// Fixed as the user named them.
	Project *environment.ProjectSource `json:"project,omitempty"`
	Runs    int                        `json:"runs,omitempty"`
	// Budget is the wall time after which no new control is started; zero:
	// none.
	Budget time.Duration  `json:"budget,omitempty"`
	Limits sandbox.Limits `json:"limits"`
	// Unsafe says that the run had no isolation, by an explicit flag.
	Unsafe bool `json:"unsafe,omitempty"`
}

// Event is one step of progress, for watching only: with all events removed
// the run folder is still whole.
type Event struct {
	Time  time.Time `json:"time"`
	Stage Stage     `json:"stage"`
	// State is "start", "progress", "done".
	State string `json:"state"`
	Text  string `json:"text,omitempty"`
	// Done and Total are bytes or items when a length is known.
	Done  int64 `json:"done,omitempty"`
	Total int64 `json:"total,omitempty"`
}

// Stage names a line of the pipeline.
type Stage string

// The stages, in order.
const (
	StageReport      Stage = "report"
	StageTriage      Stage = "triage"
	StageEnvironment Stage = "environment"
	StageRun         Stage = "run"
	StageControl     Stage = "control"
	StageVerdict     Stage = "verdict"
	StageBundle      Stage = "bundle"
)
