package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/repgen/repgen/internal/bench"
	"github.com/repgen/repgen/internal/codebase"
	"github.com/repgen/repgen/internal/output"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/system"
	"github.com/repgen/repgen/internal/system/inert"
)

// benchGroup is `repgen bench DIR`, a folder of cases, with another benchmark
// beside it. The default is not called "cases": folders are.
type benchGroup struct {
	Reproduction benchCmd          `cmd:"" default:"withargs" help:"Run a folder of cases with known answers and print the table of confusion. What is meant without a name."`
	Retrieval    benchRetrievalCmd `cmd:"" help:"Rank the files of real fixes by the reports in words and print recall and MRR of each method."`
}

type benchRetrievalCmd struct {
	Pairs []string `arg:"" help:"Files of pairs, one JSON object a line: id, commit_parent, query, relevant_files."`

	Git     []string `help:"A git directory or checkout of the projects' commits; NAME=DIR for the pairs of NAME.jsonl. May be repeated. Without --git and --source: one source release a project, which releases.json beside the pairs names, from the package index." placeholder:"[NAME=]DIR" sep:"none"`
	Source  []string `help:"A folder of source instead, for every commit; NAME=DIR as above." placeholder:"[NAME=]DIR" sep:"none"`
	Methods []string `help:"What ranks, BASE[:FUSION][-frames][-names][+rerank] of bm25, dense, static, hybrid, static-hybrid, first (default ${default})." default:"${benchMethods}" placeholder:"METHOD"`

	Golden       string `help:"Compare the ranks with this file." placeholder:"FILE"`
	UpdateGolden bool   `help:"Write --golden instead."`
	Markdown     string `help:"Also write the table to this file." placeholder:"FILE"`
	Index        string `help:"Package index of the source releases. Default: as for reproduce." placeholder:"URL"`

	modelFlags
	show
}

const benchRetrievalCodes = `The search sees the words of a pair and its commit, never its files. Indexes and vectors are kept in the cache folder (REPGEN_CACHE_DIR).
Exit codes: 0 done (and as in --golden), 3 other ranks than --golden, 1 could not, 2 usage error, 130 interrupted.
`

// exitOtherRanks of `repgen bench retrieval`: the ranks are not the golden's.
const exitOtherRanks = 3

// Help stands below the flags of the command.
func (benchRetrievalCmd) Help() string { return benchRetrievalCodes }

func (c *benchRetrievalCmd) check() error {
	switch {
	case c.UpdateGolden && c.Golden == "":
		return usage("--update-golden: which file? Name it with --golden FILE")
	case len(c.Git) > 0 && len(c.Source) > 0:
		return usage("--git and --source exclude each other")
	}
	return c.modelFlags.check()
}

// Run measures and prints the table.
func (c *benchRetrievalCmd) Run(ctx context.Context, s streams) error {
	if err := c.check(); err != nil {
		return c.failAlone(s, err)
	}
	methods, err := bench.ParseMethods(c.Methods)
	if err != nil {
		return c.failAlone(s, usage("--methods: %v", err))
	}
	pairs, err := bench.ReadPairs(c.Pairs...)
	if err != nil {
		return c.failAlone(s, err)
	}
	t, err := c.measure(ctx, s, pairs, methods)
	if ctx.Err() != nil {
		output.Problem(s.err, proof.ResultError{What: "interrupted", Next: "call the same command again: indexes and vectors are kept"})
		return exit{exitInterrupted}
	}
	if err != nil {
		return c.failAlone(s, err)
	}
	return c.report(s, t)
}

// measure opens the models and ranks every pair.
func (c *benchRetrievalCmd) measure(ctx context.Context, s streams, pairs []bench.Pair, methods []bench.Method) (t *bench.RetrievalTable, err error) {
	cache, err := system.CacheDir()
	if err != nil {
		return nil, err
	}
	w, err := c.wire(ctx, s, cache)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	trees, err := c.trees(ctx, s, cache, pairs)
	if err != nil {
		return nil, err
	}
	progress := c.progress(s)
	defer progress.Close()
	events := indexEvents(progress)
	corpora := &bench.IndexCorpora{
		Tree: trees.open, Dir: filepath.Join(cache, indexRoom, "bench-"+trees.key),
		Why: w.lacks, Log: logger(s.err, c.Verbose), Jobs: c.Jobs, Progress: func(p codebase.Progress) { events(p) },
	}
	w.share(corpora)
	got, err := bench.MeasureRetrieval(ctx, corpora, pairs, methods, c.tell(s, methods))
	if err != nil {
		return nil, err
	}
	return bench.SummariseRetrieval(c.identity(trees.what, w), got), nil
}

// lacks says why a part is not there.
func (w *wiredModels) lacks(part string) string {
	if len(w.unavailable) == 0 {
		return "no " + part + " is wired"
	}
	return strings.Join(w.unavailable, "; ")
}

// share hands the models to the benchmark.
func (w *wiredModels) share(c *bench.IndexCorpora) {
	if w.embedder != nil {
		c.Embedder = bench.Share(w.embedder)
	}
	if w.static != nil {
		c.Static = bench.Share(w.static)
	}
	if w.reranker != nil {
		c.Reranker = w.reranker
	}
}

// identity says what is measured.
func (c *benchRetrievalCmd) identity(what string, w *wiredModels) string {
	text := fmt.Sprintf("repgen %s, %s", versionText(), what)
	if w.embedder != nil {
		i := w.embedder.Info()
		text += fmt.Sprintf(", model %s (%s, %.12s)", i.Name, i.Backend, i.Hash)
	}
	if w.reranker != nil {
		text += ", reranker " + w.reranker.Name()
	}
	return text
}

// tell prints a line for each pair that ends.
func (c *benchRetrievalCmd) tell(s streams, methods []bench.Method) func(done, total int, r bench.Ranked) {
	if c.Quiet {
		return nil
	}
	return func(done, total int, r bench.Ranked) {
		_, _ = fmt.Fprintf(s.err, "%d/%d %s\n", done, total, inert.Line(bench.RankedLine(r, methods)))
	}
}

// report prints the table and compares it with the golden.
func (c *benchRetrievalCmd) report(s streams, t *bench.RetrievalTable) error {
	var page strings.Builder
	if err := bench.MarkdownRetrieval(&page, t); err != nil {
		return c.failAlone(s, err)
	}
	var short strings.Builder
	for _, r := range t.Rows {
		_, _ = fmt.Fprintf(&short, "%s %s r5 %.3f r20 %.3f mrr %.3f\n", r.Set, r.Method, r.R5, r.R20, r.MRR)
	}
	if err := printTable(s, c.show, c.Markdown, page.String(), short.String(), t); err != nil {
		return c.failAlone(s, err)
	}
	if c.Golden == "" {
		return nil
	}
	return c.golden(s, t.Ranked)
}

// golden compares the ranks, or writes them.
func (c *benchRetrievalCmd) golden(s streams, ranked []bench.Ranked) error {
	if c.UpdateGolden {
		var b strings.Builder
		if err := bench.WriteGolden(&b, ranked); err != nil {
			return c.failAlone(s, err)
		}
		if err := system.WriteFile(c.Golden, []byte(b.String()), 0o644); err != nil {
			return c.failAlone(s, fmt.Errorf("write --golden: %w", err))
		}
		return nil
	}
	f, err := os.Open(c.Golden)
	if errors.Is(err, fs.ErrNotExist) {
		return c.failAlone(s, usage("--golden %s: there is no such file; --update-golden writes it", c.Golden))
	}
	if err != nil {
		return c.failAlone(s, fmt.Errorf("read --golden: %w", err))
	}
	defer func() { _ = f.Close() }()
	diff, err := bench.CompareGolden(f, ranked)
	if err != nil {
		return c.failAlone(s, err)
	}
	if len(diff) == 0 {
		return nil
	}
	output.Problem(s.err, proof.ResultError{
		What: fmt.Sprintf("%d rankings are not those of %s", len(diff), c.Golden), Why: bench.DescribeDiff(diff, 20),
		Next: "when the change is wanted, call it again with --update-golden and show the diff with it",
	})
	return exit{exitOtherRanks}
}
