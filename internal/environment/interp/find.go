package interp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/system"
)

// cacheName holds what interpreters said; the number grows with its meaning.
const cacheName = "interpreters-1.json"

// known is a cached answer; Python is nil for an executable of no use.
type known struct {
	Size   int64        `json:"size"`
	Mtime  int64        `json:"mtime"` // nanoseconds
	Python *Interpreter `json:"python"`
	Why    string       `json:"why,omitempty"`
}

func find(ctx context.Context, cacheDir string, where places) ([]Interpreter, error) {
	path := filepath.Join(cacheDir, cacheName)
	old := loadKnown(path)
	fresh := map[string]known{}
	var mu sync.Mutex
	var g errgroup.Group
	g.SetLimit(4) // each is a short process
	asked := false
	var list []Interpreter
	for _, c := range where.candidates() {
		st, err := os.Stat(c.path)
		if err != nil {
			continue
		}
		k, ok := old[c.path]
		if ok && k.Size == st.Size() && k.Mtime == st.ModTime().UnixNano() && stillThere(k) {
			mu.Lock()
			fresh[c.path] = k
			mu.Unlock()
			continue
		}
		asked = true
		k = known{Size: st.Size(), Mtime: st.ModTime().UnixNano()}
		g.Go(func() error {
			python, err := ask(ctx, c)
			switch {
			case errors.Is(err, errSlow):
				return nil // not remembered: it is asked again next time
			case err == nil:
				k.Python = &python
			default:
				k.Why = err.Error()
			}
			mu.Lock()
			defer mu.Unlock()
			fresh[c.path] = k
			return ctx.Err()
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for _, k := range fresh {
		if k.Python != nil {
			list = append(list, *k.Python)
		}
	}
	if asked && os.MkdirAll(cacheDir, 0o755) == nil {
		_ = system.WriteJSON(path, fresh) // only costs asking again
	}
	slices.SortFunc(list, better)
	return list, nil
}

// stillThere is false when the standard library went away.
func stillThere(k known) bool {
	if k.Python == nil {
		return true
	}
	_, err := os.Stat(k.Python.Prefix)
	return err == nil
}

func loadKnown(path string) map[string]known {
	old := map[string]known{}
	data, err := os.ReadFile(path)
	if err == nil && json.Unmarshal(data, &old) == nil {
		return old
	}
	return map[string]known{}
}

// sourceRank prefers builds as their authors made them: a distribution's own
// Python is patched, conda's brings its own libraries.
var sourceRank = map[string]int{"pyenv": 0, "uv": 1, "opt": 2, "path": 3, "system": 4, "conda": 5}

// better orders by minor version (newest first), then completeness, final
// before pre-release, source, patch version, path.
func better(a, b Interpreter) int {
	va, errA := pydist.ParseVersion(a.Version)
	vb, errB := pydist.ParseVersion(b.Version)
	if errA != nil || errB != nil {
		return cmp.Compare(a.Path, b.Path)
	}
	if c := slices.Compare(vb.Release()[:2], va.Release()[:2]); c != 0 {
		return c
	}
	return cmp.Or(
		cmp.Compare(len(a.Lacks), len(b.Lacks)),
		cmp.Compare(asInt(va.IsPre()), asInt(vb.IsPre())),
		cmp.Compare(sourceRank[a.Source], sourceRank[b.Source]),
		vb.Compare(va),
		cmp.Compare(a.Path, b.Path),
	)
}

func asInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
