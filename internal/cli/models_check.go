package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/repgen/repgen/internal/codebase/models"
	"github.com/repgen/repgen/internal/output"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/system"
	"github.com/repgen/repgen/internal/system/inert"
)

type modelsVerifyCmd struct {
	Names []string `arg:"" optional:"" name:"name" help:"Models by name. Default: every one that is here."`
	show  `embed:""`
}

// Help stands below the flags of the command.
func (modelsVerifyCmd) Help() string { return modelsCodes }

// Run hashes what is here.
func (c *modelsVerifyCmd) Run(ctx context.Context, s streams) error {
	cache, err := system.CacheDir()
	if err != nil {
		return c.failModel(s, err)
	}
	bar := newBar(s, c.show)
	m := models.Open(cache, models.Options{Offline: true, Progress: bar.event, Log: logger(s.err, c.Verbose)})
	names := c.Names
	if len(names) == 0 {
		if names, err = presentModels(m); err != nil {
			return c.failModel(s, err)
		}
	}
	views := []models.Verified{}
	var failure error
	for _, name := range names {
		v, err := m.Verify(ctx, name)
		if err != nil {
			failure = err
			break
		}
		views = append(views, v)
	}
	bar.clear()
	if failure != nil {
		return c.failModel(s, failure)
	}
	return c.result(s, views)
}

// presentModels are those that are here, whole or not.
func presentModels(m *models.Models) ([]string, error) {
	list, err := m.List()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, st := range list {
		if st.Present || st.Problem != "" {
			names = append(names, st.Name)
		}
	}
	return names, nil
}

func (c *modelsVerifyCmd) result(s streams, views []models.Verified) error {
	if c.JSON {
		if err := output.JSON(s.out, map[string][]models.Verified{"models": views}); err != nil {
			return err
		}
	} else {
		c.tell(s, views)
	}
	if len(views) == 0 {
		return exit{exitNothing}
	}
	for _, v := range views {
		if !v.OK {
			return exit{exitDifferent}
		}
	}
	return nil
}

func (c *modelsVerifyCmd) tell(s streams, views []models.Verified) {
	if len(views) == 0 && !c.Quiet {
		_, _ = fmt.Fprintln(s.out, "no model is here: repgen models pull default")
	}
	for _, v := range views {
		mark := "ok"
		if !v.OK {
			mark = "BROKEN"
		}
		if !c.Quiet || !v.OK {
			_, _ = fmt.Fprintf(s.out, " %-9s %-26s %12s\n", mark, inert.Line(v.Name), megabytes(v.Bytes))
		}
		for _, p := range v.Problems {
			_, _ = fmt.Fprintf(s.out, "           %s: %s\n", inert.Line(p.File), inert.Line(p.What))
		}
		if !v.OK {
			_, _ = fmt.Fprintf(s.out, "           repair: %s\n", inert.Line(v.Next))
		}
	}
}

// failModel shows a failure of models.
func (s show) failModel(st streams, err error) error {
	problem, code := explainModel(err)
	problem = st.named(problem)
	if s.JSON {
		if err := output.JSON(st.out, map[string]proof.ResultError{"error": problem}); err != nil {
			return err
		}
	} else {
		output.Problem(st.err, problem)
	}
	return exit{code}
}

type modelsImportCmd struct {
	Path      string `arg:"" help:"A folder with model.safetensors and config.json, or with model.onnx, and with vocab.txt or tokenizer.json; or one of these weight files, or a libonnxruntime, or its folder."`
	Name      string `help:"What it is to be called. A known name takes only that model's own files." required:"" placeholder:"NAME"`
	Kind      string `help:"embedder or reranker. Default: by the model." enum:",embedder,reranker" default:""`
	MaxTokens int    `help:"Texts are cut at this many tokens. Default: by the model's files." placeholder:"N"`
	Dims      int    `help:"Length of a vector, where the model does not say it." placeholder:"N"`
	Licence   string `help:"Its licence, for the list." placeholder:"TEXT"`
	show      `embed:""`
}

// Help stands below the flags of the command.
func (modelsImportCmd) Help() string { return modelsPlaces + modelsCodes }

// Run copies and checks a model.
func (c *modelsImportCmd) Run(ctx context.Context, s streams) error {
	if c.MaxTokens < 0 || c.Dims < 0 {
		return c.failModel(s, usage("--max-tokens and --dims must not be negative"))
	}
	cache, err := system.CacheDir()
	if err != nil {
		return c.failModel(s, err)
	}
	bar := newBar(s, c.show)
	m := models.Open(cache, models.Options{Offline: true, Progress: bar.event, Log: logger(s.err, c.Verbose)})
	in, err := m.Import(ctx, c.Path, models.ImportOptions{
		Name: c.Name, Kind: models.Kind(c.Kind), MaxTokens: c.MaxTokens, Dims: c.Dims, Licence: c.Licence,
	})
	bar.clear()
	if err != nil {
		return c.failModel(s, err)
	}
	if c.JSON {
		st, err := statusOf(m, c.Name)
		return errors.Join(err, output.JSON(s.out, st))
	}
	size, _ := in.Size()
	tokens := ""
	if in.MaxTokens > 0 { // a runtime has none
		tokens = fmt.Sprintf(", texts of up to %d tokens", in.MaxTokens)
	}
	_, _ = fmt.Fprintf(s.out, " here      %-26s %-9s %12s%s\n", inert.Line(in.Name), in.Kind, megabytes(size), tokens)
	return nil
}

func statusOf(m *models.Models, name string) (models.Status, error) {
	list, err := m.List()
	for _, st := range list {
		if st.Name == name {
			return st, nil
		}
	}
	return models.Status{}, err
}
