package pysyntax

import (
	"crypto/sha256"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// sameOutline fails when both readers are sure and disagree. It gives what each
// was.
func sameOutline(t testing.TB, path string, src []byte) (scanned, parsed bool) {
	t.Helper()
	scan, scanned := OutlineScan(src)
	tree, parsed := outlineTree(src)
	if !scanned || !parsed {
		return scanned, parsed
	}
	if keywordName(src, scan, tree) {
		return scanned, false
	}
	for i := range max(len(scan.Lines), len(tree.Lines)) {
		var a, b OutlineLine
		if i < len(scan.Lines) {
			a = scan.Lines[i]
		}
		if i < len(tree.Lines) {
			b = tree.Lines[i]
		}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: line %d of the outline\nscan %+v\ntree %+v", path, i, a, b)
			break
		}
	}
	return scanned, parsed
}

// keywordName: the grammar takes a keyword for a name where no clause can stand
// ("else:" after no if becomes an annotation), and sees no error in it.
func keywordName(src []byte, scan, tree *Outline) bool {
	kinds := map[int]OutlineKind{}
	for _, l := range tree.Lines {
		kinds[l.Start] = l.Kind
	}
	for _, l := range scan.Lines {
		kind, there := kinds[l.Start]
		if openers[string(leadingName(src[l.Head:]))] && (!there || kind != l.Kind) {
			return true
		}
	}
	return false
}

// TestOutlineRealSources proves the scanner equal to the grammar on what people
// wrote: a standard library each of Python 2.7, 3.9 and 3.13, and the projects
// in REPGEN_SOURCES (folders, separated by colons).
func TestOutlineRealSources(t *testing.T) {
	if os.Getenv("REPGEN_REAL") == "" {
		t.Skip("set REPGEN_REAL=1 to read the installed standard libraries")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	roots := filepath.SplitList(os.Getenv("REPGEN_SOURCES"))
	for _, pattern := range []string{"2.7.*/lib/python2.7", "3.9.*/lib/python3.9", "3.13.*/lib/python3.13"} {
		found, _ := filepath.Glob(filepath.Join(home, ".pyenv/versions", pattern))
		roots = append(roots, found...)
	}
	if out, err := exec.Command("python3", "-c", "import sysconfig; print(sysconfig.get_paths()['stdlib'])").Output(); err == nil {
		roots = append(roots, strings.TrimSpace(string(out)))
	}
	if len(roots) == 0 {
		t.Fatal("REPGEN_REAL is set but there is no Python: apt-get install python3")
	}
	seen := map[[sha256.Size]byte]bool{} // the libraries have many files in common
	for _, root := range roots {
		realRoot(t, root, seen)
	}
}

func realRoot(t *testing.T, root string, seen map[[sha256.Size]byte]bool) {
	var files, unsure, broken, both int
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "site-packages" {
			return filepath.SkipDir // whatever happens to be installed on this machine
		}
		if err != nil || !strings.HasSuffix(p, ".py") || !d.Type().IsRegular() {
			return err
		}
		src, err := os.ReadFile(p)
		if err != nil || len(src) > 1<<20 {
			return err
		}
		if key := sha256.Sum256(src); seen[key] {
			return nil
		} else {
			seen[key] = true
		}
		files++
		scanned, parsed := sameOutline(t, p, src)
		if !scanned {
			unsure++
			t.Logf("unsure: %s (grammar %v)", p, parsed)
		}
		if !parsed {
			broken++
		}
		if scanned && parsed {
			both++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d files, %d compared, scanner unsure of %d, grammar of %d", root, files, both, unsure, broken)
	if both < files*9/10 && !strings.Contains(root, "2.7") {
		t.Errorf("%s: only %d of %d files compared", root, both, files)
	}
}
