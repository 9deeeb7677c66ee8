package environment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/environment/interp"
	"github.com/repgen/repgen/internal/environment/pypi"
	"github.com/repgen/repgen/internal/pydist"
)

// houseInput is one release that the resolver cannot take from the index as
// it lies there.
type houseInput struct {
	name, version string
	python        interp.Interpreter
	asOf          time.Time // its day counts
	// fromIndex takes the index's own wheel and repairs its metadata; false
	// builds the source package in the sandbox.
	fromIndex bool
}

// houseInput is how the wheel of a locked package is found or made: with the
// build requirements of the day that it was first made on. A control, whose own
// date may be later, has the same wheel as the side that it is compared with.
func (p Package) houseInput(python interp.Interpreter, asOf time.Time) (houseInput, error) {
	if p.BuiltAsOf != "" {
		day, err := time.Parse(time.DateOnly, p.BuiltAsOf)
		if err != nil {
			return houseInput{}, &unavailableError{Unavailable{Why: fmt.Sprintf("the lock says that %s was built as of %q, which is no day", p.Name, clip(p.BuiltAsOf, 20))}}
		}
		asOf = day
	}
	return houseInput{name: p.Name, version: p.Version, python: python, asOf: asOf, fromIndex: !p.Sdist}, nil
}

// house is a folder with one wheel for uv's find-links.
type house struct {
	dir  string
	hash string // of the wheel, "sha256:..."
	// builtAsOf is the day of what it was built with, "" for one from the index.
	builtAsOf string
	// repaired is what was changed in the wheel's metadata, for a human.
	repaired []string
	// fromIndex: the index's own wheel, not one that was built here.
	fromIndex bool
}

// house finds or makes the wheel of a release that the index has as source
// only, or in a wheel whose metadata is refused.
func (m *Manager) house(ctx context.Context, in houseInput) (house, *Unavailable, error) {
	get := m.wheelhouse
	if in.fromIndex {
		get = func(ctx context.Context, name, version string, python interp.Interpreter, _ time.Time) (string, *Unavailable, error) {
			return m.repairedWheel(ctx, name, version, python)
		}
	}
	dir, u, err := get(ctx, in.name, in.version, in.python, in.asOf)
	if u != nil || err != nil {
		return house{}, u, err
	}
	hash, err := wheelHash(dir)
	if err != nil {
		return house{}, nil, err
	}
	h := house{dir: dir, hash: hash, repaired: readRepaired(dir), fromIndex: in.fromIndex}
	if !in.fromIndex && !in.asOf.IsZero() {
		h.builtAsOf = in.asOf.UTC().Format(time.DateOnly)
	}
	return h, nil, nil
}

func readRepaired(dir string) []string {
	data, err := os.ReadFile(filepath.Join(dir, repairedNotes))
	if err != nil {
		return nil
	}
	var notes []string
	if json.Unmarshal(data, &notes) != nil {
		return nil
	}
	return notes
}

// repairedWheel fetches the wheel of a release, repairs its metadata and keeps
// it. Nothing of it runs. A build tag makes uv prefer it to the index's own of
// the same version.
func (m *Manager) repairedWheel(ctx context.Context, name, version string, python interp.Interpreter) (string, *Unavailable, error) {
	name = pydist.Normalize(name)
	if reason, bad := pypi.Denied(name, version); bad {
		return "", &Unavailable{Why: fmt.Sprintf("%s %s is a poisoned release: %s", name, version, reason)}, nil
	}
	client, err := m.index(ctx)
	if err != nil {
		return "", nil, err
	}
	project, err := client.Project(ctx, name)
	if errors.Is(err, pypi.ErrNotFound) {
		return "", &Unavailable{Why: name + " is not on the index"}, nil
	}
	if err != nil {
		return "", nil, indexError("list the files of "+name, err)
	}
	f, ok := project.Wheel(version, python.Minor)
	if !ok || f.Hash == "" {
		return "", &Unavailable{Why: fmt.Sprintf("%s %s has no wheel with a hash for Python %s", name, version, python.Minor)}, nil
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{wheelVersion, "repaired", f.Hash}, " ")))
	dir, err := m.wheelEntry(ctx, name+"-"+hex.EncodeToString(sum[:12]), func(ctx context.Context, tmp string) error {
		m.progress(Event{Stage: "wheelhouse", Text: "repairing the metadata of " + f.Filename, Total: f.Size})
		path := filepath.Join(tmp, withBuildTag(f.Filename))
		if err := client.Download(ctx, f, path); err != nil {
			return indexError("download "+f.Filename, err)
		}
		notes, err := repairWheel(path)
		if err == nil && len(notes) == 0 {
			err = &unavailableError{Unavailable{Why: fmt.Sprintf("the metadata of %s is refused, and there is nothing in it to repair", f.Filename)}}
		}
		return err
	})
	var bad *unavailableError
	if errors.As(err, &bad) {
		return "", &bad.Unavailable, nil
	}
	if err != nil {
		return "", nil, storeError("repair the wheel of "+name, err)
	}
	return dir, nil, nil
}

// withBuildTag adds a build tag to a wheel's file name that has none.
func withBuildTag(name string) string {
	parts := strings.Split(name, "-")
	if len(parts) != 5 {
		return name
	}
	return strings.Join(append(parts[:2:2], append([]string{"99repaired"}, parts[2:]...)...), "-")
}
