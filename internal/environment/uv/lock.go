package uv

import (
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

// FormatLock writes pins and hashes as a requirements text: no comments, no
// addresses, so that equal locks are equal texts.
func FormatLock(pins []Pinned) string {
	var b strings.Builder
	for _, p := range pins {
		b.WriteString(p.Name + "==" + p.Version)
		for _, h := range p.Hashes {
			b.WriteString(" \\\n    --hash=" + h)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
