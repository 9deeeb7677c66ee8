package environment

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/repgen/repgen/internal/environment/interp"
	"github.com/repgen/repgen/internal/environment/pypi"
	"github.com/repgen/repgen/internal/system"
)

// tailLines of a failed build's log are shown: a compiler's error is seldom
// the last line. A guess.
const tailLines = 6

// projectWheel is what one state of a project became.
type projectWheel struct {
	Package                 // with Wheel and its hash
	RequiresPython string   // of its metadata
	Provides       []string // top-level modules
}

// pure wheels serve every interpreter.
func (w projectWheel) pure() bool { return strings.HasSuffix(w.Wheel, "-none-any.whl") }

// projectBuild asks for the wheel of one state.
type projectBuild struct {
	src    ProjectSource
	state  ProjectState
	python func(requires string) (interp.Interpreter, *Unavailable) // chosen by what the sources say
	asOf   time.Time
}

// wheelOf exports a state of the project and builds it, unless equal files
// were built before. Errors: *ProjectError where there is nothing to build.
func (m *Manager) wheelOf(ctx context.Context, b projectBuild) (projectWheel, *Unavailable, error) {
	work, err := os.MkdirTemp("", "repgen-project-")
	if err != nil {
		return projectWheel{}, nil, fmt.Errorf("build the project: %w", err)
	}
	defer func() { _ = system.RemoveAll(work) }()
	if u, err := m.export(ctx, b.src, b.state, work); u != nil || err != nil {
		return projectWheel{}, u, err
	}
	l, err := scanExport(filepath.Join(work, exportName))
	if err != nil {
		return projectWheel{}, nil, err
	}
	backend, err := l.backend(b)
	if err != nil {
		return projectWheel{}, nil, err
	}
	python, u := b.python(l.requiresPython())
	if u != nil {
		return projectWheel{}, u, nil
	}
	s := sourceBuild{
		archive: exportName, label: b.label(), system: backend, python: python, asOf: b.asOf,
		env: versionEnv(b.state.Version), tail: tailLines,
	}
	w, u, err := m.keepWheel(ctx, s, l.Hash, b.state.Version, work, b.state.Time)
	if u != nil && strings.Contains(l.Pyproject, "maturin") {
		u.Next = "crates cannot be fetched in the sandbox: name a release with a wheel instead of the project"
	}
	return w, u, err
}

func (b projectBuild) label() string {
	if b.state.Commit == "" {
		return "the project"
	}
	return "the project at " + b.state.Short()
}

// export leaves the files of a state as an archive in work.
func (m *Manager) export(ctx context.Context, src ProjectSource, state ProjectState, work string) (*Unavailable, error) {
	at, err := locate(src.Dir)
	if err != nil {
		return nil, err
	}
	m.progress(Event{Stage: "project", Text: "reading the project's files"})
	if state.Commit != "" {
		return m.exportGit(ctx, at, state, work)
	}
	f, err := os.Create(filepath.Join(work, exportName))
	if err != nil {
		return nil, fmt.Errorf("export the project: %w", err)
	}
	sum, err := packFolder(at.top, f)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if sum != state.Tree {
		return nil, &ProjectError{
			What: "the project's files changed while they were read", Why: "there is no git history that would keep them",
			Next: "wait until nothing writes there, and start again",
		}
	}
	return nil, nil
}

// versionEnv gives tools that ask git for a version what the nearest tag says:
// setuptools-scm (and hatch-vcs), pbr, pdm. Plug-ins that cannot be told are
// switched off.
func versionEnv(version string) map[string]string {
	if version == "" {
		return nil
	}
	return map[string]string{
		"SETUPTOOLS_SCM_PRETEND_VERSION": version, "PBR_VERSION": version, "PDM_BUILD_SCM_VERSION": version,
		"POETRY_DYNAMIC_VERSIONING_BYPASS": version, "UV_DYNAMIC_VERSIONING_BYPASS": version,
	}
}

// backend says how it is built; a folder that is no Python project is a wrong
// word of the user.
func (l layout) backend(b projectBuild) (buildSystem, error) {
	none := func(why string) error {
		return &ProjectError{
			What: fmt.Sprintf("%s is no Python project that can be built", filepath.Base(b.src.Dir)), Why: why,
			Next: "name the folder that holds its pyproject.toml or setup.py with --project",
		}
	}
	if l.Pyproject == "" && l.SetupCfg == "" && !l.SetupPy {
		return buildSystem{}, none("there is neither a pyproject.toml nor a setup.py at " + orFolder(b.state))
	}
	system, err := parseBuildSystem(l.Pyproject)
	if err != nil {
		return buildSystem{}, none(err.Error())
	}
	var doc struct {
		Project *struct{} `toml:"project"`
		Build   *struct{} `toml:"build-system"`
	}
	_, _ = toml.Decode(l.Pyproject, &doc) // it was read a moment ago
	if doc.Project == nil && doc.Build == nil && l.SetupCfg == "" && !l.SetupPy {
		return buildSystem{}, none("its pyproject.toml configures tools and builds nothing")
	}
	return system, nil
}

func orFolder(s ProjectState) string {
	if s.Commit == "" {
		return "its top"
	}
	return "the top of commit " + s.Short()
}

var cfgRequiresPython = regexp.MustCompile(`(?m)^\s*python_requires\s*=\s*(\S[^\n]*)$`)

// requiresPython is what the sources say without being run, "" when nothing.
func (l layout) requiresPython() string {
	var doc struct {
		Project struct {
			RequiresPython string `toml:"requires-python"`
		} `toml:"project"`
	}
	if _, err := toml.Decode(l.Pyproject, &doc); err == nil && doc.Project.RequiresPython != "" {
		return doc.Project.RequiresPython
	}
	if m := cfgRequiresPython.FindStringSubmatch(l.SetupCfg); m != nil {
		return strings.TrimSpace(m[1])
	}
	return ""
}

// keepWheel builds, unless the store has what became of equal files, and keeps
// the wheel under its own hash, where locks look for it. An old revision may be
// refused by the build tools of the environment's date: those of the days after
// it was made are tried next.
func (m *Manager) keepWheel(ctx context.Context, s sourceBuild, tree, version, work string, made time.Time) (projectWheel, *Unavailable, error) {
	s.asOf = wholeDay(s.asOf)
	sum := sha256.Sum256([]byte(strings.Join([]string{builderVersion, tree, version, s.python.Version, s.python.ABI, dayOf(s.asOf)}, " ")))
	dir, err := m.wheelEntry(ctx, "project-"+hex.EncodeToString(sum[:12]), func(ctx context.Context, tmp string) error {
		m.progress(Event{Stage: "project", Text: "building " + s.label + " in the sandbox"})
		if err := m.buildDated(ctx, s, made, work); err != nil {
			return err
		}
		return takeWheel(work, s.label, tmp, func(name, version string) bool { return name != "unknown" })
	})
	var bad *unavailableError
	if errors.As(err, &bad) {
		bad.Next = "check that it builds: pip wheel --no-deps DIR; submodules and the network are not there"
		return projectWheel{}, &bad.Unavailable, nil
	}
	if err != nil {
		return projectWheel{}, nil, storeError("build the project", err)
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.whl"))
	if err != nil || len(found) != 1 {
		return projectWheel{}, nil, fmt.Errorf("the folder of a built wheel holds %d wheels", len(found))
	}
	w, err := readWheel(found[0])
	if err != nil {
		return projectWheel{}, &Unavailable{Why: "building " + s.label + " left a damaged wheel: " + err.Error()}, nil
	}
	data, err := os.ReadFile(found[0])
	if err != nil {
		return projectWheel{}, nil, err
	}
	return w, nil, m.KeepWheel(ctx, w.Package, data)
}

// maxMetadata bounds the METADATA of a wheel, which holds its whole README.
const maxMetadata = 4 << 20

// wheelForm are the characters that a wheel's file name may have: it is written
// into scripts and shown.
var wheelForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.+!-]*\.whl$`)

// readWheel reads name, version and modules of a wheel without unpacking it.
func readWheel(file string) (projectWheel, error) {
	name, version, ok := pypi.WheelVersion(filepath.Base(file))
	if !ok || !wheelForm.MatchString(filepath.Base(file)) {
		return projectWheel{}, errors.New("its file name says neither name nor version")
	}
	sum, err := fileHash(filepath.Split(file))
	if err != nil {
		return projectWheel{}, err
	}
	w := projectWheel{Package: Package{
		Name: name, Version: version, Hashes: []string{"sha256:" + hex.EncodeToString(sum)},
		Word: WordProject, Wheel: filepath.Base(file),
	}}
	z, err := openZip(file)
	if err != nil {
		return projectWheel{}, err
	}
	defer func() { _ = z.Close() }()
	for _, f := range z.File {
		top, rest, deep := strings.Cut(f.Name, "/")
		switch {
		case strings.HasSuffix(top, ".dist-info") && rest == "METADATA":
			if err := w.metadata(f); err != nil {
				return projectWheel{}, err
			}
		case strings.HasSuffix(top, ".dist-info"), strings.HasSuffix(top, ".data"):
		default:
			w.provide(top, f.Name, deep)
		}
	}
	slices.Sort(w.Provides)
	return w, nil
}

// provide adds the module that a file belongs to.
func (w *projectWheel) provide(top, name string, deep bool) {
	ext := filepath.Ext(name)
	if ext != ".py" && ext != ".so" {
		return
	}
	module := top
	if !deep {
		module, _, _ = strings.Cut(top, ".")
	}
	if moduleForm.MatchString(module) && !slices.Contains(w.Provides, module) {
		w.Provides = append(w.Provides, module)
	}
}

// metadata reads the one header that the file name does not have.
func (w *projectWheel) metadata(f *zip.File) error {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	data, err := io.ReadAll(io.LimitReader(r, maxMetadata))
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(data)) {
		if strings.TrimSpace(line) == "" {
			return nil
		}
		key, value, _ := strings.Cut(line, ":")
		if value = strings.TrimSpace(value); strings.EqualFold(key, "Requires-Python") && validSpec(value) {
			w.RequiresPython = value
		}
	}
	return nil
}
