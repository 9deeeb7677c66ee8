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
	"strings"

	"github.com/repgen/repgen/internal/bench"
	pysource "github.com/repgen/repgen/internal/codebase/source"
	"github.com/repgen/repgen/internal/environment/pypi"
)

// benchTrees open the projects of pairs.
type benchTrees struct {
	open func(ctx context.Context, set, commit string) (pysource.Tree, func() error, error)
	what string // "each pair's own commit"
	key  string // names the folder of the indexes
}

// trees says where the source comes from: git, a folder, or the index.
func (c *benchRetrievalCmd) trees(ctx context.Context, s streams, cache string, pairs []bench.Pair) (*benchTrees, error) {
	var sets []string
	for _, p := range pairs {
		if !slices.Contains(sets, p.Set) {
			sets = append(sets, p.Set)
		}
	}
	switch {
	case len(c.Git) > 0:
		dirs, err := dirsOf("--git", c.Git, sets)
		if err != nil {
			return nil, err
		}
		return &benchTrees{what: "each pair's own commit", key: treesKey("git", dirs), open: func(ctx context.Context, set, commit string) (pysource.Tree, func() error, error) {
			t, err := pysource.Git(ctx, dirs[set], commit)
			if err != nil {
				return nil, nil, err
			}
			return t, t.Close, nil
		}}, nil
	case len(c.Source) > 0:
		dirs, err := dirsOf("--source", c.Source, sets)
		if err != nil {
			return nil, err
		}
		return &benchTrees{what: "one folder a project", key: treesKey("dir", dirs), open: func(_ context.Context, set, _ string) (pysource.Tree, func() error, error) {
			t, err := pysource.Dir(dirs[set])
			if err != nil {
				return nil, nil, err
			}
			return t, nil, nil
		}}, nil
	}
	return c.releases(ctx, s, cache, sets)
}

// dirsOf gives each set its folder.
func dirsOf(flag string, values, sets []string) (map[string]string, error) {
	dirs := map[string]string{}
	all := ""
	for _, v := range values {
		set, dir, named := strings.Cut(v, "=")
		if !named {
			set, dir = "", v
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil, usage("%s %s: %s is no folder", flag, v, dir)
		}
		dir, err := filepath.Abs(dir)
		if err != nil {
			return nil, fmt.Errorf("find %s: %w", flag, err)
		}
		switch {
		case !named && all != "":
			return nil, usage("%s %s: only one folder can be for all; name the others NAME=DIR, NAME one of %s", flag, v, strings.Join(sets, ", "))
		case !named:
			all = dir
		case !slices.Contains(sets, set):
			return nil, usage("%s %s: no file of pairs is called %s; there are %s", flag, v, set, strings.Join(sets, ", "))
		default:
			dirs[set] = dir
		}
	}
	for _, set := range sets {
		if dirs[set] != "" {
			continue
		}
		if all == "" {
			return nil, usage("%s: where is %s? Give %s %s=DIR", flag, set, flag, set)
		}
		dirs[set] = all
	}
	return dirs, nil
}

func treesKey(kind string, dirs map[string]string) string {
	text := kind
	for _, set := range slices.Sorted(maps.Keys(dirs)) {
		text += "\x00" + set + "\x00" + dirs[set]
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}

// releases takes one source release a project from the package index.
func (c *benchRetrievalCmd) releases(ctx context.Context, s streams, cache string, sets []string) (*benchTrees, error) {
	known, err := c.knownReleases()
	if err != nil {
		return nil, err
	}
	client := packageIndex(s, place{Index: c.Index}, c.show)
	dirs := map[string]string{}
	var words []string
	for _, set := range sets {
		r, ok := known[set]
		if !ok {
			return nil, usage("which release stands for %s? Name it in %s beside the pairs, or give --git %s=DIR", set, bench.ReleasesFile, set)
		}
		path, err := fetchRelease(ctx, client, cache, r)
		if err != nil {
			return nil, err
		}
		dirs[set], words = path, append(words, r.Package+" "+r.Version)
	}
	return &benchTrees{what: "source releases " + strings.Join(words, ", "), key: treesKey("release", dirs), open: func(ctx context.Context, set, _ string) (pysource.Tree, func() error, error) {
		f, err := os.Open(dirs[set])
		if err != nil {
			return nil, nil, fmt.Errorf("open the source release: %w", err)
		}
		defer func() { _ = f.Close() }()
		t, err := bench.ReleaseTree(ctx, f)
		return t, nil, err
	}}, nil
}

// indexFinder finds the package index when it is first needed.
type indexFinder func(ctx context.Context) (*pypi.Client, error)

func packageIndex(s streams, p place, sh show) indexFinder {
	return func(ctx context.Context) (*pypi.Client, error) {
		sv, err := wireServices(ctx, s, p, sh, nil)
		if err != nil {
			return nil, err
		}
		if err := sv.envs.check(); err != nil {
			return nil, err
		}
		return sv.envs.PackageIndex(ctx)
	}
}

// knownReleases reads releases.json beside each file of pairs.
func (c *benchRetrievalCmd) knownReleases() (map[string]bench.Release, error) {
	out := map[string]bench.Release{}
	for _, file := range c.Pairs {
		got, err := bench.ReadReleases(filepath.Join(filepath.Dir(file), bench.ReleasesFile))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		maps.Copy(out, got)
	}
	return out, nil
}

// fetchRelease gives the path of a source release in the cache, fetched when it
// is not there yet.
func fetchRelease(ctx context.Context, index indexFinder, cache string, r bench.Release) (string, error) {
	name := filepath.Base(filepath.Clean("/" + r.Package + "-" + r.Version + ".tar.gz"))
	path := filepath.Join(cache, indexRoom, "releases", name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	client, err := index(ctx)
	if err != nil {
		return "", err
	}
	p, err := client.Project(ctx, r.Package)
	if err != nil {
		return "", fmt.Errorf("find the source release %s %s: %w", r.Package, r.Version, err)
	}
	for _, f := range p.Of(r.Version) {
		if !f.Sdist || !strings.HasSuffix(f.Filename, ".tar.gz") {
			continue
		}
		return path, fetchTo(ctx, client, f, path)
	}
	return "", fmt.Errorf("find the source release %s %s: the index has no .tar.gz of it", r.Package, r.Version)
}

// fetchTo puts a file where it is looked for when it is whole.
func fetchTo(ctx context.Context, client *pypi.Client, f pypi.File, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return cacheError{err}
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), ".fetch-")
	if err != nil {
		return cacheError{err}
	}
	defer func() { _ = os.RemoveAll(dir) }()
	tmp := filepath.Join(dir, "release")
	if err := client.Download(ctx, f, tmp); err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return cacheError{err}
	}
	return nil
}
