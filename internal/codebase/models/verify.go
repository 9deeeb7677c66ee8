package models

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
)

// Verified is what hashing an entry again showed.
type Verified struct {
	Name  string `json:"name"`
	Dir   string `json:"dir"`
	OK    bool   `json:"ok"`
	Bytes int64  `json:"bytes"` // hashed
	// Problems name each file that is not what it should be.
	Problems []Problem `json:"problems"`
	Next     string    `json:"next,omitempty"`
}

// Problem is one file that is not what it should be.
type Problem struct {
	File string `json:"file"`
	What string `json:"what"`
}

// Verify hashes the files of an installed entry again. An entry that is not
// whole is a Verified with problems; *MissingError means that it is not there.
func (m *Models) Verify(ctx context.Context, name string) (Verified, error) {
	v := Verified{Name: name, Problems: []Problem{}}
	if !nameForm.MatchString(name) {
		return v, m.unknown(name)
	}
	dir, there, err := m.place(name)
	if err != nil {
		return v, err
	}
	if !there {
		return v, &MissingError{Name: name, Next: "repgen models pull " + name}
	}
	v.Dir = dir
	in, err := readRecord(dir)
	if err != nil {
		v.Problems = append(v.Problems, Problem{recordName, err.Error()})
		v.Next = m.repair(name)
		return v, nil
	}
	want := m.wanted(in)
	for _, f := range in.Files {
		m.o.Progress(Event{Name: name, File: f.Path, Done: v.Bytes})
		size, sum, err := hashFile(ctx, filepath.Join(dir, f.Path))
		if ctx.Err() != nil {
			return v, ctx.Err()
		}
		v.Bytes += size
		if err != nil {
			v.Problems = append(v.Problems, Problem{f.Path, errors.Unwrap(err).Error()})
			continue
		}
		if what := differs(want[f.Path], size, sum); what != "" {
			v.Problems = append(v.Problems, Problem{f.Path, what})
		}
	}
	m.o.Progress(Event{Name: name})
	if v.OK = len(v.Problems) == 0; !v.OK {
		v.Next = m.repair(name)
	}
	return v, nil
}

// differs says in words how a file is not the wanted one, "" when it is.
func differs(want File, size int64, sum string) string {
	switch {
	case size < want.Size:
		return fmt.Sprintf("cut short: %d bytes instead of %d", size, want.Size)
	case size > want.Size:
		return fmt.Sprintf("too long: %d bytes instead of %d", size, want.Size)
	case sum != want.SHA256:
		return fmt.Sprintf("another hash: SHA-256 %s instead of %s", sum, want.SHA256)
	}
	return ""
}

// wanted are the files as the manifest has them, else as the record has them:
// who changed a file may have changed the record beside it.
func (m *Models) wanted(in *Installed) map[string]File {
	want := map[string]File{}
	for _, f := range in.Files {
		want[f.Path] = f
	}
	e, ok := m.known(in.Name)
	if !ok || e.Revision != in.Revision {
		return want
	}
	memory := m.recorded()
	for _, f := range e.Files {
		_, installed := want[f.Path]
		if f.Unknown {
			old, ok := memory[key(e, f.Path)]
			if !ok {
				continue
			}
			f = old
		}
		if installed {
			want[f.Path] = f
		}
	}
	return want
}
