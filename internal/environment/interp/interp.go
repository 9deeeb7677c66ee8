package interp

import (
	"context"
	"path/filepath"
	"strings"
)

// Interpreter is one usable Python, asked once.
type Interpreter struct {
	// Path is the real path of the executable: no symlink, no shim.
	Path string `json:"path"`
	// Prefix is the folder that holds it and its standard library
	// (sys.base_prefix): what has to be visible to run it.
	Prefix string `json:"prefix"`
	// Version is full, "3.11.7" ("3.14.0rc1" for a pre-release).
	Version string `json:"version"`
	// Minor is "3.11".
	Minor string `json:"minor"`
	// Tag is the wheel tag of interpreter and minor version, "cp311".
	Tag string `json:"tag"`
	// ABI is the wheel ABI tag, "cp311"; "cp37m" before 3.8.
	ABI string `json:"abi"`
	// Arch is the machine, "x86_64" or "aarch64".
	Arch string `json:"arch"`
	// Glibc is "2.36"; empty on a system without it.
	Glibc string `json:"glibc,omitempty"`
	// Shared is true when libpython is a shared library below Prefix.
	Shared bool `json:"shared,omitempty"`
	// Lacks are modules of the standard library that it was built without
	// ("_ssl", "_ctypes", ...): many packages do not import there.
	Lacks []string `json:"lacks,omitempty"`
	// Source says how it was found: "pyenv", "uv", "path", "opt", "conda",
	// "system".
	Source string `json:"source"`
}

// Guest is the place of the executable where Prefix is seen as root ("/py").
// An interpreter below /usr keeps its own path: /usr is there as it is.
func (i Interpreter) Guest(root string) string {
	if i.InUsr() {
		return i.Path
	}
	rel, err := filepath.Rel(i.Prefix, i.Path)
	if err != nil || strings.HasPrefix(rel, "..") {
		return i.Path // Find lets none through
	}
	return filepath.Join(root, rel)
}

// InUsr is true when the interpreter is part of the system's /usr tree.
func (i Interpreter) InUsr() bool {
	return i.Prefix == "/usr" || strings.HasPrefix(i.Prefix, "/usr/")
}

// Find lists the interpreters of this machine, best first within each minor
// version, minor versions newest first. What each said of itself is cached
// below cacheDir by path, size and time of its file. One that cannot be asked
// is left out; finding none is an empty list, not an error.
func Find(ctx context.Context, cacheDir string) ([]Interpreter, error) {
	return find(ctx, cacheDir, places{Getenv: osGetenv, Home: homeDir()})
}
