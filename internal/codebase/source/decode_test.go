package source

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestDecode(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"utf-8", "s = 'ä'\n", "s = 'ä'\n"},
		{"byte order mark", "\xef\xbb\xbfx = 1\n", "x = 1\n"},
		{"utf-16", "\xff\xfex\x00 \x00=\x00 \x001\x00", "x = 1"},
		{"utf-16, big", "\xfe\xff\x00x", "x"},
		{"latin-1", "# -*- coding: latin-1 -*-\ns = '\xe4'\n", "# -*- coding: latin-1 -*-\ns = 'ä'\n"},
		{"second line", "#!/usr/bin/python\n# vim: set fileencoding=iso-8859-15 :\n'\xa4'\n", "#!/usr/bin/python\n# vim: set fileencoding=iso-8859-15 :\n'€'\n"},
		{"windows", "# coding: cp1252\n'\x80'\n", "# coding: cp1252\n'€'\n"},
		{"japanese", "# coding: euc_jp\n'\xa4\xa2'\n", "# coding: euc_jp\n'あ'\n"},
		{"shift_jis", "# coding: shift_jis\n'\x82\xa0'\n", "# coding: shift_jis\n'あ'\n"},
		{"third line does not count", "\n\n# coding: latin-1\n'\xe4'\n", "\n\n# coding: latin-1\n'\uFFFD'\n"},
		{"after code it does not count", "x = 1\n# coding: latin-1\n'\xe4'\n", "x = 1\n# coding: latin-1\n'\uFFFD'\n"},
		{"unknown", "# coding: klingon\n'\xe4'\n", "# coding: klingon\n'\uFFFD'\n"},
		{"wrong bytes", "x = '\xff\xfe'\n", "x = '\uFFFD'\n"},
		{"declared and not so", "# coding: utf-8\n'\xe4'\n", "# coding: utf-8\n'\uFFFD'\n"},
	} {
		if got := string(decode("a.py", []byte(c.in))); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// cells is a notebook of nbformat 4 with the given code cells.
func cells(t testing.TB, texts ...string) string {
	t.Helper()
	var nb struct {
		Cells []map[string]string `json:"cells"`
	}
	nb.Cells = append(nb.Cells, map[string]string{"cell_type": "markdown", "source": "# title"})
	for _, text := range texts {
		nb.Cells = append(nb.Cells, map[string]string{"cell_type": "code", "source": text})
	}
	b, err := json.Marshal(nb)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestNotebook(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"two cells", cells(t, "x = 1", "y = 2\n"), "x = 1\n\ny = 2\n"},
		{"list of lines", `{"cells":[{"cell_type":"code","source":["a = 1\n","b = 2"]}]}`, "a = 1\nb = 2\n"},
		{"format 3", `{"worksheets":[{"cells":[{"cell_type":"code","input":["a = 1"]}]}]}`, "a = 1\n"},
		{"magics", cells(t, "%matplotlib inline\n!pip install x\nimport os?\nhelp?\nx = 1"),
			"# %matplotlib inline\n# !pip install x\n# import os?\n# help?\nx = 1\n"},
		{"in a block", cells(t, "if x:\n  !ls\nfiles = !ls\nt = %timeit f()"), "if x:\n  pass  # !ls\nfiles = None  # !ls\nt = None  # %timeit f()\n"},
		{"no magic", cells(t, "x = (a\n  % b)\ns = '''\n!no\n%no\n'''\ny = a != b\nz = 'what?'\n"), "x = (a\n  % b)\ns = '''\n!no\n%no\n'''\ny = a != b\nz = 'what?'\n"},
		{"other language", cells(t, "%%bash\nls | wc", "%%time\nx = 1"), "# %%bash\n# ls | wc\n\n# %%time\nx = 1\n"},
		{"a string that nobody closes", cells(t, "x = '''a", "!ls"), "x = '''a\n\n# !ls\n"},
		{"empty", `{"cells":[]}`, ""},
	} {
		got, _, err := notebook([]byte(c.in))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
	for _, bad := range []string{"", "x = 1", "{", "[]", `{"cells": 3}`, "{}"} {
		if _, _, err := notebook([]byte(bad)); err == nil {
			t.Errorf("%q is a notebook", bad)
		}
	}
}

func TestNotebookInProject(t *testing.T) {
	tree := Memory(map[string]string{
		"a.ipynb": cells(t, "x = 1"), "b.ipynb": "{", "c.ipynb": `{"cells":[],"metadata":{"kernelspec":{"language":"julia"}}}`,
	})
	l := mustList(t, tree, nil)
	same(t, "files", paths(l), "a.ipynb")
	same(t, "skipped", skips(l), "b.ipynb unreadable", "c.ipynb not_python")
	if b, err := tree.Read(t.Context(), "a.ipynb"); err != nil || string(b) != "x = 1\n" || !l.Files[0].Notebook {
		t.Errorf("%q, %v", b, err)
	}
}

func TestIsTest(t *testing.T) {
	for path, want := range map[string]bool{
		"a.py": false, "test_a.py": true, "a_test.py": true, "pkg/conftest.py": true, "tests/a.py": true,
		"pkg/tests/sub/a.py": true, "test/a.py": true, "testing/a.py": false, "latest_a.py": false, "contest.py": false,
	} {
		if IsTest(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}

// FuzzNotebook: whatever the bytes, the reader ends, and its lines are those of
// the cells.
func FuzzNotebook(f *testing.F) {
	f.Add([]byte(cells(f, "x = 1\n!ls", "%%bash\nls")))
	f.Add([]byte(`{"cells":[{"cell_type":"code","source":["a"]}]}`))
	f.Add([]byte(`{"worksheets":[{"cells":[{"cell_type":"code","input":"a\nb"}]}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		code, _, err := notebook(b)
		if err == nil && !utf8.Valid(code) {
			t.Errorf("no UTF-8: %q", code)
		}
	})
}

// FuzzCell: every line of a cell stays one line.
func FuzzCell(f *testing.F) {
	for _, text := range []string{"x = 1\n!ls\n", "%%time\nx", "if a:\n\t%b", "'''\n!x", "a?\n??b", "x = !ls"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var out strings.Builder
		writeCell(&out, text)
		if got, want := strings.Count(out.String(), "\n"), strings.Count(text, "\n")+1; got != want {
			t.Errorf("%d lines of %d: %q", got, want, out.String())
		}
	})
}

// FuzzDecode: any bytes give UTF-8.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{"x", "\xff\xfe\x00", "# coding: latin-1\n\xff", "# coding: utf-16\n", "# coding: iso-2022-jp\n\x1b$B", "# coding: gb18030\n\x81\x30"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if got := toUTF8(b); !utf8.Valid(got) {
			t.Errorf("no UTF-8: %q", got)
		}
	})
}

// TestRealProjects lists the git directories in REPGEN_GIT (separated by
// colons): everything that their last commit has is listed or left out for a
// reason.
func TestRealProjects(t *testing.T) {
	if os.Getenv("REPGEN_REAL") == "" || os.Getenv("REPGEN_GIT") == "" {
		t.Skip("set REPGEN_REAL=1 and REPGEN_GIT to git directories")
	}
	for dir := range strings.SplitSeq(os.Getenv("REPGEN_GIT"), ":") {
		g, err := Git(t.Context(), dir, "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		l := mustList(t, g, nil)
		bytes := 0
		for _, f := range l.Files {
			b, err := g.Read(t.Context(), f.Path)
			if err != nil {
				t.Fatal(err)
			}
			bytes += len(b)
		}
		t.Logf("%s: %d files, %d bytes, left out %q", dir, len(l.Files), bytes, skips(l))
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
}
