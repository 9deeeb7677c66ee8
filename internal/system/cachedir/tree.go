package cachedir

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// diskUse is the space of a tree in bytes, as its blocks say. A file with
// several names counts once within the tree, but names outside it (hard links
// into another cache) are not known and do not lower it.
func diskUse(root string) (int64, error) {
	var sum int64
	seen := map[uint64]bool{}
	err := filepath.WalkDir(root, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		st, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			sum += info.Size()
			return nil
		}
		if st.Nlink > 1 && !d.IsDir() {
			if seen[st.Ino] {
				return nil
			}
			seen[st.Ino] = true
		}
		sum += st.Blocks * 512 // st_blocks counts units of 512 bytes
		return nil
	})
	return sum, err
}

// readOnly takes the write bits of all files and folders; links are left, for
// chmod would follow them out of the tree.
func readOnly(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() && !d.Type().IsRegular() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.Chmod(path, info.Mode().Perm()&^0o222)
	})
}
