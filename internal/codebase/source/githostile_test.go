package source

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestOddGitFolder: what lies where git's own folder should be must not hold up
// the reading of a project, nor fill the memory.
func TestOddGitFolder(t *testing.T) {
	put := map[string]func(git string) error{
		"pipe":          func(git string) error { return unix.Mkfifo(git, 0o600) },
		"endless":       func(git string) error { return os.Symlink("/dev/zero", git) },
		"loop":          func(git string) error { return os.Symlink(".git", git) },
		"huge":          func(git string) error { return hollow(git, 1<<40) },
		"endless index": func(git string) error { return os.WriteFile(git, []byte("gitdir: x"), 0o600) },
		"pipe as index": func(git string) error {
			if err := os.Mkdir(git, 0o755); err != nil {
				return err
			}
			return unix.Mkfifo(filepath.Join(git, "index"), 0o600)
		},
		"huge index": func(git string) error {
			if err := os.Mkdir(git, 0o755); err != nil {
				return err
			}
			return hollow(filepath.Join(git, "index"), 1<<40)
		},
	}
	for name, do := range put {
		t.Run(name, func(t *testing.T) {
			root := project(t, map[string]string{"a.py": "x = 1\n", ".gitignore": "b.py\n", "b.py": "y = 1\n", "x/c.py": "z = 1\n"})
			if err := os.Symlink("/dev/zero", filepath.Join(root, "x", "index")); err != nil {
				t.Fatal(err)
			}
			if err := do(filepath.Join(root, ".git")); err != nil {
				t.Fatal(err)
			}
			d, err := Dir(root)
			if err != nil {
				t.Fatal(err)
			}
			got := make(chan string, 1)
			go func() {
				l, err := d.List(t.Context(), nil)
				if err != nil {
					got <- err.Error()
					return
				}
				got <- strings.Join(paths(l), " ")
			}()
			select {
			case g := <-got:
				if g != "a.py x/c.py" {
					t.Errorf("listed %s", g)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("it waits")
			}
		})
	}
}

// hollow makes a file of that size without taking the disk for it.
func hollow(path string, size int64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	err = f.Truncate(size)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// TestIndexBomb: an index of version 4 repeats a long path for a few bytes an
// entry; what that comes to in memory is bounded.
func TestIndexBomb(t *testing.T) {
	const n = 20_000 // of 4,000 bytes each: 80 MB out of 1.6
	var b bytes.Buffer
	b.WriteString("DIRC")
	for _, v := range []uint32{4, n} {
		if err := binary.Write(&b, binary.BigEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	cut := byte(0)
	for i := range n {
		b.Write(make([]byte, indexEntry))
		b.WriteByte(cut)
		if i == 0 {
			b.WriteString(strings.Repeat("a", 4000))
		}
		tail := fmt.Sprintf("%06d.py", i)
		b.WriteString(tail + "\x00")
		cut = byte(len(tail))
	}
	if got, err := indexPaths(b.Bytes()); err == nil {
		t.Errorf("%d paths", len(got))
	}
}

// TestMissingBlob: a clone without some of its contents (a partial one, a
// broken one) is read as far as it goes, and nothing is fetched, whatever its
// configuration names as the remote.
func TestMissingBlob(t *testing.T) {
	root := repository(t, map[string]string{"a.py": "x = 1\n", "b.py": "y = 1\n"})
	hash := strings.TrimSpace(string(realGit(t, root, "", "rev-parse", "HEAD:b.py")))
	if err := os.Remove(filepath.Join(root, ".git", "objects", hash[:2], hash[2:])); err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(t.TempDir(), "run")
	for _, set := range [][2]string{
		{"core.repositoryformatversion", "1"}, {"extensions.partialClone", "origin"}, {"remote.origin.promisor", "true"},
		{"remote.origin.url", "ext::touch " + run}, {"protocol.ext.allow", "always"}, {"protocol.allow", "always"},
	} {
		realGit(t, root, "", "config", set[0], set[1])
	}
	g, err := Git(t.Context(), root, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = g.Close() }()
	l := mustList(t, g, nil)
	if got := strings.Join(paths(l), " "); got != "a.py" {
		t.Errorf("listed %s", got)
	}
	if len(l.Skipped) != 2 || l.Skipped[0].Path != "b.py" || l.Skipped[0].Why != WhyUnreadable {
		t.Errorf("left out %+v", l.Skipped)
	}
	if _, err := g.Read(t.Context(), "b.py"); err == nil {
		t.Error("b.py was read")
	}
	if b, err := g.Read(t.Context(), "a.py"); err != nil || string(b) != "x = 1\n" {
		t.Errorf("a.py: %q %v", b, err)
	}
	if exists(run) {
		t.Error("the remote of the configuration was run")
	}
}
