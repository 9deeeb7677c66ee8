package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/system"
)

// treeBackend is a build backend of the project's own (PEP 517): it needs
// nothing and packs one module, whatever else setup code there is.
const treeBackend = `import base64, hashlib, os, zipfile


def build_wheel(folder, config_settings=None, metadata_directory=None):
    version = open("VERSION").read().strip()
    extra = open("hostile.py").read() if os.path.exists("hostile.py") else ""
    exec(extra, {"__name__": "setup"})
    info = "tinynet-" + version + ".dist-info/"
    files = {
        "tinynet/__init__.py": open("tinynet/__init__.py").read(),
        "tinynet/core.py": open("tinynet/core.py").read(),
        info + "METADATA": "Metadata-Version: 2.1\nName: tinynet\nVersion: " + version + "\nRequires-Python: >=3.6\nRequires-Dist: tinydep\n",
        info + "WHEEL": "Wheel-Version: 1.0\nGenerator: tree\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = ""
    for name, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        record += name + ",sha256=" + digest + "," + str(len(text.encode())) + "\n"
    files[info + "RECORD"] = record + info + "RECORD,,\n"
    name = "tinynet-" + version + "-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as z:
        for path, text in files.items():
            z.writestr(zipfile.ZipInfo(path), text)
    return name
`

const treePyproject = `[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
`

// Exit codes of verdicts that these tests end with (proof.ExitCode).
const (
	exitNotReproduced = 3
	exitUnavailable   = 5
)

// tree is a made-up project with a history.
type tree struct {
	*rig
	dir string
}

// newTree is tinynet with the bug in its first commit and without in its
// second, under the same version.
func newTree(r *rig) *tree {
	r.Helper()
	t := &tree{rig: r, dir: r.path("project")}
	t.git("init", "--quiet", "--initial-branch=main", ".")
	t.write("pyproject.toml", treePyproject)
	t.write("backend.py", treeBackend)
	t.write("VERSION", "1.2\n")
	for _, w := range tinyWheels() {
		if w.name == "tinynet" && w.version == "1.2" {
			t.write("tinynet/__init__.py", w.files["tinynet/__init__.py"])
			t.write("tinynet/core.py", w.files["tinynet/core.py"])
		}
	}
	t.commit("start")
	core := filepath.Join(t.dir, "tinynet", "core.py")
	text, err := os.ReadFile(core)
	if err != nil {
		r.Fatal(err)
	}
	right := strings.Replace(string(text), "    pass\n    return [sum", "    axis = (axis,) if isinstance(axis, int) else axis\n    return [sum", 1)
	if right == string(text) {
		r.Fatal("the fix changes nothing")
	}
	t.write("tinynet/core.py", right)
	t.commit("fix total")
	return t
}

func (t *tree) write(name, text string) {
	t.Helper()
	path := filepath.Join(t.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// git runs git as the project's author, on a day of the made-up index.
func (t *tree) git(args ...string) {
	t.Helper()
	if err := os.MkdirAll(t.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", args...)
	cmd.Dir = t.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.env["HOME"], "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org",
		"GIT_AUTHOR_DATE=2024-04-01T12:00:00Z", "GIT_COMMITTER_DATE=2024-04-01T12:00:00Z",
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (t *tree) commit(message string) {
	t.Helper()
	t.git("add", "-A")
	t.git("commit", "--quiet", "-m", message)
}

// TestProjectFix: bug at HEAD~1, fix at HEAD, the same version twice. The real
// fix gives grade A, and the bundle carries both wheels and verifies elsewhere.
func TestProjectFix(t *testing.T) {
	real(t)
	r := newRig(t, newIndex(t, tinyWheels()...))
	p := newTree(r)
	report := r.file("report.md", axisReport)
	e := r.run("reproduce", "--json", "--project", p.dir, "--revision", "HEAD~1", "--fixed-revision", "HEAD", "--out", "run", report)
	e.want(t, exitOK, "reproduced", "fixed", "regression")
	if e.result.Grade != "A" {
		t.Errorf("grade %s: %v", e.result.Grade, e.result.Reasons)
	}
	fix := versionOn(e.result, "fix")
	if fix == nil || fix.Symptom != "no" || fix.Runs < 3 || !strings.HasPrefix(fix.Version, "1.2@") {
		t.Errorf("the fix: %+v", fix)
	}
	if s := e.result.Subject; s.Name != "tinynet" || s.Version != "1.2" {
		t.Errorf("subject %+v", s)
	}
	if env := e.result.Environment; !strings.HasPrefix(env.AsOfSource, "commit ") || env.AsOf != "2024-04-01T12:00:00Z" {
		t.Errorf("as of %s (%s)", env.AsOf, env.AsOfSource)
	}
	t.Run("judge", func(t *testing.T) {
		script := r.file("script.py", "import tinynet\n\ntinynet.total([[1, 2]], axis=0)\n")
		e := r.run("judge", "--json", "--report", report, "--project", p.dir, "--revision", "main~1", "--fixed-revision", "main", "--out", "judged", script)
		e.want(t, exitOK, "reproduced", "fixed", "regression")
		if e.result.Grade != "A" {
			t.Errorf("grade %s: %v", e.result.Grade, e.result.Reasons)
		}
	})
	t.Run("bundle", func(t *testing.T) { checkProjectBundle(t, r, p, *e.result.Bundle) })
	t.Run("resume", func(t *testing.T) { checkProjectResume(t, r, p) })
}

func versionOn(r *proof.Result, side string) *proof.ResultVersion {
	for i := range r.Versions {
		if r.Versions[i].Side == side {
			return &r.Versions[i]
		}
	}
	return nil
}

// checkProjectBundle moves the bundle, hides the project and takes a cache that
// knows nothing of it.
func checkProjectBundle(t *testing.T, r *rig, p *tree, bundle string) {
	script, err := os.ReadFile(filepath.Join(bundle, "reproduce.py"))
	if err != nil || !strings.Contains(string(script), `tinynet = { path = "wheels/tinynet-1.2-py3-none-any.whl" }`) {
		t.Errorf("the script does not name its wheel: %v\n%s", err, script)
	}
	wheels, err := filepath.Glob(filepath.Join(bundle, "wheels", "*", "*.whl"))
	if err != nil || len(wheels) != 1 {
		t.Errorf("the fixed wheel: %v %v", wheels, err)
	}
	evidence, err := os.ReadFile(filepath.Join(bundle, "evidence.json"))
	if err != nil || strings.Contains(string(evidence), p.dir) {
		t.Errorf("the evidence names the project's folder (%v)", err)
	}
	moved := r.path("elsewhere")
	if err := os.Rename(bundle, moved); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(p.dir, p.dir+".gone"); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := os.Rename(p.dir+".gone", p.dir); err != nil {
			t.Error(err)
		}
	}()
	r.env["REPGEN_CACHE_DIR"] = newCache(t, r.cache)
	defer func() { r.env["REPGEN_CACHE_DIR"] = r.cache }()
	e := r.run("verify", "--json", moved)
	e.want(t, exitOK)
	if !strings.Contains(e.out, `"result": "same"`) {
		t.Errorf("verify: %s%s", e.out, e.err)
	}
}

// newCache is a cache that holds the tools of another one, and nothing that was
// ever built.
func newCache(t *testing.T, old string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(old, "tools"), filepath.Join(dir, "tools")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := system.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// checkProjectResume: a branch that has moved on is another question, one that
// has not is not asked again.
func checkProjectResume(t *testing.T, r *rig, p *tree) {
	same := r.run("reproduce", "--json", "--resume", "run")
	same.want(t, exitOK, "reproduced", "fixed", "regression")
	if strings.Contains(same.err, "show it") {
		t.Errorf("a finished run was run again:\n%s", same.err)
	}
	p.write("README", "more\n")
	p.commit("more")
	e := r.run("reproduce", "--json", "--resume", "run")
	// HEAD~1 is the fix now: the symptom does not come.
	e.want(t, exitNotReproduced, "not_reproduced")
}

// TestProjectHostile: code that runs while the project is built, and git's own
// configuration, see nothing of this machine and reach nothing.
func TestProjectHostile(t *testing.T) {
	real(t)
	r := newRig(t, newIndex(t, tinyWheels()...))
	r.env["CANARY_TOKEN"] = "canary-4711"
	r.file("home/secret", "canary-4711")
	outside := r.path("outside")
	p := newTree(r)
	p.write("hostile.py", `import os, socket, sys
found = [k for k, v in os.environ.items() if "canary" in v]
for path in (`+pyQuote(r.env["HOME"])+`, `+pyQuote(p.dir)+`, "/project/.git/config", "/root", "/home"):
    if os.path.exists(path) and (os.path.isfile(path) or os.listdir(path)):
        found.append(path)
for path in (`+pyQuote(outside)+`, "/etc/hostile", "/env/hostile"):
    try:
        open(path, "w").close()
        found.append("wrote " + path)
    except OSError:
        pass
try:
    socket.create_connection(("127.0.0.1", `+r.port()+`), 2)
    found.append("network")
except OSError:
    pass
if found:
    sys.exit("SEEN: " + ", ".join(found))
`)
	p.commit("hostile")
	p.git("config", "core.fsmonitor", "touch "+outside)
	p.git("config", "core.hooksPath", p.dir+"/hooks")
	p.git("config", "filter.evil.smudge", "touch "+outside+"; cat")
	p.write(".gitattributes", "VERSION filter=evil\n")
	p.commit("filter")
	_ = os.Remove(outside) // what this test's own git did
	e := r.run("reproduce", "--json", "--project", p.dir, "--revision", "HEAD~3", "--fixed-revision", "HEAD", "--out", "run", r.file("report.md", axisReport))
	e.want(t, exitOK, "reproduced", "fixed", "regression")
	if fix := versionOn(e.result, "fix"); fix == nil || fix.Symptom != "no" {
		t.Errorf("the hostile side was not built: %+v", fix)
	}
	if _, err := os.Stat(outside); err == nil {
		t.Error("a file was written outside")
	}
	if strings.Contains(e.out+e.err, "canary") || strings.Contains(e.out+e.err, "SEEN") {
		t.Errorf("it saw something:\n%s%s", e.out, e.err)
	}
}

func pyQuote(s string) string {
	data, _ := json.Marshal(s)
	return string(data)
}

// port is that of the made-up index.
func (r *rig) port() string {
	r.Helper()
	url := strings.TrimSuffix(r.env["UV_DEFAULT_INDEX"], "/simple")
	return url[strings.LastIndex(url, ":")+1:]
}

// TestProjectEndings: each way in which a project is none, says so.
func TestProjectEndings(t *testing.T) {
	real(t)
	x := newIndex(t, tinyWheels()...)
	type ending struct {
		name  string
		make  func(p *tree)
		args  []string
		code  int
		texts []string
	}
	for _, c := range []ending{
		{"no such revision", func(*tree) {}, []string{"--revision", "v9"}, exitUsage, []string{"there is no revision v9", "next: "}},
		{"an option for a revision", func(*tree) {}, []string{"--revision=--output=x"}, exitUsage, []string{"there is no revision"}},
		{"no such fix", func(*tree) {}, []string{"--fixed-revision", "v9"}, exitUsage, []string{"there is no revision v9"}},
		{"the same twice", func(*tree) {}, []string{"--revision", "HEAD", "--fixed-revision", "main"}, exitUsage, []string{"the same commit"}},
		{"no Python project", func(p *tree) {
			p.git("rm", "-q", "pyproject.toml")
			p.commit("no project")
		}, nil, exitUsage, []string{"no Python project", "pyproject.toml", "--project"}},
		{"does not build", func(p *tree) {
			p.write("hostile.py", "raise SystemExit('the compiler is out of order')\n")
			p.commit("broken")
		}, nil, exitUnavailable, []string{"the compiler is out of order"}},
		{"no history, no revision", func(p *tree) { p.plain() }, []string{"--revision", "HEAD"}, exitUsage, []string{"no git history"}},
		{"a submodule", func(p *tree) {
			p.plain()
			p.write(".git", "gitdir: /somewhere\n")
		}, nil, exitUsage, []string{"linked worktree"}},
		{"no folder", func(p *tree) { p.dir = p.path("nowhere") }, nil, exitUsage, []string{"cannot be read"}},
		// At HEAD the bug is gone.
		{"a plain folder", func(p *tree) { p.plain() }, nil, exitNotReproduced, nil},
		{"a folder of a checkout", func(p *tree) {
			p.git("mv", "-k", "backend.py", "pyproject.toml", "tinynet", "VERSION", p.sub())
			p.commit("moved")
			p.dir = filepath.Join(p.dir, "python")
		}, nil, exitNotReproduced, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, x)
			p := newTree(r)
			c.make(p)
			args := append([]string{"reproduce", "--out", "run", "--project", p.dir}, c.args...)
			e := r.run(append(args, r.file("report.md", axisReport))...)
			e.want(t, c.code)
			for _, text := range c.texts {
				if !strings.Contains(e.out+e.err, text) {
					t.Errorf("it does not say %q:\n%s%s", text, e.out, e.err)
				}
			}
		})
	}
}

// plain takes the history away.
func (t *tree) plain() {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(t.dir, ".git")); err != nil {
		t.Fatal(err)
	}
}

// sub makes a folder for a project inside of a checkout.
func (t *tree) sub() string {
	t.Helper()
	if err := os.Mkdir(filepath.Join(t.dir, "python"), 0o755); err != nil {
		t.Fatal(err)
	}
	return "python"
}

// TestProjectFlags: a revision of nothing is a wrong word, and the request
// keeps the folder's whole path.
func TestProjectFlags(t *testing.T) {
	for _, s := range []source{{Revision: "HEAD"}, {FixedRevision: "v2"}} {
		if err := s.check(); err == nil || !strings.Contains(err.Error(), "--project DIR") {
			t.Errorf("%+v: %v", s, err)
		}
	}
	f := runFlags{source: source{Project: "some/where", Revision: "v1", FixedRevision: "v2"}}
	var req pipeline.Request
	if err := f.request(&req); err != nil {
		t.Fatal(err)
	}
	if q := req.Project; q == nil || !filepath.IsAbs(q.Dir) || q.Revision != "v1" || q.Fixed != "v2" {
		t.Errorf("request %+v", req.Project)
	}
	if p, err := (source{}).project(); p != nil || err != nil {
		t.Errorf("no project: %+v %v", p, err)
	}
}
