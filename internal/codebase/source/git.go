package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// GitTree is the source of one commit of a git directory, read by the git
// program without a work tree. It is safe for many goroutines at once.
type GitTree struct {
	args   []string // git and what tells it the directory
	dir    string
	commit string

	mu    sync.Mutex
	blobs map[string]blob // by path, once listed
	batch *batch
	kept  map[string][]byte // by hash, what List has read and Read will want
	room  int               // bytes that may still be kept
}

// blob is one file of the commit.
type blob struct {
	path, mode, hash string
	size             int64
}

// noSize is the size of a blob that the git directory does not have.
const noSize = -1

// keptBytes bounds what List keeps for Read. All Python of keras takes 13 MB.
const keptBytes = 32 << 20

// Git is the project at a commit (any name that git takes for one) of a git
// directory: a bare one, a .git folder, or a work tree, whose files are not
// looked at. It fails with what to do when there is no git, no such directory
// or no such commit. The caller closes the tree.
func Git(ctx context.Context, gitDir, commit string) (*GitTree, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, errors.New("open commit: there is no git program on the PATH: install git, or name a folder with the files")
	}
	if commit == "" || strings.HasPrefix(commit, "-") {
		return nil, fmt.Errorf("open commit: %q is no name of a commit", commit)
	}
	dir, err := filepath.Abs(gitDir)
	if err != nil {
		return nil, fmt.Errorf("open commit: %w", err)
	}
	// A directory of another user is read like any other: nothing of it is run.
	t := &GitTree{args: []string{program, "-c", "safe.directory=*", "-c", "core.fsmonitor=false"}, dir: gitDir, room: keptBytes, kept: map[string][]byte{}}
	if exists(filepath.Join(dir, ".git")) {
		t.args = append(t.args, "-C", dir)
	} else {
		t.args = append(t.args, "--git-dir", dir)
	}
	if _, err := t.run(ctx, "rev-parse", "--git-dir"); err != nil {
		return nil, fmt.Errorf("open commit: %s is no git directory: %w", gitDir, err)
	}
	name, err := t.run(ctx, "rev-parse", "--verify", "--quiet", commit+"^{commit}")
	if err != nil {
		return nil, fmt.Errorf("open commit: %s has no commit %q: fetch it, or name another", gitDir, commit)
	}
	t.commit = string(bytes.TrimSpace(name))
	return t, nil
}

// Commit is the full name of the commit.
func (t *GitTree) Commit() string { return t.commit }

// run gives the output of one short git command.
func (t *GitTree) run(ctx context.Context, args ...string) ([]byte, error) {
	cmd := t.command(ctx, args...)
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if text := strings.TrimSpace(string(exit.Stderr)); text != "" {
			return nil, errors.New(text)
		}
	}
	return out, err
}

func (t *GitTree) command(ctx context.Context, args ...string) *exec.Cmd {
	all := append(append([]string{}, t.args...), args...)
	cmd := exec.CommandContext(ctx, all[0], all[1:]...)
	// What the caller's own git told its children does not hold here; nothing
	// is fetched and nobody is asked.
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1", "LC_ALL=C",
		// A git that does not know GIT_NO_LAZY_FETCH would run what the directory's
		// configuration names as its remote.
		"GIT_ALLOW_PROTOCOL=")
	return cmd
}

// List gives the commit's files. What the commit holds is not ignored, whatever
// its .gitignore files say. A blob that known knows under its path is not read.
func (t *GitTree) List(ctx context.Context, known Known) (*Listing, error) {
	blobs, err := t.tree(ctx)
	if err != nil {
		return nil, err
	}
	l := &Listing{}
	var read []blob
	for _, b := range blobs {
		f := File{Size: b.size, Hash: "git:" + b.hash}
		switch s := b.skip(); {
		case s.Why != "":
			l.skip(s.Path, s.Why, s.More)
		case len(l.Files)+len(read) >= MaxFiles:
			l.skip(".", WhyTooMany, fmt.Sprintf("only the first %d files are read", MaxFiles))
			return l, ctx.Err()
		case isKnown(known, b.path, f):
			l.add(b.path, f)
		default:
			read = append(read, b)
		}
	}
	err = t.each(ctx, read, func(b blob, text []byte, missing error) {
		if missing != nil {
			l.skip(b.path, WhyUnreadable, missing.Error())
			return
		}
		if why, more := contents(b.path, text); why != "" {
			l.skip(b.path, why, more)
			return
		}
		if t.room >= len(text) {
			t.room -= len(text)
			t.kept[b.hash] = text
		}
		l.add(b.path, File{Size: b.size, Hash: "git:" + b.hash})
	})
	if err != nil {
		return nil, err
	}
	l.sort()
	return l, nil
}

func isKnown(known Known, path string, f File) bool {
	if known == nil {
		return false
	}
	old, ok := known(path)
	return ok && old.Hash == f.Hash
}

// skip judges by what the tree says.
func (b blob) skip() Skip {
	if dir, more := vendored(b.path); dir != "" {
		return Skip{b.path, WhyVendored, more}
	}
	if why, more := generatedName(b.path); why != "" {
		return Skip{b.path, why, more}
	}
	switch {
	case b.mode == "120000":
		return Skip{b.path, WhySymlink, ""}
	case b.size == noSize:
		return Skip{b.path, WhyUnreadable, errMissing.Error()}
	case b.size > MaxFile:
		return Skip{b.path, WhyTooLarge, sizeText(b.size)}
	}
	return Skip{}
}

// tree lists the Python blobs of the commit, once.
func (t *GitTree) tree(ctx context.Context) ([]blob, error) {
	out, err := t.run(ctx, "ls-tree", "-r", "-l", "-z", "--full-tree", t.commit)
	if err != nil {
		return nil, fmt.Errorf("list commit: %w", err)
	}
	var blobs []blob
	byPath := map[string]blob{}
	for record := range bytes.SplitSeq(out, []byte{0}) {
		head, path, ok := strings.Cut(string(record), "\t")
		fields := strings.Fields(head) // mode, type, hash, size
		if !ok || len(fields) != 4 || fields[1] != "blob" || !isPython(path) {
			continue
		}
		size, err := strconv.ParseInt(fields[3], 10, 64)
		if err != nil {
			size = noSize // "BAD": the blob is not there
		}
		b := blob{path: path, mode: fields[0], hash: fields[2], size: size}
		blobs = append(blobs, b)
		byPath[path] = b
	}
	t.mu.Lock()
	t.blobs = byPath
	t.mu.Unlock()
	return blobs, nil
}

// Read gives the text of one file of the commit.
func (t *GitTree) Read(ctx context.Context, path string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t.mu.Lock()
	listed := t.blobs != nil
	t.mu.Unlock()
	if !listed {
		if _, err := t.tree(ctx); err != nil {
			return nil, err
		}
	}
	t.mu.Lock()
	b, ok := t.blobs[path]
	t.mu.Unlock()
	if !ok || b.skip().Why != "" {
		return nil, fmt.Errorf("read %s of commit %s: %w", path, t.commit, fs.ErrNotExist)
	}
	text, err := t.take(ctx, b)
	if err != nil {
		return nil, fmt.Errorf("read %s of commit %s: %w", path, t.commit, err)
	}
	return decode(path, text), nil
}
