package task

import "github.com/repgen/repgen/internal/report"

// Part is a part of the generation that can be switched off, by the name that
// ablations use (source: the published method). The retrieval's are
// codebase.Parts.
type Part string

// The parts, in the order of the pipeline.
const (
	PartRestructure Part = "restructure"
	PartPlan        Part = "plan"
	PartCompilation Part = "compilation"
	PartRelevance   Part = "relevance"
	PartStatic      Part = "static-analysis"
	PartRuntime     Part = "runtime-feedback"
)

// Parts are all of them.
var Parts = []Part{PartRestructure, PartPlan, PartCompilation, PartRelevance, PartStatic, PartRuntime}

// Said is one statement about the report.
type Said struct {
	Text string `json:"text"`
	// Span is where the reporter wrote it, nil when a model inferred it. Text is
	// then the reporter's, character by character but for white space.
	Span *report.Span `json:"span,omitempty"`
}

// Inferred says that it is the model's word.
func (s Said) Inferred() bool { return s.Span == nil }

// Report is a bug report put in order.
type Report struct {
	Title       string `json:"title"`
	Observed    []Said `json:"observed"`
	Expected    []Said `json:"expected"`
	Steps       []Said `json:"steps"`
	Environment []Said `json:"environment"`
	Parameters  []Said `json:"parameters"` // shapes, dtypes, sizes, values, seeds
}

// Step of a plan.
type Step struct {
	Do     string `json:"do"`
	Values string `json:"values,omitempty"`
	Shows  string `json:"shows,omitempty"` // what it must show
}

// Plan is how a script should show the bug.
type Plan struct {
	Steps []Step `json:"steps"`
	// Names are the dotted names of the subject's that it uses.
	Names []string `json:"names"`
	// Trigger is what the control leaves out or puts back to its default, and
	// nothing else.
	Trigger   string `json:"trigger"`
	Resources string `json:"resources,omitempty"`
}

// Signature is what the environment itself says of a dotted name.
type Signature struct {
	Name      string `json:"name"`
	Exists    bool   `json:"exists"`
	Kind      string `json:"kind,omitempty"`      // "function", "class", "module", "value"
	Signature string `json:"signature,omitempty"` // "(x, axis=None)"
	Doc       string `json:"doc,omitempty"`       // its first line
	// Near are existing names like a missing one.
	Near []string `json:"near,omitempty"`
	// Why it does not exist or could not be looked up.
	Why string `json:"why,omitempty"`
	// Unsure: it could not be looked up, since its import fails, and may exist.
	Unsure bool `json:"unsure,omitempty"`
}

// Installed is one distribution of the environment.
type Installed struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Facts are what is known of the environment.
type Facts struct {
	Python     string      `json:"python"`
	Subject    string      `json:"subject"`
	Version    string      `json:"version"`
	Packages   []Installed `json:"packages"`
	Signatures []Signature `json:"signatures,omitempty"`
}

// Stage of the validation, cheapest first.
type Stage string

// The stages, in order: the first that fails ends the attempt.
const (
	StageAnswer    Stage = "answer" // the model's answer held no script
	StageParse     Stage = "parse"
	StageCompile   Stage = "compile"
	StageLint      Stage = "lint"
	StageNames     Stage = "names"
	StageRelevance Stage = "relevance"
	StageRefused   Stage = "refused" // the script may not be believed
	StageRun       Stage = "run"
	StageOracle    Stage = "oracle"
	StageControl   Stage = "control"
	StageProof     Stage = "proof" // ran and judged in full
)

// Severity of a Feedback.
type Severity string

// Severities: an error ends the attempt, a warning goes along.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
)

// MaxFeedback bounds Feedback.Text, in bytes: about 500 tokens teach what a
// model can use of one failure (a guess).
const MaxFeedback = 2000

// Feedback is what one stage says of a script.
type Feedback struct {
	Stage    Stage    `json:"stage"`
	Severity Severity `json:"severity"`
	Text     string   `json:"text"`
	// Line of the script, 1-based, as the model wrote it; 0: the whole.
	Line int `json:"line,omitempty"`
	// Signature is equal for equal failures, whatever numbers and addresses they
	// print: what dead ends are noticed by.
	Signature string `json:"signature"`
}

// Attempt is one script of a model and what came of it.
type Attempt struct {
	Number   int    `json:"number"`  // over the whole run, from 1
	Context  int    `json:"context"` // which code context, from 1; 0: none
	Strategy string `json:"strategy"`
	Script   string `json:"script"` // as the model wrote it
	// Reached is the last stage entered.
	Reached  Stage      `json:"reached"`
	Feedback []Feedback `json:"feedback"`
	// Hit: the run showed the symptom; Clean: the control ran and did not.
	Hit   bool `json:"hit"`
	Clean bool `json:"clean"`
	// Headline of the full proof, "" when there was none.
	Headline string `json:"headline,omitempty"`
}

// Observation is one named value that a script must observe.
type Observation struct {
	Name string `json:"name"`
	// Type: "number", "bool", "string", "array".
	Type  string `json:"type"`
	Means string `json:"means,omitempty"`
}

// Proposal is a model's idea of how a silent symptom shows. It is checked and
// then proved by runs; the rules are not its to change.
type Proposal struct {
	Observations []Observation `json:"observations"`
	// Bad is true where the symptom is there, Good where the reporter's wish
	// holds: expressions over the observations.
	Bad  string `json:"bad"`
	Good string `json:"good"`
	// BadQuote and GoodQuote are the reporter's words on which they rest.
	BadQuote  string `json:"bad_quote"`
	GoodQuote string `json:"good_quote"`
}
