// Package codebase finds what a bug report is about in a project's source: it
// indexes the project, searches it by words and by meaning, and gathers the
// code that a reproduction needs (CodeContext).
package codebase

import (
	"github.com/repgen/repgen/internal/codebase/chunk"
	"github.com/repgen/repgen/internal/codebase/imports"
	"github.com/repgen/repgen/internal/codebase/loops"
)

// Part is a part of the retrieval that can be switched off, by the name that
// ablations use (source: the published method).
type Part string

const (
	PartBM25         Part = "bm25"
	PartANN          Part = "ann" // dense search; ours is exact
	PartReranker     Part = "reranker"
	PartLoops        Part = "training-loop-extraction"
	PartLoopRanking  Part = "training-loop-ranking"
	PartModules      Part = "module-partitioning"
	PartDependencies Part = "dependency-extraction"
)

// Parts are all of them, in the order of the pipeline.
var Parts = []Part{PartBM25, PartANN, PartReranker, PartLoops, PartLoopRanking, PartModules, PartDependencies}

// Hit is one chunk that was found, with the reasons.
type Hit struct {
	Chunk chunk.Chunk `json:"chunk"`
	// Score is the sum of the terms' Value: it orders hits of one search only.
	Score float64 `json:"score"`
	Terms []Term  `json:"terms"`

	doc int // its number in the store
}

// Term is one addend of a score.
type Term struct {
	// Name: "bm25", "dense", "frame", "file", "identifier", "re-export", "aside", "twin", "rerank".
	Name string `json:"name"`
	// Raw is the figure before weighing (BM25 score, cosine, ...).
	Raw float64 `json:"raw"`
	// Norm is Raw normalised over the pool, 0 to 1; Weight times Norm is Value.
	Norm   float64 `json:"norm"`
	Weight float64 `json:"weight"`
	Value  float64 `json:"value"`
	// Why says it in words ("frame 3 of the traceback is here").
	Why string `json:"why,omitempty"`
}

// CodeContext is what of a project a bug report is about: at most five modules
// in the order in which they should be tried.
type CodeContext struct {
	Project string   `json:"project"` // a folder, or "keras 3.3.3 as installed"
	Modules []Module `json:"modules"`
	// Tokens is the estimate of all text in it; Budget was the limit.
	Tokens int `json:"tokens"`
	Budget int `json:"budget"`
	// Mode says what searched: "hybrid", "lexical", ... and Notices what was
	// missing or switched off.
	Mode    string   `json:"mode"`
	Notices []string `json:"notices,omitempty"`
}

// Module is one file with the pieces of it that matter.
type Module struct {
	Path         string      `json:"path"`
	Score        float64     `json:"score"`
	Loop         *LoopText   `json:"loop,omitempty"`
	Chunks       []ChunkText `json:"chunks"`
	Dependencies []DepText   `json:"dependencies,omitempty"`
}

// ChunkText is a hit with its source.
type ChunkText struct {
	Hit
	Text string `json:"text"`
	// Cut says that the budget left out the end of the text.
	Cut bool `json:"cut,omitempty"`
}

// LoopText is a training loop with its source.
type LoopText struct {
	loops.Loop
	Text string `json:"text"`
	Cut  bool   `json:"cut,omitempty"`
}

// DepText is a definition that a chunk needs, with its source.
type DepText struct {
	imports.Dependency
	Text string `json:"text"`
	Cut  bool   `json:"cut,omitempty"`
}
