package source

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/system/worktime"
)

// ignoreCase is a .gitignore at the top (or in the folders named) and paths,
// those that git ignores marked with "- " and the others with "+ ". A path with
// a slash at the end is a folder.
type ignoreCase struct {
	name  string
	files map[string]string // folder ("" or "a/") to .gitignore
	paths []string
}

func top(lines ...string) map[string]string {
	return map[string]string{"": strings.Join(lines, "\n") + "\n"}
}

var ignoreCases = []ignoreCase{
	{"names anywhere", top("foo.py", "*.log"), []string{"- foo.py", "- a/foo.py", "- a/b/x.log", "+ foo.pyc"}},
	{"anchored", top("/foo.py", "doc/x.py"), []string{"- foo.py", "+ a/foo.py", "- doc/x.py", "+ a/doc/x.py"}},
	{"folders only", top("build/"), []string{"- build/", "- a/build/", "+ build", "- a/build/x.py"}},
	{"negation", top("*.py", "!keep.py"), []string{"- a.py", "+ keep.py", "+ d/keep.py"}},
	{"no way back into an ignored folder", top("d/", "!d/keep.py"), []string{"- d/keep.py"}},
	{"a way back past the contents", top("d/*", "!d/keep.py"), []string{"+ d/keep.py", "- d/x.py"}},
	{"last wins", top("!a.py", "a.py"), []string{"- a.py"}},
	{"double star first", top("**/foo/bar.py"), []string{"- foo/bar.py", "- a/foo/bar.py", "- a/b/foo/bar.py", "+ foo/a/bar.py"}},
	{"double star last", top("abc/**"), []string{"- abc/x.py", "- abc/d/x.py"}},
	{"double star inside", top("a/**/b.py"), []string{"- a/b.py", "- a/x/b.py", "- a/x/y/b.py", "+ x/a/b.py"}},
	{"star is no slash", top("a/*.py"), []string{"- a/x.py", "+ a/b/x.py"}},
	{"other double stars", top("a/b**c.py"), []string{"- a/bxc.py", "+ a/b/c.py"}},
	{"double star after plain text", top("foo**/bar.py"), []string{"- foo/bar.py", "- fooa/bar.py", "- foo/x/bar.py"}},
	{"question mark", top("a/?.py", "?.txt"), []string{"- a/b.py", "+ a/bb.py", "- x.txt", "+ a/.py"}},
	{"sets", top("[a-c].py", "[!x]y.py", "[[:digit:]]z.py", "[^q]w.py"), []string{
		"- a.py", "- c.py", "+ d.py", "- ay.py", "+ xy.py", "- 1z.py", "+ az.py", "- aw.py", "+ qw.py"}},
	{"odd sets", top("[]].py", "[a-]b.py", "[]-]c.py", `[\]]d.py`, "[[:what:]]e.py", "[ab"), []string{
		"- ].py", "- -b.py", "- ab.py", "- -c.py", "- ]d.py", "+ ae.py", "+ [ab"}},
	{"escapes", top(`\#x.py`, `\!y.py`, `a\*.py`, `b\ `, `t\\.py`), []string{
		"- #x.py", "- !y.py", "- a*.py", "+ ab.py", "- b ", `- t\.py`}},
	{"comments and blanks", top("# a.py", "", "  ", "x.py   "), []string{"+ a.py", "- x.py", "+  "}},
	{"carriage returns", map[string]string{"": "a.py\r\nb/\r\n"}, []string{"- a.py", "- b/"}},
	{"byte order mark, no end", map[string]string{"": "\xef\xbb\xbfa.py\nb.py"}, []string{"- a.py", "- b.py"}},
	{"deeper files win", map[string]string{"": "*.py\n", "a/": "!*.py\n", "a/b/": "x.py\n"}, []string{
		"- x.py", "+ a/x.py", "- a/b/x.py", "+ a/b/y.py"}},
	{"anchored in its folder", map[string]string{"a/": "/x.py\nb/y.py\n"}, []string{"- a/x.py", "+ a/b/x.py", "- a/b/y.py", "+ x.py", "+ b/y.py"}},
	{"a slash alone", top("/", "//"), []string{"+ a.py"}},
	{"everything but", top("/*", "!/src", "!*.md"), []string{"- a.py", "+ src/", "+ src/a.py", "+ x.md"}},
	{"trailing backslash", top(`a\`), []string{`+ a`, `+ a\`}},
	{"case counts", top("Build/"), []string{"+ build/", "- Build/"}},
}

// judge says whether the path is ignored, its folders looked at first as a walk
// does.
func judge(files map[string]string, path string) bool {
	var up *ignores
	dir := ""
	if text, ok := files[""]; ok {
		up = parseIgnores("", []byte(text), nil)
	}
	isDir := strings.HasSuffix(path, "/")
	parts := strings.Split(strings.TrimSuffix(path, "/"), "/")
	for i, part := range parts {
		last := i == len(parts)-1
		if up.ignored(dir+part, !last || isDir) {
			return true
		}
		dir += part + "/"
		if text, ok := files[dir]; ok && !last {
			up = parseIgnores(dir, []byte(text), up)
		}
	}
	return false
}

func TestIgnores(t *testing.T) {
	for _, c := range ignoreCases {
		for _, p := range c.paths {
			if got := judge(c.files, p[2:]); got != (p[0] == '-') {
				t.Errorf("%s: %q ignored = %v", c.name, p[2:], got)
			}
		}
	}
}

// needGit gives the git program for the tests against the real one.
func needGit(t testing.TB) string {
	t.Helper()
	if os.Getenv("REPGEN_REAL") == "" {
		t.Skip("set REPGEN_REAL=1 to compare with the real git")
	}
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal("REPGEN_REAL is set but there is no git: apt-get install git")
	}
	return git
}

// realGit runs git in a folder, without anybody's settings.
func realGit(t testing.TB, dir, stdin string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org"}
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 && args[0] == "check-ignore" {
		return out // nothing is ignored
	}
	if err != nil {
		t.Fatalf("git %v: %v %s", args, err, exit.Stderr)
	}
	return out
}

// checkIgnore asks git which of the paths it ignores.
func checkIgnore(t testing.TB, files map[string]string, paths []string) map[string]bool {
	t.Helper()
	dir := t.TempDir()
	realGit(t, dir, "", "init", "-q")
	for folder, text := range files {
		write(t, filepath.Join(dir, folder, ".gitignore"), text)
	}
	for _, p := range paths {
		full := filepath.Join(dir, p)
		if strings.HasSuffix(p, "/") {
			if err := os.MkdirAll(full, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if _, err := os.Lstat(full); err != nil {
			write(t, full, "")
		}
	}
	out := realGit(t, dir, strings.Join(paths, "\x00")+"\x00", "check-ignore", "--no-index", "--stdin", "-z")
	found := map[string]bool{}
	for p := range bytes.SplitSeq(out, []byte{0}) {
		found[string(p)] = true
	}
	return found
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestIgnoresReal holds the table against git itself.
func TestIgnoresReal(t *testing.T) {
	needGit(t)
	for _, c := range ignoreCases {
		for _, p := range c.paths { // one by one: "build" and "build/" do not live together
			got := checkIgnore(t, c.files, []string{p[2:]})[p[2:]]
			if got != (p[0] == '-') {
				t.Errorf("%s: git says that %q ignored = %v", c.name, p[2:], got)
			}
		}
	}
}

// TestIgnoresRandomReal compares made-up patterns with git.
func TestIgnoresRandomReal(t *testing.T) {
	needGit(t)
	piece := rapid.SampledFrom([]string{"a", "b", "ab", "*", "**", "?", "/", "/", "[ab]", "[!a]", "[^b]", "[a-b]", `\a`, `\*`, "*.py", ".py", "!", "[]a]", "[[:alpha:]]", " ", "**/", "/**", "[a", "x"})
	line := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 1, 6).Draw(t, "pieces"), "") })
	folders := []string{"", "a/", "a/b/"}
	paths := []string{"a/b/a.py", "a/b/b", "a/ab/x.py", "a/a", "ab", "b/a/b.py", "x.py", "a/b/ab/a/b", "a/x", "b/b"}
	end := time.Now().Add(10 * time.Second)
	for n := 0; time.Now().Before(end); n++ {
		files := map[string]string{}
		for i, folder := range folders {
			lines := rapid.SliceOfN(line, 1, 4).Example(n*3 + i)
			files[folder] = strings.Join(lines, "\n") + "\n"
		}
		want := checkIgnore(t, files, paths)
		for _, p := range paths {
			if got := judge(files, p); got != want[p] {
				t.Fatalf("%q ignored = %v, git says %v, of\n%s", p, got, want[p], fmt.Sprintf("%q", files))
			}
		}
	}
}

// TestWildmatchTime: patterns of many asterisks end soon.
func TestWildmatchTime(t *testing.T) {
	took := worktime.Of(func() {
		for _, p := range []string{strings.Repeat("*a", 100) + "b", strings.Repeat("**/", 100) + "b", strings.Repeat("*/", 50) + "**/" + strings.Repeat("a*", 50)} {
			for _, text := range []string{strings.Repeat("a", 1000), strings.Repeat("a/", 500), strings.Repeat("a/a", 300)} {
				wildmatch(p, text, true)
				wildmatch(p, text, false)
			}
		}
	})
	if took > 5*time.Second {
		t.Errorf("comparing took %v", took)
	}
}

// FuzzIgnores: any .gitignore is read and compared without end or panic, and
// what a pattern says, its negation takes back.
func FuzzIgnores(f *testing.F) {
	for _, c := range ignoreCases {
		for _, text := range c.files {
			f.Add(text, c.paths[0][2:])
		}
	}
	f.Fuzz(func(t *testing.T, text, path string) {
		path = strings.Trim(path, "/")
		if path == "" {
			return
		}
		list := parseIgnores("", []byte(text), nil)
		if list.ignored(path, false) {
			back := parseIgnores("", []byte(text+"\n!/**\n!*\n"), nil)
			if back.ignored(path, false) {
				t.Errorf("%q is ignored by %q after all was taken back", path, text)
			}
		}
	})
}
