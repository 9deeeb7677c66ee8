package pydist

import (
	"slices"
	"strings"
)

// TopLevel reads the import names of a wheel out of the file names in its
// RECORD: packages and single modules at the top, sorted, without metadata,
// scripts and data. A package below a namespace without an __init__.py is given
// with its dots ("google.protobuf"), as far as one folder leads to one folder.
func TopLevel(files []string) []string {
	inits := map[string]bool{}
	for _, f := range files {
		if dir, ok := strings.CutSuffix(f, "/__init__.py"); ok {
			inits[dir] = true
		}
	}
	var out []string
	add := func(name string) {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, f := range files {
		dir, _, deep := strings.Cut(f, "/")
		switch {
		case strings.HasSuffix(dir, ".dist-info"), strings.HasSuffix(dir, ".data"), dir == "..", dir == "__pycache__", dir == "":
		case !deep:
			if name := moduleName(f); name != "" {
				add(name)
			}
		case isModuleFile(f):
			if name := packageOf(f, inits); name != "" {
				add(name)
			}
		}
	}
	slices.Sort(out)
	return out
}

// packageOf is the first package on the way to a file: its top folder, or the
// folders of a namespace down to the first with an __init__.py.
func packageOf(file string, inits map[string]bool) string {
	parts := strings.Split(file, "/")
	parts = parts[:len(parts)-1]
	for i := range parts {
		if !isIdentifier(parts[i]) {
			return ""
		}
		if inits[strings.Join(parts[:i+1], "/")] {
			return strings.Join(parts[:i+1], ".")
		}
	}
	return parts[0] // a namespace all the way: its top is all that can be said
}

func isModuleFile(f string) bool { return strings.HasSuffix(f, ".py") || strings.HasSuffix(f, ".so") }

// moduleName of a file at the top: "six.py", "_yaml.cpython-311-x86_64.so".
func moduleName(f string) string {
	if !isModuleFile(f) {
		return ""
	}
	name, _, _ := strings.Cut(f, ".")
	if !isIdentifier(name) {
		return ""
	}
	return name
}

func isIdentifier(s string) bool {
	for i, c := range s {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
