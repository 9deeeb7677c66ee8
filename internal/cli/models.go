package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/repgen/repgen/internal/codebase/models"
	"github.com/repgen/repgen/internal/codebase/ort"
	"github.com/repgen/repgen/internal/output"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/system"
	"github.com/repgen/repgen/internal/system/inert"
)

// modelsGroup is `repgen models`.
type modelsGroup struct {
	List   modelsListCmd   `cmd:"" help:"Say which models are known, which are here, how large they are and where they come from."`
	Pull   modelsPullCmd   `cmd:"" help:"Fetch models and the runtime into the cache, each file checked."`
	Verify modelsVerifyCmd `cmd:"" help:"Hash the files that are here again, and name each that is not what it should be."`
	Import modelsImportCmd `cmd:"" help:"Copy a model of your own (or one brought from another machine) into the cache."`
}

// modelsCodes are the exit codes of all of them.
const modelsCodes = `Exit codes: 0 done, 4 a file is not what it should be (verify, pull), 5 nothing is here or can be had (offline, no such file at any source), 1 failed, 2 usage, 130 interrupted.
`

const modelsPlaces = `The cache folder is REPGEN_CACHE_DIR/models; REPGEN_ONNXRUNTIME names a runtime library of your own; HF_ENDPOINT another model hub; REPGEN_OFFLINE=1 forbids every connection.
`

// offlineVariable forbids connections when it is set to anything but 0.
const offlineVariable = "REPGEN_OFFLINE"

func offlineAsked(flag bool) bool {
	v := os.Getenv(offlineVariable)
	return flag || v != "" && v != "0"
}

type modelsListCmd struct {
	show `embed:""`
}

// Help stands below the flags of the command.
func (modelsListCmd) Help() string { return modelsPlaces + modelsCodes }

// modelsListView is the JSON object of models list.
type modelsListView struct {
	Dir     string          `json:"dir"`
	Models  []models.Status `json:"models"`
	Runtime runtimeView     `json:"runtime"`
}

// runtimeView says which library would run the models.
type runtimeView struct {
	Library string `json:"library,omitempty"`
	Problem string `json:"problem,omitempty"`
	Next    string `json:"next,omitempty"`
}

// Run lists the models.
func (c *modelsListCmd) Run(s streams) error {
	cache, err := system.CacheDir()
	if err != nil {
		return c.failModel(s, err)
	}
	m := openModels(s, cache)
	view := modelsListView{Dir: m.Dir()}
	if view.Models, err = m.List(); err != nil {
		return c.failModel(s, err)
	}
	if view.Runtime.Library, err = runtimeLibrary(m); err != nil {
		view.Runtime.Problem = err.Error()
		var none *ort.NoRuntimeError
		if errors.As(err, &none) {
			view.Runtime.Next = none.Next
		}
	}
	if c.JSON {
		return output.JSON(s.out, view)
	}
	view.tell(s, c.show)
	return nil
}

func (v *modelsListView) tell(s streams, sh show) {
	if sh.Quiet {
		for _, m := range v.Models {
			if m.Present {
				_, _ = fmt.Fprintln(s.out, inert.Line(m.Name))
			}
		}
		return
	}
	for _, m := range v.Models {
		state := "not here"
		switch {
		case m.Present:
			state = "here"
		case m.Problem != "":
			state = "BROKEN"
		}
		size := "size unknown"
		if m.Bytes > 0 {
			size = megabytes(m.Bytes)
		}
		_, _ = fmt.Fprintf(s.out, " %-9s %-26s %-9s %12s  %s\n", state, inert.Line(m.Name), m.Kind, size, inert.Line(m.Licence))
		for _, line := range modelLines(m) {
			_, _ = fmt.Fprintf(s.out, "           %s\n", inert.Line(line))
		}
	}
	if v.Runtime.Library != "" {
		_, _ = fmt.Fprintf(s.out, " runtime   %s\n", inert.Line(v.Runtime.Library))
		return
	}
	_, _ = fmt.Fprintf(s.out, " runtime   %s\n           %s\n", inert.Line(v.Runtime.Problem), inert.Line(v.Runtime.Next))
}

// modelLines say the rest of a model.
func modelLines(m models.Status) []string {
	var lines []string
	if m.Problem != "" {
		lines = append(lines, m.Problem, "repair: "+m.Next)
	}
	if m.Present {
		from := "from " + m.From
		if strings.HasPrefix(m.From, "imported") {
			from = m.From
		}
		lines = append(lines, from+", in "+m.Dir)
	} else {
		for _, src := range m.Sources {
			lines = append(lines, "source: "+src.String())
		}
	}
	var unknown []string
	for _, f := range m.Files {
		if f.Unknown {
			unknown = append(unknown, f.Path)
		}
	}
	if len(unknown) > 0 {
		lines = append(lines, "no hash is known of "+strings.Join(unknown, ", ")+": recorded at the first pull, verified ever after")
	}
	if len(m.Recorded) > 0 {
		lines = append(lines, "hashes recorded at the first pull: "+strings.Join(m.Recorded, ", "))
	}
	return lines
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

type modelsPullCmd struct {
	Names   []string `arg:"" optional:"" name:"name" help:"Models by name, or default: the embedder and the runtime."`
	All     bool     `help:"Every model of the list."`
	Offline bool     `help:"Connect to nothing; say what is missing and what to do (also REPGEN_OFFLINE=1)."`
	Index   string   `help:"Package index. Default: UV_DEFAULT_INDEX, PIP_INDEX_URL, the configuration of pip and uv, else uv's own." placeholder:"URL"`
	show    `embed:""`
}

// Help stands below the flags of the command.
func (modelsPullCmd) Help() string {
	return "An interrupted pull is gone on with by the next one; a model that is here is hashed and, when broken, fetched again.\n" + modelsPlaces + modelsCodes
}

// wanted are the names to pull, each once.
func (c *modelsPullCmd) wanted() ([]string, error) {
	names := slices.Clone(c.Names)
	if c.All {
		if len(names) > 0 {
			return nil, usage("--all and names exclude each other")
		}
		for _, e := range models.Manifest() {
			names = append(names, e.Name)
		}
	}
	if len(names) == 0 {
		return nil, usage("name a model, or say default or --all (repgen models list)")
	}
	if i := slices.Index(names, "default"); i >= 0 {
		names = slices.Replace(names, i, i+1, models.DefaultEmbedder, models.RuntimeName)
	}
	var out []string
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out, nil
}

// pulledView is one model of the JSON object of models pull.
type pulledView struct {
	Name     string             `json:"name"`
	OK       bool               `json:"ok"`
	Dir      string             `json:"dir,omitempty"`
	From     string             `json:"from,omitempty"`
	Bytes    int64              `json:"bytes"`
	Recorded []string           `json:"recorded"`
	Error    *proof.ResultError `json:"error"`
}

// Run pulls each; one that fails does not keep the others from coming.
func (c *modelsPullCmd) Run(ctx context.Context, s streams) error {
	names, err := c.wanted()
	if err != nil {
		return c.failModel(s, err)
	}
	if err := (place{Index: c.Index}).check(); err != nil {
		return c.failModel(s, err)
	}
	m, finish, err := pullModels(ctx, s, c)
	if err != nil {
		return c.failModel(s, err)
	}
	var views []pulledView
	code := exitOK
	for _, name := range names {
		in, err := m.Pull(ctx, name)
		v := pulledView{Name: name, OK: err == nil, Recorded: []string{}}
		if err != nil {
			problem, k := explainModel(err)
			v.Error, code = &problem, worse(code, k)
		} else {
			v.Dir, v.From = in.Dir, in.Source
			v.Bytes, _ = in.Size()
			v.Recorded = append(v.Recorded, in.Recorded...)
		}
		views = append(views, v)
		if ctx.Err() != nil {
			break
		}
	}
	finish()
	if c.JSON {
		if err := output.JSON(s.out, map[string][]pulledView{"models": views}); err != nil {
			return err
		}
	} else {
		tellPulled(s, views, c.show)
	}
	if code != exitOK {
		return exit{code}
	}
	return nil
}

// worse keeps the code that says most: an interruption, then a wrong file, then
// our trouble.
func worse(a, b int) int {
	order := []int{exitOK, exitNothing, exitFailed, exitUsage, exitDifferent, exitInterrupted}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}

func tellPulled(s streams, views []pulledView, sh show) {
	for _, v := range views {
		if v.Error != nil {
			output.Problem(s.err, *v.Error)
			continue
		}
		if sh.Quiet {
			_, _ = fmt.Fprintln(s.out, inert.Line(v.Name))
			continue
		}
		_, _ = fmt.Fprintf(s.out, " here      %-26s %12s  from %s\n", inert.Line(v.Name), megabytes(v.Bytes), inert.Line(v.From))
		if len(v.Recorded) > 0 {
			_, _ = fmt.Fprintf(s.out, "           no hash was known of %s: the ones of this pull are recorded and verified from now on\n", inert.Line(strings.Join(v.Recorded, ", ")))
		}
	}
}

// pullModels opens the models with everything that a pull needs.
func pullModels(ctx context.Context, s streams, c *modelsPullCmd) (*models.Models, func(), error) {
	cache, err := system.CacheDir()
	if err != nil {
		return nil, nil, err
	}
	index := func(ctx context.Context) (models.Lister, error) {
		sv, err := wireServices(ctx, s, place{Index: c.Index}, c.show, nil)
		if err != nil {
			return nil, err
		}
		return sv.envs.PackageIndex(ctx)
	}
	var once sync.Once
	var lister models.Lister
	var lerr error
	bar := newBar(s, c.show)
	m := models.Open(cache, models.Options{
		Offline: offlineAsked(c.Offline), Log: logger(s.err, c.Verbose), Progress: bar.event,
		Index: func(ctx context.Context) (models.Lister, error) {
			once.Do(func() { lister, lerr = index(ctx) })
			return lister, lerr
		},
	})
	return m, bar.clear, nil
}

// explainModel says what happened, why and what to do, and the exit code.
func explainModel(err error) (proof.ResultError, int) {
	e := proof.ResultError{What: err.Error()}
	var offline *models.OfflineError
	var pull *models.PullError
	var missing *models.MissingError
	var imported *models.ImportError
	switch {
	case errors.As(err, &offline):
		e.Next = offline.Next()
		return e, exitNothing
	case errors.As(err, &pull):
		e = proof.ResultError{What: fmt.Sprintf("no source gave %s of %s", pull.File, pull.Name), Why: strings.Join(pull.Tried, "; "), Next: pull.Next()}
		if errors.Is(err, models.ErrHash) {
			return e, exitDifferent
		}
		return e, exitNothing
	case errors.As(err, &missing):
		e.Next = missing.Next
		return e, exitNothing
	case errors.As(err, &imported):
		e.Next = imported.Next
		if errors.Is(err, models.ErrHash) {
			return e, exitDifferent
		}
		return e, exitUsage
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR):
		e.Next = cacheNext
		return e, exitFailed
	case errors.Is(err, models.ErrUnknown):
		e.Next = "repgen models list; a model of your own: repgen models import DIR --name NAME"
		return e, exitUsage
	case errors.Is(err, context.Canceled):
		return proof.ResultError{What: "interrupted", Why: "a signal asked to stop", Next: "pull again: what came is kept and gone on with"}, exitInterrupted
	}
	return explain(err)
}

// bar draws one line of progress on a terminal, and one line a file elsewhere.
type bar struct {
	s     streams
	quiet bool
	live  bool
	last  string
	drawn bool
}

func newBar(s streams, sh show) *bar {
	return &bar{s: s, quiet: sh.Quiet, live: style(s.err).Live}
}

func (b *bar) event(e models.Event) {
	switch {
	case b.quiet || e.File == "":
	case b.live:
		_, _ = fmt.Fprintf(b.s.err, "\r\x1b[2K %s", eventText(e))
		b.drawn = true
	case b.last != e.Name+e.File:
		b.last = e.Name + e.File
		_, _ = fmt.Fprintf(b.s.err, "%s: %s\n", e.Name, e.File)
	}
}

func (b *bar) clear() {
	if b.drawn {
		_, _ = fmt.Fprint(b.s.err, "\r\x1b[2K")
		b.drawn = false
	}
}

func eventText(e models.Event) string {
	text := e.Name + ": " + e.File
	if e.Total > 0 {
		text += fmt.Sprintf(" %s of %s (%d %%)", megabytes(e.Done), megabytes(e.Total), 100*e.Done/e.Total)
	} else if e.Done > 0 {
		text += " " + megabytes(e.Done)
	}
	if e.Left > 0 {
		text += ", " + e.Left.Round(time.Second).String() + " left"
	}
	return text
}
