// Package realtest proves scripts of language models, honest and not, with the
// real observer in the real sandbox, over a little library with two releases.
package realtest

import (
	"context"
	"os"

	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/environment/interp"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/bwrap"
	"github.com/repgen/repgen/internal/sandbox/probe"
)

func TestMain(m *testing.M) {
	bwrap.Trampoline()
	os.Exit(m.Run())
}

// shelf has the releases of shapelib as folders: 1.2.0 with the defects, 1.3.0
// without. It implements proof.Solver and proof.Builder.
type shelf struct {
	python   interp.Interpreter
	sandbox  sandbox.Sandbox
	dirs     map[string]string // by version
	releases []string
	work     string
}

var defects = map[string]string{"1.2.0": "bad", "1.3.0": "good"}

// newShelf makes the environments; it skips unless real tools are asked for.
func newShelf(t *testing.T) *shelf {
	t.Helper()
	if os.Getenv("REPGEN_REAL") == "" {
		t.Skip("set REPGEN_REAL=1 to run scripts in the real sandbox")
	}
	box, err := bwrap.New(t.Context(), bwrap.Options{StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	found, err := interp.Find(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	// The newest release: a pre-release may word its errors in another way.
	found = slices.DeleteFunc(found, func(i interp.Interpreter) bool { return strings.Trim(i.Version, "0123456789.") != "" })
	if len(found) == 0 {
		t.Fatal("no Python on this machine: install one (sh scripts/setup.sh)")
	}
	s := &shelf{
		sandbox: box, dirs: map[string]string{}, releases: []string{"1.2.0", "1.3.0"}, work: t.TempDir(),
		python: found[0],
	}
	for v, defect := range defects {
		s.dirs[v] = s.environment(t, defect)
	}
	return s
}

// environment is what an installation leaves: links to the interpreter, and the
// library among the site packages.
func (s *shelf) environment(t *testing.T, defect string) string {
	t.Helper()
	dir := t.TempDir()
	minor := s.python.Version[:strings.LastIndexByte(s.python.Version, '.')]
	site := filepath.Join(dir, "lib", "python"+minor, "site-packages")
	for _, d := range []string{filepath.Join(dir, "bin"), site} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	inside := s.python.Guest(sandbox.PyDir)
	if err := os.Symlink(inside, filepath.Join(dir, "bin", "python")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "pyvenv.cfg"), []byte("home = "+filepath.Dir(inside)+"\nversion = "+s.python.Version+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(site, os.DirFS(filepath.Join("..", "..", "oracle", "testdata", "lib", defect, "site-packages"))); err != nil {
		t.Fatal(err)
	}
	return dir
}

func (s *shelf) lock(version string) *environment.Lock {
	return &environment.Lock{
		Python: s.python.Version, Rung: 1, Hash: "shapelib " + version,
		Packages: []environment.Package{{Name: "shapelib", Version: version, Word: environment.WordReporter}},
	}
}

func (s *shelf) Solve(context.Context, environment.Spec) (*environment.Lock, *environment.Unavailable, error) {
	return s.lock("1.2.0"), nil, nil
}

func (s *shelf) Move(_ context.Context, _ environment.Spec, _ *environment.Lock, _, version string) (*environment.Lock, []environment.Move, *environment.Unavailable, error) {
	return s.lock(version), []environment.Move{{Name: "shapelib", From: "1.2.0", To: version}}, nil, nil
}

func (s *shelf) Add(_ context.Context, spec environment.Spec, _ *environment.Lock, dist string) (environment.Spec, *environment.Lock, *environment.Unavailable, error) {
	return spec, nil, &environment.Unavailable{Why: dist + " is not on the shelf"}, nil
}

func (s *shelf) Fix(context.Context, environment.Spec, *environment.Lock) (*environment.Lock, []environment.Move, *environment.Unavailable, error) {
	return nil, nil, &environment.Unavailable{Why: "there is no fix"}, nil
}

func (s *shelf) Releases(context.Context, string, string) ([]environment.Release, error) {
	var rs []environment.Release
	for _, v := range s.releases {
		rs = append(rs, environment.Release{Version: v, Wheel: true})
	}
	return rs, nil
}

func (s *shelf) Build(_ context.Context, l *environment.Lock) (*environment.Environment, *environment.Unavailable, error) {
	return &environment.Environment{Dir: s.dirs[l.Version("shapelib")], Lock: *l, Python: s.python}, nil, nil
}

func (s *shelf) Certify(ctx context.Context, e *environment.Environment, _ environment.Spec) (environment.Certificate, error) {
	work, err := os.MkdirTemp(s.work, "certificate-")
	if err != nil {
		return environment.Certificate{}, err
	}
	if err := os.WriteFile(filepath.Join(work, sandbox.ScriptNm), []byte("import shapelib\nshapelib.grid(1)\n"), 0o644); err != nil {
		return environment.Certificate{}, err
	}
	c := e.Command(sandbox.EnvDir+"/bin/python", sandbox.ScriptNm)
	c.Work, c.Probe = work, &probe.Options{}
	ex, err := s.sandbox.Run(ctx, c, sandbox.DefaultLimits())
	return environment.Certificate{OK: ex.ExitCode == 0, Execution: ex}, err
}
