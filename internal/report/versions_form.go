package report

import (
	"sort"
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	// formNoise: the words of a field's heading that name nothing.
	formNoise = lazyre.New(`(?i)\b(?:what|which|your|the|versions?|of|are|you|is|using|used|do|does|installed|info|seeing|problem|on|in|have|with|running|release|e\.g)\b|[?:()*]`)
	// formVersion: a body that begins with the version.
	formVersion = lazyre.New(`^\s*v?(` + versionText + `|main|master|nightly|latest)\b`)
)

// formVersions reads a field whose heading names the package and whose body is
// the bare version ("### Python version", "3.11").
func (p *parser) formVersions() {
	for _, sec := range p.r.Sections {
		if sec.Role != RoleVersions || !strings.Contains(strings.ToLower(sec.Heading), "version") {
			continue
		}
		start := sec.Span.End - len(strings.TrimLeft(p.text[sec.Span.Start:sec.Span.End], " "))
		if i := strings.Index(p.text[sec.Span.Start:sec.Span.End], sec.Body); i >= 0 && sec.Body != "" {
			start = sec.Span.Start + i
		}
		body := p.plain[start:sec.Span.End]
		m := formVersion.FindStringSubmatchIndex(body)
		if m == nil {
			continue
		}
		name := strings.Join(strings.Fields(formNoise.ReplaceAllString(sec.Heading, " ")), " ")
		dist, known := distOf(name)
		if !known {
			if p.main.dist == "" || p.main.weak || name != "" {
				continue
			}
			dist, name = p.main.dist, p.main.name
		}
		p.dropBareAt(start+m[2], start+m[3])
		v := Version{Name: name, Dist: dist, Spec: body[m[2]:m[3]], Where: "form", Span: Span{start + m[2], start + m[3]}}
		p.addVersion(v)
	}
}

// headingVersions reads headings that are a version and nothing else: what
// stands below them belongs to it.
func (p *parser) headingVersions() {
	for _, sec := range p.r.Sections {
		if sec.Level == 0 || sec.Role != RoleDescription || p.main.dist == "" || p.main.weak || len(sec.Heading) > maxTitle || !soleVersion.MatchString(sec.Heading) {
			continue
		}
		m := wholeNumber.FindStringIndex(sec.Heading)
		k := strings.Index(p.text[sec.Span.Start:sec.Span.End], sec.Heading)
		if m == nil || k < 0 {
			continue
		}
		name, dist := p.main.name, p.main.dist
		if word := headingWord.FindString(sec.Heading[:m[0]]); isKnown(word) {
			name = word
			dist, _ = distOf(word)
		}
		at := sec.Span.Start + k
		p.addVersion(Version{Name: name, Dist: dist, Spec: sec.Heading[m[0]:m[1]], Where: "prose", Role: RoleMention, Span: Span{at + m[0], at + m[1]}})
	}
}

var wholeNumber = lazyre.New(versionText)

// versionOfHeading is the version in the heading right above the block.
func (p *parser) versionOfHeading(i int) *Version {
	sec := p.sectionAt(p.blks[i].span.Start)
	if sec < 0 || !soleVersion.MatchString(p.r.Sections[sec].Heading) {
		return nil
	}
	s := p.r.Sections[sec]
	return p.versionAt(Span{s.Span.Start, min(s.Span.End, s.Span.Start+len(s.Heading)+16)})
}

var (
	// versionTuple is what print(scipy.__version__, numpy.__version__,
	// sys.version_info) writes: versions whose names stand in the heading.
	versionTuple      = lazyre.New(`^\s*(` + versionText + `(?:\s+` + versionText + `){0,3})\s+sys\.version_info\(major=(\d+), minor=(\d+), micro=(\d+)`)
	startsWithVersion = lazyre.New(`^\s*v?\d+\.\d`)
	headingWord       = lazyre.New(`[A-Za-z][\w-]*`)
)

// tupleLine gives each version of such a line the name at its place in the
// heading ("SciPy/NumPy/Python version and system information").
func (p *parser) tupleLine(l line, t string) {
	i := p.sectionAt(l.start)
	if i < 0 {
		return
	}
	var names []string
	for _, word := range headingWord.FindAllString(p.r.Sections[i].Heading, 16) {
		if dist, known := distOf(word); known && dist != "python" {
			names = append(names, word)
		}
	}
	p.tupleVersions(names, t, l.start)
}

// tupleVersions records the versions of such a line under their names, and that
// of the interpreter, which names itself.
func (p *parser) tupleVersions(names []string, t string, start int) {
	m := versionTuple.FindStringSubmatchIndex(t)
	if m == nil {
		return
	}
	pos := m[2]
	for k, spec := range strings.Fields(t[m[2]:m[3]]) {
		pos += strings.Index(t[pos:], spec)
		if k < len(names) {
			p.installed(names[k], spec, "show_versions", Span{start + pos, start + pos + len(spec)})
		}
		pos += len(spec)
	}
	python := t[m[4]:m[5]] + "." + t[m[6]:m[7]] + "." + t[m[8]:m[9]]
	p.addVersion(Version{Name: "python", Dist: "python", Spec: python, Where: "show_versions", Span: Span{start + m[4], start + m[9]}})
}

var installedLabel = lazyre.New(`^\s*Installed:\s*v?(` + versionText + `)\b`)

// installedLine reads such a line outside of a fence.
func (p *parser) installedLine(start int, text string) bool {
	m := installedLabel.FindStringSubmatchIndex(text)
	if m == nil {
		return false
	}
	name := p.underlinedAbove(start)
	if name == "" {
		return false
	}
	p.colonVersion(name, text[m[2]:m[3]], "list", Span{start + m[2], start + m[3]})
	return true
}

// underlinedAbove is the underlined line right above the one at pos, as tools
// print it that show one package first: "widgets", "=======", "", "Installed: 1.2".
func (p *parser) underlinedAbove(pos int) string {
	i := sort.Search(len(p.lines), func(i int) bool { return p.lines[i].end >= pos }) - 1
	for i > 0 && strings.TrimSpace(p.lineText(i)) == "" {
		i--
	}
	if i < 1 || !underline.MatchString(p.lineText(i)) {
		return ""
	}
	return strings.TrimSpace(p.lineText(i - 1))
}

// dropBareAt takes back a bare reading of a form's field: the heading names
// its package.
func (p *parser) dropBareAt(start, end int) {
	for i, v := range p.r.Versions {
		if v.Span == (Span{start, end}) {
			p.r.Versions = append(p.r.Versions[:i], p.r.Versions[i+1:]...)
			return
		}
	}
}
