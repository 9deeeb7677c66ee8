package models

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/environment/pypi"
)

// Lister answers which files a project of the package index has; a
// *pypi.Client is one.
type Lister interface {
	Project(ctx context.Context, name string) (*pypi.Project, error)
}

// Options configure Models. The zero value reads what is there and fetches
// nothing from a package index.
type Options struct {
	// Index gives the package index when it is first needed; nil: none.
	Index func(ctx context.Context) (Lister, error)
	// Hub is the model hub's address; "" for HubAddress.
	Hub string
	// HTTP fetches files; nil: the standard transport (proxies of the
	// environment, the system's certificates).
	HTTP *http.Client
	// Offline forbids every connection.
	Offline  bool
	Progress func(Event) // nil: nobody is told
	Log      *slog.Logger
	Now      func() time.Time
	// Entries are what is known besides what was imported; nil: Manifest().
	Entries []Entry
}

// Models are the models of one cache folder.
type Models struct {
	dir string
	o   Options
	// patience is how long a server may say nothing, pause how long to wait
	// before it is asked again (download.go).
	patience, pause time.Duration
}

// Open looks at the models below cacheDir, which need not exist.
func Open(cacheDir string, o Options) *Models {
	if o.HTTP == nil {
		o.HTTP = &http.Client{}
	}
	if o.Progress == nil {
		o.Progress = func(Event) {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Entries == nil {
		o.Entries = Manifest()
	}
	return &Models{dir: filepath.Join(cacheDir, "models"), o: o, patience: patience, pause: waitAgain}
}

// Dir is the folder of all models.
func (m *Models) Dir() string { return m.dir }

// known finds an entry of the manifest for this machine.
func (m *Models) known(name string) (Entry, bool) {
	for _, e := range m.o.Entries {
		if e.Name == name && e.fits() {
			return e, true
		}
	}
	return Entry{}, false
}

// folder is where an entry lies; another revision lies elsewhere.
func (m *Models) folder(e Entry) string {
	return filepath.Join(m.dir, e.Name+"@"+short(e.Revision))
}

// Path finds an installed entry by name, quickly: sizes are looked at, hashes
// only of files that were written after the entry was installed (Verify looks
// at all). *MissingError when it is not there or not whole, ErrUnknown
// when there never was one of that name.
func (m *Models) Path(name string) (*Installed, error) {
	if !nameForm.MatchString(name) {
		return nil, m.unknown(name)
	}
	dir, there, err := m.place(name)
	if err != nil {
		return nil, err
	}
	if !there {
		return nil, &MissingError{Name: name, Next: "repgen models pull " + name}
	}
	in, err := readRecord(dir)
	if err != nil {
		return nil, &MissingError{Name: name, Why: err.Error(), Next: m.repair(name)}
	}
	err = in.sizes()
	if err == nil {
		err = in.changed(m.wanted(in))
	}
	if err != nil {
		return nil, &MissingError{Name: name, Why: err.Error(), Next: m.repair(name)}
	}
	return in, nil
}

// repair is how one that is not whole is mended.
func (m *Models) repair(name string) string {
	if _, ok := m.known(name); ok {
		return "repgen models pull " + name
	}
	return "repgen models import DIR --name " + name
}

func (m *Models) unknown(name string) error {
	var names []string
	for _, e := range m.o.Entries {
		if e.fits() {
			names = append(names, e.Name)
		}
	}
	return fmt.Errorf("%w: %.80q (known: %s)", ErrUnknown, name, strings.Join(names, ", "))
}

// place is the folder in which a name lies: the manifest's revision of it, or
// what the user imported. Older revisions do not count.
func (m *Models) place(name string) (dir string, there bool, err error) {
	e, ok := m.known(name)
	if !ok {
		e = Entry{Name: name, Revision: importedRevision}
	}
	dir = m.folder(e)
	_, err = os.Lstat(dir)
	switch {
	case err == nil:
		return dir, true, nil
	case !errors.Is(err, fs.ErrNotExist):
		return dir, false, fmt.Errorf("look for models: %w", err)
	case !ok:
		return dir, false, m.unknown(name)
	}
	return dir, false, nil
}

// Status is one line of List.
type Status struct {
	Entry
	Present bool `json:"present"`
	// Bytes on disk, or to be fetched as far as that is known.
	Bytes int64 `json:"bytes"`
	// Problem says what is wrong with one that is there.
	Problem string `json:"problem,omitempty"`
	Next    string `json:"next,omitempty"` // what mends it, or brings it here
	// From says where the files came from; "" when it is not present.
	From     string   `json:"from,omitempty"`
	Dir      string   `json:"dir,omitempty"`
	Recorded []string `json:"recorded,omitempty"`
}

// List gives what is known for this machine and what was imported, in the
// manifest's order, imported names last.
func (m *Models) List() ([]Status, error) {
	names, err := m.imported()
	if err != nil {
		return nil, err
	}
	var out []Status
	for _, e := range m.o.Entries {
		if e.fits() {
			out = append(out, m.status(e))
			names = slices.DeleteFunc(names, func(n string) bool { return n == e.Name })
		}
	}
	for _, name := range names {
		out = append(out, m.status(Entry{Name: name}))
	}
	return out, nil
}

func (m *Models) status(e Entry) Status {
	s := Status{Entry: e}
	s.Bytes, _ = e.Size()
	in, err := m.Path(e.Name)
	var missing *MissingError
	switch {
	case err == nil:
		s.Entry, s.Present, s.From, s.Dir, s.Recorded = in.Entry, true, in.Source, in.Dir, in.Recorded
		s.Bytes, _ = in.Size()
	case errors.As(err, &missing):
		s.Problem, s.Next = missing.Why, missing.Next
	default:
		s.Problem = err.Error()
	}
	return s
}

// imported are the names that the user gave.
func (m *Models) imported() ([]string, error) {
	list, err := os.ReadDir(m.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list models: %w", err)
	}
	var out []string
	for _, d := range list {
		if name, ok := strings.CutSuffix(d.Name(), "@"+importedRevision); ok && nameForm.MatchString(name) {
			out = append(out, name)
		}
	}
	return out, nil
}
