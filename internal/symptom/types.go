package symptom

// Kind names what went wrong, in the field's words.
type Kind string

const (
	Exception        Kind = "exception"
	MissingException Kind = "missing_exception"
	Signal           Kind = "signal"
	Warning          Kind = "warning"
	ImportError      Kind = "import_error" // an exception raised while a package was being imported
	NonFinite        Kind = "non_finite"
	WrongValue       Kind = "wrong_value"
	Shape            Kind = "shape"
	DType            Kind = "dtype"
	NoLearning       Kind = "no_learning"
	Hang             Kind = "hang"
	Slow             Kind = "slow"
	Memory           Kind = "memory"
	Nondeterminism   Kind = "nondeterminism"
	Duplicates       Kind = "duplicates" // something comes twice, or again, that should come once
	Unknown          Kind = "unknown"
)

// Symptom is one failure or oddity, read from a reporter's log or from an
// execution by the same recogniser.
type Symptom struct {
	Kind Kind `json:"kind"`
	// Exception is the class as written ("TypeError",
	// "tensorflow...InvalidArgumentError"); for Warning the category.
	Exception string `json:"exception,omitempty"`
	// Bases are the other names under which the class may be written (MRO);
	// only known on the observed side.
	Bases []string `json:"bases,omitempty"`
	// Message is the whole message as written, first line first.
	Message string `json:"message,omitempty"`
	// Frames, outermost first; from a reporter's log often partial.
	Frames []Frame `json:"frames,omitempty"`
	// Signal is "SIGABRT", "SIGSEGV", "SIGKILL", ...
	Signal string `json:"signal,omitempty"`
	// FatalLine is the native log line that came with the signal
	// ("Check failed: d < dims() (3 vs. 3)").
	FatalLine string `json:"fatal_line,omitempty"`
	// Chain are the exceptions before this one ("During handling ...").
	Chain []Symptom `json:"chain,omitempty"`
	// Truncated says that the log was cut ("...").
	Truncated bool `json:"truncated,omitempty"`
	// Start and End are the byte span in the text it was read from.
	Start int `json:"start,omitempty"`
	End   int `json:"end,omitempty"`
}

// Frame is one stack frame with only what is stable across machines.
type Frame struct {
	// File is the stable tail below site-packages or the project
	// ("keras/src/ops/math.py"), or the bare name ("<stdin>", "reproduce.py").
	File string `json:"file"`
	// Package is the top-level import name the file belongs to; "" for the
	// script itself and the standard library ("lib" in Where).
	Package  string `json:"package,omitempty"`
	Where    string `json:"where"` // "script", "library", "stdlib", "unknown"
	Line     int    `json:"line,omitempty"`
	Function string `json:"function,omitempty"`
	Source   string `json:"source,omitempty"`
	// Altered: an observed frame of a package whose code is not its file's.
	Altered bool `json:"altered,omitempty"`
}

// Relation of an observed symptom to the expected one.
type Relation string

const (
	Same      Relation = "same"
	Elsewhere Relation = "same_kind_elsewhere" // same kind and class, other message or place
	Collision Relation = "collision"           // it failed, but differently
	None      Relation = "none"                // it did not fail
)

// Match is a comparison with the fields that decided it.
type Match struct {
	Relation Relation     `json:"relation"`
	Fields   []FieldMatch `json:"fields,omitempty"`
}

// FieldMatch is one compared field.
type FieldMatch struct {
	Field    string `json:"field"` // "kind", "exception", "message", "frame", "signal", "fatal_line", "category"
	Expected string `json:"expected"`
	Observed string `json:"observed"`
	Equal    bool   `json:"equal"`
	Why      string `json:"why,omitempty"`
}
