package uv

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// put writes a file and the folders above it.
func put(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// TestFilledIsRefused: uv is not started for an interpreter of an environment
// that holds a file, nor for a folder that does, whatever is wanted there.
func TestFilledIsRefused(t *testing.T) {
	const site = "lib/python3.11/site-packages"
	for _, c := range []struct {
		name  string
		files []string // of the interpreter's own folder
		there []string // of the folder to fill
		ok    bool
	}{
		{name: "an empty environment", files: []string{"pyvenv.cfg"}, ok: true},
		{name: "the user's own Python", files: []string{site + "/user.pth"}, ok: true},
		{name: "packages", files: []string{"pyvenv.cfg", site + "/x.py"}},
		{name: "another version's packages", files: []string{"pyvenv.cfg", "lib/python3.12/site-packages/x.py"}},
		{name: "the other library folder", files: []string{"pyvenv.cfg", "lib64/python3.11/site-packages/x.pth"}},
		{name: "configured beside the program", files: []string{"bin/pyvenv.cfg", site + "/x.pth"}},
		{name: "a half filled folder", files: []string{"pyvenv.cfg"}, there: []string{site + "/x.dist-info/RECORD"}},
		{name: "a script in the folder", files: []string{"pyvenv.cfg"}, there: []string{"bin/tool"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			started := filepath.Join(dir, "started")
			tool := fakeUV(t, `echo "$*" >> `+started+`
case "$*" in *--emit-index-url*) echo "--index-url https://d.invalid/simple";; *compile*) : > lock.txt;; esac`)
			python, prefix := filepath.Join(dir, "python", "bin", "python"), filepath.Join(dir, "filled")
			for _, f := range append(c.files, "bin/python") {
				put(t, filepath.Join(dir, "python", f), "x", 0o755)
			}
			for _, d := range []string{filepath.Join(dir, "python"), prefix} {
				if err := os.MkdirAll(filepath.Join(d, site), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			for _, f := range c.there {
				put(t, filepath.Join(prefix, f), "x", 0o644)
			}
			_, errInstall := tool.Install(t.Context(), InstallInput{Python: python, Prefix: prefix, Text: "six==1.0\n"})
			if (errInstall == nil) != c.ok {
				t.Errorf("install: %v", errInstall)
			}
			_, errCompile := tool.Compile(t.Context(), CompileInput{Python: python, Requirements: []string{"six"}})
			if ok := c.ok || len(c.there) > 0; (errCompile == nil) != ok {
				t.Errorf("compile: %v", errCompile)
			}
			log, err := os.ReadFile(started)
			if strings.Contains(string(log), "pip install") != c.ok {
				t.Errorf("uv was started with %q (%v)", log, err)
			}
		})
	}
	if _, err := fakeUV(t, "").Install(t.Context(), InstallInput{Python: "/p", Prefix: "here"}); err == nil {
		t.Error("a folder of the current one was taken")
	}
}
