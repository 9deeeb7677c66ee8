package codebase

import (
	"log/slog"
	"slices"
	"time"

	"github.com/repgen/repgen/internal/codebase/embed"
	"github.com/repgen/repgen/internal/codebase/fusion"
	"github.com/repgen/repgen/internal/codebase/query"
	"github.com/repgen/repgen/internal/codebase/rerank"
)

// Options say how a project is opened.
type Options struct {
	// Dir is the folder of this project's index; it is made. With "", or one
	// that cannot be written (which is said in Stats), the index lives in memory.
	Dir string
	// Project is what the project is called in results.
	Project string
	// Embedder makes the dense vectors, Static the cheap ones that choose what
	// is embedded exactly, Reranker reads query and text together. Each may be
	// nil. The Index does not close them.
	Embedder embed.Embedder
	Static   embed.Embedder
	Reranker rerank.Reranker
	// Jobs bounds the processors used; 0: all.
	Jobs int
	Log  *slog.Logger // nil: none
	// Progress is told of the work on the way; nil: nobody.
	Progress func(Progress)
	// Unavailable says why a part that was asked for is nil; each becomes a
	// notice of every search ("no model: run repgen models pull").
	Unavailable []string
	// Notices are said of every search besides: how the project was come by.
	Notices []string
	// Rest is the command that embeds what a first answer left out, "" where none
	// does.
	Rest string
}

// Stages of Progress.
const (
	StageIndex  = "index"
	StageStatic = "static"
	StageEmbed  = "embed"
	StageRerank = "rerank"
)

// Progress is how far some work is.
type Progress struct {
	Stage string
	Done  int
	Total int
	// Left is the estimate of what remains, of the code only while Code says that
	// the tests come after it; 0: unknown.
	Left time.Duration
	Code bool
}

// SearchOptions say how one query is answered. The zero value is the default.
type SearchOptions struct {
	// Fusion is the way scores are joined (a fusion.Kind), Alpha the share of the
	// dense one, 0 to 1; the zero values are those of package fusion.
	Fusion string
	Alpha  *float64
	// Pool is how many chunks each search gives; 0: 200 (source: the paper).
	Pool int
	// Rerank is how many of the best are read by the reranker; 0: 20 (source:
	// the paper).
	Rerank int
	// Candidates is how many chunks are chosen to be embedded when not all are;
	// 0: DefaultCandidates.
	Candidates int
	// Without are the parts that are switched off.
	Without []Part
	// NoFrames switches the weight of a traceback's frames off, NoNames that of
	// definitions which the report names.
	NoFrames bool
	NoNames  bool
	// NoModel searches by the static vectors although there is a model.
	NoModel bool
	// Exact embeds every chunk before it searches, so that the answer is that of
	// a finished index.
	Exact bool
	// Top is how many hits and files are given; 0: DefaultTop.
	Top int
}

// Defaults of SearchOptions.
const (
	DefaultTop = 20
	// DefaultCandidates are embedded within seconds (measured: 24 texts a second
	// and thread) and lose next to nothing against all of them.
	DefaultCandidates = 256
)

func (o SearchOptions) withDefaults() SearchOptions {
	set := func(n *int, value int) {
		if *n <= 0 {
			*n = value
		}
	}
	set(&o.Pool, fusion.DefaultPool)
	set(&o.Rerank, rerank.DefaultTop)
	set(&o.Candidates, DefaultCandidates)
	set(&o.Top, DefaultTop)
	return o
}

func (o SearchOptions) without(p Part) bool { return slices.Contains(o.Without, p) }

// FileHit is one file of the ranking.
type FileHit struct {
	Path  string  `json:"path"`
	Score float64 `json:"score"`
	// Best is the index in the hits of its best chunk, -1 when that is cut off.
	Best int `json:"best"`
}

// Result is the answer to one query.
type Result struct {
	Project string      `json:"project"`
	Query   query.Query `json:"query"`
	// Mode says what searched: see the Mode constants.
	Mode  string    `json:"mode"`
	Hits  []Hit     `json:"hits"`
	Files []FileHit `json:"files"`
	// Tests are the hits in test files, ranked apart; TestFiles their files.
	Tests     []Hit     `json:"tests,omitempty"`
	TestFiles []FileHit `json:"test_files,omitempty"`
	Notices   []string  `json:"notices,omitempty"`
	Timings   []Timing  `json:"timings"`
}

// Modes of a search. Behind each stands "+rerank" when a reranker read the best.
const (
	ModeHybrid       = "hybrid"
	ModeCandidates   = "hybrid, candidates only" // not every chunk has its vector yet
	ModeStaticHybrid = "hybrid, static vectors"
	ModeLexical      = "lexical"
	ModeDense        = "dense"
	// ModeDenseCandidates, without words, compares what static vectors chose.
	ModeDenseCandidates = "dense, candidates only"
	ModeStatic          = "static vectors"
	ModeExact           = "names and frames only" // both searches are switched off
)

// Timing is what one step took.
type Timing struct {
	Step string        `json:"step"`
	Took time.Duration `json:"took_ns"`
}

// ContextOptions say what is gathered.
type ContextOptions struct {
	SearchOptions
	// Budget is the limit in tokens; 0: DefaultBudget.
	Budget int
	// Modules at most; 0: 5 (source: the paper).
	Modules int
	// Chunks a module at most; 0: 5 (source: the paper).
	Chunks int
}

// Defaults of ContextOptions.
const (
	// DefaultBudget leaves room for a report and an answer in a window of 16,000
	// tokens (guess).
	DefaultBudget  = 8000
	DefaultModules = 5
	DefaultChunks  = 5
)
