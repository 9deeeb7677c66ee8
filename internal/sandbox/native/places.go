package native

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/sandbox"
)

// places maps guest folders to host folders.
type places map[string]string

// rewrite replaces every path of a guest place in s. A path starts at the
// beginning of the string or after a character that separates paths or
// values; it ends at a slash, a separator or the end, so that /envelope is not
// taken for /env. Longer places win.
func (p places) rewrite(s string) string {
	guests := make([]string, 0, len(p))
	for g := range p {
		guests = append(guests, g)
	}
	slices.SortFunc(guests, func(a, b string) int { return len(b) - len(a) })
	var out strings.Builder
	for i := 0; i < len(s); {
		g := ""
		if i == 0 || isSeparator(s[i-1]) {
			g = matchAt(s[i:], guests)
		}
		if g == "" {
			out.WriteByte(s[i])
			i++
			continue
		}
		out.WriteString(p[g])
		i += len(g)
	}
	return out.String()
}

func matchAt(s string, guests []string) string {
	for _, g := range guests {
		rest, ok := strings.CutPrefix(s, g)
		if ok && (rest == "" || rest[0] == '/' || isSeparator(rest[0])) {
			return g
		}
	}
	return ""
}

func isSeparator(c byte) bool { return strings.IndexByte(":=,;'\" \t\n()[]", c) >= 0 }

// movedEnv gives an environment that was built for the fixed places a body on
// the host: its pyvenv.cfg and the links in bin name an interpreter at PyDir,
// which does not exist here. The stand-in has a pyvenv.cfg and links of its
// own and shares everything else. Other environments are used as they are.
func (r *run) movedEnv() error {
	host, ok := r.places[sandbox.EnvDir]
	if !ok {
		return nil
	}
	cfg, err := os.ReadFile(filepath.Join(host, "pyvenv.cfg"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	farm := filepath.Join(r.scratch, "env")
	if err := os.MkdirAll(filepath.Join(farm, "bin"), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(farm, "pyvenv.cfg"), []byte(r.places.rewrite(string(cfg))), 0o644); err != nil {
		return err
	}
	if err := r.link(host, farm, []string{"bin", "pyvenv.cfg"}); err != nil {
		return err
	}
	if err := r.link(filepath.Join(host, "bin"), filepath.Join(farm, "bin"), nil); err != nil {
		return err
	}
	r.places[sandbox.EnvDir] = farm
	return nil
}

// link fills the folder to with links to the entries of from; a link that
// points at a guest place is made again for the host.
func (r *run) link(from, to string, except []string) error {
	names, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, n := range names {
		if slices.Contains(except, n.Name()) {
			continue
		}
		target := filepath.Join(from, n.Name())
		if old, err := os.Readlink(target); err == nil {
			if moved := r.places.rewrite(old); moved != old {
				target = moved
			} else if !filepath.IsAbs(old) {
				target = old // "python -> python3" stays within the folder
			}
		}
		if err := os.Symlink(target, filepath.Join(to, n.Name())); err != nil {
			return err
		}
	}
	return nil
}
