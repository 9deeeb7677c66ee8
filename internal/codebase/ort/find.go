package ort

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// Variable names a library that is used before any other.
const Variable = "REPGEN_ONNXRUNTIME"

// Search says where a library may be.
type Search struct {
	// Named is what the user named (the value of Variable), "" when nothing: it
	// is used or refused, never passed over.
	Named string
	// Installed is the pulled one, "" when there is none.
	Installed string
	// Folders are searched last; nil: the system's.
	Folders []string
}

// Find gives the library to load: the named one, the pulled one, or one of the
// system. It loads nothing. ErrNoRuntime when there is none.
func (s Search) Find() (string, error) {
	if s.Named != "" {
		if isFile(s.Named) {
			return s.Named, nil
		}
		return "", &NoRuntimeError{Tried: []string{Variable + "=" + s.Named + ": no such file"}, Next: next}
	}
	tried := []string{"none was pulled"}
	if s.Installed != "" {
		if isFile(s.Installed) {
			return s.Installed, nil
		}
		tried = []string{s.Installed + ": no such file"}
	}
	folders := s.Folders
	if folders == nil {
		folders = systemFolders()
	}
	for _, dir := range folders {
		found, err := filepath.Glob(filepath.Join(dir, pattern()))
		if err != nil {
			continue // a folder with a bracket in its name
		}
		slices.Sort(found) // the bare name before the numbered ones
		for _, path := range found {
			if isFile(path) {
				return path, nil
			}
		}
	}
	return "", &NoRuntimeError{Tried: append(tried, "none in the system's folders"), Next: next}
}

// systemFolders are where distributions and a user's own build put it.
func systemFolders() []string {
	dirs := filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))
	if runtime.GOOS == "darwin" {
		return append(dirs, "/opt/homebrew/lib", "/usr/local/lib")
	}
	triple := map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}[runtime.GOARCH]
	return append(dirs, "/usr/local/lib", "/usr/lib/"+triple, "/usr/lib64", "/usr/lib")
}

func pattern() string {
	if runtime.GOOS == "darwin" {
		return "libonnxruntime*.dylib"
	}
	return "libonnxruntime.so*"
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
