package llm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/repgen/repgen/internal/system"
)

type cached struct {
	m   Model
	dir string
}

// Cached answers from a folder that runs share what any of them asked the same
// model before. Answers are found by the model and everything that was sent; at
// a temperature above zero, or the backend's own, each Sample is another one.
// Only whole answers are kept, and a file that cannot be read counts as absent.
// It stands inside Recorded, so that a run's records say what came from here.
func Cached(m Model, dir string) Model { return &cached{m, dir} }

func (c *cached) Info() Info { return c.m.Info() }

func (c *cached) Complete(ctx context.Context, r Request) (Response, error) {
	if err := r.Validate(); err != nil {
		return Response{}, err
	}
	if err := ctx.Err(); err != nil {
		return Response{}, err
	}
	asked := r
	if r.Temperature != nil && *r.Temperature == 0 {
		asked.Sample = 0
	}
	hash := asked.hash()
	path := c.path(hash)
	if found := c.read(path, hash); found != nil {
		return found.again(r, SourceCache)
	}
	res, err := c.m.Complete(ctx, r)
	if err == nil && res.Finish == FinishStop && res.Text != "" && res.Source == SourceBackend {
		c.keep(ctx, path, &record{
			Schema: recordSchema, Purpose: r.Purpose, Hash: hash, Info: c.m.Info(), Request: asked, Response: &res,
		})
	}
	return res, err
}

// path is by the model and the request.
func (c *cached) path(hash string) string {
	i := c.m.Info()
	sum := sha256.Sum256([]byte(i.Backend + "\x00" + i.Provider + "\x00" + i.Model + "\x00" + i.Command + "\x00" + hash))
	name := hex.EncodeToString(sum[:])
	return filepath.Join(c.dir, name[:2], name+".json")
}

// read is nil for what is absent, torn or not what its name says.
func (c *cached) read(path, hash string) *record {
	data, err := readRegular(path)
	if err != nil {
		return nil
	}
	found, err := parseRecord(data)
	if err != nil || found.Hash != hash || found.Response == nil {
		return nil
	}
	return found
}

// keep writes one answer; a cache that cannot be written to is only slower.
func (c *cached) keep(ctx context.Context, path string, one *record) {
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = system.KeepJSON(path, one)
	}
	if err != nil {
		slog.WarnContext(ctx, "an answer of the language model is not cached", "why", err)
	}
}
