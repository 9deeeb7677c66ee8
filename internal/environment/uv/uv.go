package uv

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// Options configure Find.
type Options struct {
	// CacheDir is repgen's cache root: uv's own cache and, when none is on
	// PATH, uv itself live below it.
	CacheDir string
	// Index is the index asked for by flag; "" asks the configuration.
	Index string
	// Pythons are interpreters with which uv may be installed, best first.
	Pythons []string
	// Environ is the environment of repgen itself ("NAME=value"), nil for
	// os.Environ(): the allow-listed part of it is passed on.
	Environ []string
	Log     *slog.Logger
	// Progress receives what uv says while it works; may be nil.
	Progress func(line string)
}

// Tool is a usable uv. It is safe for concurrent use.
type Tool struct {
	Path    string
	Version string
	o       Options
}

// Index is where packages come from. Its strings hold credentials when the
// configuration does: show them through Redact only.
type Index struct {
	Default string
	Extra   []string
	// Source says who named it: "flag", "UV_DEFAULT_INDEX", "pip.conf", ...
	Source string
}

// Find returns the uv on PATH when it is new enough, else the one in repgen's
// own cache, installed there first when needed.
func Find(ctx context.Context, o Options) (*Tool, error) { return nil, errors.New("not yet") }

// Index finds out where packages come from, once.
func (t *Tool) Index(ctx context.Context) (Index, error) { return Index{}, errors.New("not yet") }

// CompileInput is one resolution.
type CompileInput struct {
	Python       string // path of the interpreter
	Requirements []string
	Constraints  []string
	Overrides    []string
	Excludes     []string
	// ExcludeNewer is the cutoff, a UTC instant; zero for none.
	ExcludeNewer time.Time
	// Exempt are distributions that the cutoff does not bind.
	Exempt []string
	// FindLinks are local folders with wheels (not bound by the cutoff).
	FindLinks []string
	// Existing is the text of an earlier lock: its versions are preferred.
	Existing string
	// AllowSdists lets uv read the metadata of source packages, which may run
	// their code on this machine. Nothing in repgen sets it.
	AllowSdists bool
	// Prerelease is uv's word for it: "", "allow", "if-necessary-or-explicit".
	Prerelease string
	// Resolution is uv's word: "", "highest", "lowest-direct".
	Resolution string
	Offline    bool
}

// CompileResult is a lock or a typed failure.
type CompileResult struct {
	OK bool
	// Text is the requirements text with hashes, without URLs and header.
	Text     string
	Packages []Pinned
	Failure  Failure
	Wall     time.Duration
}

// Pinned is one line of a lock.
type Pinned struct {
	Name    string // normalised
	Version string
	Hashes  []string // "sha256:..."
	Via     []string // what asked for it: names, or "requirement"
}

// Compile resolves. The error is for trouble with the tool or the context
// only: a failed resolution is a CompileResult.
func (t *Tool) Compile(ctx context.Context, in CompileInput) (CompileResult, error) {
	return CompileResult{}, errors.New("not yet")
}

// Class is the kind of a failure.
type Class string

// The classes. Infrastructure ones are told by Failure.Infrastructure.
const (
	Conflict       Class = "conflict"
	WrongPython    Class = "wrong python" // no wheel for this interpreter; Tags lists those that have one
	RequiresPython Class = "requires python"
	OnlySdist      Class = "only sdist"
	VersionMissing Class = "version missing"
	AfterDate      Class = "after the date" // Published holds the instant
	PackageMissing Class = "package missing"
	Yanked         Class = "yanked"
	BadMetadata    Class = "bad metadata"
	BuildFailed    Class = "build failed"
	ParseError     Class = "parse"
	Unreachable    Class = "unreachable"
	TimedOut       Class = "timeout"
	DiskFull       Class = "disk full"
	CacheLocked    Class = "cache unusable"
	NotCached      Class = "offline"
	HashMismatch   Class = "hash"
	Canceled       Class = "canceled"
	Other          Class = "other"
)

// Failure is an error text of uv, understood.
type Failure struct {
	Class Class
	// Name and Version of the distribution at fault, where the text names one.
	Name    string
	Version string
	// Names are all distributions that the text names as required, in order.
	Names []string
	// Pythons are minor versions ("3.8") for which wheels exist, ascending.
	Pythons []string
	// Published is when a version hidden by the cutoff appeared.
	Published time.Time
	// Detail is the text, one line, without credentials, at most 500 bytes.
	Detail string
	Code   int
}

// Infrastructure is true when the failure says nothing about the request:
// index, disk, cache.
func (f Failure) Infrastructure() bool { return false }

// Classify reads the standard error of uv and its exit code.
func Classify(stderr string, code int) Failure { return Failure{Class: Other, Code: code} }

// ParseLock reads a requirements text with pins and hashes.
func ParseLock(text string) []Pinned { return nil }

// InstallInput is one installation from a lock.
type InstallInput struct {
	Python string // path of the interpreter of the environment to fill
	// Text is a requirements text with pins and hashes for every line.
	Text      string
	FindLinks []string
	Offline   bool
}

// InstallResult says whether it was filled.
type InstallResult struct {
	OK      bool
	Failure Failure
	Wall    time.Duration
}

// Venv makes an empty relocatable environment at dir.
func (t *Tool) Venv(ctx context.Context, python, dir string) error { return errors.New("not yet") }

// Install fills an environment with wheels only, exactly those of the lock.
func (t *Tool) Install(ctx context.Context, in InstallInput) (InstallResult, error) {
	return InstallResult{}, errors.New("not yet")
}

// Redact removes credentials from every URL in a text.
func Redact(text string) string { return text }
