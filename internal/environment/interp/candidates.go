package interp

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// places says where to look; tests have their own.
type places struct {
	Getenv func(string) string
	Home   string
	// Root is put before the fixed system folders; "" outside of tests.
	Root string
}

func osGetenv(name string) string { return os.Getenv(name) }

func homeDir() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return "" // no home: its places are skipped
	}
	return home
}

// candidate is an executable that may be an interpreter.
type candidate struct {
	path   string // real
	source string
}

// nameForm are the names of interpreters; python2.7 and python3-config are not.
var nameForm = regexp.MustCompile(`^python(3(\.\d{1,2})?)?$`)

// candidates lists executables once each, by their real path, in the order of
// preference of their source.
func (p places) candidates() []candidate {
	var out []candidate
	seen := map[string]bool{}
	add := func(source string, patterns ...string) {
		for _, pattern := range patterns {
			found, err := filepath.Glob(pattern)
			if err != nil {
				continue // a folder name with a bracket in it
			}
			for _, path := range found {
				real, ok := executable(path)
				if ok && !seen[real] {
					seen[real] = true
					out = append(out, candidate{path: real, source: source})
				}
			}
		}
	}
	bin := func(dirs ...string) []string {
		var patterns []string
		for _, d := range dirs {
			if d != "" {
				patterns = append(patterns, filepath.Join(d, "bin", "python*"))
			}
		}
		return patterns
	}
	add("pyenv", bin(p.inHome("PYENV_ROOT", ".pyenv", "versions", "*"))...)
	add("uv", bin(p.uvManaged())...)
	add("opt", bin(p.fixed("/opt/*"), p.fixed("/opt/python/*"))...)
	add("conda", bin(p.conda()...)...)
	for _, dir := range filepath.SplitList(p.Getenv("PATH")) {
		if filepath.IsAbs(dir) {
			add(pathSource(dir), filepath.Join(dir, "python*"))
		}
	}
	add("path", bin(p.fixed("/usr/local"))...)
	add("system", bin(p.fixed("/usr"))...)
	return out
}

// pathSource tells the distribution's own Python from others on PATH.
func pathSource(dir string) string {
	if dir == "/usr/bin" || dir == "/bin" {
		return "system"
	}
	return "path"
}

func (p places) fixed(path string) string { return p.Root + path }

// inHome is below the folder that the variable names, else below home.
func (p places) inHome(variable, fallback string, rest ...string) string {
	base := p.Getenv(variable)
	if base == "" {
		if p.Home == "" {
			return ""
		}
		base = filepath.Join(p.Home, fallback)
	}
	return filepath.Join(append([]string{base}, rest...)...)
}

func (p places) uvManaged() string {
	if dir := p.Getenv("UV_PYTHON_INSTALL_DIR"); dir != "" {
		return filepath.Join(dir, "*")
	}
	return p.inHome("XDG_DATA_HOME", filepath.Join(".local", "share"), "uv", "python", "*")
}

// conda lists the usual homes of conda and its relatives, and what conda
// itself keeps a list of.
func (p places) conda() []string {
	dirs := []string{p.Getenv("CONDA_PREFIX"), p.fixed("/opt/conda"), p.fixed("/opt/conda/envs/*")}
	if p.Home == "" {
		return dirs
	}
	for _, name := range []string{"miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba", ".conda"} {
		base := filepath.Join(p.Home, name)
		dirs = append(dirs, base, filepath.Join(base, "envs", "*"))
	}
	list, err := os.ReadFile(filepath.Join(p.Home, ".conda", "environments.txt"))
	if err != nil {
		return dirs
	}
	for line := range strings.Lines(string(list)) {
		if line = strings.TrimSpace(line); filepath.IsAbs(line) {
			dirs = append(dirs, line)
		}
	}
	return dirs
}

// executable resolves a name to the real file and looks at its first bytes:
// shims and wrappers are scripts, an interpreter is a binary.
func executable(path string) (string, bool) {
	if !nameForm.MatchString(filepath.Base(path)) {
		return "", false
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", false
	}
	st, err := os.Stat(real)
	if err != nil || !st.Mode().IsRegular() || st.Mode().Perm()&0o111 == 0 {
		return "", false
	}
	f, err := os.Open(real)
	if err != nil {
		return "", false
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 4)
	if _, err := f.Read(head); err != nil {
		return "", false
	}
	return real, bytes.Equal(head, []byte("\x7fELF"))
}
