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
	// HumanFirst: harness or plumbing (CI, installer, distributed launch) with
	// no script that could show it.
	HumanFirst Route = "human_first"
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
	// Contrasts are changes that the reporter names under which the symptom is
	// said to go away (rule 6), most usable first.
	Contrasts []Contrast `json:"contrasts,omitempty"`
	// Triggers are names, arguments or calls of the script that the reporter
	// blames in so many words: only these may be removed for a control (rule 11).
	Triggers []Trigger `json:"triggers,omitempty"`
	// Alternatives are further choices of blocks when the report holds scripts
	// of which only one fails; Blocks is tried first.
	Alternatives [][]int `json:"alternatives,omitempty"`
	// Confidence is the share of reports with this route for these reasons
	// that were routed right in the labelled corpus, 0-1; ConfidenceOf says of
	// how many. It is a measurement, not a probability of the bug.
	Confidence   float64 `json:"confidence"`
	ConfidenceOf int     `json:"confidence_of"`
	// Vagueness is 0 (everything is said) to 1 (nothing is); Facts are the
	// missing facts, the most helpful first.
	Vagueness float64 `json:"vagueness"`
	Facts     []Fact  `json:"facts,omitempty"`
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

// Contrast is a change that the reporter names ("without X it is fine", "with
// X=v", "in eager mode", "with one worker").
type Contrast struct {
	// Kind: "argument" (Target is the keyword, Value its value), "without"
	// (Target is the name, call, decorator or keyword to leave out), "instead"
	// (Value stands for Target), "env" (Target is a variable, Value its value).
	Kind   string       `json:"kind"`
	Target string       `json:"target"`
	Value  string       `json:"value,omitempty"`
	Words  string       `json:"words"`
	Span   *report.Span `json:"span,omitempty"`
	// Bad is true when the change is said to bring the symptom, so that the
	// script without it is the control.
	Bad bool `json:"bad,omitempty"`
}

// Trigger is a part of the script that the reporter blames.
type Trigger struct {
	Target string       `json:"target"` // as it stands in the script: "drop_last=True", "jit", "nn.Dropout"
	Words  string       `json:"words"`
	Span   *report.Span `json:"span,omitempty"`
}

// Fact is one fact that the report lacks.
type Fact struct {
	Name string `json:"name"` // "script", "version", "traceback", "expected", "actual", "data", "python", "device"
	// Weight is how much of the vagueness it is, 0-1.
	Weight float64 `json:"weight"`
	Ask    string  `json:"ask"` // the question in the words of the reply
}
