package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/codebase"
	"github.com/repgen/repgen/internal/codebase/models"
	"github.com/repgen/repgen/internal/codebase/ort"
	pysource "github.com/repgen/repgen/internal/codebase/source"
	"github.com/repgen/repgen/internal/output"
	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/system"
)

type indexCmd struct {
	Dir string `arg:"" optional:"" help:"The project's folder. Default: this one." default:"."`
	modelFlags
	show
}

// Help stands below the flags of the command.
func (indexCmd) Help() string {
	return `The index lies in the cache folder (REPGEN_CACHE_DIR) and is brought up to date by every search; this command also makes all vectors. Interrupted, it keeps what is done.
Exit codes: 0 done, 5 no Python in the folder, 1 failed, 2 usage, 130 interrupted.`
}

// searchSchema is the schema of the objects of index and search: it grows by one
// when a field changes its meaning.
const searchSchema = 1

// indexView is the JSON object of index.
type indexView struct {
	Schema  int    `json:"schema"`
	Project string `json:"project"`
	Index   string `json:"index"` // its folder
	codebase.Stats
	Took time.Duration `json:"took_ns"`
}

// Run indexes a project.
func (c *indexCmd) Run(ctx context.Context, s streams) error {
	if err := c.check(); err != nil {
		return searchFailure(s, c.show, err)
	}
	began := time.Now()
	c.noReranker = true
	p, err := folderProject(c.Dir)
	if err != nil {
		return searchFailure(s, c.show, err)
	}
	progress := c.progress(s)
	x, done, err := p.open(ctx, s, c.modelFlags, c.show, progress)
	if err == nil && !c.Lexical {
		err = x.EmbedAll(ctx)
		if errors.Is(err, codebase.ErrNoModel) {
			err = nil // Unavailable says why
		}
	}
	if err == nil {
		if terr := x.Tidy(ctx); terr != nil {
			logger(s.err, c.Verbose).Debug("tidy the index", "error", terr) // housekeeping: the index is whole
		}
	}
	var view indexView
	if x != nil {
		view = indexView{Schema: searchSchema, Project: p.name, Index: p.index, Stats: x.Stats(), Took: time.Since(began)}
	}
	progress.Close()
	if derr := done(); err == nil {
		err = derr
	}
	if err != nil {
		return p.failure(s, c.show, err)
	}
	if view.Unsaved != "" {
		return tellProblem(s, c.show, proof.ResultError{What: "the index cannot be kept", Why: view.Unsaved, Next: cacheNext}, exitFailed)
	}
	if c.JSON {
		return output.JSON(s.out, view)
	}
	view.tell(s, c.show)
	return nil
}

func (v *indexView) tell(s streams, sh show) {
	if sh.Quiet {
		_, _ = fmt.Fprintf(s.out, "%d files, %d chunks\n", v.Files, v.Chunks)
		return
	}
	st := style(s.out)
	line := func(name, text string) { _, _ = fmt.Fprintln(s.out, output.StageLine(name, text, st)) }
	line("project", v.Project)
	line("files", fmt.Sprintf("%d, of them %d tests (%d read, %d gone since last time)", v.Files, v.TestFiles, v.Changed, v.Removed))
	chunks := strconv.Itoa(v.Chunks)
	if v.Embedder != "" {
		chunks += fmt.Sprintf(", of them %d with a vector by %s", v.Embedded, v.Embedder)
	}
	line("chunks", chunks)
	for _, why := range slices.Sorted(maps.Keys(v.Skipped)) {
		line("left out", fmt.Sprintf("%d: %s", v.Skipped[why], strings.ReplaceAll(why, "_", " ")))
	}
	for _, n := range v.Notices {
		line("notice", n)
	}
	line("index", v.Index)
	line("time", v.Took.Round(time.Millisecond).String())
}

// project is source that is searched, and where its index lies.
type project struct {
	name  string // as people call it
	tree  pysource.Tree
	index string
	next  string // what to do when there is nothing in it
	// notices are said of every search.
	notices []string
	rest    string // the command that embeds all of it
	version string // of what is installed, "" of a folder
}

// indexRoom is the folder below the cache that holds the indexes.
const indexRoom = "index"

// newProject finds the index's place by what identifies the source.
func newProject(name string, tree pysource.Tree, identity ...string) (*project, error) {
	cache, err := system.CacheDir()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(strings.Join(identity, "\x00")))
	return &project{name: name, tree: tree, index: filepath.Join(cache, indexRoom, hex.EncodeToString(sum[:12]))}, nil
}

// folderProject is the source in a folder.
func folderProject(dir string) (*project, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find the project: %w", err)
	}
	// One folder has one index, by whatever link it is reached.
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	if info, err := os.Stat(abs); err == nil && !info.IsDir() {
		return nil, usage("%s is no folder: name the one that holds the project's source", dir)
	}
	tree, err := pysource.Dir(abs)
	if err != nil {
		return nil, err
	}
	p, err := newProject(abs, tree, "folder", abs)
	if err == nil {
		p.next = "name the folder that holds the project's Python source"
		p.rest = "repgen index " + output.ShellWord(dir)
	}
	return p, err
}

// open opens the models and the index. done closes them and must be called
// whatever came; the Index may be there although err is ErrNoPython.
func (p *project) open(ctx context.Context, s streams, mf modelFlags, sh show, progress *output.Progress) (x *codebase.Index, done func() error, err error) {
	cache, err := system.CacheDir()
	if err != nil {
		return nil, func() error { return nil }, err
	}
	w, err := mf.wire(ctx, s, cache)
	if err != nil {
		return nil, func() error { return nil }, err
	}
	o := codebase.Options{Dir: p.index, Project: p.name, Jobs: mf.Jobs, Log: logger(s.err, sh.Verbose), Progress: indexEvents(progress)}
	w.options(&o)
	o.Notices, o.Rest = p.notices, p.rest
	x, err = codebase.Open(ctx, p.tree, o)
	return x, func() error {
		if x == nil {
			return w.close()
		}
		return errors.Join(x.Close(), w.close())
	}, err
}

// indexEvents shows progress as the pipeline's is shown.
func indexEvents(progress *output.Progress) func(codebase.Progress) {
	every, last := logEvery, time.Time{}
	if style(os.Stderr).Live {
		every = liveEvery
	}
	words := map[string]string{
		codebase.StageIndex: "reading files", codebase.StageStatic: "making static vectors", codebase.StageEmbed: "embedding", codebase.StageRerank: "reading the best again",
	}
	return func(p codebase.Progress) {
		now := time.Now()
		if p.Done < p.Total && now.Sub(last) < every {
			return
		}
		last = now
		text := words[p.Stage]
		if p.Left > 0 {
			text += ", " + p.Left.Round(time.Second).String() + " left"
			if p.Code {
				text += " of the code, tests come after"
			}
		}
		progress.Event(pipeline.Event{Time: now, Stage: pipeline.Stage(p.Stage), State: "progress", Text: text, Done: int64(p.Done), Total: int64(p.Total)})
	}
}

// How often progress is shown: on a terminal, and in a log, where each is a
// line (guesses).
const (
	liveEvery = 100 * time.Millisecond
	logEvery  = 5 * time.Second
)

// failure shows why a project could not be indexed or searched.
func (p *project) failure(s streams, sh show, err error) error {
	if !errors.Is(err, codebase.ErrNoPython) {
		return searchFailure(s, sh, err)
	}
	return tellProblem(s, sh, proof.ResultError{
		What: p.name + ": there is no Python to search", Why: "no file of it ends in .py or .ipynb, or all were left out", Next: p.next,
	}, exitNothing)
}

// searchFailure shows a failure of index or search.
func searchFailure(s streams, sh show, err error) error {
	problem, code := explainSearch(err)
	return tellProblem(s, sh, problem, code)
}

// problemView is the JSON object of index and search when they fail.
type problemView struct {
	Schema int               `json:"schema"`
	Error  proof.ResultError `json:"error"`
}

// tellProblem shows a problem, with --json as an object too.
func tellProblem(s streams, sh show, problem proof.ResultError, code int) error {
	problem = s.named(problem)
	if sh.JSON {
		if err := output.JSON(s.out, problemView{Schema: searchSchema, Error: problem}); err != nil {
			return err
		}
	}
	output.Problem(s.err, problem)
	return exit{code}
}

// explainSearch is explain with what models can lack: one that was named and is
// not here is a failure, since the user wanted that one.
func explainSearch(err error) (proof.ResultError, int) {
	var none *ort.NoRuntimeError
	var gone *models.MissingError
	switch {
	case errors.Is(err, context.Canceled):
		return proof.ResultError{What: "interrupted", Why: "a signal asked to stop", Next: "run it again: what was done is kept"}, exitInterrupted
	case errors.As(err, &none):
		return proof.ResultError{What: err.Error(), Next: none.Next}, exitFailed
	case errors.As(err, &gone):
		return proof.ResultError{What: err.Error(), Next: gone.Next}, exitFailed
	}
	return explainModel(err)
}
