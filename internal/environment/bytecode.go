package environment

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/environment/interp"
	"github.com/repgen/repgen/internal/sandbox"
)

// hasBytecodePrefix says whether an interpreter can keep bytecode in a folder of its
// own (PYTHONPYCACHEPREFIX, Python 3.8).
func hasBytecodePrefix(p interp.Interpreter) bool { return p.Minor != "3.6" && p.Minor != "3.7" }

// notSeeded are parts of the standard library that no script under test uses
// or that are large: left out, they are compiled when somebody does.
var notSeeded = []string{"test", "tests", "idlelib", "lib2to3", "tkinter", "turtledemo", "ensurepip", "site-packages", "dist-packages", "pydoc_data", "__phello__"}

// seedBytecode copies the standard library's bytecode into dst, laid out as an
// interpreter expects it there: with a bytecode folder of its own, it looks
// nowhere else. Copies, since the folder is written by what is certified, and
// a hard link would let it write to the interpreter's own files.
func seedBytecode(p interp.Interpreter, dst string) error {
	lib := filepath.Join(p.Prefix, "lib", "python"+p.Minor)
	guest := filepath.Join(sandbox.PyDir, "lib", "python"+p.Minor)
	if p.InUsr() {
		guest = lib
	}
	suffix := ".cpython-" + strings.ReplaceAll(p.Minor, ".", "") + ".pyc"
	err := filepath.WalkDir(lib, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be read is compiled anew
		}
		if d.IsDir() {
			if path != lib && slices.Contains(notSeeded, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		dir := filepath.Dir(path)
		if filepath.Base(dir) != "__pycache__" || !strings.HasSuffix(d.Name(), suffix) || !d.Type().IsRegular() {
			return nil
		}
		rel, err := filepath.Rel(lib, filepath.Dir(dir))
		if err != nil {
			return err
		}
		return copyFile(path, filepath.Join(dst, guest, rel, d.Name()))
	})
	return err
}

func copyFile(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	defer func() { _ = in.Close() }()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	return err
}
