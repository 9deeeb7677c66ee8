package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	formNoise   = lazyre.New(`(?i)\b(?:what|which|your|the|versions?|of|are|you|is|using|used|do|does|installed|info|seeing|problem|on|in|have|with|running|release|e\.g)\b|[?:()*]`)
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
