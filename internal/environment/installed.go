package environment

import (
	"fmt"
	"os"
	"path/filepath"
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
	site := sitePackages(e.Dir, minorOf(e.Python.Version))
	infos, err := filepath.Glob(filepath.Join(site, "*.dist-info", "METADATA"))
	if err != nil {
		return Installed{}, err
	}
	byName := map[string]Installed{}
	folder := map[string]string{}
	for _, path := range infos {
		name, version, err := readMetadata(path)
		if err != nil {
			return Installed{}, fmt.Errorf("read the metadata of an installed package: %w", err)
		}
		name = pydist.Normalize(name)
		byName[name] = Installed{Name: name, Version: version, SitePackages: site}
		folder[name] = filepath.Dir(path)
	}
	for _, name := range append([]string{pydist.Normalize(dist)}, pydist.Variants(dist)...) {
		in, ok := byName[name]
		if !ok {
			continue
		}
		files, err := readRecord(e.Dir, site, filepath.Join(folder[name], "RECORD"))
		if err != nil {
			return Installed{}, fmt.Errorf("read what %s installed: %w", name, err)
		}
		in.Tops = topPaths(site, files)
		return in, nil
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
		if info, err := os.Stat(filepath.Join(site, path)); err == nil && info.IsDir() {
			out = append(out, path)
		} else if _, err := os.Stat(filepath.Join(site, path+".py")); err == nil {
			out = append(out, path+".py")
		}
	}
	return out
}
