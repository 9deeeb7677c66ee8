package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/repgen/repgen/internal/environment"
)

const (
	// dirWheels holds wheels that no index has: built from the user's project.
	dirWheels = "wheels"
	// maxWheel bounds one: a bundle is sent around. A guess; pure Python
	// wheels have under 5 MiB.
	maxWheel = 20 << 20
)

// wheelPath is where a wheel lies. The reported side's stands first, for the
// script; another may have the same name, so its hash makes its folder.
func wheelPath(p environment.Package, reported bool) string {
	if reported || len(p.Hashes) == 0 {
		return path.Join(dirWheels, p.Wheel)
	}
	hash := strings.TrimPrefix(p.Hashes[0], "sha256:")
	return path.Join(dirWheels, hash[:min(12, len(hash))], p.Wheel)
}

// localPackages are the packages of a lock that come as a wheel.
func localPackages(l *environment.Lock) []environment.Package {
	var out []environment.Package
	if l != nil {
		for _, p := range l.Packages {
			if p.Wheel != "" {
				out = append(out, p)
			}
		}
	}
	return out
}

// putWheels adds the wheels of all sides. One that is too large or gone is
// left out: the bundle then verifies only where it was made.
func putWheels(files map[string][]byte, c Content) error {
	if c.Wheel == nil {
		return nil
	}
	seen := map[string]bool{}
	for i, l := range append([]*environment.Lock{c.Outcome.Lock}, c.Outcome.Locks...) {
		for _, p := range localPackages(l) {
			key := strings.Join(p.Hashes, " ")
			if seen[key] {
				continue
			}
			seen[key] = true
			data, err := c.Wheel(p)
			if errors.Is(err, fs.ErrNotExist) || err == nil && len(data) > maxWheel {
				continue
			}
			if err != nil {
				return fmt.Errorf("read the wheel %s: %w", p.Wheel, err)
			}
			files[wheelPath(p, i == 0)] = data
		}
	}
	return nil
}

// wheelSources points the script's metadata at the wheels beside it.
func wheelSources(c Content) string {
	var lines []string
	for _, p := range localPackages(c.Outcome.Lock) {
		lines = append(lines, fmt.Sprintf("# %s = { path = %q }\n", p.Name, wheelPath(p, true)))
	}
	if len(lines) == 0 {
		return ""
	}
	return "#\n# [tool.uv.sources]\n" + strings.Join(lines, "")
}

// projectLine says in the README where the subject came from.
func projectLine(c Content) string {
	list := localPackages(c.Outcome.Lock)
	if len(list) == 0 {
		return ""
	}
	p := list[0]
	text := fmt.Sprintf("%s %s is no release: %s.", p.Name, p.Version, oneLine(p.Why))
	if c.Wheel != nil {
		if data, err := c.Wheel(p); err == nil && len(data) <= maxWheel {
			return text + " Its wheel is in wheels/."
		}
	}
	return text + " Its wheel is not in this bundle, which can be run again only where it was made."
}

// wheelsOf finds the wheels among a bundle's files.
func wheelsOf(files map[string][]byte) map[string][]byte {
	out := map[string][]byte{}
	for name, data := range files {
		if strings.HasPrefix(name, dirWheels+"/") && strings.HasSuffix(name, ".whl") {
			out["sha256:"+digest(data)] = data
		}
	}
	return out
}
