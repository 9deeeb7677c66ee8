package environment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/environment/interp"
	"github.com/repgen/repgen/internal/environment/uv"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/system"
)

// What is in a filled environment is a stranger's program, and uv runs the
// interpreter that it installs for, outside of any sandbox. So it is given that
// of an environment beside the one to fill, in which nothing is ever installed.

// target is where one environment is filled.
type target struct {
	// env is the environment's place. As long as uv works, an empty one is there
	// whose interpreter it asks. It has the name under which the environment is
	// seen in the end (the base of sandbox.EnvDir): uv writes scripts that find
	// their interpreter by the way from their folder to that one.
	env string
	// filled is what uv installs into, beside it.
	filled string
	python interp.Interpreter
}

func newTarget(entry string, p interp.Interpreter) (target, error) {
	// uv compares paths as they are written: neither may lead over a link.
	entry, err := filepath.EvalSymlinks(entry)
	if err != nil {
		return target{}, err
	}
	return target{filepath.Join(entry, filepath.Base(sandbox.EnvDir)), filepath.Join(entry, "filled"), p}, nil
}

// clear makes both anew: nothing of an earlier attempt is left when uv starts.
func (t target) clear() error {
	for _, dir := range []string{t.env, t.filled} {
		if err := system.RemoveAll(dir); err != nil {
			return err
		}
		if err := os.MkdirAll(sitePackages(dir, t.python.Minor), 0o755); err != nil {
			return err
		}
		if err := os.Mkdir(filepath.Join(dir, "bin"), 0o755); err != nil {
			return err
		}
	}
	if err := os.Symlink(t.python.Path, filepath.Join(t.env, "bin", "python")); err != nil {
		return err
	}
	// uv writes scripts that find their interpreter from where they lie when it
	// reads that the environment is relocatable.
	return writeConfig(t.env, filepath.Dir(t.python.Path), t.python, "relocatable = true\n")
}

// settle puts what was filled into its place and makes it independent of where
// that is: the interpreter's home and links are those inside the sandbox.
func (t target) settle() error {
	if err := system.RemoveAll(t.env); err != nil {
		return err
	}
	if err := os.Rename(t.filled, t.env); err != nil {
		return err
	}
	guest, bin := t.python.Guest(sandbox.PyDir), filepath.Join(t.env, "bin")
	link := guest
	if !t.python.InUsr() {
		// Relative, so that the entry's own py link serves outside.
		link = filepath.Join("..", "..", strings.TrimPrefix(guest, "/"))
	}
	// A wheel may have brought any of these, and what it brought is uv's own
	// copy: it is taken away, never written to. An interpreter reads the second
	// configuration before the first.
	for _, path := range []string{filepath.Join(t.env, "pyvenv.cfg"), filepath.Join(bin, "pyvenv.cfg")} {
		if err := system.RemoveAll(path); err != nil {
			return err
		}
	}
	for name, to := range map[string]string{"python": link, "python3": "python", "python" + t.python.Minor: "python"} {
		if err := system.RemoveAll(filepath.Join(bin, name)); err != nil {
			return err
		}
		if err := os.Symlink(to, filepath.Join(bin, name)); err != nil {
			return err
		}
	}
	return writeConfig(t.env, filepath.Dir(guest), t.python, "")
}

// writeConfig makes the file that makes a folder an environment.
func writeConfig(env, home string, p interp.Interpreter, more string) error {
	dir, err := os.OpenRoot(env)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	text := fmt.Sprintf("home = %s\nimplementation = CPython\nversion_info = %s\ninclude-system-site-packages = false\n", home, p.Version)
	return writeNew(dir, "pyvenv.cfg", []byte(text+more), 0o644)
}

// writeNew writes a file below a folder of an environment. One that is there
// already is an error: it would be a link to uv's cache, which all environments
// share.
func writeNew(dir *os.Root, name string, data []byte, mode os.FileMode) error {
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// installChecked installs and compares with what the wheels brought. uv's cache
// shares its files with every environment, so one that something else on this
// machine wrote to damages the next: its packages are fetched anew, once, into
// an empty folder. What comes the same out of that is how it was published
// (misrecorded.go).
func (m *Manager) installChecked(ctx context.Context, tool *uv.Tool, in uv.InstallInput, t target) error {
	in.Python, in.Prefix = filepath.Join(t.env, "bin", "python"), t.filled
	var before foundFiles
	for {
		if err := t.clear(); err != nil {
			return fmt.Errorf("make an empty environment: %w", err)
		}
		if in.Text == "" {
			return nil
		}
		r, err := tool.Install(ctx, in)
		if err != nil {
			return err
		}
		if !r.OK {
			return installError(r.Failure)
		}
		m.log.Debug("packages installed", "uv_s", r.Wall.Seconds())
		err = checkRecords(ctx, t.filled, quickCheck)
		var damage *DamageError
		if !errors.As(err, &damage) {
			return err
		}
		found, lookErr := damage.lookAt(t.filled)
		switch {
		case lookErr == nil && found.within(m.misrecorded()):
			return nil
		case lookErr == nil && len(in.Again) > 0 && found.alike(before):
			m.log.Warn("a wheel is not as its own RECORD says, in every copy", "packages", damage.Packages, "first", damage.Files[0])
			m.keepMisrecorded(found)
			return nil
		case len(in.Again) > 0:
			return err
		}
		m.log.Warn("the package cache is damaged, fetching anew", "packages", damage.Packages, "files", len(damage.Files), "first", damage.Files[0])
		in.Again, before = damage.Packages, found
	}
}

// installError types a failed installation: trouble with the index or the disk
// is an error, a lock that cannot be installed is an outcome.
func installError(f uv.Failure) error {
	switch {
	case f.Class == uv.DiskFull:
		return &StoreError{
			What: "the disk is full", Why: f.Detail,
			Next: "free some disk space, or set REPGEN_CACHE_DIR to a larger disk",
		}
	case f.Class == uv.FileLimit:
		return &StoreError{
			What: "a file is larger than this process may write", Why: f.Detail,
			Next: "raise the limit (ulimit -f unlimited) and try again", Err: unix.EFBIG,
		}
	case f.Class == uv.Killed:
		return fmt.Errorf("install the packages: %s", f.Detail)
	case f.Infrastructure(), f.Class == uv.HashMismatch:
		return indexError("download the packages", errors.New(f.Detail))
	}
	return &unavailableError{Unavailable{Why: "the locked packages cannot be installed: " + f.Detail}}
}
