package environment

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pydist"
)

// Installed is where a distribution's own source lies in an environment.
type Installed struct {
	Name    string // normalised, of what is installed: a variant may stand in
	Version string
	// SitePackages is the folder on the host; Tops are the packages and modules
	// of the distribution in it, as paths ("keras", "six.py").
	SitePackages string
	Tops         []string
}

// Installed finds a distribution, or a variant of it (tensorflow-cpu for
// tensorflow), by the metadata and the RECORD of what is installed. Nothing is
// run. Tops is empty when the distribution is not there.
func (e *Environment) Installed(dist string) (Installed, error) {
	minor := minorOf(e.Python.Version)
	list, err := distributions(e.Dir, minor)
	if err != nil {
		return Installed{}, err
	}
	site := sitePackages(e.Dir, minor)
	for _, name := range append([]string{pydist.Normalize(dist)}, pydist.Variants(dist)...) {
		i := slices.IndexFunc(list, func(d distribution) bool { return d.name == name })
		if i < 0 {
			continue
		}
		files, err := readRecord(e.Dir, path.Join(list[i].info, "RECORD"))
		if err != nil {
			return Installed{}, fmt.Errorf("read what %s installed: %w", name, err)
		}
		return Installed{Name: name, Version: list[i].version, SitePackages: site, Tops: topPaths(site, files)}, nil
	}
	return Installed{}, nil
}

// topPaths are the top-level packages and modules of recorded files as paths
// below site-packages. Compiled modules have no source to search.
func topPaths(site string, files []recorded) []string {
	var names, out []string
	for _, f := range files {
		if rel, err := filepath.Rel(site, f.path); err == nil && filepath.IsLocal(rel) {
			names = append(names, filepath.ToSlash(rel))
		}
	}
	for _, top := range pydist.TopLevel(names) {
		path := strings.ReplaceAll(top, ".", "/")
		if info, err := os.Lstat(filepath.Join(site, path)); err == nil && info.IsDir() {
			out = append(out, path)
		} else if _, err := os.Lstat(filepath.Join(site, path+".py")); err == nil {
			out = append(out, path+".py")
		}
	}
	return out
}
