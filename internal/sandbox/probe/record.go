package probe

import "encoding/json"

// Record is what the observer inside the interpreter wrote during one
// execution, parsed and checked. It is evidence about the script, never a
// verdict: the script shares the process and can cut the channel or try to speak
// for the observer, so whoever judges also looks at what was measured from
// outside (exit, signal, output, time, memory).
type Record struct {
	// Started is true when the observer's start record arrived. False means
	// "no evidence from inside" (python -I, -S, a sitecustomize that was
	// shadowed, a process that never became Python), never "nothing happened".
	Started bool `json:"started"`
	// Ended is true when the interpreter reached its normal shutdown.
	Ended bool `json:"ended"`
	// Python is the interpreter's version, "3.11.7".
	Python string `json:"python,omitempty"`
	// Exceptions are the uncaught ones, in order: the main thread's (at most
	// one, Thread "") and those of other threads.
	Exceptions []Exception `json:"exceptions,omitempty"`
	// Warnings issued through the warnings module, in order, capped.
	Warnings []Warning `json:"warnings,omitempty"`
	// Fatal is faulthandler's text (SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS).
	// Empty when the script turned faulthandler to a file of its own. It
	// carries no key: believe it only beside a signal measured from outside.
	Fatal string `json:"fatal,omitempty"`
	// SystemExit is the argument of the last sys.exit call of the main thread,
	// as repr, when no exception was recorded. The interpreter offers no hook
	// for SystemExit: whether the call was caught shows in the exit code, and a
	// bare raise SystemExit is not seen.
	SystemExit string `json:"system_exit,omitempty"`
	// Observations made with repgen's observe(name, value).
	Observations []Observation `json:"observations,omitempty"`
	// Names holds the final value of the watched global names of __main__
	// (taken at exit, or when the uncaught exception is recorded: then locals
	// of the raising __main__ frame win over globals).
	Names []Observation `json:"names,omitempty"`
	// Arrays summarises every array-like global of __main__ (name, dtype,
	// size; no values): float tolerances are derived from it.
	Arrays []Observation `json:"arrays,omitempty"`
	// Packages are the distributions whose modules were imported, with the
	// version of their metadata and the file of their top module.
	Packages []Package `json:"packages,omitempty"`
	// PeakRSS is the peak resident memory in bytes by getrusage (self).
	PeakRSS int64 `json:"peak_rss,omitempty"`
	// Seeds seen at start, such as PYTHONHASHSEED.
	Seeds map[string]string `json:"seeds,omitempty"`
	// Attempts are the things a harmless script has no reason to do, seen by
	// the interpreter's audit hook (3.8+): kind "connect", "open-secret",
	// "subprocess", "listdir-secret", with the argument. Capped.
	Attempts []Attempt `json:"attempts,omitempty"`
	// Malformed counts lines on the channel that did not parse or carried the
	// wrong key. More than zero with a torn last line is normal after a kill.
	Malformed int `json:"malformed,omitempty"`
	// Forged is true when a line carried a wrong key or a second start record
	// came, so that something else wrote to the channel, or when the script got
	// hold of a frame or an object of the observer (seen on 3.8+).
	Forged bool `json:"forged,omitempty"`
	// Truncated is true when the channel's size limit cut the record.
	Truncated bool `json:"truncated,omitempty"`
	// Stacks are samples of what each thread of each Python process of the tree
	// was doing after Options.StackAfter seconds and again later, in order.
	// Like Fatal those of the script's own process carry no key: believe them
	// only beside a time-out measured from outside.
	Stacks []Stack `json:"stacks,omitempty"`
	// Children counts the lines that forked children wrote. Of them
	// observations and stacks are kept; their failures are not the script's.
	Children int `json:"children,omitempty"`
	// Audit is the log of an audited execution, in the parts in which it came;
	// internal/audit reads it.
	Audit []json.RawMessage `json:"audit,omitempty"`
}

// AuditArgs make an interpreter run the script that follows with recorders in it.
// The code stands in a frame of the main module and not in one of ours, which a
// script that asks for its frames would find.
func AuditArgs() []string { return []string{"-c", "exec(__import__('repgen').script())"} }

// Exception is one uncaught exception as data.
type Exception struct {
	Thread  string   `json:"thread,omitempty"`
	Type    string   `json:"type"` // qualified: "ValueError", "tensorflow.python.framework.errors_impl.InvalidArgumentError"
	MRO     []string `json:"mro"`  // qualified names of the class and its bases
	Message string   `json:"message"`
	Frames  []Frame  `json:"frames"` // outermost first
	// Chain is the causes and contexts, nearest first.
	Chain []Exception `json:"chain,omitempty"`
	// Link says how a Chain member is linked: "cause", "context", or "member"
	// (of the ExceptionGroup before it).
	Link string `json:"link,omitempty"`
	// Notes are PEP 678 notes.
	Notes []string `json:"notes,omitempty"`
}

// Frame is one stack frame.
type Frame struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Function string `json:"function"`
	Module   string `json:"module,omitempty"` // __name__ of the frame's globals
	Source   string `json:"source,omitempty"` // the source line, stripped
	// Altered: the code that ran is not what the named file holds. Looked at
	// from the raising frame outwards to the first of an installed package.
	Altered bool `json:"altered,omitempty"`
}

// Warning is one warning.
type Warning struct {
	Category string   `json:"category"` // qualified class name, builtins unqualified
	MRO      []string `json:"mro,omitempty"`
	Message  string   `json:"message"`
	File     string   `json:"file"`
	Line     int      `json:"line"`
	// Frames is the stack at the moment of the warning, outermost first, so
	// that "during fit" can be told from "during predict". Capped.
	Frames []Frame `json:"frames,omitempty"`
}

// Observation is one named value.
type Observation struct {
	Name string `json:"name"`
	// Kind: "none", "bool", "int", "float", "complex", "str", "array",
	// "sequence", "object".
	Kind string `json:"kind"`
	// Type is the qualified Python type.
	Type string `json:"type,omitempty"`
	// Text is the value: repr of a scalar, NaN and infinities as "nan",
	// "inf", "-inf"; floats with enough digits to come back exactly.
	Text  string `json:"text,omitempty"`
	DType string `json:"dtype,omitempty"` // "float32", numpy naming, without the library prefix
	Shape []int  `json:"shape,omitempty"`
	Size  int    `json:"size,omitempty"`
	// Finite is the number of finite elements of a float array.
	Finite int `json:"finite,omitempty"`
	// Min, Max, Mean over finite elements, and Values (whole, flattened, up
	// to 64 elements), as Text is written.
	Min    string   `json:"min,omitempty"`
	Max    string   `json:"max,omitempty"`
	Mean   string   `json:"mean,omitempty"`
	Hash   string   `json:"hash,omitempty"`
	Values []string `json:"values,omitempty"`
}

// Stack is one thread at one moment.
type Stack struct {
	Sample int     `json:"sample"` // 1 for the first sampling of its process, 2, ...
	Child  bool    `json:"child,omitempty"`
	Thread string  `json:"thread,omitempty"`
	Main   bool    `json:"main,omitempty"`
	Frames []Frame `json:"frames"` // outermost first
}

// Package is one imported distribution.
type Package struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Module  string `json:"module,omitempty"`
	File    string `json:"file,omitempty"`
}

// Attempt is one audited deed.
type Attempt struct {
	Kind   string `json:"kind"`
	Detail string `json:"detail"`
	// Script is true when the first caller outside the standard library is the
	// script itself: libraries start processes and resolve names of their own
	// accord while they are imported.
	Script bool `json:"script,omitempty"`
}

// Options select what the observer records; they travel in the environment of
// the process and are removed from os.environ before the script starts.
type Options struct {
	// Watch are the global names whose final values are recorded.
	Watch []string `json:"watch,omitempty"`
	// StackAfter, in seconds, is when the stacks of all threads are first
	// sampled; they are again every quarter of it. 0: never.
	StackAfter float64 `json:"stack_after,omitempty"`
	// Seed pins random, numpy, torch, tensorflow and keras to this seed as each
	// is imported. nil: the reporter's own seeding.
	Seed *int `json:"seed,omitempty"`
	// Control makes repgen_probe.control true: the script runs with its trigger
	// left out.
	Control bool `json:"control,omitempty"`
	// Audit records what the script asks and what it is told (Record.Audit): the
	// interpreter must be started with AuditArgs before the script's name.
	Audit bool `json:"audit,omitempty"`
}
