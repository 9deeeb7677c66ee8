package environment

import (
	"context"
	"crypto/sha256"
	_ "embed" // the builder
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/environment/interp"
	"github.com/repgen/repgen/internal/environment/pypi"
	"github.com/repgen/repgen/internal/environment/uv"
	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/system"
)

//go:embed wheelhouse.py
var wheelBuilder string

const (
	// buildWall bounds one build from source: termcolor takes 4 s (measured),
	// small C extensions a minute.
	buildWall = 5 * time.Minute
	// buildRounds: a backend may ask for more than its table says, once.
	buildRounds = 2
	// wheelVersion changes when the same source is to be built anew.
	wheelVersion = "2"
	// maxWheel bounds a wheel that a build left.
	maxWheel = 256 << 20
)

// wheelhouse builds one source package in the sandbox and returns the folder
// that holds the wheel, for uv's find-links. Source and build requirements are
// fetched beforehand, the latter as of the end of the date's day; nothing of them
// runs here. Built ones come from the store, where the day is part of the key: an
// extension module built with NumPy 1 is another than one built with NumPy 2.
// (Where no build requirement of the day serves the Python, those of today do.)
func (m *Manager) wheelhouse(ctx context.Context, name, version string, python interp.Interpreter, asOf time.Time) (string, *Unavailable, error) {
	name = pydist.Normalize(name)
	if no := m.mayBuild(name, version); no != nil {
		return "", no, nil
	}
	source, no, err := m.source(ctx, name, version)
	if err != nil || no != nil {
		return "", no, err
	}
	asOf = wholeDay(asOf)
	sum := sha256.Sum256([]byte(strings.Join([]string{builderVersion, wheelVersion, source.Hash, python.Version, python.ABI, dayOf(asOf)}, " ")))
	key := name + "-" + hex.EncodeToString(sum[:12])
	dir, err := m.wheelEntry(ctx, key, func(ctx context.Context, tmp string) error {
		return m.buildWheel(ctx, source, name, python, asOf, tmp)
	})
	var bad *unavailableError
	if errors.As(err, &bad) {
		return "", &bad.Unavailable, nil
	}
	if err != nil {
		return "", nil, storeError("build "+name+" from source", err)
	}
	return dir, nil, nil
}

// wholeDay is the end of a date's day, and no date for none.
func wholeDay(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return endOfDay(t)
}

// dayOf names it in a key.
func dayOf(t time.Time) string {
	if t.IsZero() {
		return "undated"
	}
	return t.UTC().Format(time.DateOnly)
}

// mayBuild says why a source package is not built at all.
func (m *Manager) mayBuild(name, version string) *Unavailable {
	what := name + " " + version
	if slices.Contains(neverBuilt, name) {
		return &Unavailable{Why: what + " has no wheel for this Python and is never built from source"}
	}
	if reason, bad := pypi.Denied(name, version); bad {
		return &Unavailable{Why: what + " is a poisoned release: " + reason}
	}
	if m.opts.Sandbox == nil {
		return &Unavailable{
			Why:  what + " exists as source only, which is built in a sandbox, and there is none",
			Next: "see repgen doctor for what the sandbox lacks",
		}
	}
	return nil
}

// source finds the source package of a version.
func (m *Manager) source(ctx context.Context, name, version string) (pypi.File, *Unavailable, error) {
	client, err := m.index(ctx)
	if err != nil {
		return pypi.File{}, nil, err
	}
	project, err := client.Project(ctx, name)
	if errors.Is(err, pypi.ErrNotFound) {
		return pypi.File{}, &Unavailable{Why: name + " is not on the index"}, nil
	}
	if err != nil {
		return pypi.File{}, nil, indexError("list the files of "+name, err)
	}
	var best pypi.File
	for _, f := range project.Of(version) {
		// A tarball before a zip: they hold the same, and are more common.
		if f.Sdist && f.Hash != "" && (best.URL == "" || strings.HasSuffix(f.Filename, ".tar.gz")) {
			best = f
		}
	}
	if best.URL == "" {
		return pypi.File{}, &Unavailable{Why: fmt.Sprintf("%s %s has no source package with a hash on the index", name, version)}, nil
	}
	return best, nil, nil
}

// buildWheel fetches, builds and puts the wheel into dst.
func (m *Manager) buildWheel(ctx context.Context, f pypi.File, name string, python interp.Interpreter, asOf time.Time, dst string) error {
	m.progress(Event{Stage: "wheelhouse", Text: "building " + f.Filename + " in the sandbox", Total: f.Size})
	work, err := os.MkdirTemp("", "repgen-wheel-")
	if err != nil {
		return err
	}
	defer func() { _ = system.RemoveAll(work) }()
	client, err := m.index(ctx)
	if err != nil {
		return err
	}
	archive := filepath.Join(work, f.Filename)
	if err := client.Download(ctx, f, archive); err != nil {
		return indexError("download "+f.Filename, err)
	}
	system, err := readBuildSystem(archive)
	if err != nil {
		return &unavailableError{Unavailable{Why: fmt.Sprintf("%s cannot be built: %s", f.Filename, err)}}
	}
	s := sourceBuild{archive: f.Filename, label: f.Filename, system: system, python: python, asOf: asOf, tail: 1}
	if err := m.buildDated(ctx, s, f.Uploaded, work); err != nil {
		return err
	}
	err = takeWheel(work, f.Filename, dst, func(gotName, gotVersion string) bool {
		return gotName == name && pydist.Match("=="+f.Version, gotVersion)
	})
	if err != nil {
		return err
	}
	built, err := filepath.Glob(filepath.Join(dst, "*.whl"))
	if err != nil || len(built) != 1 {
		return fmt.Errorf("the folder of a built wheel holds %d wheels", len(built))
	}
	_, err = repairWheel(built[0])
	return err
}

// buildDated builds with the build requirements of the environment's date. A
// source much older than that may be refused by them (setuptools from 67 on
// refuses what gym 0.21.0 passes it), so the second try takes those of the
// days after the source's own upload.
func (m *Manager) buildDated(ctx context.Context, s sourceBuild, uploaded time.Time, work string) error {
	err := m.buildSource(ctx, s, work)
	var bad *unavailableError
	own := endOfDay(uploaded.Add(grace))
	if !errors.As(err, &bad) || uploaded.IsZero() || !s.asOf.IsZero() && !own.Before(s.asOf) {
		return err
	}
	s.asOf = own
	if m.buildSource(ctx, s, work) == nil {
		return nil
	}
	return err // what the environment's own date says is the better reason
}

// sourceBuild is one source to build: an archive in the work folder.
type sourceBuild struct {
	archive, label string
	system         buildSystem
	python         interp.Interpreter
	asOf           time.Time
	env            map[string]string // for the backend, beside our own
	tail           int               // lines of a failed build's log that are shown
}

// buildSource leaves a wheel in the work folder's out.
func (m *Manager) buildSource(ctx context.Context, s sourceBuild, work string) error {
	requires := s.system.Requires
	for range buildRounds {
		more, err := m.buildOnce(ctx, s, requires, work)
		if err != nil {
			return err
		}
		if len(more) == 0 {
			return nil
		}
		requires = append(slices.Clone(requires), more...)
	}
	return &unavailableError{Unavailable{Why: s.label + " cannot be built: it asks for ever more build requirements"}}
}

// buildPlan is what wheelhouse.py reads.
type buildPlan struct {
	Archive     string   `json:"archive"`
	Backend     string   `json:"backend"`
	BackendPath []string `json:"backend_path"`
	Have        []string `json:"have"`
}

// buildOnce runs the backend in an environment of its requirements. more is
// what it asked for beyond them.
func (m *Manager) buildOnce(ctx context.Context, s sourceBuild, requires []string, work string) (more []string, err error) {
	env, err := m.buildEnv(ctx, requires, s.python, s.asOf)
	if err != nil {
		return nil, err
	}
	defer env.Release()
	plan := buildPlan{Archive: s.archive, Backend: s.system.Backend, BackendPath: append([]string{}, s.system.BackendPath...), Have: []string{}}
	for _, p := range env.Lock.Packages {
		plan.Have = append(plan.Have, p.Name)
	}
	if err := writePlan(work, plan); err != nil {
		return nil, err
	}
	c := env.Command(sandbox.EnvDir+"/bin/python", "/box/wheelhouse.py")
	c.Work, c.Label = work, "build "+s.label
	maps.Copy(c.Env, s.env)
	maps.Copy(c.Env, linkEnv(s.python))
	// The first day that a zip archive can hold, plus one: equal sources give
	// equal wheels.
	c.Env["SOURCE_DATE_EPOCH"] = "315619200"
	limits := m.opts.Limits
	limits.Wall = buildWall
	x, err := m.opts.Sandbox.Run(ctx, c, limits)
	if err != nil {
		return nil, fmt.Errorf("build %s: %w", s.label, err)
	}
	if x.Outcome == sandbox.Exited && x.ExitCode == 3 {
		return readWanted(work)
	}
	if x.Outcome != sandbox.Exited || x.ExitCode != 0 {
		return nil, &unavailableError{Unavailable{Why: fmt.Sprintf("building %s in the sandbox failed: %s", s.label, logTail(x, s.tail))}}
	}
	return nil, nil
}

// linkEnv is what a compiler needs to know of a mounted interpreter. Before 3.8
// distutils links each extension module with libpython and looks for that where
// the interpreter was installed on the host, which is not there in the sandbox
// ("cannot find -lpython3.6m"). gcc and clang read LIBRARY_PATH.
func linkEnv(python interp.Interpreter) map[string]string {
	if !python.Shared || python.InUsr() {
		return nil
	}
	return map[string]string{"LIBRARY_PATH": sandbox.PyDir + "/lib"}
}

func writePlan(work string, plan buildPlan) error {
	if err := system.WriteJSON(filepath.Join(work, "plan.json"), plan); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(work, "wheelhouse.py"), []byte(wheelBuilder), 0o644)
}

// readWanted reads what the backend asked for. It is the word of untrusted
// code: bounded, and only ever handed to the resolver as requirements.
func readWanted(work string) ([]string, error) {
	data, err := sandbox.ReadFile(work, "wanted.json", 64<<10)
	if err != nil {
		return nil, err
	}
	var wanted []string
	if err := json.Unmarshal(data, &wanted); err != nil {
		return nil, fmt.Errorf("read the build requirements: %w", err)
	}
	for _, w := range wanted {
		if !plainRequirement(w) {
			return nil, &unavailableError{Unavailable{Why: fmt.Sprintf("a source package asks for the build requirement %q", w)}}
		}
	}
	return wanted, nil
}

// plainRequirement keeps options, files and URLs out of a requirements file.
func plainRequirement(r string) bool {
	return r != "" && len(r) < 200 && !strings.ContainsAny(r, "\n\r@/\\#") && !strings.HasPrefix(strings.TrimSpace(r), "-")
}

// buildEnv is the environment of the build requirements, wheels only, as of
// the date, else, when there was none for this Python then, of today.
func (m *Manager) buildEnv(ctx context.Context, requires []string, python interp.Interpreter, asOf time.Time) (*Environment, error) {
	for _, r := range requires {
		if !plainRequirement(r) {
			return nil, &unavailableError{Unavailable{Why: fmt.Sprintf("a source package asks for the build requirement %q", r)}}
		}
	}
	in := uv.CompileInput{Python: python.Path, Requirements: requires, ExcludeNewer: asOf}
	if len(requires) == 0 { // a backend of the project's own
		return m.built(ctx, &Lock{Python: python.Version, AsOf: asOf})
	}
	tool, err := m.resolver(ctx)
	if err != nil {
		return nil, err
	}
	r, err := tool.Compile(ctx, in)
	if err == nil && !r.OK && !r.Failure.Infrastructure() && !asOf.IsZero() {
		in.ExcludeNewer = time.Time{}
		r, err = tool.Compile(ctx, in)
	}
	switch {
	case err != nil:
		return nil, err
	case !r.OK && r.Failure.Infrastructure():
		return nil, indexError("resolve build requirements", errors.New(r.Failure.Detail))
	case !r.OK:
		return nil, &unavailableError{Unavailable{Why: "build requirements cannot be had as wheels: " + r.Failure.Detail}}
	}
	lock := &Lock{Python: python.Version, AsOf: in.ExcludeNewer, Text: r.Text}
	for _, p := range r.Packages {
		lock.Packages = append(lock.Packages, Package{Name: p.Name, Version: p.Version, Hashes: p.Hashes, Word: WordResolver})
	}
	return m.built(ctx, lock)
}

// built is Build for those who carry outcomes as errors.
func (m *Manager) built(ctx context.Context, lock *Lock) (*Environment, error) {
	env, no, err := m.Build(ctx, lock)
	if no != nil {
		return nil, &unavailableError{*no}
	}
	return env, err
}

// takeWheel copies the one wheel that the build left, when its name and version
// are what was asked for and it can be unpacked. Links in the work folder are not followed.
func takeWheel(work, label, dst string, wanted func(name, version string) bool) error {
	refuse := func(why string) error {
		return &unavailableError{Unavailable{Why: "building " + label + " in the sandbox left " + why}}
	}
	// Lstat: the build may have put a link in the folder's place.
	st, err := os.Lstat(filepath.Join(work, "out"))
	if err != nil || !st.IsDir() {
		return refuse("nothing")
	}
	entries, err := os.ReadDir(filepath.Join(work, "out"))
	if err != nil {
		return err
	}
	var wheels []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".whl") {
			wheels = append(wheels, e.Name())
		}
	}
	if len(wheels) != 1 {
		return refuse(fmt.Sprintf("%d wheels", len(wheels)))
	}
	gotName, gotVersion, ok := pypi.WheelVersion(wheels[0])
	if !ok || !wanted(gotName, gotVersion) {
		return refuse("a wheel of something else: " + wheels[0])
	}
	data, err := sandbox.ReadFile(work, filepath.Join("out", wheels[0]), maxWheel)
	if err != nil {
		return err
	}
	if err := checkUnpacked(data); err != nil {
		return refuse("a damaged wheel: " + err.Error())
	}
	return os.WriteFile(filepath.Join(dst, wheels[0]), data, 0o644)
}

// wheelHash is the hash of the one wheel in a folder of the store.
func wheelHash(dir string) (string, error) {
	found, err := filepath.Glob(filepath.Join(dir, "*.whl"))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("the folder of a built wheel holds %d wheels", len(found))
	}
	sum, err := fileHash(dir, filepath.Base(found[0]))
	if err != nil {
		return "", err
	}
	return "sha256:" + hex.EncodeToString(sum), nil
}

// logTail are the last lines of a failed build's log, joined for one line of
// text, when it ended by itself.
func logTail(x sandbox.Execution, lines int) string {
	var kept []string
	for line := range strings.Lines(x.Stderr) {
		if line = strings.TrimSpace(line); line != "" {
			kept = append(kept, line)
		}
	}
	if lines < 2 || len(kept) < 2 || x.Outcome != sandbox.Exited {
		return lastWords(x)
	}
	return clip(strings.Join(kept[max(0, len(kept)-lines):], " | "), 800)
}

// lastWords is the last line that a run wrote, or how it ended.
func lastWords(x sandbox.Execution) string {
	for _, text := range []string{x.Stderr, x.Stdout} {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		if last := strings.TrimSpace(lines[len(lines)-1]); last != "" && x.Outcome == sandbox.Exited {
			return last
		}
	}
	switch x.Outcome {
	case sandbox.Exited:
		return fmt.Sprintf("exit %d", x.ExitCode)
	case sandbox.Signaled:
		return "died of " + x.Signal
	}
	return strings.ReplaceAll(string(x.Outcome), "_", " ") + " " + x.LimitHit
}
