// Package source lists the Python files of a project and reads them: from a
// folder, or from a commit of a git directory. It knows what is left out
// (ignored, vendored, generated, too large, no text) and says why.
package source

import "time"

// MaxFile is the largest file that is read, in bytes. What is larger is data
// or generated (guess; the largest hand-written module met in keras, torch and
// torchmetrics is under 500 KB).
const MaxFile = 1 << 20

// MaxFiles is how many files are read at most, in the order of the walk (a guess: no
// project that people work on has as many). At about 250 bytes each a listing
// of 200,000 takes 50 MB.
const MaxFiles = 200_000

// File is one Python text of a project.
type File struct {
	Path string `json:"path"` // slash-separated, relative to the root
	Size int64  `json:"size"` // bytes on disk
	// ModTime is zero where the file was written so shortly before it was
	// listed that another write might leave the same time behind: it is read
	// again the next time. It is zero for files of a commit.
	ModTime time.Time `json:"mod_time,omitzero"`
	// Hash is the hex SHA-256 of the bytes on disk, or a git blob's name with
	// "git:" before it. Equal hashes mean equal bytes.
	Hash string `json:"hash"`
	// Test is true for test files (tests/, test_*.py, *_test.py, conftest.py):
	// they are found, but ranked apart.
	Test bool `json:"test,omitempty"`
	// Notebook says that Read gives the code cells of an .ipynb, joined.
	Notebook bool `json:"notebook,omitempty"`
}

// Skip is a file or folder that was left out.
type Skip struct {
	Path string `json:"path"`
	Why  string `json:"why"` // one of the Why constants
	More string `json:"more,omitempty"`
}

// Reasons why something is left out.
const (
	WhyIgnored    = "ignored"    // by .gitignore
	WhyVendored   = "vendored"   // third_party, _vendor, node_modules, site-packages inside a checkout, ...
	WhyGenerated  = "generated"  // *_pb2.py, "DO NOT EDIT", minified
	WhyTooLarge   = "too_large"  // over MaxFile
	WhyBinary     = "binary"     // NUL bytes, or not text in any usual encoding
	WhySymlink    = "symlink"    // never followed
	WhyUnreadable = "unreadable" // permission, i/o error; More has the error
	WhyTooMany    = "too_many"   // over MaxFiles
	WhyNotPython  = "not_python" // a notebook in another language
)

// Listing is what a project holds, sorted by path.
type Listing struct {
	Files   []File `json:"files"`
	Skipped []Skip `json:"skipped,omitempty"`
}

// Known says what was known of a path before, so that a file whose size and
// time are unchanged is not read again to hash it. It may be nil.
type Known func(path string) (File, bool)
