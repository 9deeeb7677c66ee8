package triage

import (
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
)

// Route is where a report goes.
type Route string

const (
	Attempt       Route = "attempt"
	NeedsInfo     Route = "needs_info"
	NeedsModel    Route = "needs_model"
	NeedsHardware Route = "needs_hardware"
	NotABug       Route = "not_a_bug"
	Hostile       Route = "hostile"
)

// Reason is one reason with the words it rests on.
type Reason struct {
	Text string       `json:"text"`
	Span *report.Span `json:"span,omitempty"`
}

// Decision is what triage says of a report.
type Decision struct {
	Route   Route    `json:"route"`
	Reasons []Reason `json:"reasons"`
	// Missing are the facts that would help most (at most two), and Reply a
	// text that can be pasted into the tracker.
	Missing []string `json:"missing,omitempty"`
	Reply   string   `json:"reply,omitempty"`
	// Blocks are the indexes of the report's blocks that form the script.
	Blocks []int `json:"blocks,omitempty"`
	// Expectation is nil when no oracle fits; the best ending is then lead.
	Expectation *oracle.Expectation `json:"expectation,omitempty"`
	// Subject is the distribution under suspicion, best guess first; Source
	// says from where ("flag", "title", "traceback", "import", "version").
	Subjects      []string `json:"subjects"`
	SubjectSource string   `json:"subject_source,omitempty"`
	// Good are versions of the subject (or of another named package) that the
	// reporter calls good, Bad those called bad.
	Good []report.Version `json:"good,omitempty"`
	Bad  []report.Version `json:"bad,omitempty"`
	// Lower says that an accelerator is asked for and CPU is worth a try.
	Lower bool `json:"lower,omitempty"`
	// OnDevice is the accelerator on which the report's own list of devices says
	// that the script ran; "" when it names none, or a CPU.
	OnDevice string `json:"on_device,omitempty"`
	// Steering lists text that speaks to the tool, recorded as data.
	Steering []Reason `json:"steering,omitempty"`
	// Summary in one line: "complete script, 21 lines".
	Summary string `json:"summary"`
}

// Options are the user's words, which beat the report's.
type Options struct {
	Subject string
	Good    string
	// HasModel: a language model is configured, so that needs_model is no end.
	HasModel bool
	// Script: somebody else's script is judged, so the report need not hold one.
	Script bool
}
