package proof

import (
	"github.com/repgen/repgen/internal/audit"
	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/symptom"
)

// SchemaVersion of Result; it grows by one when a field changes its meaning.
const SchemaVersion = 1

// Result is the one JSON object of `repgen reproduce --json` (docs/json.md).
type Result struct {
	Schema   int               `json:"schema"`
	Headline oracle.Headline   `json:"headline"`
	Also     []oracle.Headline `json:"also"`
	Grade    oracle.Grade      `json:"grade"`
	Hits     int               `json:"hits"`
	Runs     int               `json:"runs"`
	Interval [2]float64        `json:"interval"`
	Symptom  ResultSymptom     `json:"symptom"`
	Subject  ResultSubject     `json:"subject"`
	Versions []ResultVersion   `json:"versions"`
	// Divergence is the first answer that a package gave otherwise on the control;
	// nil where none is known.
	Divergence  *audit.Divergence `json:"divergence"`
	Environment *ResultEnv        `json:"environment"`
	Isolation   []sandbox.Layer   `json:"isolation"`
	Edits       []candidate.Edit  `json:"edits"`
	Reasons     []string          `json:"reasons"`
	// Open is what a denial would have needed, where the headline is
	// "inconclusive".
	Open    []oracle.Open `json:"open"`
	Missing []string      `json:"missing"`
	Reply   string        `json:"reply,omitempty"`
	Cost    Cost          `json:"cost"`
	// Steering are texts of the report that speak to tools, recorded as data.
	Steering []string `json:"steering"`
	// Model is nil where no language model was asked.
	Model  *ResultModel `json:"model"`
	Bundle *string      `json:"bundle"`
	Run    *string      `json:"run"`
	Error  *ResultError `json:"error"`
}

// ResultSymptom is the expected and the observed symptom and how they match.
type ResultSymptom struct {
	Expected *symptom.Symptom `json:"expected"`
	Observed *symptom.Symptom `json:"observed"`
	Match    *symptom.Match   `json:"match"`
	Oracle   oracle.Name      `json:"oracle,omitempty"`
}

// ResultSubject is the distribution under suspicion.
type ResultSubject struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Source  string `json:"source"`
}

// ResultVersion is one version on which the script ran.
type ResultVersion struct {
	Package string `json:"package"`
	Version string `json:"version"`
	// Symptom is "yes", "no" or "inconclusive".
	Symptom string   `json:"symptom"`
	Side    string   `json:"side"`
	Hits    int      `json:"hits"`
	Runs    int      `json:"runs"`
	Moved   []string `json:"moved,omitempty"`
	// Change says in words what differed from the candidate where the script
	// itself was changed (sides contrast, removal, pinned): "without
	// drop_last=True".
	Change string `json:"change,omitempty"`
	// Unavailable says why nothing ran there.
	Unavailable string `json:"unavailable,omitempty"`
}

// ResultEnv is the environment of the reported side.
type ResultEnv struct {
	Python     string             `json:"python"`
	AsOf       string             `json:"as_of"`
	AsOfSource string             `json:"as_of_source"`
	Rung       int                `json:"rung"`
	Rungs      []environment.Rung `json:"rungs"`
	Lock       string             `json:"lock"` // hash
	// Index says who named the index it was solved from; "" for the usual one.
	Index    string                `json:"index,omitempty"`
	Packages []environment.Package `json:"packages"`
	Edits    []string              `json:"edits"`
}

// Cost of a run. Tokens and money are zero without a language model.
type Cost struct {
	WallSeconds    float64 `json:"wall_s"`
	SandboxSeconds float64 `json:"sandbox_s"`
	TokensIn       int     `json:"tokens_in"`
	TokensOut      int     `json:"tokens_out"`
	USD            float64 `json:"usd"`
	// Stages are wall seconds by part of the way, in the names of Stage*. They
	// do not overlap: work that ran beside another part counts for nothing.
	Stages map[string]float64 `json:"stages,omitempty"`
}

// ResultModel is what a language model did in a run, and what it took. It
// decides nothing.
type ResultModel struct {
	Name    string `json:"name"` // as the user named it
	Backend string `json:"backend"`
	Model   string `json:"model"` // as the backend calls it
	// Strategy and Without are how it was asked.
	Strategy string   `json:"strategy"`
	Without  []string `json:"without"`
	// Wrote: the script of this result is the model's, not the reporter's.
	Wrote    bool        `json:"wrote"`
	Attempts int         `json:"attempts"`
	Contexts int         `json:"contexts"`
	Calls    int         `json:"calls"`
	Usage    ResultUsage `json:"usage"`
	USD      float64     `json:"usd"`
	// Priced is false when USD is too low, since some price is unknown.
	Priced   bool `json:"priced"`
	Unparsed int  `json:"unparsed"` // answers that could not be read
	Failed   int  `json:"failed"`   // calls
	// Ending says why it stopped, "" where no script was asked for; Why in words.
	Ending string   `json:"ending"`
	Why    []string `json:"why"`
	// Explanation is the model's, after the verdict.
	Explanation string `json:"explanation"`
}

// ResultUsage are tokens of all calls together.
type ResultUsage struct {
	Input     int  `json:"input_tokens"`
	Output    int  `json:"output_tokens"`
	Cached    int  `json:"cached_tokens"`
	Estimated bool `json:"estimated"`
}

// ResultError says what failed, why, and what to do next.
type ResultError struct {
	What string `json:"what"`
	Why  string `json:"why"`
	Next string `json:"next"`
}
