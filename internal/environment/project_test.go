package environment

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/environment/interp"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
)

// Two commits of a made-up project.
var (
	badCommit  = strings.Repeat("b", 40)
	goodCommit = strings.Repeat("9", 40)
)

// zipped is a wheel's bytes: path, content, path, content.
func zipped(t testing.TB, files ...string) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for i := 0; i < len(files); i += 2 {
		f, err := z.CreateHeader(&zip.FileHeader{Name: files[i], Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// exported is an archive as git leaves it.
func exported(t testing.TB, files ...string) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for i := 0; i < len(files); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: exportTop + files[i], Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(files[i+1]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// studio is a workshop whose sandbox plays git and the build backend: a commit
// is a file that names it, and so is what is built.
func studio(t *testing.T) (*workshop, ProjectSource) {
	t.Helper()
	none := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(none.Close)
	w := newWorkshop(t, none.URL)
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.box.run = func(c sandbox.Command) sandbox.Execution {
		x := sandbox.Execution{Outcome: sandbox.Exited}
		switch {
		case strings.HasPrefix(c.Label, "git resolve"):
			switch c.Argv[3] {
			case "HEAD":
				x.Stdout = "1711972800 " + goodCommit + "\nv1.0-0-g9999999\n"
			case "bug":
				x.Stdout = "1711886400 " + badCommit + "\n"
			case "liar":
				x.Stdout = "now /etc/passwd\n"
			default:
				x.ExitCode = gitNoRevision
			}
		case strings.HasPrefix(c.Label, "git export"):
			write(t, filepath.Join(c.Work, exportName), string(exported(t, "pyproject.toml", "[build-system]\nrequires = []\nbuild-backend = 'b'\n", "commit", c.Argv[3])), 0o644)
		case strings.HasPrefix(c.Label, "build "):
			archive := read(t, filepath.Join(c.Work, exportName))
			commit := "good"
			if strings.Contains(archive, badCommit) {
				commit = "bad"
			}
			write(t, filepath.Join(c.Work, "out", "tinynet-1.0-py3-none-any.whl"), string(zipped(t,
				"tinynet/__init__.py", commit, "tinynet-1.0.dist-info/METADATA", "Name: tinynet\nVersion: 1.0\nRequires-Python: >=3.8\n")), 0o644)
		}
		return x
	}
	return w, ProjectSource{Dir: dir, Revision: "bug", Fixed: "HEAD"}
}

// specOf resolves the project and infers the Spec of a script that imports it.
func (w *workshop) specOf(t *testing.T, p ProjectSource) Spec {
	t.Helper()
	p, u, err := w.ResolveProject(t.Context(), p)
	if err != nil || u != nil {
		t.Fatalf("resolve: %+v %v", u, err)
	}
	s, u, err := w.Spec(t.Context(), SpecInput{Project: &p, Candidate: &candidate.Candidate{Script: "import tinynet", Imports: []string{"tinynet"}}})
	if err != nil || u != nil {
		t.Fatalf("spec: %+v %v", u, err)
	}
	return s
}

// Two revisions of the same version: the locks differ, each finds its own
// wheel, and neither is asked of the index.
func TestProjectTwoRevisionsOfOneVersion(t *testing.T) {
	w, p := studio(t)
	s := w.specOf(t, p)
	if s.Subject != "tinynet" || len(s.Requirements) != 1 || s.Requirements[0].Spec != "==1.0" || s.Requirements[0].Word != WordProject {
		t.Fatalf("spec %+v", s)
	}
	if !slices.Equal(s.Imports, []string{"tinynet"}) || s.AsOfSource != "commit bbbbbbb" || !s.AsOf.Equal(time.Date(2024, 3, 31, 12, 0, 0, 0, time.UTC)) {
		t.Errorf("imports %v, as of %s (%s)", s.Imports, s.AsOf, s.AsOfSource)
	}
	bad, u, err := w.Solve(t.Context(), s)
	if err != nil || u != nil {
		t.Fatalf("solve: %+v %v", u, err)
	}
	good, moves, u, err := w.Fix(t.Context(), s, bad)
	if err != nil || u != nil || len(moves) != 0 {
		t.Fatalf("fix: %+v %v %v", u, err, moves)
	}
	if bad.Hash == good.Hash || bad.Text == good.Text || bad.Version("tinynet") != good.Version("tinynet") {
		t.Errorf("the locks are alike:\n%s\n%s", bad.Text, good.Text)
	}
	for content, l := range map[string]*Lock{"bad": bad, "good": good} {
		text, links, err := w.installText(&Environment{Lock: *l, Python: w.python})
		if err != nil || len(links) != 1 || !strings.Contains(text, "--hash="+l.Packages[0].Hashes[0]) {
			t.Fatalf("%s: %q %v %v", content, text, links, err)
		}
		wheel, err := w.Wheel(l.Packages[0])
		if err != nil || !bytes.Contains(wheel, []byte("tinynet/__init__.py"+content)) {
			t.Errorf("%s found another wheel: %v", content, err)
		}
	}
}

// A wheel that the store lost is built again when the lock is asked for, and
// is an outcome when only the lock is left.
func TestProjectLostWheel(t *testing.T) {
	w, p := studio(t)
	s := w.specOf(t, p)
	lock, _, err := w.Solve(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	makeWritable(t, w.opts.CacheDir)
	if err := os.RemoveAll(filepath.Join(w.opts.CacheDir, wheelStore)); err != nil {
		t.Fatal(err)
	}
	if _, u, err := w.Build(t.Context(), lock); err != nil || u == nil || !strings.Contains(u.Why, "no longer here") {
		t.Errorf("build: %+v %v", u, err)
	}
	if _, err := w.Wheel(lock.Packages[0]); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("wheel: %v", err)
	}
	again, u, err := w.Solve(t.Context(), s)
	if err != nil || u != nil || again.Hash != lock.Hash {
		t.Fatalf("solved again: %+v %v", u, err)
	}
	w.built(t, again)
}

func TestResolveProject(t *testing.T) {
	w, p := studio(t)
	got, u, err := w.ResolveProject(t.Context(), p)
	if err != nil || u != nil || got.At.Commit != badCommit || got.FixedAt.Commit != goodCommit || got.FixedAt.Version != "1.0" || got.At.Version != "0.0.dev0+gbbbbbbb" {
		t.Fatalf("%+v %+v %v", got, u, err)
	}
	for _, x := range w.box.seen {
		if len(x.Mounts) != 1 || x.Mounts[0].Host != filepath.Join(p.Dir, ".git") || x.Mounts[0].Writable || x.Env["GIT_NO_REPLACE_OBJECTS"] != "1" {
			t.Errorf("git saw %+v with %v", x.Mounts, x.Env)
		}
	}
	plain := t.TempDir()
	for _, c := range []struct {
		name, dir, revision, fixed, want string
	}{
		{"unknown", p.Dir, "v9", "", "no revision v9"},
		{"unknown fix", p.Dir, "bug", "v9", "no revision v9"},
		{"option", p.Dir, "--upload-pack=x", "", "no revision"},
		{"control", p.Dir, "a\nb", "", "no revision"},
		{"liar", p.Dir, "liar", "", "something else than a commit"},
		{"same", p.Dir, "HEAD", "HEAD", "the same commit"},
		{"plain", plain, "HEAD", "", "no git history"},
		{"absent", filepath.Join(plain, "x"), "", "", "cannot be read"},
	} {
		_, u, err := w.ResolveProject(t.Context(), ProjectSource{Dir: c.dir, Revision: c.revision, Fixed: c.fixed})
		var wrong *ProjectError
		if u != nil || !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.want) || wrong.Next == "" {
			t.Errorf("%s: %+v %v, want %q", c.name, u, err, c.want)
		}
	}
	w.opts.Sandbox = nil
	if _, u, err := w.ResolveProject(t.Context(), p); err != nil || u == nil || !strings.Contains(u.Why, "sandbox") {
		t.Errorf("without a sandbox: %+v %v", u, err)
	}
}

func TestLocate(t *testing.T) {
	top := t.TempDir()
	sub := filepath.Join(top, "python", "pkg")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	if at, err := locate(sub); err != nil || at.git != "" && strings.HasPrefix(at.git, top) {
		t.Errorf("plain: %+v %v", at, err)
	}
	if err := os.Mkdir(filepath.Join(top, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	at, err := locate(sub)
	if err != nil || at.sub != "python/pkg" || filepath.Base(at.git) != ".git" {
		t.Errorf("below a checkout: %+v %v", at, err)
	}
	if at, err := locate(top); err != nil || at.sub != "" {
		t.Errorf("a checkout: %+v %v", at, err)
	}
	// A link to a repository elsewhere, as a file or a symbolic link.
	write(t, filepath.Join(sub, ".git"), "gitdir: /root/secret", 0o644)
	var wrong *ProjectError
	if _, err := locate(sub); !errors.As(err, &wrong) {
		t.Errorf("a gitdir file: %v", err)
	}
	if err := errors.Join(os.Remove(filepath.Join(sub, ".git")), os.Symlink(filepath.Join(top, ".git"), filepath.Join(sub, ".git"))); err != nil {
		t.Fatal(err)
	}
	if _, err := locate(sub); !errors.As(err, &wrong) {
		t.Errorf("a linked .git: %v", err)
	}
}

func TestGitTrouble(t *testing.T) {
	w, p := studio(t)
	for _, c := range []struct {
		name string
		x    sandbox.Execution
		want string
	}{
		{"no git", sandbox.Execution{Outcome: sandbox.Exited, ExitCode: gitMissing}, "git is not on this machine"},
		{"hangs", sandbox.Execution{Outcome: sandbox.TimedOut, LimitHit: "wall 2m"}, "timed out"},
	} {
		w.box.run = func(sandbox.Command) sandbox.Execution { return c.x }
		if _, u, err := w.ResolveProject(t.Context(), p); err != nil || u == nil || !strings.Contains(u.Why, c.want) {
			t.Errorf("%s: %+v %v", c.name, u, err)
		}
	}
	w.box.run = func(sandbox.Command) sandbox.Execution {
		return sandbox.Execution{Outcome: sandbox.Exited, ExitCode: gitNoRepository, Stderr: "fatal: not a git repository\n"}
	}
	if _, _, err := w.ResolveProject(t.Context(), p); err == nil || !strings.Contains(err.Error(), "not a git repository") {
		t.Errorf("no repository: %v", err)
	}
}

// A build that fails is an outcome with the end of its log; a link in the
// archive's place is never followed.
func TestProjectBuildTrouble(t *testing.T) {
	w, p := studio(t)
	play := w.box.run
	p, _, err := w.ResolveProject(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	w.box.run = func(c sandbox.Command) sandbox.Execution {
		if strings.HasPrefix(c.Label, "build ") {
			return sandbox.Execution{Outcome: sandbox.Exited, ExitCode: 1, Stderr: "gcc -c x.c\nx.c:1: error: no such header\n\nerror: command failed\n"}
		}
		return play(c)
	}
	in := SpecInput{Project: &p, Report: &report.Report{Created: time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)}}
	s, u, err := w.Spec(t.Context(), in)
	if err != nil || u == nil || !strings.Contains(u.Why, "no such header | error: command failed") || u.Next == "" {
		t.Errorf("a build that fails: %+v %v", u, err)
	}
	if s.AsOfSource != "report" || s.AsOf.IsZero() {
		t.Errorf("the Spec says %s (%s)", s.AsOf, s.AsOfSource)
	}
	w.box.run = func(c sandbox.Command) sandbox.Execution {
		if strings.HasPrefix(c.Label, "git export") {
			if err := os.Symlink("/etc/passwd", filepath.Join(c.Work, exportName)); err != nil {
				t.Error(err)
			}
			return sandbox.Execution{Outcome: sandbox.Exited}
		}
		return play(c)
	}
	if _, u, err := w.Spec(t.Context(), in); err == nil || u != nil {
		t.Errorf("a link was followed: %+v", u)
	}
}

// A fixed side that cannot be had is no control, and no reason to stop.
func TestFixTrouble(t *testing.T) {
	w, p := studio(t)
	s := w.specOf(t, p)
	base, _, err := w.Solve(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	play := w.box.run
	w.box.run = func(c sandbox.Command) sandbox.Execution {
		if strings.HasPrefix(c.Label, "git export") {
			write(t, filepath.Join(c.Work, exportName), string(exported(t, "README", "nothing here")), 0o644)
			return sandbox.Execution{Outcome: sandbox.Exited}
		}
		return play(c)
	}
	if _, _, u, err := w.Fix(t.Context(), s, base); err != nil || u == nil || !strings.Contains(u.Why, "no Python project") {
		t.Errorf("nothing to build: %+v %v", u, err)
	}
	none := s
	none.Project = nil
	if _, _, u, err := w.Fix(t.Context(), none, base); err != nil || u == nil {
		t.Errorf("no project: %+v %v", u, err)
	}
	gone := *base
	gone.Python = "3.5.1"
	if _, _, u, err := w.Fix(t.Context(), s, &gone); err != nil || u == nil {
		t.Errorf("no interpreter: %+v %v", u, err)
	}
}

func TestLikelyPython(t *testing.T) {
	list := []interp.Interpreter{{Version: "3.13.0", Minor: "3.13"}, {Version: "3.12.1", Minor: "3.12"}, {Version: "3.9.18", Minor: "3.9"}}
	day := time.Date(2024, 1, 10, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct{ stated, requires, want string }{
		{"", "", "3.9.18"}, // a year old on the day
		{"", ">=3.10", "3.13.0"},
		{"3.12", ">=3.13", "3.12.1"}, // the user's or the reporter's word
		{"3.7", "<3.13", "3.9.18"},
		{"", "no specifier", ""},
		{"", ">=4", ""},
	} {
		p, u := likelyPython(list, c.stated, c.requires, day)
		if p.Version != c.want || (u == nil) != (c.want != "") {
			t.Errorf("%+v: %s %+v", c, p.Version, u)
		}
	}
	if !allows("", "3.8") || !allows(">=3.8.1", "3.8") || !allows("<3.12", "3.11") || allows(">=3.9", "3.8") {
		t.Error("the patch of a version is not left open")
	}
}

// The report's release is not installed beside the project, and the user's
// extras are kept.
func TestProjectBesideTheReport(t *testing.T) {
	index := newWorld("3.11")
	index.add("jax", "0.6.2", "2025-06-17")
	in := SpecInput{
		With: []string{"jax[cpu]==0.6.1"},
		Project: &ProjectSource{
			Revision: "main", At: ProjectState{Commit: badCommit, Time: at("2025-07-01")},
			Name: "jax", Version: "0.7.0.dev3", Provides: []string{"jax"},
		},
		Report:    &report.Report{Versions: []report.Version{stated("jax", "0.6.2", exact, "printed")}},
		Candidate: &candidate.Candidate{Imports: []string{"jax"}, Script: "import jax"},
	}
	s, u, err := inferSpec(t.Context(), index, in)
	if err != nil || u != nil {
		t.Fatal(u, err)
	}
	i := indexOf(s.Requirements, "jax")
	if i < 0 || s.Requirements[i].line() != "jax[cpu]==0.7.0.dev3" || s.Requirements[i].Word != WordProject {
		t.Errorf("requirements %+v", s.Requirements)
	}
	if indexOf(s.Constraints, "jax") >= 0 || !slices.ContainsFunc(s.Edits, func(e string) bool { return strings.Contains(e, "named in the report") }) {
		t.Errorf("constraints %+v, edits %v", s.Constraints, s.Edits)
	}
	if s.AsOfSource != "commit bbbbbbb" {
		t.Errorf("as of %s", s.AsOfSource)
	}
}
