// Package models knows the models and the runtime that the search can use: a
// manifest with the hash of every file, and a folder below the cache in which
// pulled and imported ones lie, read-only and checked.
package models

import "time"

// Kind is what an entry is for.
type Kind string

// Kinds of entries.
const (
	Embedder Kind = "embedder"
	Reranker Kind = "reranker"
	Runtime  Kind = "runtime" // libonnxruntime, which runs the others
)

// Names of the entries that the program uses when nobody names others.
const (
	DefaultEmbedder = "all-minilm-l6-v2"
	DefaultReranker = "ms-marco-minilm-l12-v2"
	RuntimeName     = "onnxruntime"
)

// Entry is one model or runtime of the manifest.
type Entry struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	// Revision is the commit at the hub, or the release of a package. A change
	// of it makes a new folder.
	Revision string `json:"revision"`
	Licence  string `json:"licence"`
	// Dims and MaxTokens are those of an embedder or reranker (a reranker's
	// Dims is 0): longer texts are cut at MaxTokens.
	Dims      int `json:"dims,omitempty"`
	MaxTokens int `json:"max_tokens,omitempty"`
	// Platform ("linux/amd64") narrows a runtime; "" fits every one.
	Platform string   `json:"platform,omitempty"`
	Files    []File   `json:"files"`
	Sources  []Source `json:"sources"`
}

// File is one file of an entry.
type File struct {
	Path string `json:"path"` // one name, no folder
	// Size in bytes and SHA256 in hex. A file whose hash nobody could check when
	// the manifest was written has Unknown set and neither of the two: its hash
	// is recorded at the first pull, verified ever after, and said to the user.
	Size    int64  `json:"size,omitempty"`
	SHA256  string `json:"sha256,omitempty"`
	Unknown bool   `json:"sha256_unknown,omitempty"`
	// Optional files are left out where no source has them.
	Optional bool `json:"optional,omitempty"`
}

// SourceKind is where files come from.
type SourceKind string

// Kinds of sources.
const (
	Hub   SourceKind = "hub"   // the model hub: one address a file
	Index SourceKind = "index" // the package index: files inside a wheel
)

// Source is one place that has files of an entry. Sources are tried in order,
// each file by itself.
type Source struct {
	Kind SourceKind `json:"kind"`
	// Repository and Revision name a hub's files.
	Repository string `json:"repository,omitempty"`
	Revision   string `json:"revision,omitempty"`
	// Project and Version name a package; Tag is a part that the wheel's file
	// name must have ("_x86_64"), "" where there is one for all.
	Project string `json:"project,omitempty"`
	Version string `json:"version,omitempty"`
	Tag     string `json:"tag,omitempty"`
	// Members says where each file lies there: path of File to path at the
	// source.
	Members map[string]string `json:"members"`
}

// Installed is an entry as it lies on this machine.
type Installed struct {
	Entry
	// Dir is its folder, read-only.
	Dir string `json:"-"`
	// Source says where the files came from, in words; Time when.
	Source string    `json:"source"`
	Time   time.Time `json:"time"`
	// Recorded are the files whose hash was not in the manifest and has been
	// taken from what was first pulled.
	Recorded []string `json:"recorded,omitempty"`
}

// Event is progress of a pull.
type Event struct {
	Name  string        // of the entry
	File  string        // what is being fetched, "" when the entry is done
	Done  int64         // bytes
	Total int64         // bytes, 0 while unknown
	Left  time.Duration // estimate of the time that remains, 0 while unknown
}
