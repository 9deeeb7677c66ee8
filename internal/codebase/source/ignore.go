package source

import (
	"bytes"
	"strings"
)

const (
	// maxIgnoreFile and maxPattern bound what is read of a .gitignore file, in
	// bytes; guesses far above what anybody writes. maxPattern also bounds the
	// paths of an index.
	maxIgnoreFile = 1 << 20
	maxPattern    = 4096
	// maxPatterns bounds those that hold at one path, of all folders above it:
	// nested files of a repository that is small packed would fill the memory.
	// What comes after is not read; a guess, projects have hundreds.
	maxPatterns = 50_000
	// pathSteps bounds the comparisons of one path with all its patterns, some
	// milliseconds (see maxSteps). What needs more does not match.
	pathSteps = 1_000_000
)

// pattern is one line of a .gitignore file.
type pattern struct {
	text    string // without "!", the leading and the trailing slash
	negated bool
	dirOnly bool
	base    bool // no slash: compared with the last part of the path only
	plain   int  // bytes before the first wildcard
}

// ignores are the patterns of one .gitignore file and, in up, of the folders
// above it. The nil value ignores nothing.
type ignores struct {
	dir      string // with a trailing slash; "" for the top
	patterns []pattern
	up       *ignores
	all      int // patterns, of those above too
}

// parseIgnores reads a .gitignore file that stands in dir.
func parseIgnores(dir string, text []byte, up *ignores) *ignores {
	text = bytes.TrimPrefix(text[:min(len(text), maxIgnoreFile)], []byte("\xef\xbb\xbf"))
	list := &ignores{dir: dir, up: up}
	if up != nil {
		list.all = up.all
	}
	for len(text) > 0 && list.all < maxPatterns {
		var line []byte
		line, text, _ = bytes.Cut(text, []byte{'\n'})
		if p, ok := parsePattern(string(line)); ok {
			list.patterns = append(list.patterns, p)
			list.all++
		}
	}
	if len(list.patterns) == 0 {
		return up
	}
	return list
}

func parsePattern(line string) (pattern, bool) {
	line = trimSpaces(strings.TrimSuffix(line, "\r"))
	if line == "" || line[0] == '#' || len(line) > maxPattern {
		return pattern{}, false
	}
	var p pattern
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.dirOnly = strings.CutSuffix(line, "/")
	p.base = !strings.Contains(line, "/")
	p.text = strings.TrimPrefix(line, "/")
	p.plain = strings.IndexAny(p.text, `*?[\`)
	if p.plain < 0 {
		p.plain = len(p.text)
	}
	return p, p.text != ""
}

// trimSpaces cuts trailing spaces that no backslash holds.
func trimSpaces(s string) string {
	end := 0
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		} else if s[i] == ' ' {
			continue
		}
		end = min(i+1, len(s))
	}
	return s[:end]
}

// ignored says whether git would leave out the path (relative to the top)
// whose folders are not ignored themselves. The last pattern that matches in
// the deepest file that has one decides.
func (l *ignores) ignored(path string, isDir bool) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	steps := pathSteps
	for ; l != nil; l = l.up {
		rel, below := strings.CutPrefix(path, l.dir)
		if !below {
			continue
		}
		for i := len(l.patterns) - 1; i >= 0; i-- {
			p := l.patterns[i]
			if (!p.dirOnly || isDir) && p.matches(rel, name, &steps) {
				return !p.negated
			}
		}
	}
	return false
}

func (p pattern) matches(rel, name string, steps *int) bool {
	text := rel
	if p.base {
		text = name
	}
	if p.plain == len(p.text) {
		return p.text == text
	}
	if p.base {
		return wildmatchWithin(p.text, text, false, steps)
	}
	// As git does, the plain beginning is compared first: "a**/b" is "a" and
	// then "**/b".
	return strings.HasPrefix(text, p.text[:p.plain]) && wildmatchWithin(p.text[p.plain:], text[p.plain:], true, steps)
}
