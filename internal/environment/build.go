package environment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/repgen/repgen/internal/environment/interp"
	"github.com/repgen/repgen/internal/environment/uv"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/system"
	"github.com/repgen/repgen/internal/system/cachedir"
)

// Environment is a built, read-only Python environment in the store.
type Environment struct {
	// Dir is the host folder that is seen as /env inside the sandbox.
	Dir string
	// Key names it in the store.
	Key    string
	Lock   Lock
	Python interp.Interpreter
	// Env are the variables of its Spec, from the lock; Certify sets them when
	// they are nil.
	Env map[string]string
	// Built is false when it was in the store already.
	Built bool

	bytecode string // host folder, "" until Certify found or filled one
	leases   *leases
	wheels   map[string]string // folders of wheels that were made here, by package
}

// bytecodeDir is where the bytecode folder is seen inside the sandbox.
const bytecodeDir = "/pyc"

// Build makes the environment of a lock, or finds it in the store: one empty
// relocatable environment, one installation of wheels by their hashes, its
// links rewritten to the fixed places inside the sandbox. Nothing in it is
// executed here. It is kept from being trimmed until Release.
func (m *Manager) Build(ctx context.Context, l *Lock) (*Environment, *Unavailable, error) {
	python, ok, err := m.interpreter(ctx, l.Python)
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, &Unavailable{
			Why:   fmt.Sprintf("Python %s is not on this machine", l.Python),
			Next:  fmt.Sprintf("install Python %s (pyenv, uv python install) and try again", minorOf(l.Python)),
			Rungs: l.Rungs,
		}, nil
	}
	store, err := m.store(envStore)
	if err != nil {
		return nil, nil, err
	}
	e := &Environment{Lock: *l, Python: python, Env: l.Env, leases: &leases{}}
	e.Lock.Packages = slices.Clone(l.Packages)
	dir, err := m.findOrFill(ctx, store, e)
	var no *unavailableError
	if errors.As(err, &no) {
		no.Rungs = l.Rungs
		return nil, &no.Unavailable, nil
	}
	if err != nil {
		return nil, nil, storeError("build the environment", err)
	}
	e.Dir = filepath.Join(dir, "env")
	if len(e.Lock.LeftOut) > 0 {
		e.Lock = builtLock(dir, e.Lock)
	}
	return e, nil, nil
}

// findOrFill gives the held entry of an environment in the store. What was made
// from source is part of its key, and is looked for (or made again) only where
// the entry that the lock speaks of is not there.
func (m *Manager) findOrFill(ctx context.Context, store *cachedir.Store, e *Environment) (string, error) {
	e.name()
	if !slices.ContainsFunc(e.Lock.Packages, func(p Package) bool { return p.made() && p.Built == "" }) {
		if release, ok := store.Hold(e.Key); ok {
			e.keep(release)
			return store.Path(e.Key), nil
		}
	}
	if err := m.makeWheels(ctx, e); err != nil {
		return "", err
	}
	e.name()
	dir, built, release, err := store.BuildHeld(ctx, e.Key, func(ctx context.Context, tmp string) error {
		return m.fill(ctx, e, tmp)
	})
	if err != nil {
		return "", err
	}
	e.Built = built
	e.keep(release)
	return dir, nil
}

// name settles the key.
func (e *Environment) name() {
	e.Lock.Hash = lockHash(&e.Lock, e.Python)
	e.Key = shortKey(e.Lock.Hash)
}

// makeWheels finds or makes the wheels of a lock that the index does not have,
// and puts the hashes of what they are here into it.
func (m *Manager) makeWheels(ctx context.Context, e *Environment) error {
	e.wheels = map[string]string{}
	left := e.Lock.leftOut()
	for i := range e.Lock.Packages {
		p := &e.Lock.Packages[i]
		if !p.made() || slices.Contains(left, p.Name) {
			continue
		}
		in, err := p.houseInput(e.Python, e.Lock.AsOf)
		if err != nil {
			return err
		}
		h, no, err := m.house(ctx, in)
		if err != nil {
			return err
		}
		if no != nil {
			return &unavailableError{*no}
		}
		p.Built, e.wheels[p.Name] = h.hash, h.dir
	}
	return nil
}

// unavailableError carries the domain outcome out of a store's build.
type unavailableError struct{ Unavailable }

func (u *unavailableError) Error() string { return u.Why }

// fill builds the entry in tmp: env/, the lock, and py, a link for those who
// look at the entry outside of a sandbox.
func (m *Manager) fill(ctx context.Context, e *Environment, tmp string) error {
	if err := m.checkSpace(ctx, tmp, e); err != nil {
		return err
	}
	tool, err := m.resolver(ctx)
	if err != nil {
		return err
	}
	m.progress(Event{Stage: "build", Text: fmt.Sprintf("python %s, %s", e.Python.Version, counted(len(e.Lock.Packages)))})
	text, links, err := m.installText(e)
	if err != nil {
		return err
	}
	started := time.Now()
	t, err := newTarget(tmp, e.Python)
	if err != nil {
		return fmt.Errorf("make an empty environment: %w", err)
	}
	in := uv.InstallInput{Text: text, FindLinks: links}
	if err := m.installChecked(ctx, tool, in, t); err != nil {
		return err
	}
	if err := m.lighten(ctx, tool, in, e, t); err != nil {
		return err
	}
	if err := t.settle(); err != nil {
		return fmt.Errorf("settle the environment: %w", err)
	}
	m.log.Debug("environment filled", "s", time.Since(started).Seconds())
	if err := os.Symlink(e.Python.Prefix, filepath.Join(tmp, "py")); err != nil {
		return err
	}
	return system.KeepJSON(filepath.Join(tmp, "lock.json"), e.Lock)
}

// installText is what uv installs: the lock's pins, where a package built from
// source carries the hash of the wheel that was built here.
func (m *Manager) installText(e *Environment) (text string, links []string, err error) {
	pins, left := make([]uv.Pinned, 0, len(e.Lock.Packages)), e.Lock.leftOut()
	for _, p := range e.Lock.Packages {
		if slices.Contains(left, p.Name) {
			continue
		}
		pin := uv.Pinned{Name: p.Name, Version: p.Version, Hashes: p.Hashes}
		if p.Wheel != "" {
			dir, err := m.wheelDir(p)
			if errors.Is(err, fs.ErrNotExist) {
				return "", nil, &unavailableError{*lostWheel(p)}
			}
			if err != nil {
				return "", nil, err
			}
			links = append(links, dir)
		}
		if p.made() {
			pin.Hashes = []string{p.Built}
			links = append(links, e.wheels[p.Name])
		}
		pins = append(pins, pin)
	}
	text, err = uv.FormatLock(pins)
	return text, links, err
}

// sitePackages of an environment for a minor version.
func sitePackages(env, minor string) string {
	return filepath.Join(env, "lib", "python"+minor, "site-packages")
}

// Command is a command line inside the environment, ready for a sandbox: argv
// such as "/env/bin/python", "reproduce.py". Its environment is complete but
// for what the sandbox itself adds.
func (e *Environment) Command(argv ...string) sandbox.Command {
	c := sandbox.Command{
		Argv: argv,
		Env: map[string]string{
			"PATH": sandbox.EnvDir + "/bin:/usr/bin:/bin", "LANG": "C.UTF-8",
			"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONNOUSERSITE": "1",
		},
		Mounts: []sandbox.Mount{{Host: e.Dir, Guest: sandbox.EnvDir}},
	}
	if !e.Python.InUsr() {
		c.Mounts = append(c.Mounts, sandbox.Mount{Host: e.Python.Prefix, Guest: sandbox.PyDir})
		if e.Python.Shared {
			// Its own run path is the host's.
			c.Env["LD_LIBRARY_PATH"] = sandbox.PyDir + "/lib"
		}
	}
	if e.bytecode != "" {
		// A read-only environment without bytecode compiles everything anew in
		// each run; this is what the certificate's run left.
		c.Env["PYTHONPYCACHEPREFIX"] = bytecodeDir
		c.Mounts = append(c.Mounts, sandbox.Mount{Host: e.bytecode, Guest: bytecodeDir})
	}
	maps.Copy(c.Env, e.Env)
	return c
}

// counted is a number of packages in words.
func counted(packages int) string {
	if packages == 1 {
		return "1 package"
	}
	return fmt.Sprintf("%d packages", packages)
}
