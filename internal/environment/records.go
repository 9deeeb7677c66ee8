package environment

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/repgen/repgen/internal/pydist"
)

// thoroughness of a check against the wheels' own RECORD files.
type thoroughness int

const (
	// quickCheck compares sizes, and hashes what runs at every start of the
	// interpreter. uv has checked the hash of each wheel it downloaded.
	quickCheck thoroughness = iota
	// deepCheck hashes every file: 6 s for a CUDA build of torch (measured).
	deepCheck
)

// DamageError lists the files of an environment that are not what their wheels
// brought.
type DamageError struct {
	Files    []string
	Packages []string // whose files they are, normalised
}

func (e *DamageError) Error() string {
	shown := e.Files
	if len(shown) > 5 {
		shown = shown[:5]
	}
	return fmt.Sprintf("%d files of the environment are not those of its packages: %s", len(e.Files), strings.Join(shown, ", "))
}

// Verify hashes every file of the environment in the store under key. A
// *DamageError lists what differs, unless all of it was published so
// (misrecorded.go).
func (m *Manager) Verify(ctx context.Context, key string) error {
	store, err := m.store(envStore)
	if err != nil {
		return err
	}
	release, ok := store.Hold(key)
	if !ok {
		return fmt.Errorf("verify environment %s: it is not in the store", key)
	}
	defer release()
	env := filepath.Join(store.Path(key), "env")
	err = checkRecords(ctx, env, deepCheck)
	var damage *DamageError
	if errors.As(err, &damage) {
		if found, lookErr := damage.lookAt(env); lookErr == nil && found.within(m.misrecorded()) {
			return nil
		}
	}
	return err
}

// recorded is one line of a RECORD.
type recorded struct {
	owner string // the package, normalised
	path  string // absolute
	hash  string // "sha256=..." or ""
	size  int64  // -1 when not given
}

// checkRecords goes through the RECORD of every installed package. One that names
// a file elsewhere makes the environment unavailable: no wheel may bring that.
func checkRecords(ctx context.Context, env string, how thoroughness) error {
	lists, err := fs.Glob(os.DirFS(env), "lib/python3*/site-packages/*.dist-info/RECORD")
	if err != nil {
		return err
	}
	var files []recorded
	for _, list := range lists {
		more, err := readRecord(env, list)
		info := path.Base(path.Dir(list))
		if err != nil {
			return &unavailableError{Unavailable{Why: fmt.Sprintf("the wheel behind %s cannot be checked: %s", info, err)}}
		}
		owner, _, _ := strings.Cut(info, "-")
		for i := range more {
			more[i].owner = pydist.Normalize(owner)
		}
		files = append(files, more...)
	}
	return compare(ctx, env, files, how)
}

// maxRecord bounds one RECORD; that of torch has 1.3 MB.
const maxRecord = 64 << 20

// readRecord reads the list at a path below the environment.
func readRecord(env, list string) ([]recorded, error) {
	f, err := openPlain(env, list)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	site := filepath.Dir(filepath.Dir(filepath.Join(env, list)))
	return parseRecord(env, site, io.LimitReader(f, maxRecord))
}

// parseRecord reads the format of PEP 376: path, hash, size, as CSV. Files
// that lead out of the environment are an error: no wheel may bring them.
func parseRecord(env, site string, r io.Reader) ([]recorded, error) {
	rows := csv.NewReader(r)
	rows.FieldsPerRecord = -1
	rows.LazyQuotes = true
	var out []recorded
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read RECORD: %w", err)
		}
		if row[0] == "" {
			continue
		}
		path := row[0]
		if !filepath.IsAbs(path) {
			path = filepath.Join(site, path)
		}
		if rel, err := filepath.Rel(env, path); err != nil || !filepath.IsLocal(rel) {
			return nil, fmt.Errorf("%q lies outside of the environment", clip(row[0], 80))
		}
		if inDataFolder(row[0]) {
			continue
		}
		one := recorded{path: path, size: -1}
		if describes(row[0]) {
			out = append(out, one)
			continue
		}
		if len(row) > 1 {
			one.hash = row[1]
		}
		if len(row) > 2 {
			if n, err := strconv.ParseInt(row[2], 10, 64); err == nil {
				one.size = n
			}
		}
		out = append(out, one)
	}
}

// describes: the file is a wheel's description of itself. It has to be there and
// nothing more: publishers strip the local label from the version in a wheel
// that was built and recorded with it (torch 1.10.2 on the index: "+cu102", 6
// bytes less than its RECORD says, whichever copy is fetched). What is
// installed is told from it, and the certificate compares that with the lock.
func describes(path string) bool {
	dir, name := filepath.Split(filepath.ToSlash(path))
	return name == "METADATA" && strings.HasSuffix(dir, ".dist-info/") && strings.Count(dir, "/") == 1
}

// inDataFolder: the path lies in the folder of a wheel whose files installing
// moves elsewhere. uv leaves the row of a script there when an entry point of
// the same name takes its place (numpy 1.15.0 brings f2py both ways).
func inDataFolder(path string) bool {
	top, rest, ok := strings.Cut(filepath.ToSlash(path), "/")
	return ok && rest != "" && strings.Contains(top, "-") && strings.HasSuffix(top, ".data")
}

// compare looks at the files, several at a time, and at each once however often
// it is listed. Some distributions are other builds of one package and bring the
// same paths (keras and keras-nightly, opencv-python and its headless twin): the
// one that was installed last wins, so a file is whole when it is what any of
// its owners brought. That the asked-for one is imported is for the certificate
// to say.
func compare(ctx context.Context, env string, files []recorded, how thoroughness) error {
	rows, paths := map[string][]recorded{}, []string(nil)
	for _, f := range files {
		if rows[f.path] == nil {
			paths = append(paths, f.path)
		}
		rows[f.path] = append(rows[f.path], f)
	}
	bad := make([]bool, len(paths))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	const batch = 256 // a goroutine per file would cost more than the stat
	for start := 0; start < len(paths); start += batch {
		g.Go(func() error {
			for i := start; i < min(start+batch, len(paths)); i++ {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				bad[i] = !whole(env, paths[i], rows[paths[i]], how)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	damage := &DamageError{}
	for i, name := range paths {
		if !bad[i] {
			continue
		}
		damage.Files = append(damage.Files, below(env, name))
		for _, row := range rows[name] {
			if !slices.Contains(damage.Packages, row.owner) {
				damage.Packages = append(damage.Packages, row.owner)
			}
		}
	}
	if len(damage.Files) > 0 {
		return damage
	}
	return nil
}

// below is a path relative to the environment that it was made in.
func below(env, path string) string {
	rel, err := filepath.Rel(env, path)
	if err != nil { // both are absolute
		return path
	}
	return rel
}

// whole says whether the file is as one of its rows says.
func whole(env, path string, rows []recorded, how thoroughness) bool {
	st, err := os.Lstat(path)
	if err != nil {
		return false
	}
	sum := sync.OnceValues(func() ([]byte, error) { return fileHash(env, below(env, path)) })
	return slices.ContainsFunc(rows, func(f recorded) bool {
		if f.size >= 0 && st.Size() != f.size {
			return false
		}
		if f.hash == "" || how == quickCheck && !strings.HasSuffix(path, ".pth") {
			return true
		}
		want, found := strings.CutPrefix(f.hash, "sha256=")
		if !found {
			return true // another hash function: sizes have to do
		}
		got, err := sum()
		return err == nil && base64.RawURLEncoding.EncodeToString(got) == strings.TrimRight(want, "=")
	})
}

// fileHash reads a plain file below a folder.
func fileHash(dir, name string) ([]byte, error) {
	f, err := openPlain(dir, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, err
	}
	return h.Sum(nil), nil
}

// distribution is one that is installed, by its own metadata.
type distribution struct {
	name, version string
	info          string // its folder, relative to the environment
}

// distributions reads names and versions from the metadata files, without
// running anything of the environment.
func distributions(env, minor string) ([]distribution, error) {
	files, err := fs.Glob(os.DirFS(env), path.Join("lib", "python"+minor, "site-packages", "*.dist-info", "METADATA"))
	if err != nil {
		return nil, err
	}
	var out []distribution
	for _, file := range files {
		name, version, err := readMetadata(env, file)
		if err != nil {
			return nil, fmt.Errorf("read the metadata of an installed package: %w", err)
		}
		if name != "" {
			out = append(out, distribution{pydist.Normalize(name), version, path.Dir(file)})
		}
	}
	return out, nil
}

// installedVersions are those of the distributions, by name.
func installedVersions(env, minor string) (map[string]string, error) {
	list, err := distributions(env, minor)
	out := map[string]string{}
	for _, d := range list {
		out[d.name] = d.version
	}
	return out, err
}

// readMetadata reads the two headers; they come before the first empty line.
func readMetadata(env, file string) (name, version string, err error) {
	f, err := openPlain(env, file)
	if err != nil {
		return "", "", err
	}
	defer func() { _ = f.Close() }()
	head, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err != nil {
		return "", "", err
	}
	for line := range strings.Lines(string(head)) {
		line = strings.TrimSpace(line)
		if line == "" || name != "" && version != "" {
			break
		}
		key, value, _ := strings.Cut(line, ":")
		switch strings.ToLower(key) {
		case "name":
			name = strings.TrimSpace(value)
		case "version":
			version = strings.TrimSpace(value)
		}
	}
	return name, version, nil
}
