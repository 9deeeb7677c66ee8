package native

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/sandboxtest"
)

func TestRewrite(t *testing.T) {
	p := places{"/env": "/h/e", "/box": "/h/w", "/box/deep": "/h/d", "/tmp": "/h/t"}
	for in, want := range map[string]string{
		"/env/bin/python":                "/h/e/bin/python",
		"/env":                           "/h/e",
		"/envelope":                      "/envelope",
		"/usr/env":                       "/usr/env",
		"/box/deep/x":                    "/h/d/x",
		"/box/deeper":                    "/h/w/deeper",
		"/probe:/env/lib":                "/probe:/h/e/lib",
		"--out=/box/a":                   "--out=/h/w/a",
		"open('/box/a'), open(\"/tmp\")": "open('/h/w/a'), open(\"/h/t\")",
		"home = /env/bin\n":              "home = /h/e/bin\n",
		"":                               "",
		"no path":                        "no path",
		"x/env":                          "x/env",
	} {
		if got := p.rewrite(in); got != want {
			t.Errorf("rewrite(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestRewriteKeepsOthers: text without a guest place stays as it is.
func TestRewriteKeepsOthers(t *testing.T) {
	p := places{"/env": "/host", "/box": "/host"}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`[a-z:=/ .]{0,40}`).Filter(func(s string) bool {
			return !strings.Contains(s, "/env") && !strings.Contains(s, "/box")
		}).Draw(t, "text")
		if got := p.rewrite(s); got != s {
			t.Fatalf("%q became %q", s, got)
		}
	})
}

// TestMovedEnv: an environment built for the fixed places runs on the host.
func TestMovedEnv(t *testing.T) {
	sandboxtest.Real(t)
	env, py := t.TempDir(), t.TempDir()
	site := filepath.Join(env, "lib", "python3", "site-packages")
	for _, d := range []string{filepath.Join(env, "bin"), filepath.Join(py, "bin"), site} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		filepath.Join(py, "bin", "python3"):    "/usr/bin/python3",
		filepath.Join(env, "bin", "python3"):   sandbox.PyDir + "/bin/python3",
		filepath.Join(env, "bin", "python"):    "python3",
		filepath.Join(env, "lib", "python3.1"): "python3",
	} {
		if err := os.Symlink(target, name); err != nil {
			t.Fatal(err)
		}
	}
	cfg := "home = " + sandbox.PyDir + "/bin\ninclude-system-site-packages = false\n"
	if err := os.WriteFile(filepath.Join(env, "pyvenv.cfg"), []byte(cfg), 0o644); err != nil {
		t.Fatal(err)
	}
	ex, err := New().Run(t.Context(), sandbox.Command{
		Argv:   []string{"python", "-c", "import sys; print(sys.prefix != sys.base_prefix, sys.prefix)"},
		Mounts: []sandbox.Mount{{Host: env, Guest: sandbox.EnvDir}, {Host: py, Guest: sandbox.PyDir}},
	}, sandbox.Limits{})
	if err != nil || ex.ExitCode != 0 || !strings.HasPrefix(ex.Stdout, "True ") {
		t.Errorf("%v, exit %d: %s %s", err, ex.ExitCode, ex.Stdout, ex.Stderr)
	}
}

func TestLayersAreAllOff(t *testing.T) {
	layers, err := New().Layers(t.Context())
	if err != nil || len(layers) != len(layerNames) {
		t.Fatal(layers, err)
	}
	for _, l := range layers {
		if l.Active || !strings.Contains(l.How, "unsafe") {
			t.Errorf("layer %+v", l)
		}
	}
}
