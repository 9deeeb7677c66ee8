// Package chunk cuts Python source into the pieces that are searched:
// functions, classes, methods, and the module's own statements, each with its
// qualified name and span.
package chunk

// Kind is what a chunk is.
type Kind string

const (
	Function Kind = "function"
	Class    Kind = "class" // the whole class, methods included, as the published method does it
	Method   Kind = "method"
	Module   Kind = "module" // statements of the module's body between definitions
)

// Chunk is one piece of a file. Lines are 1-based and inclusive and begin with
// the first decorator; bytes are half-open, in the text that source.Read gives.
type Chunk struct {
	Path string `json:"path"`
	Name string `json:"name"` // qualified: "Model.fit"; "" for module code
	Kind Kind   `json:"kind"`

	StartLine int `json:"start_line"`
	EndLine   int `json:"end_line"`
	Start     int `json:"start"`
	End       int `json:"end"`

	// Part is the 1-based piece of an over-long definition split at statement
	// borders, of Parts; both 1 when it is whole.
	Part  int `json:"part"`
	Parts int `json:"parts"`

	Decorators []string `json:"decorators,omitempty"` // as written, without @
	// Doc is the first paragraph of the docstring, at most 400 bytes.
	Doc  string `json:"doc,omitempty"`
	Test bool   `json:"test,omitempty"` // of a test file
}

// Ident is the hash of what is embedded of a chunk: equal texts, wherever they
// stand, have equal vectors.
type Ident [16]byte
