package oracle

import (
	"github.com/repgen/repgen/internal/audit"
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
	// Silent symptoms and costs; each has its own claim in the Expectation.
	OracleNonFinite  Name = "non_finite"     // a NaN or an infinity where a finite number is right (Value)
	OracleShape      Name = "shape"          // shape, dtype or type of a named or printed value (Value)
	OracleDuplicates Name = "duplicates"     // repeats among like lines or records (Repeats)
	OracleSpread     Name = "nondeterminism" // equal executions differ (Spread); judged by group
	OracleHang       Name = "hang"           // it does not end, and the stack lies in the subject (Cost)
	OracleSlow       Name = "slow"           // ratio of times to a control (Cost); judged by group
	OracleMemory     Name = "memory"         // slope of resident memory (Cost)
	OracleLearning   Name = "no_learning"    // a printed series does not go where it should (Series)
	// OracleObserved: an expression over what the script observes (Observed),
	// proposed for a silent symptom by whoever wrote the script.
	OracleObserved Name = "observed"
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
	// Claims of the silent oracles, at most one set.
	Value   *Value   `json:"value,omitempty"`
	Repeats *Repeats `json:"repeats,omitempty"`
	Spread  *Spread  `json:"spread,omitempty"`
	Cost    *Cost    `json:"cost,omitempty"`
	Series  *Series  `json:"series,omitempty"`
	// Observed are expressions over observations (observed).
	Observed *Observed `json:"observed,omitempty"`
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
	// "all_nan", "all_finite", "equal", "not_falling", "not_rising".
	Relation string `json:"relation,omitempty"`
	// Chance: the script draws numbers and fixes no seed, so that the numbers
	// that were stated need not come again.
	Chance bool `json:"chance,omitempty"`
}

// Value is a claim about one property of a value that the script names or
// prints.
type Value struct {
	// Target is the expression as it stands in the script ("out", "loss"), the
	// name under which the observer records it; "" means any printed value.
	Target string `json:"target,omitempty"`
	// Property: "finite", "shape", "dtype", "type".
	Property string `json:"property"`
	// Actual and Expected as written ("(3, 4)", "float32"); either may be "".
	Actual   string `json:"actual,omitempty"`
	Expected string `json:"expected,omitempty"`
}

// Repeats is a claim that something came twice: among the printed lines that
// are alike but for their values, or among the elements of a named value.
type Repeats struct {
	// Like is text that the like lines have in common ("x ="); "" means any
	// family of lines that differ in their values only.
	Like string `json:"like,omitempty"`
	// Name is a watched name whose elements must be distinct.
	Name string `json:"name,omitempty"`
	// Lines is true when whole equal lines are the complaint (a message that
	// is printed twice), not equal values in lines of one family.
	Lines bool `json:"lines,omitempty"`
}

// Spread is a claim that equal executions, or two values of one execution that
// should be the same, differ.
type Spread struct {
	// Within is true when two outputs of one execution are compared (the
	// script itself runs the thing twice); else executions are.
	Within bool `json:"within,omitempty"`
	// Left and Right name the two printed lines or watched names, when known.
	Left  string `json:"left,omitempty"`
	Right string `json:"right,omitempty"`
	// Labels are texts of the lines whose numbers should be equal; empty: all.
	Labels []string `json:"labels,omitempty"`
}

// Cost is a claim about time or memory.
type Cost struct {
	// Ratio that the reporter states ("3x slower"), 0 when none.
	Ratio float64 `json:"ratio,omitempty"`
	// Labels of printed times that carry the claim, slow one first; empty: the
	// whole execution's.
	Labels []string `json:"labels,omitempty"`
	// Line of the script where it is said to hang, 0 when not said.
	Line int `json:"line,omitempty"`
}

// Series is a claim about where a printed series of numbers should go.
type Series struct {
	// Label is the text before the numbers ("loss"); "" means the last number
	// of each like line.
	Label string `json:"label,omitempty"`
	// Want: "falls", "rises", "changes".
	Want string `json:"want"`
}

// Observed is a claim over named observations of the script
// (observe("name", value)).
type Observed struct {
	// Names are the observations that the expressions may use.
	Names []ObservedName `json:"names"`
	// Bad is true where the symptom is there, Good where what the reporter wants
	// holds: expressions of type bool. A side on which neither is true shows
	// nothing; where both are, the claim contradicts itself.
	Bad  string `json:"bad"`
	Good string `json:"good"`
	// BadQuote and GoodQuote are the words of the report on which they rest.
	BadQuote  string `json:"bad_quote,omitempty"`
	GoodQuote string `json:"good_quote,omitempty"`
}

// ObservedName is one observation with its type.
type ObservedName struct {
	Name string `json:"name"`
	// Type: "number", "bool", "string", "array".
	Type string `json:"type"`
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
	// Part: a stated line that the report calls wrong came as it was, though not
	// all that is stated did: no hit, and no denial either.
	Part bool `json:"part,omitempty"`
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
	SideRemoval  Side = "removal"  // the same script with the trigger removed, found by rule (rule 11)
	// SideAuthored is the same script with its trigger left out by whoever wrote
	// it, selected by the observer.
	SideAuthored Side = "authored"
	// SidePinned is the reported side again with all seeds pinned. It is
	// recorded beside the verdict and never decides it: pinning can hide or
	// create a symptom.
	SidePinned Side = "pinned"
	// SideReseeded is the reported side with other seeds in the script. Where it
	// is right, random numbers decide, and another release is no control: it
	// draws others too.
	SideReseeded Side = "reseeded"
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
	// Script is what ran when it was not the candidate's own text (contrasts,
	// removals, controls with an edit of their own); Change says in words what
	// differs, Env the variables that were set beside.
	Script string            `json:"script,omitempty"`
	Change string            `json:"change,omitempty"`
	Env    map[string]string `json:"env,omitempty"`
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
	// Unanchored: why what is bad and what is good does not rest on the
	// reporter's words, where the claim was proposed by whoever wrote the script.
	Unanchored []string `json:"unanchored,omitempty"`
	// ControlUnfit: why the control that the script's author wrote cannot count,
	// whatever it shows.
	ControlUnfit []string `json:"control_unfit,omitempty"`
	// Adjacent is true when the good and bad release are neighbours.
	Adjacent bool `json:"adjacent,omitempty"`
	// BudgetEnded: a budget of ours ended the search.
	BudgetEnded bool `json:"budget_ended,omitempty"`
	// Open is what of release and script is not the reporter's own word: with it
	// nothing can be denied.
	Open []Open `json:"open,omitempty"`
	// Audit is what the script asked on the reported side and on one control.
	Audit *Audit `json:"audit,omitempty"`
}

// Audit are audited executions and what they say. They are never counted.
type Audit struct {
	Control int `json:"control"` // index of the group
	// Executions: the reported side, the control, and the reported side again
	// where that was needed.
	Executions []sandbox.Execution `json:"-"`
	Finding    audit.Finding       `json:"finding"`
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
	// Undecided: the symptom did not come, and something is open that a denial
	// would need (Verdict.Open).
	Undecided Headline = "inconclusive"
	Hostile   Headline = "hostile"
	Failed    Headline = "failed"
	// HumanFirst: the trouble lies in the harness around the library (CI, an
	// installer, a distributed launch), which no single script can show.
	HumanFirst Headline = "human_first"
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
	Open       []Open   `json:"open,omitempty"`        // of Undecided
	Reasons    []string `json:"reasons"`
}
