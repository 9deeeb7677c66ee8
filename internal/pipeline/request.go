package pipeline

import (
	"time"

	"github.com/repgen/repgen/internal/agent"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
)

// Request is one report with the user's words. It is kept in the run folder,
// so that a resumed run asks for the same.
type Request struct {
	Report *report.Report `json:"report"`
	// ID names the run wherever its folder lies; Seal says that this user's repgen
	// wrote the request. Both are the pipeline's.
	ID   string `json:"id,omitempty"`
	Seal string `json:"seal,omitempty"`
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

	// Model is the language model as the user named it, without any key; "" or
	// "none": there is none, and the fields below mean nothing.
	Model string `json:"model,omitempty"`
	// ModelDir is the folder in which a command was named as the model.
	ModelDir string         `json:"model_dir,omitempty"`
	Strategy agent.Strategy `json:"strategy,omitempty"` // "": auto
	// Without names the parts of retrieval and generation that are switched off.
	Without     []string     `json:"without,omitempty"`
	AgentBudget agent.Budget `json:"agent_budget,omitzero"`
	// QuoteOnly: a model may put the report in order, but add nothing to it.
	QuoteOnly bool `json:"quote_only,omitempty"`
	// NoExplain: the verdict is not explained by the model.
	NoExplain bool `json:"no_explain,omitempty"`
	// Edited is set where Script is what a run's model wrote and a person edited.
	Edited *Edited `json:"edited,omitempty"`
}

// Edited is what a model's script keeps when a person goes on with it: who
// wrote it first, and the symptom it was judged by. Both make judging stricter
// than a person's own script would be, never laxer.
type Edited struct {
	Trigger     string              `json:"trigger,omitempty"`
	Expectation *oracle.Expectation `json:"expectation,omitempty"`
	// NeverOwn: who wrote the script may have written the report too, so that it
	// is not taken for the reporter's, not even where it is word for word.
	NeverOwn bool `json:"never_own,omitempty"`
}

// hasModel says that a language model may be asked.
func (r *Request) hasModel() bool { return r.Model != "" && r.Model != NoModel }

// NoModel is the name of no model at all.
const NoModel = "none"

// strategy is the one in force.
func (r *Request) strategy() agent.Strategy {
	if r.Strategy == "" {
		return agent.Auto
	}
	return r.Strategy
}

// Event is one step of progress, for watching only: with all events removed
// the run folder is still whole.
type Event struct {
	Time  time.Time `json:"time"`
	Stage Stage     `json:"stage"`
	// State is "start", "progress", "done"; "live" is what a model writes at the
	// moment, for a terminal only: it is kept nowhere.
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
	StageScript      Stage = "script" // where one is judged
	StageEnvironment Stage = "environment"
	StageRun         Stage = "run"
	StageControl     Stage = "control"
	StageAgent       Stage = "agent"
	StageVerdict     Stage = "verdict"
	StageBundle      Stage = "bundle"
)
