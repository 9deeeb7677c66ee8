package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/repgen/repgen/internal/codebase"
	"github.com/repgen/repgen/internal/codebase/embed"
	"github.com/repgen/repgen/internal/codebase/embed/httpembed"
	embedonnx "github.com/repgen/repgen/internal/codebase/embed/onnx"
	"github.com/repgen/repgen/internal/codebase/embed/static"
	"github.com/repgen/repgen/internal/codebase/models"
	"github.com/repgen/repgen/internal/codebase/ort"
	"github.com/repgen/repgen/internal/codebase/rerank"
	rerankonnx "github.com/repgen/repgen/internal/codebase/rerank/onnx"
)

// modelFlags choose what embeds and what reranks.
type modelFlags struct {
	Embedder string `help:"What makes the vectors: onnx:NAME (a model of repgen models), http:URL (a server that speaks /v1/embeddings; its model is --model), static (vectors shipped with repgen), none. Default: the default model when it is here, else static." placeholder:"HOW"`
	Model    string `help:"The embedding model's name." placeholder:"NAME"`
	Reranker string `help:"What reads query and code together: onnx:NAME, http:URL, bi-encoder (the embedder again), none. Default: the default reranker when it is here, else none." placeholder:"HOW"`
	Lexical  bool   `help:"Search by words only."`
	Jobs     int    `help:"Processors to use. Default: all."`

	// noReranker: the command has no use for one, so that nothing is said of it.
	noReranker bool
}

// Environment variables that hold the key of a server; a flag would show it to
// every process of the machine.
const (
	embedKeyEnv  = "REPGEN_EMBED_KEY"
	rerankKeyEnv = "REPGEN_RERANK_KEY"
)

// keyIn names the variable when it is set: a server of one's own needs no key.
func keyIn(variable string) string {
	if os.Getenv(variable) == "" {
		return ""
	}
	return variable
}

func (f modelFlags) check() error {
	if f.Jobs < 0 {
		return usage("--jobs %d: it must not be negative", f.Jobs)
	}
	if f.Lexical && (f.Embedder != "" || f.Model != "" || f.Reranker != "" && f.Reranker != "none") {
		return usage("--lexical uses no model: leave out --embedder, --model and --reranker")
	}
	if kind, _, _ := strings.Cut(f.Embedder, ":"); f.Embedder != "" && kind != "onnx" && kind != "http" && kind != "https" && f.Embedder != "static" && f.Embedder != "none" {
		return usage("--embedder %s: it is onnx:NAME, http:URL, static or none", f.Embedder)
	}
	if kind, _, _ := strings.Cut(f.Reranker, ":"); f.Reranker != "" && kind != "onnx" && kind != "http" && kind != "https" && f.Reranker != "bi-encoder" && f.Reranker != "none" {
		return usage("--reranker %s: it is onnx:NAME, http:URL, bi-encoder or none", f.Reranker)
	}
	if f.Model != "" && (f.Embedder == "static" || f.Embedder == "none") {
		return usage("--embedder %s has no model to name", f.Embedder)
	}
	return nil
}

// wiredModels are the opened models of one command.
type wiredModels struct {
	embedder embed.Embedder
	static   embed.Embedder
	reranker rerank.Reranker
	// unavailable says what was wanted and is not there.
	unavailable []string
}

func (w *wiredModels) close() error {
	var errs []error
	if w.reranker != nil {
		errs = append(errs, w.reranker.Close())
	}
	if w.embedder != nil {
		errs = append(errs, w.embedder.Close())
	}
	if w.static != nil {
		errs = append(errs, w.static.Close())
	}
	return errors.Join(errs...)
}

// options puts them into those of a project.
func (w *wiredModels) options(o *codebase.Options) {
	o.Embedder, o.Static, o.Reranker = w.embedder, w.static, w.reranker
	o.Unavailable = w.unavailable
}

// wire opens what the flags ask for. What is missing is no error unless it was
// named: the search goes on with what is there, and says so.
func (f modelFlags) wire(ctx context.Context, s streams, cache string) (*wiredModels, error) {
	w := &wiredModels{}
	if f.Lexical {
		w.unavailable = append(w.unavailable, "lexical search was asked for: no vectors, no reranker")
		return w, nil
	}
	m := openModels(s, cache)
	if err := f.wireEmbedder(ctx, m, w); err != nil {
		return nil, errors.Join(err, w.close())
	}
	if err := f.wireReranker(ctx, m, w); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

func (f modelFlags) wireEmbedder(ctx context.Context, m *models.Models, w *wiredModels) error {
	if f.Embedder == "none" {
		w.unavailable = append(w.unavailable, "no embedder was asked for")
		return nil
	}
	if st, err := static.New(); err != nil {
		w.unavailable = append(w.unavailable, "the static vectors cannot be read: "+err.Error())
	} else {
		w.static = st
	}
	kind, rest, _ := strings.Cut(f.Embedder, ":")
	switch kind {
	case "static":
		return nil
	case "http", "https":
		url := rest
		if strings.HasPrefix(rest, "//") {
			url = f.Embedder
		}
		e, err := httpembed.New(ctx, httpembed.Options{BaseURL: url, Model: f.Model, KeyEnv: keyIn(embedKeyEnv)})
		if err == nil {
			w.embedder = e
		}
		return missing(w, f.Embedder, err)
	}
	name, named := models.DefaultEmbedder, false
	for _, n := range []string{rest, f.Model} {
		if n != "" {
			name, named = n, true
		}
	}
	e, err := openEmbedder(ctx, m, name, f.threads())
	if err == nil {
		w.embedder = e
	}
	if err != nil && named {
		return err
	}
	var gone *models.MissingError
	if errors.As(err, &gone) {
		gone.Next = "repgen models pull default" // the runtime too
	}
	return missing(w, "the embedding model "+name, err)
}

// missing makes a notice of what cannot be had; ctx's end stays an error.
func missing(w *wiredModels, what string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return err
	}
	text := what + " cannot be used: " + err.Error()
	var gone *models.MissingError
	switch {
	case errors.As(err, &gone) && gone.Why == "":
		text = what + " is not here: " + gone.Next
	case gone != nil:
		text = what + " cannot be used: " + gone.Why + ": " + gone.Next
	}
	w.unavailable = append(w.unavailable, text)
	return nil
}

// threads that a model computes with.
func (f modelFlags) threads() int {
	if f.Jobs > 0 {
		return f.Jobs
	}
	return runtime.NumCPU()
}

func (f modelFlags) wireReranker(ctx context.Context, m *models.Models, w *wiredModels) error {
	if f.noReranker {
		return nil
	}
	kind, rest, _ := strings.Cut(f.Reranker, ":")
	switch kind {
	case "none":
		w.unavailable = append(w.unavailable, "no reranker was asked for")
		return nil
	case "bi-encoder":
		if w.embedder == nil {
			w.unavailable = append(w.unavailable, "the bi-encoder needs an embedding model, which is not here")
			return nil
		}
		w.reranker = rerank.BiEncoder(shared{w.embedder})
		return nil
	case "http", "https":
		url := rest
		if strings.HasPrefix(rest, "//") {
			url = f.Reranker
		}
		r, err := rerank.NewHTTP(rerank.HTTPOptions{URL: url, KeyEnv: keyIn(rerankKeyEnv)})
		if err == nil {
			w.reranker = r
		}
		return missing(w, f.Reranker, err)
	}
	name := models.DefaultReranker
	if rest != "" {
		name = rest
	}
	r, err := openReranker(ctx, m, name, f.threads())
	if err == nil {
		w.reranker = r
	}
	if err != nil && rest != "" {
		return err
	}
	return missing(w, "the reranker "+name, err)
}

// shared is an embedder that somebody else closes.
type shared struct{ embed.Embedder }

// Close leaves it open.
func (shared) Close() error { return nil }

// openEmbedder opens a model that lies on this machine.
func openEmbedder(ctx context.Context, m *models.Models, name string, threads int) (embed.Embedder, error) {
	installed, err := m.Path(name)
	if err != nil {
		return nil, err
	}
	library, err := runtimeLibrary(m)
	if err != nil {
		return nil, err
	}
	return embedonnx.New(ctx, embedonnx.Options{Model: installed, Library: library, Threads: threads})
}

func openReranker(ctx context.Context, m *models.Models, name string, threads int) (rerank.Reranker, error) {
	installed, err := m.Path(name)
	if err != nil {
		return nil, err
	}
	library, err := runtimeLibrary(m)
	if err != nil {
		return nil, err
	}
	return rerankonnx.New(ctx, rerankonnx.Options{Model: installed, Library: library, Threads: threads})
}

// openModels are the models on this machine; nothing is fetched here.
func openModels(s streams, cache string) *models.Models {
	return models.Open(cache, models.Options{Offline: true, Log: logger(s.err, false)})
}

// runtimeLibrary is the library that runs the models.
func runtimeLibrary(m *models.Models) (string, error) {
	search := ort.Search{Named: os.Getenv(ort.Variable)}
	if r, err := m.Path(models.RuntimeName); err == nil {
		for _, f := range r.Files {
			if strings.Contains(f.Path, "libonnxruntime") {
				search.Installed = filepath.Join(r.Dir, f.Path)
			}
		}
	}
	return search.Find()
}
