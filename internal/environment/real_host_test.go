package environment

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/sandbox"
)

// wheelIndex is a package index of made-up wheels.
type wheelIndex struct {
	*httptest.Server
	files map[string][]byte // by file name
}

func newWheelIndex(t *testing.T) *wheelIndex {
	t.Helper()
	x := &wheelIndex{files: map[string][]byte{}}
	x.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := filepath.Base(strings.TrimSuffix(r.URL.Path, "/"))
		if data, ok := x.files[name]; ok {
			http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
			return
		}
		type file struct {
			Filename string            `json:"filename"`
			URL      string            `json:"url"`
			Hashes   map[string]string `json:"hashes"`
			Uploaded string            `json:"upload-time"`
		}
		var list []file
		for wheel, data := range x.files {
			if strings.HasPrefix(wheel, strings.ReplaceAll(name, "-", "_")+"-") {
				sum := sha256.Sum256(data)
				list = append(list, file{wheel, x.URL + "/f/" + wheel, map[string]string{"sha256": hex.EncodeToString(sum[:])}, "2023-01-01T00:00:00Z"})
			}
		}
		if list == nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/vnd.pypi.simple.v1+json")
		if err := json.NewEncoder(w).Encode(map[string]any{"meta": map[string]string{"api-version": "1.1"}, "name": name, "files": list}); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(x.Close)
	return x
}

// add puts a wheel on the index whose RECORD gives one size too much for the
// file wrong, and returns the package of a lock.
func (x *wheelIndex) add(t *testing.T, name, version, wrong string, files ...string) Package {
	t.Helper()
	info := strings.ReplaceAll(name, "-", "_") + "-" + version + ".dist-info/"
	files = append(files, info+"METADATA", "Metadata-Version: 2.1\nName: "+name+"\nVersion: "+version+"\n",
		info+"WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
	record := ""
	for i := 0; i < len(files); i += 2 {
		sum, size := sha256.Sum256([]byte(files[i+1])), len(files[i+1])
		if files[i] == wrong {
			size++
		}
		record += fmt.Sprintf("%s,sha256=%s,%d\n", files[i], base64.RawURLEncoding.EncodeToString(sum[:]), size)
	}
	data := zipped(t, append(files, info+"RECORD", record+info+"RECORD,,\n")...)
	x.files[strings.TrimSuffix(info, ".dist-info/")+"-py3-none-any.whl"] = data
	sum := sha256.Sum256(data)
	return Package{Name: name, Version: version, Hashes: []string{"sha256:" + hex.EncodeToString(sum[:])}}
}

// host is a Manager with the real uv and interpreters on that index, and a file
// that shows whether anything ran outside of the sandbox.
type host struct {
	*Manager
	*wheelIndex
	canary string
	python string
}

func newHost(t *testing.T) *host {
	t.Helper()
	needReal(t, "bwrap")
	cache := t.TempDir()
	t.Cleanup(func() { makeWritable(t, cache) })
	h := &host{wheelIndex: newWheelIndex(t), canary: filepath.Join(t.TempDir(), "canary")}
	var err error
	h.Manager, err = Open(t.Context(), Options{CacheDir: cache, Index: h.URL + "/simple", Sandbox: plainBwrap{}, Limits: sandbox.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	usual, err := Open(t.Context(), Options{CacheDir: cache}) // uv itself is not on that index
	if err != nil {
		t.Fatal(err)
	}
	if _, err := usual.resolver(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.python = newestPython(t, h.Manager, "3.13").Version
	return h
}

// hostile are files that run when an interpreter starts in the environment.
func (h *host) hostile() []string {
	line := fmt.Sprintf("import os; open(%q, 'a').write('ran as %%d ' %% os.getuid())\n", h.canary)
	return []string{"start.pth", line, "sitecustomize.py", line, "usercustomize.py", line}
}

// quiet fails when something ran.
func (h *host) quiet(t *testing.T) {
	t.Helper()
	if text, err := os.ReadFile(h.canary); err == nil {
		t.Errorf("a package's code ran outside of the sandbox: %s", text)
	}
}

func (h *host) build(t *testing.T, packages ...Package) *Environment {
	t.Helper()
	e, no, err := h.Build(t.Context(), &Lock{Python: h.python, Packages: packages})
	if err != nil || no != nil {
		t.Fatalf("build: %+v %v", no, err)
	}
	t.Cleanup(e.Release)
	return e
}

// TestRealNothingRunsOnTheHost: whatever makes an environment be installed once
// more, nothing that was installed is started by it.
func TestRealNothingRunsOnTheHost(t *testing.T) {
	h := newHost(t)
	t.Run("a wrong RECORD", func(t *testing.T) {
		p := h.add(t, "liar", "1.0", "other.py", append(h.hostile(), "other.py", "x = 1\n")...)
		e := h.build(t, p)
		if got := read(t, filepath.Join(sitePackages(e.Dir, minorOf(h.python)), "other.py")); got != "x = 1\n" {
			t.Errorf("installed %q", got)
		}
		h.quiet(t)
	})
	t.Run("a damaged cache", func(t *testing.T) {
		p := h.add(t, "victim", "1.0", "", append(h.hostile(), "victim.py", "x = 1\n")...)
		h.build(t, p)
		found, err := filepath.Glob(filepath.Join(h.opts.CacheDir, "uv", "archive-v*", "*", "victim.py"))
		if err != nil || len(found) != 1 {
			t.Fatalf("%v %v", found, err)
		}
		if err := os.Chmod(found[0], 0o644); err != nil {
			t.Fatal(err)
		}
		write(t, found[0], "x = 1, damaged\n", 0o644)
		e := h.build(t, p, h.add(t, "another", "1.0", "", "another.py", ""))
		if got := read(t, filepath.Join(sitePackages(e.Dir, minorOf(h.python)), "victim.py")); got != "x = 1\n" {
			t.Errorf("installed %q", got)
		}
		h.quiet(t)
	})
	t.Run("no place for stubs", func(t *testing.T) {
		so, err := os.ReadFile("stublib/testdata/importer.so")
		if err != nil {
			t.Fatal(err)
		}
		torch := h.add(t, "torch", "2.2.1", "", append(h.hostile(), "libx.so", string(so))...)
		nccl := h.add(t, "nvidia-nccl-cu12", "2.19.3", "", "nvidia/nccl.py", "")
		e, no, err := h.Build(t.Context(), &Lock{Python: h.python, Packages: []Package{nccl, torch}, LeftOut: []string{"nvidia-nccl-cu12"}})
		if err != nil || no != nil {
			t.Fatalf("%+v %v", no, err)
		}
		defer e.Release()
		if have, err := installedVersions(e.Dir, minorOf(h.python)); err != nil || have["nvidia-nccl-cu12"] == "" {
			t.Errorf("%v %v", have, err)
		}
		h.quiet(t)
	})
	t.Run("its own configuration", func(t *testing.T) {
		const text = "home = /nowhere\n"
		p := h.add(t, "settler", "1.0", "", append(h.hostile(),
			"settler-1.0.data/data/pyvenv.cfg", text, "settler-1.0.data/data/bin/pyvenv.cfg", text)...)
		e := h.build(t, p)
		c, err := h.Certify(t.Context(), e, Spec{Imports: []string{"json"}})
		if err != nil || !c.OK {
			t.Errorf("%+v %v", c, err)
		}
		found, err := filepath.Glob(filepath.Join(h.opts.CacheDir, "uv", "archive-v*", "*", "settler-1.0.data", "data", "pyvenv.cfg"))
		if err != nil || len(found) != 1 || read(t, found[0]) != text {
			t.Errorf("uv's cache: %v %v", found, err)
		}
		h.quiet(t)
	})
}

// TestRealScripts: the programs that wheels bring find the environment's
// interpreter where it is seen, with every interpreter of this machine and all
// the ways of bringing one; files of the other kinds lie where they belong.
func TestRealScripts(t *testing.T) {
	h := newHost(t)
	say := "import sys, tool; print(sys.prefix, tool.__file__)"
	p := h.add(t, "tool", "1.0", "", "tool.py", "def main():\n    "+say+"\n",
		"tool-1.0.dist-info/entry_points.txt", "[console_scripts]\nconsole = tool:main\n[gui_scripts]\ngui = tool:main\n",
		"tool-1.0.data/scripts/script", "#!python\n"+say+"\n", "tool-1.0.data/scripts/shell", "#!/bin/sh\necho shell\n",
		"tool-1.0.data/data/share/doc", "doc", "tool-1.0.data/headers/tool.h", "h", "tool-1.0.data/platlib/plat.py", "")
	list, err := h.interpreters(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, python := range list {
		if seen[python.Version] {
			continue
		}
		seen[python.Version] = true
		h.python = python.Version
		e := h.build(t, p)
		want := fmt.Sprintf("/env /env/lib/python%s/site-packages/tool.py\n", python.Minor)
		for _, name := range []string{"console", "gui", "script", "shell"} {
			x, err := plainBwrap{}.Run(t.Context(), withWork(t, e.Command("/env/bin/"+name)), sandbox.Limits{})
			if err != nil || x.ExitCode != 0 || x.Stdout != want && name != "shell" {
				t.Errorf("%s: %s says %q %q %v, want %q", python.Version, name, x.Stdout, x.Stderr, err, want)
			}
		}
		site := filepath.Join("lib", "python"+python.Minor, "site-packages")
		for _, name := range []string{"share/doc", site + "/plat.py", "include/site/python" + python.Minor + "/tool/tool.h"} {
			if _, err := os.Stat(filepath.Join(e.Dir, name)); err != nil {
				t.Errorf("%s: %v", python.Version, err)
			}
		}
		if err := h.Verify(t.Context(), e.Key); err != nil {
			t.Errorf("%s: %v", python.Version, err)
		}
		var names []string
		entries, err := os.ReadDir(filepath.Dir(e.Dir))
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		if err != nil || strings.Join(names, " ") != ".complete env lock.json py" {
			t.Errorf("%s: the entry holds %q (%v)", python.Version, names, err)
		}
	}
}
