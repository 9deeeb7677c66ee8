package mcp

import (
	"context"
	"log/slog"
	"time"

	"github.com/repgen/repgen/internal/codebase"
	"github.com/repgen/repgen/internal/codebase/query"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
)

// Tell takes a line of progress. It is safe for concurrent use.
type Tell func(text string)

// Tracker reads issues.
type Tracker interface {
	// Fetch reads owner/repo#N or an issue's URL; other words are an error.
	Fetch(ctx context.Context, ref string) (*report.Report, error)
}

// EnvironmentAsk says which environment is wanted. Empty fields are for repgen
// to choose.
type EnvironmentAsk struct {
	Report *report.Report
	Script string
	Python string
	Date   string // YYYY-MM-DD
	With   []string
}

// Opened is an environment that is kept until its Release.
type Opened struct {
	Env         *environment.Environment
	Spec        environment.Spec
	Certificate environment.Certificate
}

// Environments solves, builds and certifies. It fails closed: without isolation
// it is an error.
type Environments interface {
	Open(ctx context.Context, ask EnvironmentAsk, tell Tell) (*Opened, *environment.Unavailable, error)
}

// CodeAsk says what is searched, and where: in Dir, else in Package as it is
// installed in Env.
type CodeAsk struct {
	Query   query.Query
	Dir     string // absolute
	Env     *environment.Environment
	Package string
	Budget  int // tokens
}

// Searcher finds code.
type Searcher interface {
	Search(ctx context.Context, ask CodeAsk, tell Tell) (*codebase.CodeContext, error)
}

// Judge takes a script the pipeline's whole way, in a run folder that is kept.
type Judge interface {
	Judge(ctx context.Context, req *pipeline.Request, dir string, tell Tell) (*proof.Result, error)
}

// Options are what a server is started with: the user's words. No client can
// change them.
type Options struct {
	Tracker      Tracker
	Environments Environments
	Searcher     Searcher
	Judge        Judge
	Sandbox      sandbox.Sandbox
	// Explain turns an error of these into words; nil: its own text.
	Explain func(error) Problem

	// Root is the folder below which files are read, Out that of the run
	// folders.
	Root string
	Out  string
	// Key tells this user's runs in Out from those of others.
	Key pipeline.Key
	// Report, when set, is the only one that is worked on.
	Report *report.Report
	// Request holds the user's words for every judged script: the good release,
	// dates, limits. Report and Script in it are ignored.
	Request pipeline.Request
	// Subject is the package under suspicion, where the user named it.
	Subject string
	// Concurrent runs at a time; 0: 1.
	Concurrent int
	// Heartbeat is how often a waiting client is told that the run still goes;
	// 0: DefaultHeartbeat.
	Heartbeat time.Duration
	Version   string
	Log       *slog.Logger // nil: none
}

// Limits of a server (guesses).
const (
	// DefaultHeartbeat is shorter than the time-outs of clients, which a progress
	// notification resets (a common one is 60 s).
	DefaultHeartbeat = 10 * time.Second
	defaultWait      = 45 * time.Second
	maxWait          = 10 * time.Minute
	maxQueue         = 8
	maxKeptRuns      = 64
	maxReports       = 32
	maxEnvironments  = 16
	// maxScript is the limit of repgen judge.
	maxScript = 1 << 20
	maxWith   = 50
)
