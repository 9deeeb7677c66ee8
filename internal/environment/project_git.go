package environment

import (
	"context"
	_ "embed" // the script that asks git
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/sandbox"
)

// gitScript runs git inside the sandbox: a checkout's own configuration names
// programs (filters, monitors, signature checks) that git starts.
//
//go:embed project_git.sh
var gitScript string

// Exit codes of the script beside git's own.
const (
	gitNoRevision   = 3
	gitNoRepository = 4
	gitNoSuchFolder = 5
	gitMissing      = 127
)

const (
	// gitWall bounds one call; exporting the largest measured checkout takes
	// some seconds. A guess.
	gitWall = 2 * time.Minute
	// exportName is the archive in the work folder.
	exportName = "source.tar"
	// repositoryDir is where the repository is seen inside the sandbox.
	repositoryDir = "/project/.git"
)

// git runs the script in work: "resolve REV" or "export COMMIT SUB".
func (m *Manager) git(ctx context.Context, at place, work string, args ...string) (sandbox.Execution, *Unavailable, error) {
	name := filepath.Join(work, "git.sh")
	if err := os.WriteFile(name, []byte(gitScript), 0o644); err != nil {
		return sandbox.Execution{}, nil, fmt.Errorf("ask git: %w", err)
	}
	c := sandbox.Command{
		Argv:   append([]string{"/bin/sh", sandbox.WorkDir + "/git.sh"}, args...),
		Env:    map[string]string{"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp/home", "LANG": "C.UTF-8", "GIT_DIR": repositoryDir, "GIT_NO_REPLACE_OBJECTS": "1", "GIT_NO_LAZY_FETCH": "1"},
		Mounts: []sandbox.Mount{{Host: at.git, Guest: repositoryDir}},
		Work:   work, Label: "git " + args[0],
	}
	limits := m.opts.Limits
	limits.Wall = gitWall
	x, err := m.opts.Sandbox.Run(ctx, c, limits)
	if err != nil {
		return x, nil, fmt.Errorf("ask git: %w", err)
	}
	switch {
	case x.Outcome == sandbox.Exited && x.ExitCode == gitMissing:
		return x, &Unavailable{Why: "git is not on this machine, and the project is a checkout", Next: "install git below /usr (apt-get install git)"}, nil
	case x.Outcome != sandbox.Exited:
		return x, &Unavailable{Why: "git did not come to an end in the sandbox: " + lastWords(x)}, nil
	}
	return x, nil, nil
}

// askGit resolves a revision, "" is HEAD.
func (m *Manager) askGit(ctx context.Context, at place, revision string) (ProjectState, *Unavailable, error) {
	revision = orHead(revision)
	if !plainRevision(revision) {
		return ProjectState{}, nil, noRevision(revision, "it is no name of a commit")
	}
	work, err := os.MkdirTemp("", "repgen-git-")
	if err != nil {
		return ProjectState{}, nil, fmt.Errorf("ask git: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	x, u, err := m.git(ctx, at, work, "resolve", revision)
	if u != nil || err != nil {
		return ProjectState{}, u, err
	}
	switch x.ExitCode {
	case 0:
	case gitNoRevision:
		return ProjectState{}, nil, noRevision(revision, "git knows no commit of that name in "+at.top)
	default:
		return ProjectState{}, nil, &ProjectError{What: "the project's history cannot be read", Why: lastWords(x), Next: "check it with git fsck"}
	}
	state, ok := parseState(x.Stdout)
	if !ok {
		return ProjectState{}, nil, &ProjectError{What: "the project's history cannot be read", Why: "git answered something else than a commit", Next: "check it with git fsck"}
	}
	return state, nil, nil
}

func noRevision(revision, why string) *ProjectError {
	return &ProjectError{
		What: fmt.Sprintf("there is no revision %s", clip(revision, 80)), Why: why,
		Next: "name a commit, tag or branch that the checkout has (git log, git tag)",
	}
}

// plainRevision keeps options and control characters away from git.
func plainRevision(r string) bool {
	return len(r) < 300 && !strings.HasPrefix(r, "-") && !strings.ContainsFunc(r, func(c rune) bool { return c < 0x20 || c == 0x7f })
}

// stateForm is what the script prints: seconds, object name.
var stateForm = regexp.MustCompile(`^([0-9]{1,11}) ([0-9a-f]{40}|[0-9a-f]{64})$`)

// parseState reads the script's answer. A hostile configuration can have
// written anything there: what does not fit is refused.
func parseState(out string) (ProjectState, bool) {
	head, describe, _ := strings.Cut(strings.TrimSpace(out), "\n")
	m := stateForm.FindStringSubmatch(strings.TrimSpace(head))
	if m == nil {
		return ProjectState{}, false
	}
	seconds, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil {
		return ProjectState{}, false
	}
	s := ProjectState{Commit: m[2], Time: time.Unix(seconds, 0).UTC()}
	s.Version = describedVersion(strings.TrimSpace(describe), s.Short())
	return s, true
}

// describeForm is `git describe --long`: tag, commits since, object name.
var describeForm = regexp.MustCompile(`^.*?([0-9][A-Za-z0-9.!+_-]*)-([0-9]{1,9})-g[0-9a-f]+$`)

// describedVersion is the version that setuptools-scm would give: the tag's
// own on the tag, else the next patch's development release.
func describedVersion(describe, short string) string {
	m := describeForm.FindStringSubmatch(describe)
	if m == nil {
		return "0.0.dev0+g" + short
	}
	v, err := pydist.ParseVersion(m[1])
	if err != nil {
		return "0.0.dev0+g" + short
	}
	if m[2] == "0" {
		return v.String()
	}
	release := v.Release()
	parts := make([]string, len(release))
	for i, n := range release {
		parts[i] = fmt.Sprint(n)
	}
	if !v.IsPre() {
		parts[len(parts)-1] = fmt.Sprint(release[len(release)-1] + 1)
	}
	return fmt.Sprintf("%s.dev%s+g%s", strings.Join(parts, "."), m[2], short)
}

// exportGit leaves the files of a commit as an archive in work.
func (m *Manager) exportGit(ctx context.Context, at place, state ProjectState, work string) (*Unavailable, error) {
	x, u, err := m.git(ctx, at, work, "export", state.Commit, at.sub)
	if u != nil || err != nil {
		return u, err
	}
	switch x.ExitCode {
	case 0:
		return nil, nil
	case gitNoSuchFolder:
		return nil, &ProjectError{
			What: fmt.Sprintf("commit %s has no folder %s", state.Short(), at.sub), Why: "the project's folder is not part of it",
			Next: "name the folder where the project lay at that revision",
		}
	}
	return &Unavailable{Why: fmt.Sprintf("git could not export commit %s: %s", state.Short(), lastWords(x))}, nil
}
