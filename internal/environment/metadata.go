package environment

import (
	"fmt"
	"regexp"
	"strings"
)

// repairMetadata rewrites the dependency lines of a wheel's METADATA that no
// standard-following installer reads, and says what it did. Installers before
// 2024 took such lines (pip refuses them since 24.1, uv always did), so old
// releases carry them: gym 0.21.0 asks for "opencv-python (>=3.)". Only header
// lines of the two kinds below are looked at; everything else, the README
// included, stays byte for byte. Notes are nil when nothing had to change.
func repairMetadata(text string) (fixed string, notes []string) {
	var out strings.Builder
	for rest := text; rest != ""; {
		line := rest
		if i := strings.IndexByte(rest, '\n'); i >= 0 {
			line = rest[:i+1]
		}
		rest = rest[len(line):]
		if strings.TrimSpace(line) == "" { // the end of the headers
			out.WriteString(line + rest)
			break
		}
		body := strings.TrimRight(line, "\r\n")
		key, value, _ := strings.Cut(body, ":")
		value = strings.TrimSpace(value)
		repaired, note := value, ""
		switch strings.ToLower(key) {
		case "requires-dist":
			repaired, note = repairDependency(value)
		case "requires-python":
			repaired, note = repairPython(value)
		}
		switch {
		case note == "":
			out.WriteString(line)
			continue
		case repaired != "":
			out.WriteString(key + ": " + repaired + line[len(body):])
		}
		notes = append(notes, note)
	}
	return out.String(), notes
}

// repairDependency returns a line that reads, and a note when it differs. An
// unreadable line of an extra is left out ("" with a note): nobody asked for
// it. Any other one loses only the part that does not read, so the package is
// still installed.
func repairDependency(value string) (string, string) {
	body, marker, marked := strings.Cut(value, ";")
	body = strings.TrimSpace(body)
	m := requirement.FindStringSubmatch(body)
	isExtra := marked && strings.Contains(marker, "extra")
	markerBad := marked && !readableMarker(marker)
	switch {
	case m != nil && strings.HasPrefix(strings.TrimSpace(m[3]), "@"), m == nil && !isExtra && !marked:
		// A direct reference is refused with a word of its own; a line without
		// even a name is for the installer to complain of.
		return value, ""
	case m == nil:
		return "", fmt.Sprintf("dependency %q left out", clip(value, 80))
	}
	spec := strings.TrimSpace(strings.Trim(strings.TrimSpace(m[3]), "()"))
	if readableSpec(spec) && !markerBad {
		return value, ""
	}
	if isExtra {
		return "", fmt.Sprintf("dependency %q left out", clip(value, 80))
	}
	name := m[1]
	if m[2] != "" {
		name += "[" + m[2] + "]"
	}
	fixed := name
	if s := repairSpec(spec); s != "" {
		fixed += " (" + s + ")"
	}
	if marked && !markerBad {
		fixed += " ; " + strings.TrimSpace(marker)
	}
	return fixed, fmt.Sprintf("dependency %q read as %q", clip(value, 80), clip(fixed, 80))
}

// repairPython drops a bound that does not read: installers that followed the
// standard loosely took it as none.
func repairPython(value string) (string, string) {
	if readableSpec(value) {
		return value, ""
	}
	fixed := repairSpec(value)
	return fixed, fmt.Sprintf("Python bound %q read as %q", clip(value, 80), clip(fixed, 80))
}

// readableSpec is validSpec and what uv takes beside it: a wildcard after an
// ordering operator (">=1.7.*") is common and has one meaning.
func readableSpec(spec string) bool {
	return validSpec(orderedWildcard.ReplaceAllString(strings.Join(strings.Fields(spec), ""), "$1$2"))
}

var (
	orderedWildcard = regexp.MustCompile(`((?:^|,)(?:<=|>=|<|>|~=))([^,*]+?)\.\*`)
	// clauseStart splits clauses that lack their comma.
	clauseStart = regexp.MustCompile(`[^,<>=!~\s]\s*(?:===|==|!=|<=|>=|~=|<|>)`)
)

// repairSpec keeps the clauses that read, after taking off trailing dots and
// quotes and putting in missing commas; "" when none is left.
func repairSpec(spec string) string {
	spec = clauseStart.ReplaceAllStringFunc(strings.Join(strings.Fields(spec), ""), func(m string) string {
		return m[:1] + "," + m[1:]
	})
	var kept []string
	for _, clause := range strings.Split(spec, ",") {
		clause = strings.TrimRight(strings.Trim(clause, `"'()`), ".")
		if clause != "" && readableSpec(clause) {
			kept = append(kept, clause)
		}
	}
	return strings.Join(kept, ",")
}

// markerToken is one word of an environment marker (PEP 508).
var markerToken = regexp.MustCompile(`^\s*(?:"[^"]*"|'[^']*'|\(|\)|===|==|!=|<=|>=|~=|<|>|not\s+in\b|in\b|and\b|or\b|[a-z_.]+\b)`)

// readableMarker is true for a text of nothing but marker words with balanced
// brackets. It is no parser: what it misses is left to the installer.
func readableMarker(marker string) bool {
	depth := 0
	rest := strings.TrimSpace(marker)
	if rest == "" {
		return false
	}
	for rest != "" {
		word := markerToken.FindString(rest)
		if word == "" {
			return false
		}
		rest = strings.TrimSpace(rest[len(word):])
		switch strings.TrimSpace(word) {
		case "(":
			depth++
		case ")":
			depth--
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0
}
