package uv

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// An environment that holds packages is a stranger's program: to start its
// interpreter is to run the lines of every .pth file in it, and -I does not keep
// it from that. uv starts the interpreter that it is given, so it is given none
// of such an environment, whatever the caller means to do about it.

// hollow refuses an interpreter whose environment holds anything. One without a
// pyvenv.cfg is no environment: the user's own Python, with what is installed
// there.
func hollow(python string) error {
	bin := filepath.Dir(python)
	// The two places where an interpreter looks for it (PEP 405).
	for _, dir := range []string{bin, filepath.Dir(bin)} {
		if _, err := os.Lstat(filepath.Join(dir, "pyvenv.cfg")); err != nil {
			continue
		}
		for _, lib := range []string{"lib", "lib64"} {
			if err := empty(filepath.Join(filepath.Dir(bin), lib)); err != nil {
				return fmt.Errorf("%s is the interpreter of a filled environment and is not started: %w", python, err)
			}
		}
	}
	return nil
}

// empty refuses a folder below which anything but folders is.
func empty(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case os.IsNotExist(err):
			return nil
		case err != nil:
			return err
		case !d.IsDir():
			return fmt.Errorf("%s is not empty: %s is there", dir, path)
		}
		return nil
	})
}
