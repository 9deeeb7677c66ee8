package chunk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/codebase/source"
	"github.com/repgen/repgen/internal/pysyntax"
)

// realTrees are the sources that the real tests read: the standard library of
// the Python on the PATH with the packages installed in it, the folders in
// REPGEN_SOURCES and the git directories in REPGEN_GIT, separated by colons.
func realTrees(t testing.TB) map[string]source.Tree {
	t.Helper()
	if os.Getenv("REPGEN_REAL") == "" {
		t.Skip("set REPGEN_REAL=1 to read the installed standard library")
	}
	out, err := exec.Command("python3", "-c", "import sysconfig; print(sysconfig.get_paths()['stdlib'])").Output()
	if err != nil {
		t.Fatalf("REPGEN_REAL is set but there is no Python: apt-get install python3: %v", err)
	}
	trees := map[string]source.Tree{}
	for _, dir := range append([]string{strings.TrimSpace(string(out))}, filepath.SplitList(os.Getenv("REPGEN_SOURCES"))...) {
		if trees[dir], err = source.Dir(dir); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range filepath.SplitList(os.Getenv("REPGEN_GIT")) {
		g, err := source.Git(t.Context(), dir, "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = g.Close() })
		trees[dir] = g
	}
	return trees
}

// eachReal calls f with every file.
func eachReal(t testing.TB, f func(tree, path string, src []byte)) {
	t.Helper()
	for name, tree := range realTrees(t) {
		l, err := tree.List(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range l.Files {
			src, err := tree.Read(t.Context(), file.Path)
			if err != nil {
				t.Error(err)
				continue
			}
			f(name, file.Path, src)
		}
	}
}

// TestRealSame: the scanner and the grammar give the same chunks.
func TestRealSame(t *testing.T) {
	files, compared := map[string]int{}, map[string]int{}
	eachReal(t, func(tree, path string, src []byte) {
		files[tree]++
		if sameChunks(t, path, src) {
			compared[tree]++
		}
		check(t, src, Split(path, src))
	})
	for tree, n := range files {
		t.Logf("%s: %d of %d files compared", tree, compared[tree], n)
		if compared[tree] < n*95/100 {
			t.Errorf("%s: only %d of %d files compared", tree, compared[tree], n)
		}
	}
}

// astScript prints the definitions that Python itself sees, as "name first last".
const astScript = `
import ast, json, sys, warnings
warnings.filterwarnings("ignore")
def visit(body, prefix, out):
    for n in body:
        if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            first = min([n.lineno] + [d.lineno for d in n.decorator_list])
            out.append("%s %d %d" % (prefix + n.name, first, n.end_lineno))
            if isinstance(n, ast.ClassDef): visit(n.body, prefix + n.name + ".", out)
        else:
            for b in ("body", "handlers", "orelse", "finalbody", "cases"):
                for m in [getattr(n, b, [])] if b not in ("handlers", "cases") else [h.body for h in getattr(n, b, [])]:
                    if isinstance(m, list): visit(m, prefix, out)
    return out
for line in sys.stdin:
    try: print(json.dumps(visit(ast.parse(json.loads(line)).body, "", [])), flush=True)
    except (SyntaxError, ValueError, RecursionError): print("null", flush=True)
`

// TestRealPython: the definitions are those that Python's own parser sees, with
// their names and lines.
func TestRealPython(t *testing.T) {
	var in bytes.Buffer
	var want [][]string
	var names []string
	eachReal(t, func(tree, path string, src []byte) {
		line, err := json.Marshal(string(src))
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(line, '\n'))
		var defs []string
		for _, c := range Split(path, src) {
			switch {
			case c.Kind == Module:
			case c.Part > 1:
				head, _, _ := cutLast(defs[len(defs)-1])
				defs[len(defs)-1] = fmt.Sprintf("%s %d", head, c.EndLine)
			default:
				defs = append(defs, fmt.Sprintf("%s %d %d", c.Name, c.StartLine, c.EndLine))
			}
		}
		want, names = append(want, defs), append(names, tree+": "+path)
	})
	cmd := exec.Command("python3", "-c", astScript)
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	agreed, broken := 0, 0
	for i, line := range bytes.Split(bytes.TrimSpace(out), []byte("\n")) {
		var defs []string
		if err := json.Unmarshal(line, &defs); err != nil {
			t.Fatal(err)
		}
		if defs == nil && string(line) == "null" {
			broken++
			continue
		}
		if got := strings.Join(want[i], "\n"); got != strings.Join(defs, "\n") {
			t.Errorf("%s:\n%.2000s\nPython says\n%.2000s", names[i], got, strings.Join(defs, "\n"))
			continue
		}
		agreed++
	}
	t.Logf("%d files agree, Python cannot read %d", agreed, broken)
}

func cutLast(s string) (head, last string, ok bool) {
	i := strings.LastIndexByte(s, ' ')
	return s[:max(i, 0)], s[i+1:], i >= 0
}

// BenchmarkSplit is what cutting costs, in MB/s, by hand and by the grammar, and
// what the texts to embed add. On the real sources with REPGEN_REAL, else on a
// file of the corpus.
func BenchmarkSplit(b *testing.B) {
	var texts [][]byte
	total := 0
	if os.Getenv("REPGEN_REAL") != "" {
		eachReal(b, func(_, _ string, src []byte) { texts = append(texts, src) })
	} else {
		src, err := os.ReadFile("../../pysyntax/testdata/outline/callbacks.py")
		if err != nil {
			b.Fatal(err)
		}
		texts = append(texts, src)
	}
	for _, src := range texts {
		total += len(src)
	}
	run := func(name string, f func(src []byte)) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(total))
			b.ReportAllocs()
			for b.Loop() {
				for _, src := range texts {
					f(src)
				}
			}
		})
	}
	run("scan", func(src []byte) { Split("a.py", src) })
	run("grammar", func(src []byte) { o, _ := pysyntax.OutlineTree(src); split("a.py", src, o) })
	run("embedtext", func(src []byte) {
		for _, c := range Split("a.py", src) {
			EmbedText(c, src)
		}
	})
}
