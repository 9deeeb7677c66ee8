package pypi

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// ErrNotFound says that no index has the project. It is an answer, not
// trouble with the index.
var ErrNotFound = errors.New("no such project on the index")

// Options configure a Client.
type Options struct {
	// Indexes are base URLs of simple indexes, asked in order until one has
	// the project. Credentials in a URL are used and never shown.
	Indexes []string
	// CacheDir holds the listings; "" keeps them in memory only.
	CacheDir string
	// TTL is how long a cached listing is believed, zero for DefaultTTL.
	TTL time.Duration
	// Glibc of this machine ("2.36"); "" does not filter by it.
	Glibc string
	Log   *slog.Logger
}

// Client asks the indexes. It is safe for concurrent use.
type Client struct{ o Options }

// New returns a Client; it asks nothing yet.
func New(o Options) *Client { return &Client{o: o} }

// File is one file of a project.
type File struct {
	Filename string `json:"filename"`
	Version  string `json:"version"` // normalised
	// Hash is "sha256:..."; "" when the index gives none.
	Hash           string    `json:"hash,omitempty"`
	RequiresPython string    `json:"requires_python,omitempty"`
	Uploaded       time.Time `json:"uploaded,omitzero"` // zero when the index does not say
	// Yanked is the reason, "yanked" when none was given, "" when it is not.
	Yanked string `json:"yanked,omitempty"`
	Size   int64  `json:"size,omitempty"`
	URL    string `json:"url"`
	Sdist  bool   `json:"sdist,omitempty"`
}

// Project is the listing of one project.
type Project struct {
	Name  string `json:"name"` // normalised
	Files []File `json:"files"`
	// Fetched is when the index gave the listing.
	Fetched time.Time `json:"fetched"`
	// Stale: the index could not be asked and an old listing was used.
	Stale bool `json:"-"`

	glibc string
}

// Release is one version of a project, as far as one Python is concerned.
type Release struct {
	Version  string
	Uploaded time.Time // earliest file of the version
	Yanked   string
	Pre      bool
	Wheel    bool // a wheel fits the Python and this platform
	Sdist    bool // a source package exists whose Requires-Python fits
}

// Project returns the listing of a project. ErrNotFound when no index has it;
// any other error means that the index could not be asked.
func (c *Client) Project(ctx context.Context, name string) (*Project, error) {
	return nil, errors.New("not yet")
}

// Prefetch asks for many listings at once, eight at a time, and leaves them in
// the cache. Projects that do not exist are no error.
func (c *Client) Prefetch(ctx context.Context, names []string) error { return errors.New("not yet") }

// Releases lists the versions in ascending PEP 440 order as Python ("3.11", or
// "3.11.7") sees them. Versions that are no PEP 440 versions are left out.
func (p *Project) Releases(python string) []Release { return nil }

// Uploaded is when the first file of a version appeared; zero when the version
// does not exist or the index does not say.
func (p *Project) Uploaded(version string) time.Time { return time.Time{} }

// Of lists the files of a version.
func (p *Project) Of(version string) []File { return nil }

// Download fetches one file to the path dst and checks its hash, without
// opening it.
func (c *Client) Download(ctx context.Context, f File, dst string) error {
	return errors.New("not yet")
}

// Denied says why a release must never be installed.
func Denied(name, version string) (reason string, bad bool) { return "", false }
