// Package query says what of a bug report is searched for: its words, the
// names it writes, and the frames of its tracebacks.
package query

// Query is a report as the search sees it.
type Query struct {
	Title string `json:"title"`
	// Observed is what the reporter saw, in prose: descriptions and actual
	// results without code, logs, lists of versions and boilerplate.
	Observed string `json:"observed,omitempty"`
	// Exception is the class of the failure, Message its message without
	// addresses and numbers.
	Exception string `json:"exception,omitempty"`
	Message   string `json:"message,omitempty"`
	// Names are identifiers that the report writes, most telling first.
	Names []Name `json:"names,omitempty"`
	// Frames of the tracebacks, innermost first.
	Frames []Frame `json:"frames,omitempty"`
	// Modules are the project's files or modules that are written as such
	// ("keras/src/ops/math.py", "keras.src.ops.math").
	Modules []string `json:"modules,omitempty"`
}

// Origin is where in a report something stands.
type Origin string

// Origins.
const (
	InTitle     Origin = "title"
	InProse     Origin = "prose"
	InInline    Origin = "inline" // between backticks
	InCode      Origin = "code"
	InTraceback Origin = "traceback"
	InMessage   Origin = "message"
	InObserved  Origin = "observed"
)

// Name is an identifier with its weight beside a word of prose, which is 1.
type Name struct {
	// Text is as written, imports resolved: "torchmetrics.Accuracy",
	// "model.fit", "drop_last".
	Text   string  `json:"text"`
	Weight float64 `json:"weight"`
	Origin Origin  `json:"origin"`
}

// Frame is one frame of a traceback.
type Frame struct {
	// File is the path's tail as written: "keras/src/ops/math.py".
	File     string `json:"file"`
	Function string `json:"function,omitempty"`
	// Line is of the reporter's version, so it only breaks ties; 0: unknown.
	Line int `json:"line,omitempty"`
	// Depth is 0 for the innermost frame of its traceback.
	Depth int `json:"depth"`
	// Source is the line of code that the traceback shows.
	Source string `json:"source,omitempty"`
}

// Field is a part of the query with the weight of each of its tokens in the
// lexical search.
type Field struct {
	Origin Origin
	Text   string
	Weight float64
}
