package pydist

// Normalize is PEP 503: lower case, runs of "-", "_" and "." become one "-".
func Normalize(name string) string { return name }

// FromImport is the distribution that provides a top-level import name
// ("cv2" is opencv-python), normalised. Known is false when the table has no
// word about it and the same name is the best guess.
func FromImport(module string) (dist string, known bool) { return module, false }

// FromModule is FromImport for a dotted module: google.protobuf is protobuf.
func FromModule(module string) (dist string, known bool) { return module, false }

// Imports are the top-level (or dotted, for namespace packages) import names
// of a distribution, the main one first.
func Imports(dist string) []string { return []string{dist} }

// FromWord is the distribution that people mean by a word in prose ("pytorch",
// "tf", "POT", "HF transformers"). Ok only for known distributions.
func FromWord(word string) (dist string, ok bool) { return "", false }

// Family are the distributions released in step with dist, dist itself
// included; nil when it has none.
func Family(dist string) []string { return nil }

// Variants are other distributions that hold the same code (tensorflow and
// tensorflow-cpu), the CPU builds first, dist left out.
func Variants(dist string) []string { return nil }

// StdlibModule is true for a top-level module of the standard library of any
// Python from 3.6 to 3.14.
func StdlibModule(name string) bool { return false }
