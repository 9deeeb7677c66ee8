package uv

import (
	"fmt"
	"strings"

	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// Pinned is one line of a lock.
type Pinned struct {
	Name    string // normalised
	Version string
	Hashes  []string // "sha256:..."
	// Via are the names of the packages that asked for it, and "requirement"
	// or "constraint" where the input did.
	Via []string
}

// pinForm matches the head of a pin; extras are left out, they are resolved.
var pinForm = lazyre.New(`^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?\s*==\s*([^\s;\\]+)`)

// hashForm matches one hash option.
var hashForm = lazyre.New(`--hash[= ](sha256:[0-9a-fA-F]{64})(?:\s|\\|$)`)

// ParseLock reads a requirements text with pins, hashes and uv's comments.
// Lines of any other kind are skipped.
func ParseLock(text string) []Pinned {
	var out []Pinned
	via := false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if m := pinForm.FindStringSubmatch(trimmed); m != nil {
			out = append(out, Pinned{Name: pydist.Normalize(m[1]), Version: m[2]})
			via = false
		}
		if len(out) == 0 {
			continue
		}
		last := &out[len(out)-1]
		for _, h := range hashForm.FindAllStringSubmatch(trimmed, -1) {
			last.Hashes = append(last.Hashes, strings.ToLower(h[1]))
		}
		comment, isComment := strings.CutPrefix(trimmed, "#")
		if !isComment || line[0] == '#' {
			continue // uv indents what belongs to a pin
		}
		comment = strings.TrimSpace(comment)
		if rest, found := strings.CutPrefix(comment, "via"); found && (rest == "" || rest[0] == ' ') {
			via = true
			comment = strings.TrimSpace(rest)
		}
		if via && comment != "" {
			last.Via = append(last.Via, viaName(comment))
		}
	}
	return out
}

// viaName keeps paths of our temporary files out of records.
func viaName(comment string) string {
	switch {
	case strings.HasPrefix(comment, "-c"):
		return "constraint"
	case strings.HasPrefix(comment, "--override"):
		return "override"
	case strings.HasPrefix(comment, "-r"), strings.HasPrefix(comment, "("):
		return "requirement"
	}
	name, _, _ := strings.Cut(comment, " ")
	return pydist.Normalize(name)
}

// What a pin may be made of: a normalised name, a version as the index and uv
// write it, the one kind of hash that we ask for.
var (
	ownName    = lazyre.New(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	ownVersion = lazyre.New(`^[A-Za-z0-9][A-Za-z0-9.!+_-]*$`)
	ownHash    = lazyre.New(`^sha256:[0-9a-f]{64}$`)
)

// maxPart of a pin, in bytes. The longest names and versions of the index have
// under 100.
const maxPart = 200

// FormatLock writes pins and hashes as a requirements text: no comments, no
// addresses, so that equal locks are equal texts. This is where a lock reaches
// the installer, which takes options, addresses and files from such a text:
// anything that is no name, no version or no hash is an error, whoever put it
// there.
func FormatLock(pins []Pinned) (string, error) {
	var b strings.Builder
	for _, p := range pins {
		if why := p.odd(); why != "" {
			return "", fmt.Errorf("write the lock: %s", why)
		}
		b.WriteString(p.Name + "==" + p.Version)
		for _, h := range p.Hashes {
			b.WriteString(" \\\n    --hash=" + h)
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// odd says what of a pin is none; "" for a pin.
func (p Pinned) odd() string {
	switch {
	case len(p.Name) > maxPart || !ownName.MatchString(p.Name):
		return fmt.Sprintf("%.100q is no name of a package", p.Name)
	case len(p.Version) > maxPart || !ownVersion.MatchString(p.Version):
		return fmt.Sprintf("%.100q is no version of %s", p.Version, p.Name)
	}
	for _, h := range p.Hashes {
		if !ownHash.MatchString(h) {
			return fmt.Sprintf("%.100q is no hash of %s", h, p.Name)
		}
	}
	return ""
}
