// Package imports resolves the imports and the names of a project inside the
// project: what a piece of code needs to run.
//
// It works as Python's own import does, without running anything: packages,
// modules and bare folders below the usual roots, relative levels, aliases,
// names passed on by an __init__, stars held back by __all__, imports in
// functions, try and if, __path__ with literal folders, literal tables for
// __getattr__, import_module of a literal, public names given by a decorator
// (keras_export). Of several bindings of a name the likeliest is taken:
// definitions before assignments, the first branch of an if or try. What a
// module computes while it runs (globals().update) is not seen.
package imports

// Dependency is a definition that a piece of code uses.
type Dependency struct {
	Path string `json:"path"` // the file that defines it
	Name string `json:"name"` // qualified there; "" for the whole module
	// As is the name in the using code ("layers.Dense").
	As        string `json:"as"`
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
	Start     int    `json:"start"`
	End       int    `json:"end"`
	// Distance is the number of steps from the code that was asked about, 1 for
	// what it names itself.
	Distance int `json:"distance"`
	// Through are the files passed on the way (re-exports), in order.
	Through []string `json:"through,omitempty"`
}
