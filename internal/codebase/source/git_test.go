package source

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestGitMissing: without the program the message says what to do.
func TestGitMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := Git(t.Context(), t.TempDir(), "HEAD"); err == nil || !strings.Contains(err.Error(), "install git") {
		t.Errorf("%v", err)
	}
}

// repository commits the files and gives the work tree. It needs git, which
// every place that builds this project has; where it is missing nothing can be
// told.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("REPGEN_REAL") != "" {
			t.Fatal("REPGEN_REAL is set but there is no git: apt-get install git")
		}
		t.Skip("no git on the PATH")
	}
	root := project(t, files)
	if err := os.Symlink("a.py", filepath.Join(root, "link.py")); err != nil {
		t.Fatal(err)
	}
	realGit(t, root, "", "init", "-q")
	realGit(t, root, "", "add", "-f", ".")
	realGit(t, root, "", "commit", "-q", "-m", "first")
	return root
}

func TestGit(t *testing.T) {
	files, listed, skipped := mixed()
	delete(files, ".git/hooks/x.py")
	root := repository(t, files)
	for _, dir := range []string{root, filepath.Join(root, ".git")} {
		g, err := Git(t.Context(), dir, "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		l := mustList(t, g, nil)
		// What is committed is not ignored; only a folder shows an environment.
		want := append([]string{"b.gen.py", "build/lib/pkg/a.py", "env/lib/x.py", "out/x.py"}, listed...)
		if got := paths(l); len(got) != len(want) {
			t.Errorf("files %q, want %q", got, want)
		}
		for _, s := range skips(l) {
			if s != "link.py symlink" && !strings.Contains(strings.Join(skipped, "\n"), s) &&
				s != "pkg/vendor/six.py vendored" && s != "pkg/__pycache__/c.py vendored" {
				t.Errorf("skipped %q", s)
			}
		}
		if b, err := g.Read(t.Context(), "a.py"); err != nil || string(b) != "x = 1\n" {
			t.Errorf("%q, %v", b, err)
		}
		for _, path := range []string{"none.py", "link.py", "../a.py"} {
			if _, err := g.Read(t.Context(), path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("read %q: %v", path, err)
			}
		}
		if len(g.Commit()) != 40 || !strings.HasPrefix(l.Files[0].Hash, "git:") {
			t.Errorf("commit %q, hash %q", g.Commit(), l.Files[0].Hash)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestGitWrong(t *testing.T) {
	root := repository(t, map[string]string{"a.py": "x = 1\n"})
	for _, c := range []struct{ dir, commit, want string }{
		{t.TempDir(), "HEAD", "no git directory"},
		{filepath.Join(root, "none"), "HEAD", "no git directory"},
		{root, "0123456789012345678901234567890123456789", "no commit"},
		{root, "v1.2.3", "no commit"},
		{root, "", "no name"},
		{root, "--all", "no name"},
	} {
		if _, err := Git(t.Context(), c.dir, c.commit); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q %q: %v, want %q", c.dir, c.commit, err, c.want)
		}
	}
}

// TestGitHistory: an old commit is read as it was, with what a later one has
// known, by many at once; a call that is cancelled leaves the tree usable.
func TestGitHistory(t *testing.T) {
	root := repository(t, map[string]string{"a.py": "x = 1\n", "b.py": "y = 1\n"})
	write(t, filepath.Join(root, "a.py"), "x = 2\n")
	realGit(t, root, "", "commit", "-q", "-a", "-m", "second")
	g, err := Git(t.Context(), root, "HEAD~1")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.List(cancelled, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if b, err := g.Read(t.Context(), "a.py"); err != nil || string(b) != "x = 1\n" {
				t.Errorf("%q, %v", b, err)
			}
		})
	}
	wg.Wait()
	first := mustList(t, g, nil)
	known := func(p string) (File, bool) {
		for _, f := range first.Files {
			if f.Path == p {
				return f, true
			}
		}
		return File{}, false
	}
	if again := mustList(t, g, known); len(again.Files) != 2 || again.Files[0] != first.Files[0] {
		t.Errorf("%+v", again.Files)
	}
	g.mu.Lock()
	if err := g.batch.cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	g.kept = map[string][]byte{}
	g.mu.Unlock()
	if _, err := g.Read(t.Context(), "a.py"); err == nil {
		t.Log("the read came before the end of the process")
	}
	if b, err := g.Read(t.Context(), "b.py"); err != nil || string(b) != "y = 1\n" {
		t.Errorf("after git was killed: %q, %v", b, err)
	}
}

// TestDirTracked: what git tracks is read although it is ignored, by every
// version of the index.
func TestDirTracked(t *testing.T) {
	root := repository(t, map[string]string{
		".gitignore": "lib/\n*.gen.py\n", "src/lib/a.py": "x = 1\n", "b.gen.py": "x = 1\n", "c.py": "x = 1\n", "lib/vendor/d.py": "no\n",
		"src/lib/deep/a_long_name_for_the_prefixes.py": "x = 1\n", "src/lib/deep/a_long_name_for_the_others.py": "x = 1\n", "src/lib/data.txt": "no",
	})
	write(t, filepath.Join(root, "src/lib/new.py"), "no = 1\n")
	want := []string{"b.gen.py", "c.py", "src/lib/a.py", "src/lib/deep/a_long_name_for_the_others.py", "src/lib/deep/a_long_name_for_the_prefixes.py"}
	for _, version := range []string{"2", "3", "4"} {
		realGit(t, root, "", "update-index", "--index-version", version, "--force-write-index")
		if version == "3" { // which git writes only for entries with more flags
			realGit(t, root, "", "update-index", "--skip-worktree", "c.py")
		}
		l := mustList(t, mustDir(t, root), nil)
		same(t, "version "+version, paths(l), want...)
	}
	same(t, "below the top", paths(mustList(t, mustDir(t, filepath.Join(root, "src")), nil)), "lib/a.py", "lib/deep/a_long_name_for_the_others.py", "lib/deep/a_long_name_for_the_prefixes.py")
	same(t, "an ignored root", paths(mustList(t, mustDir(t, filepath.Join(root, "src/lib/deep")), nil)), "a_long_name_for_the_others.py", "a_long_name_for_the_prefixes.py")
	write(t, filepath.Join(root, ".git/index"), "DIRC\x00\x00\x00\x02\x00\x00\x00\x09broken")
	same(t, "a broken index", paths(mustList(t, mustDir(t, root), nil)), "c.py")
}

// FuzzIndexPaths: no index makes the reader fail or take memory without end.
func FuzzIndexPaths(f *testing.F) {
	entry := make([]byte, indexEntry)
	f.Add(append(append([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x01"), entry...), "a.py\x00\x00\x00\x00\x00\x00"...))
	f.Add(append(append([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x01"), entry...), "\x00a.py\x00"...))
	f.Fuzz(func(t *testing.T, b []byte) {
		paths, err := indexPaths(b)
		if err == nil && len(paths) > len(b) {
			t.Errorf("%d paths of %d bytes", len(paths), len(b))
		}
	})
}
