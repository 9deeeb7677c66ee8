package environment

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ProjectSource is a project of the user's own: a git checkout, or a plain
// folder with its source. The subject is built from it instead of taken from
// the index.
type ProjectSource struct {
	// Dir is the absolute path of the folder on this machine.
	Dir string `json:"dir,omitempty"`
	// Revision and Fixed are as the user named them: "" is HEAD (the folder as
	// it is where there is no git), and "" is no fix.
	Revision string `json:"revision,omitempty"`
	Fixed    string `json:"fixed,omitempty"`
	// At and FixedAt are what the two mean now.
	At      ProjectState `json:"at,omitzero"`
	FixedAt ProjectState `json:"fixed_at,omitzero"`
	// Name, Version and Wheel are those of what was built from At; Provides
	// are its top-level modules, RequiresPython its own words on Pythons.
	Name           string   `json:"name,omitempty"`
	Version        string   `json:"version,omitempty"`
	Wheel          *Package `json:"wheel,omitempty"`
	Provides       []string `json:"provides,omitempty"`
	RequiresPython string   `json:"requires_python,omitempty"`
}

// ProjectState is one state of a project's files.
type ProjectState struct {
	// Commit is a full object name; "" for a folder without git, whose Tree is
	// the hash of its files.
	Commit string    `json:"commit,omitempty"`
	Tree   string    `json:"tree,omitempty"`
	Time   time.Time `json:"time,omitzero"` // of the commit
	// Version is what the nearest tag makes of it: tools that ask git for a
	// version get this, since what is built has no history.
	Version string `json:"version,omitempty"`
}

// Short names a state for people: seven digits, as git does.
func (s ProjectState) Short() string {
	id := s.Commit
	if id == "" {
		id = s.Tree
	}
	return id[:min(7, len(id))]
}

// ProjectError says that the user named a project or a revision that is not
// there: a wrong word, no verdict.
type ProjectError struct {
	What string
	Why  string
	Next string
}

func (e *ProjectError) Error() string {
	if e.Why == "" {
		return e.What
	}
	return e.What + ": " + e.Why
}

// place is where a project's files are.
type place struct {
	git string // the repository, "" for a plain folder
	top string // the checkout, or the folder itself
	sub string // the project below top, with slashes, "" for top itself
}

// locate looks for the checkout that a folder is, or is a part of.
func locate(dir string) (place, error) {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		why := "it is not a folder"
		if err != nil {
			why = err.Error()
		}
		return place{}, &ProjectError{What: "the project cannot be read", Why: why, Next: "name its folder with --project DIR"}
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return place{}, fmt.Errorf("find the project: %w", err)
	}
	for top := real; ; top = filepath.Dir(top) {
		git := filepath.Join(top, ".git")
		info, err := os.Lstat(git)
		switch {
		case err == nil && info.IsDir():
			sub, err := filepath.Rel(top, real)
			if err != nil {
				return place{}, fmt.Errorf("find the project: %w", err)
			}
			if sub = filepath.ToSlash(sub); sub == "." {
				sub = ""
			}
			return place{git: git, top: top, sub: sub}, nil
		case err == nil:
			// It names another folder, and a stranger's file may name any: the
			// user has to say it.
			return place{}, &ProjectError{
				What: "the project is a linked worktree or a submodule, whose history lies elsewhere",
				Why:  git + " is no folder",
				Next: "name the main checkout with --project, and the commit with --revision",
			}
		}
		if top == filepath.Dir(top) {
			return place{top: real}, nil
		}
	}
}

// ResolveProject says what the revisions mean now. Errors: *ProjectError for a
// project or revision that is not there. Nothing of the project runs outside
// of the sandbox.
func (m *Manager) ResolveProject(ctx context.Context, p ProjectSource) (ProjectSource, *Unavailable, error) {
	at, err := locate(p.Dir)
	if err != nil {
		return p, nil, err
	}
	if u, err := m.canBuild(ctx); u != nil || err != nil {
		return p, u, err
	}
	if at.git == "" {
		return m.resolvePlain(p, at)
	}
	for _, r := range []struct {
		name string
		to   *ProjectState
		want bool
	}{{p.Revision, &p.At, true}, {p.Fixed, &p.FixedAt, p.Fixed != ""}} {
		if !r.want {
			continue
		}
		state, u, err := m.askGit(ctx, at, r.name)
		if u != nil || err != nil {
			return p, u, err
		}
		*r.to = state
	}
	if p.Fixed != "" && p.At.Commit == p.FixedAt.Commit {
		return p, nil, &ProjectError{
			What: fmt.Sprintf("%s and %s are the same commit", orHead(p.Revision), p.Fixed), Why: p.At.Short(),
			Next: "name a revision that has the bug, and one that has the fix",
		}
	}
	return p, nil, nil
}

func orHead(revision string) string {
	if revision == "" {
		return "HEAD"
	}
	return revision
}

// resolvePlain hashes a folder without git.
func (m *Manager) resolvePlain(p ProjectSource, at place) (ProjectSource, *Unavailable, error) {
	if p.Revision != "" || p.Fixed != "" {
		return p, nil, &ProjectError{
			What: "a revision was named, and the project has no git history", Why: "there is no .git in or above it",
			Next: "leave out --revision and --fixed-revision, or name a checkout",
		}
	}
	sum, err := packFolder(at.top, nil)
	if err != nil {
		return p, nil, err
	}
	p.At = ProjectState{Tree: sum}
	return p, nil, nil
}

// canBuild says why a project is not built at all. Without a file system of
// its own a run would see, and write, the user's files.
func (m *Manager) canBuild(ctx context.Context) (*Unavailable, error) {
	no := &Unavailable{
		Why:  "a project is built in a sandbox only, and there is none",
		Next: "see repgen doctor for what the sandbox lacks",
	}
	if m.opts.Sandbox == nil {
		return no, nil
	}
	layers, err := m.opts.Sandbox.Layers(ctx)
	if err != nil {
		return nil, fmt.Errorf("build the project: %w", err)
	}
	for _, l := range layers {
		if !l.Active && strings.HasPrefix(l.Name, "filesystem") {
			return no, nil
		}
	}
	return nil, nil
}
