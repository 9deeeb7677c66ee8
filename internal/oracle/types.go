package oracle

import (
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/symptom"
)

// Name names an oracle.
type Name string

const (
	OracleException        Name = "exception"
	OracleMissingException Name = "missing_exception"
	OracleImportError      Name = "import_error"
	OracleSignal           Name = "signal"
	OracleWarning          Name = "warning"
	OraclePrinted          Name = "printed_output"
	OracleAssert           Name = "reporter_assert"
	OracleDifferential     Name = "differential"
	// OracleNone: nothing in the report can be judged. The script is run and
	// what it did is recorded; the ending is a lead at best.
	OracleNone Name = "none"
)

// Expectation is the expected symptom and the oracle that can judge it, as
// data: it is written into the bundle and read back by whoever judges again.
type Expectation struct {
	Oracle  Name            `json:"oracle"`
	Symptom symptom.Symptom `json:"symptom"`
	// Also are further oracles that would be tried on the same runs, weaker
	// first reading last (a printed pair beside an assert).
	Also []Expectation `json:"also,omitempty"`

	// Printed claims (printed_output).
	Printed *Printed `json:"printed,omitempty"`
	// Compare is a comparison in the script whose operands are watched
	// (reporter_assert, and a printed "a == b").
	Compare []Compare `json:"compare,omitempty"`
	// Wanted is the exception a report asks for: where none comes, where a signal
	// comes, or (by its class) where another one comes ("ValueError",
	// or "" for any deliberate one).
	Wanted string `json:"wanted,omitempty"`
	// Calls are names on the script's lines with the judged call, when the
	// report singles some out (missing_exception): an exception of another line
	// is no answer to it.
	Calls []string `json:"calls,omitempty"`
	// Subject is the distribution under suspicion with its import names, so
	// that frames can be attributed; Related are other named distributions.
	Subject string   `json:"subject,omitempty"`
	Modules []string `json:"modules,omitempty"`
	// Asks is true when the reporter asks "is this expected?" (rule 11).
	Asks bool `json:"asks,omitempty"`
	// ReporterScript is true when the judged script is the reporter's own:
	// only then do its asserts and prints speak for the reporter.
	ReporterScript bool `json:"reporter_script"`
}

// Printed is what the reporter says the script prints, and what it should.
type Printed struct {
	// Actual lines must all come, in order, on the bad side.
	Actual []Line `json:"actual,omitempty"`
	// Expected lines or values must come on the good side.
	Expected []Line `json:"expected,omitempty"`
	// Relation on the numbers of the actual lines, true on the good side:
	// "all_nan", "all_finite", "equal".
	Relation string `json:"relation,omitempty"`
}

// Line is one stated line or fragment.
type Line struct {
	Text string `json:"text"`
	// Fragment: the text must appear inside a line (token-wise), else it is a
	// whole line.
	Fragment bool `json:"fragment,omitempty"`
	// Prefix: the statement ends in "..." and only its beginning counts.
	Prefix bool `json:"prefix,omitempty"`
	// Approximate numbers: only shape of the line and class of its numbers.
	Approximate bool `json:"approximate,omitempty"`
	// Replaces: index of the Actual line that this Expected value corrects
	// ("argmax: 1, should be 2"), or -1.
	Replaces int `json:"replaces"`
}

// Compare is a comparison of two expressions of the script.
type Compare struct {
	// Left and Right are the source of the operands; when they are plain names
	// or attributes their values are in Execution.Record.Names under that text.
	Left  string `json:"left"`
	Right string `json:"right"`
	Op    string `json:"op"` // "==", "!=", "<", "allclose", ...
	Line  int    `json:"line"`
	// Assert: the comparison is an assert's test; else it is printed.
	Assert bool `json:"assert,omitempty"`
}

// Finding is what one execution shows of an expectation.
type Finding string

const (
	Hit          Finding = "hit"              // the reported symptom is there
	Clean        Finding = "clean"            // ran through the judged call, and what the reporter wants holds
	Absent       Finding = "absent"           // ran through, symptom not there, but nothing stated was satisfied
	Within       Finding = "within_tolerance" // differs only inside the derived float tolerance
	Collided     Finding = "collision"        // failed otherwise
	Inconclusive Finding = "inconclusive"     // says nothing: a limit of ours, no record, environment fault
)

// Judgement is one execution judged.
type Judgement struct {
	Finding Finding `json:"finding"`
	// Oracle that gave the finding.
	Oracle   Name            `json:"oracle,omitempty"`
	Observed symptom.Symptom `json:"observed"`
	Match    symptom.Match   `json:"match"`
	// Fault is set on Inconclusive when the environment was to blame
	// ("missing_module": Detail is the module) so that the ladder can act.
	Fault  string `json:"fault,omitempty"`
	Detail string `json:"detail,omitempty"`
	// Limit says that a limit of ours ended it.
	Limit bool `json:"limit,omitempty"`
	// Reasons in words, with numbers: what was compared with what.
	Reasons []string `json:"reasons,omitempty"`
	// Tolerance used, in words, when floats were compared.
	Tolerance string `json:"tolerance,omitempty"`
	// Printed: the lines of the execution that carried the claim.
	Lines []string `json:"lines,omitempty"`
}

// Side says which side of the evidence a group is.
type Side string

const (
	SideReported Side = "reported"
	SideNamed    Side = "named_good" // a release that the reporter names as good
	SideRelease  Side = "release"    // another release, found by search
	SideNewest   Side = "newest"
	SideFix      Side = "fix"      // the real fix, named as such
	SideNeutral  Side = "neutral"  // the certificate script of the environment
	SideContrast Side = "contrast" // an edit that the reporter names
)

// Vouched says that a person named this side as right: there it is enough that
// the symptom does not come.
func (s Side) Vouched() bool { return s == SideNamed || s == SideFix }

// Group is executions of one script in one environment.
type Group struct {
	Side    Side   `json:"side"`
	Subject string `json:"subject,omitempty"`
	Version string `json:"version,omitempty"`
	// Older is true when Version is older than the reported one.
	Older bool `json:"older,omitempty"`
	// Moved lists other packages whose version differs from the reported side;
	// MovedNamed those of them that the report names (then no grade B).
	Moved      []string `json:"moved,omitempty"`
	MovedNamed []string `json:"moved_named,omitempty"`
	StandIn    bool     `json:"stand_in,omitempty"`
	// Lacks are names of the subject that the script uses and this release has
	// not, although the script ran through: it swallowed their absence.
	Lacks []string `json:"lacks,omitempty"`
	// Unavailable says why there are no executions.
	Unavailable string              `json:"unavailable,omitempty"`
	Executions  []sandbox.Execution `json:"-"`
	Judgements  []Judgement         `json:"judgements,omitempty"`
}

// Evidence is everything recorded for one expectation.
type Evidence struct {
	Groups []Group `json:"groups"`
	// Certified: the environment of the reported side passed its certificate.
	Certified bool `json:"certified"`
	// CertificateHit: it failed with the expected symptom.
	CertificateHit bool `json:"certificate_hit,omitempty"`
	// ReportedGood: what ran as the reported side is a release that the report
	// calls good, for want of one that it calls bad.
	ReportedGood bool `json:"reported_good,omitempty"`
	// StandIn: the reported side itself runs a stand-in release.
	StandIn bool `json:"stand_in,omitempty"`
	// Edits that could themselves cause the symptom forbid A and B unless the
	// control has them too (it has: the script is the same); kept for C.
	Lowered bool `json:"lowered,omitempty"` // an accelerator was lowered to CPU
	// OnDevice: the reporter's own machine ran it on an accelerator, by the report's
	// list of versions; a clean run on the CPU then says nothing of the symptom.
	OnDevice bool `json:"on_device,omitempty"`
	// Refused: why the candidate may not be believed (touches the observer,
	// patches the subject, branches on a version, raises by hand).
	Refused []string `json:"refused,omitempty"`
	// Adjacent is true when the good and bad release are neighbours.
	Adjacent bool `json:"adjacent,omitempty"`
	// BudgetEnded: a budget of ours ended the search.
	BudgetEnded bool `json:"budget_ended,omitempty"`
}

// Headline of a verdict; see docs/verdicts.md.
type Headline string

const (
	Reproduced       Headline = "reproduced"
	Fixed            Headline = "fixed"
	Regression       Headline = "regression"
	Flaky            Headline = "flaky"
	Lead             Headline = "lead"
	DifferentFailure Headline = "different_failure"
	Exhausted        Headline = "exhausted"
	NotReproduced    Headline = "not_reproduced"
	NeedsInfo        Headline = "needs_info"
	NeedsModel       Headline = "needs_model"
	NeedsHardware    Headline = "needs_hardware"
	EnvUnavailable   Headline = "env_unavailable"
	NotABug          Headline = "not_a_bug"
	Hostile          Headline = "hostile"
	Failed           Headline = "failed"
)

// Grade of the evidence, "A" to "D"; "" when there is none.
type Grade string

// Verdict is computed from evidence, and only from evidence.
type Verdict struct {
	Headline Headline   `json:"headline"`
	Also     []Headline `json:"also,omitempty"`
	Grade    Grade      `json:"grade,omitempty"`
	Hits     int        `json:"hits"` // of the reported side
	Runs     int        `json:"runs"`
	Low      float64    `json:"low"` // Wilson 95 %
	High     float64    `json:"high"`
	// FisherP of the reported side against the control that gives the grade.
	FisherP float64 `json:"fisher_p,omitempty"`
	// Control is the index of that group in the evidence, -1 for none.
	Control int           `json:"control"`
	Match   symptom.Match `json:"match"`
	// Observed symptom of the first hit, else of the first execution.
	Observed symptom.Symptom `json:"observed"`
	// Between names the neighbouring releases of a regression, or of a fix.
	GoodBefore string   `json:"good_before,omitempty"` // older release without it
	FirstFixed string   `json:"first_fixed,omitempty"` // newer release without it
	OnNewest   string   `json:"on_newest"`             // "yes", "no", "not_run", "inconclusive"
	Reasons    []string `json:"reasons"`
}
