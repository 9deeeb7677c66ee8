package candidate

import "github.com/repgen/repgen/internal/oracle"

// Edit is one change that we made to the reporter's text.
type Edit struct {
	// Kind: "strip_prompt", "echo", "magic", "show", "lower_device",
	// "add_import", "join_blocks", "env", "quotes", "dedent", "indent",
	// "python2", "stand_in_file", "stand_in_weights", "stand_in_input",
	// "argv", "headless", "obsolete_argument", "contrast", "removal",
	// "leftover" (a line that is no code), "cut" (what was pasted below it), "capital", "bracket" (or a colon), "name_operands".
	Kind   string `json:"kind"`
	Why    string `json:"why"`
	Line   int    `json:"line"` // 1-based, in the resulting script; 0 for the whole
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Risky: the edit could itself cause or hide the symptom.
	Risky bool `json:"risky,omitempty"`
}

// Candidate is an unverified script.
type Candidate struct {
	Script string `json:"script"`
	// Origin is "reporter", "given" (judge) or "agent" (a language model).
	Origin string `json:"origin"`
	// HasControl: the script leaves out its trigger where the observer's control
	// is true; Trigger says in words what it then leaves out.
	HasControl bool   `json:"has_control,omitempty"`
	Trigger    string `json:"trigger,omitempty"`
	Edits      []Edit `json:"edits,omitempty"`
	// Imports are the top-level modules it imports (not the standard library).
	Imports []string `json:"imports"`
	// Requirements from shell magics ("x==1.2").
	Requirements []string `json:"requirements,omitempty"`
	// Env are variables to set before the interpreter starts.
	Env map[string]string `json:"env,omitempty"`
	// Watch are the global names whose final values the observer records.
	Watch []string `json:"watch,omitempty"`
	// Compare are the comparisons found (asserts and printed ones).
	Compare []oracle.Compare `json:"compare,omitempty"`
	// Operands are the asserts whose operands were given names.
	Operands []Operand `json:"operands,omitempty"`
	// Undefined names that nothing defines: non-empty means it is not complete.
	Undefined []string `json:"undefined,omitempty"`
	// Refusals are reasons why the script may not be believed.
	Refusals []string `json:"refusals,omitempty"`
	// Notes are weaker remarks than Refusals: what would forbid belief only
	// under some oracles (see RefusalsFor), or what a reader should know.
	Notes []string `json:"notes,omitempty"`
	// Raises are the classes that the script raises by hand, with their lines.
	Raises []HandRaise `json:"raises,omitempty"`
	// Original is the text the edits started from; Diff(Original, Script) shows
	// every one of them.
	Original string `json:"original,omitempty"`
	// Reaches lists reaches for secrets, network or processes found statically.
	Reaches []string `json:"reaches,omitempty"`
	// SyntaxError, when it does not parse: "line 3: ...".
	SyntaxError string `json:"syntax_error,omitempty"`

	memo *memo // only while it is being made
}

// HandRaise is one raise statement of the script itself.
type HandRaise struct {
	Class string `json:"class"` // as written, "" for a bare raise
	Line  int    `json:"line"`
	Scope string `json:"scope,omitempty"` // "Outer.method", "" at module scope
}

// Variant is a candidate with one more change that should take the symptom
// away: a control of the script's own (rules 6 and 11).
type Variant struct {
	Script string `json:"script"`
	// Removal is true for a trigger that was taken out by rule, false for a
	// contrast that the reporter names.
	Removal bool   `json:"removal,omitempty"`
	Change  string `json:"change"` // in words: "without drop_last=True", "JAX_DISABLE_JIT=1"
	Words   string `json:"words"`  // the reporter's, on which it rests
	Edit    Edit   `json:"edit"`
	// Env are the variables of the control; an empty value means that the
	// variable, which the candidate sets, is left unset.
	Env map[string]string `json:"env,omitempty"`
}
