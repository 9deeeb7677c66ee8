package report

import (
	"time"

	"github.com/repgen/repgen/internal/symptom"
)

// Span is a half-open byte range in Report.Text.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Within says whether the span can be cut from text. Those of a parsed report
// can be cut from its Text; a report made by hand may hold any.
func (s Span) Within(text string) bool {
	return 0 <= s.Start && s.Start <= s.End && s.End <= len(text)
}

// Source says where a report came from.
type Source struct {
	Kind string `json:"kind"` // "file", "stdin", "github", "tracker-json"
	Name string `json:"name"` // path as given, "owner/repo#N", ...
	URL  string `json:"url,omitempty"`
}

// Report is what a reporter wrote, parsed. Nothing in it is inferred: each
// item has the span of the words it was read from.
type Report struct {
	Source    Source    `json:"source"`
	Text      string    `json:"text"` // normalised: UTF-8, \n, no byte-order mark, at most 1 MiB
	Title     string    `json:"title"`
	TitleSpan Span      `json:"title_span"`
	Created   time.Time `json:"created,omitzero"` // the tracker's, or a date in front matter; zero if unknown
	Labels    []string  `json:"labels,omitempty"`
	Repo      string    `json:"repo,omitempty"` // "owner/name" when it came from a tracker, or the front matter says so

	Sections   []Section   `json:"sections"`
	Blocks     []Block     `json:"blocks,omitempty"`
	Tracebacks []Traceback `json:"tracebacks,omitempty"`
	Versions   []Version   `json:"versions,omitempty"`
	Env        []EnvVar    `json:"env,omitempty"`
	Statements []Statement `json:"statements,omitempty"`
	Platform   []Fact      `json:"platform,omitempty"` // "os", "device", "gpu", "driver"
	Notes      []string    `json:"notes,omitempty"`    // what was cut, repaired, dropped
}

// Role is what a section is about.
type Role string

const (
	RoleDescription Role = "description"
	RoleExpected    Role = "expected"
	RoleActual      Role = "actual"
	RoleCode        Role = "code" // steps, snippet
	RoleLog         Role = "log"
	RoleVersions    Role = "versions"
	RoleOther       Role = "other" // checklists, extra context
)

// Section is a heading (or bold pseudo-heading, or form field) and its text.
type Section struct {
	Heading string `json:"heading"` // "" for text before the first heading
	Level   int    `json:"level"`
	Role    Role   `json:"role"`
	Span    Span   `json:"span"`
	Body    string `json:"body"` // without the heading line; blocks included
}

// BlockKind is what a block holds.
type BlockKind string

const (
	BlockPython    BlockKind = "python"
	BlockREPL      BlockKind = "repl" // >>> or In [n]: ; Code has the prompts stripped
	BlockShell     BlockKind = "shell"
	BlockOutput    BlockKind = "output" // printed output or a log
	BlockTraceback BlockKind = "traceback"
	BlockVersions  BlockKind = "versions" // pip freeze, collect_env, show_versions, ...
	BlockDiff      BlockKind = "diff"
	BlockOther     BlockKind = "other"
)

// What stood below a block that was cut.
const (
	CutOutput = "output"
	CutCode   = "code"
)

// Block is one piece of code or output.
type Block struct {
	Kind    BlockKind `json:"kind"`
	Lang    string    `json:"lang,omitempty"` // fence tag as written
	Span    Span      `json:"span"`           // of the content, without fences
	Text    string    `json:"text"`           // content as written (dedented when indented)
	Section int       `json:"section"`
	// Cells of a REPL transcript or notebook, in order.
	Cells []Cell `json:"cells,omitempty"`
	// Magics are lines that are no Python (!pip install x==1, %matplotlib), and
	// the commands in an output block that begins with a shell's prompt.
	Magics []string `json:"magics,omitempty"`
	// Lead is the sentence or line right before the block ("Output here:"),
	// from which its role was read.
	Lead string `json:"lead,omitempty"`
	Role Role   `json:"role"`
	// Approximate says that the lead calls the content an example ("something
	// like", "e.g.", "varies").
	Approximate bool `json:"approximate,omitempty"`
	// Cut says that something was pasted below the code in the same fence, and
	// stands in the block after it: CutOutput, or CutCode where that may be code
	// in part, so that the script is not whole.
	Cut string `json:"cut,omitempty"`
	// After names the version whose output this is ("With 3.5.0 I get").
	After *Version `json:"after,omitempty"`
}

// Cell is one input of a transcript with the output that followed it.
type Cell struct {
	Code   string `json:"code"`
	Output string `json:"output,omitempty"`
	Span   Span   `json:"span"`
}

// Traceback is a failure found in the report's text.
type Traceback struct {
	Symptom symptom.Symptom `json:"symptom"`
	Span    Span            `json:"span"`
	Block   int             `json:"block"` // -1: in prose
}

// Version is a version the reporter states.
type Version struct {
	Name string `json:"name"` // as written: "Keras", "tf", "python"
	Dist string `json:"dist"` // normalised distribution: "keras", "tensorflow"; "python" for the interpreter
	// Spec is the version as written: "0.6.2", "2.15", "main", "latest".
	Spec string      `json:"spec"`
	Kind VersionKind `json:"kind"`
	// Where: "prose", "list" (bullet), "freeze", "conda", "collect_env",
	// "show_versions", "install_line", "form", "printed", "requirements",
	// "comment" (in code), "wheel" (a wheel's file name).
	Where string      `json:"where"`
	Role  VersionRole `json:"role"`
	Span  Span        `json:"span"`
	// Local is true for a line that names something not on an index ("@ file",
	// "-e", a private path): never installed, kept as a fact.
	Local bool `json:"local,omitempty"`
}

// VersionKind says how exact a version is.
type VersionKind string

const (
	VersionExact   VersionKind = "exact"   // 0.6.2
	VersionPartial VersionKind = "partial" // 2.15, "keras 3": newest matching as of the date
	VersionRange   VersionKind = "range"   // >=1.6
	VersionMoving  VersionKind = "moving"  // main, master, nightly, latest, a commit
)

// VersionRole says what the reporter says of it.
type VersionRole string

const (
	RoleStated  VersionRole = "stated"  // the environment of the report
	RoleBad     VersionRole = "bad"     // shows the symptom, in so many words
	RoleGood    VersionRole = "good"    // is fine, in so many words
	RoleMention VersionRole = "mention" // none of these ("downgrade to 3.20.x", "numpy says 2")
)

// EnvVar is an environment variable that the reporter set.
type EnvVar struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Where string `json:"where"` // "prose", "shell", "code"
	Span  Span   `json:"span"`
}

// Fact is a stated platform fact.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Span  Span   `json:"span"`
}

// StatementKind says what a statement is about.
type StatementKind string

const (
	SaysOutput StatementKind = "output" // Text is printed text, whole lines or a fragment
	SaysValue  StatementKind = "value"  // Text is one value: "2", "nan", "True", "(3, 8)"
	// SaysRelation has a Relation: "all_nan", "equal", "all_finite", "same",
	// "no_warning", "no_error"; on the expected side also "not_falling" and
	// "not_rising" (the numbers of one column of the stated output, read
	// downwards, must not fall or rise); on the actual side "falling" and
	// "rising" (the reporter says that they do, which is no judgement yet).
	SaysRelation  StatementKind = "relation"
	SaysException StatementKind = "exception" // Text is an exception class ("ValueError", or "error")
	SaysWarning   StatementKind = "warning"
)

// Statement is what the reporter says came, or should have come.
type Statement struct {
	Role     Role          `json:"role"` // RoleExpected or RoleActual
	Kind     StatementKind `json:"kind"`
	Text     string        `json:"text"`
	Relation string        `json:"relation,omitempty"`
	Span     Span          `json:"span"`
	// Where: "block", "inline" (backticks), "prose", "comment" (in code),
	// "repl" (a transcript's output), "heading".
	Where string `json:"where"`
	Block int    `json:"block"` // the block it stands in, or -1
	// Line is the 1-based line inside that block's code for comments and REPL cells.
	Line int `json:"line,omitempty"`
	// Approximate: "something like", "about", "varies".
	Approximate bool `json:"approximate,omitempty"`
	// Version, when the statement is about one ("With 3.4.0 only 0/1").
	Version *Version `json:"version,omitempty"`
}
