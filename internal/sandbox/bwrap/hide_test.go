package bwrap

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
)

const someMounts = `22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
36 22 254:1 /alice /home/alice rw,relatime shared:1 master:2 - ext4 /dev/vdb rw
40 22 0:40 / /merged rw - overlay overlay rw,lowerdir=/home/alice/layers/1:/home/alice/layers/2,upperdir=/home/alice/up,workdir=/w
41 36 254:2 /with\040space /home/alice/data rw - xfs /dev/vdc rw
broken line
`

func TestParseMounts(t *testing.T) {
	table := parseMounts(someMounts)
	for path, want := range map[string]string{
		"/home/alice/.cache/repgen/env": "/alice/.cache/repgen/env", // the file system's own path
		"/home/alice":                   "/alice",
		"/home/alicent/x":               "/home/alicent/x",
		"/home/alice/data/x":            "/with space/x",
		"/srv/x":                        "/srv/x",
	} {
		if got := table.inside(path); got != want {
			t.Errorf("%s is %s inside, want %s", path, got, want)
		}
	}
	want := "/home/alice/layers/1 /home/alice/layers/2 /home/alice/up"
	if got := strings.Join(table.sources, " "); got != want {
		t.Errorf("sources %s, want %s", got, want)
	}
	if got := (mountTable{}).inside("/a/b"); got != "/a/b" {
		t.Errorf("without a table: %s", got)
	}
}

func FuzzParseMounts(f *testing.F) {
	f.Add(someMounts, "/home/alice/x")
	f.Add("1 2 3:4 / / - - a b c=/x/y", "")
	f.Fuzz(func(t *testing.T, text, path string) {
		table := parseMounts(text)
		_ = table.inside(path)
		for _, s := range table.sources {
			if isCommon(s) {
				t.Errorf("a path that any machine has would be replaced: %q", s)
			}
		}
	})
}

func TestHide(t *testing.T) {
	home := t.TempDir()
	env, link := filepath.Join(home, "my envs", "a"), filepath.Join(home, "link")
	if err := os.MkdirAll(env, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(env, link); err != nil {
		t.Fatal(err)
	}
	s := &Sandbox{exe: "/home/alice/bin/repgen", state: "/home/alice/.cache/repgen/sandbox", mounts: parseMounts(someMounts)}
	s.hidden = s.hideAlways()
	c := sandbox.Command{Mounts: []sandbox.Mount{{Host: link, Guest: "/env"}, {Host: "/usr/lib/x", Guest: "/x"}, {Host: "/home/alice/py", Guest: "/py"}}}
	hide := s.hide(c, "/tmp/repgen-1/box")
	for in, want := range map[string]string{
		"at " + env + "/lib":                        "at /env/lib",
		"at " + link + "/lib":                       "at /env/lib",
		octal(env) + " /env":                        "/env /env",
		strings.ReplaceAll(octal(env), `\`, `\\`):   "/env",
		strings.ReplaceAll(octal(env), `\`, `\\\\`): "/env",
		"/alice/py/bin /home/alice/py":              "/py/bin /py",
		"/alice/bin/repgen":                         "/.repgen/init",
		"/alice/.cache/repgen/sandbox/etc/passwd":   "/etc/passwd",
		"/tmp/repgen-1/box/f":                       "/box/f",
		"lowerdir=/home/alice/layers/1:/x":          "lowerdir=/host:/x",
		"/usr/lib/x and /home/bob":                  "/usr/lib/x and /home/bob", // nobody's
	} {
		if got := hide.Replace(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}
