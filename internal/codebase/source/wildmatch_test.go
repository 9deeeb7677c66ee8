package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestWildmatch: cases after git's own (its t3070), where slashes separate and
// where they are characters like others.
func TestWildmatch(t *testing.T) {
	for _, c := range []struct {
		text, pattern string
		path, plain   bool
	}{
		{"foo", "foo", true, true}, {"foo", "bar", false, false}, {"", "", true, true}, {"foo", "???", true, true}, {"foo", "??", false, false},
		{"foo", "*", true, true}, {"foo", "f*", true, true}, {"foo", "*f", false, false}, {"foo", "*foo*", true, true},
		{"foobar", "*ob*a*r*", true, true}, {"aaaaaaabababab", "*ab", true, true}, {"foo*", `foo\*`, true, true}, {"foobar", `foo\*bar`, false, false},
		{`f\oo`, `f\\oo`, true, true}, {"ball", "*[al]?", true, true}, {"ten", "[ten]", false, false}, {"ten", "**[!te]", true, true},
		{"ten", "**[!ten]", false, false}, {"ten", "t[a-g]n", true, true}, {"ten", "t[!a-g]n", false, false}, {"ton", "t[!a-g]n", true, true},
		{"ton", "t[^a-g]n", true, true}, {"a]b", "a[]]b", true, true}, {"a-b", "a[]-]b", true, true}, {"a]b", "a[]-]b", true, true},
		{"aab", "a[]-]b", false, false}, {"aab", "a[]a-]b", true, true}, {"]", "]", true, true},
		{"foo/baz/bar", "foo*bar", false, true}, {"foo/baz/bar", "foo**bar", false, true}, {"foobazbar", "foo**bar", true, true},
		{"foo/baz/bar", "foo/**/bar", true, true}, {"foo/baz/bar", "foo/**/**/bar", true, false}, {"foo/b/a/z/bar", "foo/**/bar", true, true},
		{"foo/b/a/z/bar", "foo/**/**/bar", true, true}, {"foo/bar", "foo/**/bar", true, false}, {"foo/bar", "foo/**/**/bar", true, false},
		{"foo/bar", "foo?bar", false, true}, {"foo/bar", "foo[/]bar", false, true}, {"foo/bar", "foo[^a-z]bar", false, true},
		{"foo/bar", "f[^eiu][^eiu][^eiu][^eiu][^eiu]r", false, true}, {"foo-bar", "f[^eiu][^eiu][^eiu][^eiu][^eiu]r", true, true},
		{"foo", "**/foo", true, false}, {"XXX/foo", "**/foo", true, true}, {"bar/baz/foo", "**/foo", true, true}, {"bar/baz/foo", "*/foo", false, true},
		{"foo/bar/baz", "**/bar*", false, true}, {"deep/foo/bar/baz", "**/bar/*", true, true}, {"deep/foo/bar/baz/", "**/bar/*", false, true},
		{"deep/foo/bar/baz/", "**/bar/**", true, true}, {"deep/foo/bar", "**/bar/*", false, false}, {"deep/foo/bar/", "**/bar/**", true, true},
		{"foo/bar/baz", "**/bar**", false, true}, {"foo/bar/baz/x", "*/bar/**", true, true}, {"deep/foo/bar/baz/x", "*/bar/**", false, true},
		{"deep/foo/bar/baz/x", "**/bar/*/*", true, true}, {"acrt", "a[c-c]rt", true, true}, {"acrt", "a[c-c]st", false, false},
		{"]", "[!]-]", false, false}, {"a", "[!]-]", true, true}, {"", `\`, false, false}, {`\`, `\`, false, false}, {"XXX/\\", `*/\`, false, false},
		{`XXX/\`, `*/\\`, true, true}, {"@foo", "@foo", true, true}, {"foo", "@foo", false, false}, {"[ab]", `\[ab]`, true, true},
		{"[ab]", "[[]ab]", true, true}, {"[ab]", "[[:]ab]", true, true}, {"[ab]", "[[::]ab]", false, false}, {"[ab]", "[[:digit]ab]", true, true},
		{"[ab]", `[\[:]ab]`, true, true}, {"?a?b", `\??\?b`, true, true}, {"abc", `\a\b\c`, true, true}, {"foo", "", false, false},
		{"foo/bar/baz/to", "**/t[o]", true, true}, {"a1B", "[[:alpha:]][[:digit:]][[:upper:]]", true, true}, {"a", "[[:digit:][:upper:][:space:]]", false, false},
		{"A", "[[:digit:][:upper:][:space:]]", true, true}, {"1", "[[:digit:][:upper:][:spaci:]]", false, false}, {" ", "[[:digit:][:upper:][:space:]]", true, true},
		{".", "[[:digit:][:upper:][:space:]]", false, false}, {".", "[[:digit:][:punct:][:space:]]", true, true}, {"5", "[[:xdigit:]]", true, true},
		{"f", "[[:xdigit:]]", true, true}, {"D", "[[:xdigit:]]", true, true}, {"_", "[[:alnum:][:alpha:][:blank:][:cntrl:][:digit:][:graph:][:lower:][:print:][:punct:][:space:][:upper:][:xdigit:]]", true, true},
		{"5", "[a-c[:digit:]x-z]", true, true}, {"b", "[a-c[:digit:]x-z]", true, true}, {"y", "[a-c[:digit:]x-z]", true, true}, {"q", "[a-c[:digit:]x-z]", false, false},
		{"]", `[\\-^]`, true, true}, {"[", `[\\-^]`, false, false}, {"-", `[\-_]`, true, true}, {"]", `[\]]`, true, true}, {`\]`, `[\]]`, false, false},
		{"a[]b", "a[]b", false, false}, {"ab[", "ab[", false, false}, {"ab", "[!", false, false}, {"ab", "[-", false, false}, {"-", "[-]", true, true},
		{"-", "[a-", false, false}, {"-", "[!a-", false, false}, {"-", "[--A]", true, true}, {"5", "[--A]", true, true}, {" ", "[ --]", true, true},
		{"-", "[---]", true, true}, {"j", "[a-e-n]", false, false}, {"-", "[a-e-n]", true, true}, {"a", "[!------]", true, true}, {"[", "[]-a]", false, false},
		{"^", "[]-a]", true, true}, {"[", "[!]-a]", true, true}, {"^", "[a^bc]", true, true}, {"-b]", "[a-]b]", true, true}, {`\`, `[\]`, false, false},
		{`\`, `[\\]`, true, true}, {`\`, `[!\\]`, false, false}, {"G", `[A-\\]`, true, true}, {"aaabbb", "b*a", false, false}, {"aabcaa", "*ba*", false, false},
		{",", "[,]", true, true}, {",", `[\\,]`, true, true}, {"-", "[,-.]", true, true}, {"+", "[,-.]", false, false}, {"2", `[\1-\3]`, true, true},
		{"4", `[\1-\3]`, false, false}, {`\`, `[[-\]]`, true, true}, {"]", `[[-\]]`, true, true},
		{"foo/bb/aa/rr", "**/**/**", true, true}, {"abcXdefXghi", "*X*i", true, true}, {"ab/cXd/efXg/hi", "*X*i", false, true},
		{"ab/cXd/efXg/hi", "*/*X*/*/*i", true, true}, {"ab/cXd/efXg/hi", "**/*X*/**/*i", true, true}, {"foo", "fo", false, false},
	} {
		if got := wildmatch(c.pattern, c.text, true); got != c.path {
			t.Errorf("%q, %q as a path: %v", c.pattern, c.text, got)
		}
		if got := wildmatch(c.pattern, c.text, false); got != c.plain {
			t.Errorf("%q, %q: %v", c.pattern, c.text, got)
		}
	}
}

// TestRules: one path a line, why it is left out.
func TestRules(t *testing.T) {
	for path, want := range map[string]string{
		"a.py": "", "third_party/a.py": "third_party", "pkg/_vendor/x/a.py": "pkg/_vendor", "node_modules/a/b.py": "node_modules",
		"vendor.py": "", "vendors_list/a.py": "", "lib/site-packages/a.py": "lib/site-packages", "a/.venv/b.py": "a/.venv", "external/a.py": "",
	} {
		if got, more := vendored(path); got != want || (got != "") != (more != "") {
			t.Errorf("vendored(%q) = %q, %q", path, got, more)
		}
	}
	for path, want := range map[string]string{"a_pb2.py": WhyGenerated, "x/a_pb2_grpc.py": WhyGenerated, "pb2.py": "", "a_pb2.pyi": ""} {
		if got, _ := generatedName(path); got != want {
			t.Errorf("generatedName(%q) = %q", path, got)
		}
	}
	for text, want := range map[string]string{
		"": "", "x = 1\n": "", "\x00": WhyBinary, "s = '\x00'": WhyBinary,
		"# Generated by the protocol buffer compiler.  DO NOT EDIT!\n":                         WhyGenerated,
		"# Form implementation. Created by: PyQt5 UI code generator 5.15\n":                    WhyGenerated,
		"# Generated from Expr.g4 by ANTLR 4.7\n":                                              WhyGenerated,
		"# This file is generated. DO NOT EDIT.\n":                                             "",
		"x = 1\n" + strings.Repeat("# filler\n", 200) + "# Autogenerated by Thrift Compiler\n": "",
		strings.Repeat("0123456789", 500):                                                      WhyGenerated,
		strings.Repeat("0123456789", 100):                                                      "",
		"# coding: latin-1\n# \xe4\xf6\xfc\xe4\xf6":                                            "",
		"# \xe4 and much that can be read\n":                                                   "",
		"\xe4\xf6\xfc\xe4\xf6\xfc\xe4\xf6x":                                                    WhyBinary,
		"\xff\xfex\x00":                                                                        "",
	} {
		if got, _ := contents("a.py", []byte(text)); got != want {
			t.Errorf("contents(%.60q) = %q, want %q", text, got, want)
		}
	}
}

// TestTreesAgree: a made-up project is listed and read alike from a folder and
// from memory, and a second listing that knows the first changes nothing.
func TestTreesAgree(t *testing.T) {
	part := rapid.SampledFrom([]string{"a", "b", "tests", "vendor", "src", "test_x", "lib"})
	name := rapid.SampledFrom([]string{"a.py", "b.pyw", "test_c.py", "d.ipynb", "e_pb2.py", "f.txt", "conftest.py", "g.pyi"})
	text := rapid.SampledFrom([]string{"", "x = 1\n", "\x00", "\xff\xfe", "def f(): pass", "# coding: latin-1\n'\xe4'\n", `{"cells":[{"cell_type":"code","source":"x"}]}`, "\xef\xbb\xbfy = 2\r\n"})
	root := t.TempDir()
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		dir := filepath.Join(root, strings.Repeat("x", 1+n%50))
		defer func() { _ = os.RemoveAll(dir) }()
		files := map[string]string{}
		for range rapid.IntRange(0, 8).Draw(r, "files") {
			path := strings.Join(append(rapid.SliceOfN(part, 0, 3).Draw(r, "parts"), name.Draw(r, "name")), "/")
			files[path] = text.Draw(r, "text")
			write(t, filepath.Join(dir, path), files[path])
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			r.Fatal(err)
		}
		folder, memory := mustDir(t, dir), Memory(files)
		a, b := mustList(t, folder, nil), mustList(t, memory, nil)
		if strings.Join(paths(a), "\n") != strings.Join(paths(b), "\n") {
			r.Fatalf("folder %q, memory %q", paths(a), paths(b))
		}
		known := map[string]File{}
		for i, f := range a.Files {
			known[f.Path] = f
			x, err := folder.Read(t.Context(), f.Path)
			if err != nil {
				r.Fatal(err)
			}
			y, err := memory.Read(t.Context(), f.Path)
			if err != nil || string(x) != string(y) || f.Hash != b.Files[i].Hash || f.Test != b.Files[i].Test || f.Notebook != b.Files[i].Notebook {
				r.Fatalf("%s: %q and %q, %+v and %+v", f.Path, x, y, f, b.Files[i])
			}
		}
		again := mustList(t, folder, func(p string) (File, bool) { f, ok := known[p]; return f, ok })
		for i, f := range again.Files {
			if f.Hash != a.Files[i].Hash || f.Path != a.Files[i].Path {
				r.Fatalf("again: %+v, first %+v", f, a.Files[i])
			}
		}
	})
}
