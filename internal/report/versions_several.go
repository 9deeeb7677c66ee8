package report

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	// severalNames: a heading that asks for several versions at once
	// ("Scipy/Numpy/Python version information").
	severalNames = lazyre.New(`(?i)^[^\w]*([a-z][\w-]*(?:\s*(?:/|,|\band\b|&)\s*[a-z][\w-]*)+)\s+versions?\b`)
	// severalLabel is a line that does ("Python & PyTorch version: 3.10, 2.0.1").
	severalLabel = lazyre.New(`(?i)^\s*(?:[-*+]\s+)?([a-z][\w-]*(?:\s*(?:/|,|\band\b|&)\s*[a-z][\w-]*)+)\s+versions?\b[^:\n]*:\s*(\S.*)$`)
	// numbersOnly: an answer that has words tells itself what each number is.
	numbersOnly = lazyre.New(`(?i)^(?:v?` + versionText + `|\band\b|[\s,;/&])+$`)
	namesSplit  = lazyre.New(`\s*(?:/|,|\band\b|&)\s*`)
	// infoTuple is Python's own answer in such a list.
	infoTuple = lazyre.New(`(?:sys\.)?version_info\(major=(\d+), minor=(\d+), micro=(\d+)[^)]*\)`)
)

// severalVersions pairs the names of such a heading with the versions that
// stand below it as text, in order (tupleLine reads those in a block). SciPy's
// form of 2017 to 2023 has one line for all of them, the last of which is
// sys.version_info. Another count of versions says nothing.
func (p *parser) severalVersions() {
	p.severalLabels()
	for _, sec := range p.r.Sections {
		m := severalNames.FindStringSubmatch(sec.Heading)
		if m == nil {
			continue
		}
		names := namesSplit.Split(m[1], -1)
		if body, start := p.bodyOf(sec); body != "" {
			p.pairVersions(names, body, start)
		}
	}
}

// bodyOf is a section's first lines with text and where they begin.
func (p *parser) bodyOf(sec Section) (string, int) {
	i := strings.Index(p.text[sec.Span.Start:sec.Span.End], sec.Body)
	if sec.Body == "" || i < 0 || strings.HasPrefix(strings.TrimSpace(sec.Body), "```") {
		return "", 0
	}
	return sec.Body[:min(len(sec.Body), maxTitle)], sec.Span.Start + i
}

func (p *parser) pairVersions(names []string, body string, start int) {
	type answer struct {
		spec     string
		from, to int
	}
	var answers []answer
	rest := body
	python := infoTuple.FindStringSubmatchIndex(body)
	if python != nil {
		rest = body[:python[0]]
	}
	for pos := 0; pos < len(rest); {
		m := anyNumber.FindStringSubmatchIndex(rest[pos:])
		if m == nil {
			break
		}
		answers = append(answers, answer{rest[pos+m[2] : pos+m[3]], pos + m[2], pos + m[3]})
		pos += m[3]
	}
	if python != nil {
		spec := body[python[2]:python[3]] + "." + body[python[4]:python[5]] + "." + body[python[6]:python[7]]
		answers = append(answers, answer{spec, python[0], python[1]})
	}
	if len(answers) != len(names) {
		return
	}
	if python != nil { // "serial=0" is no release of a package
		from, to := start+python[0], start+python[1]
		p.r.Versions = slices.DeleteFunc(p.r.Versions, func(v Version) bool { return v.Span.Start >= from && v.Span.End <= to })
	}
	for k, a := range answers {
		dist, known := distOf(names[k])
		if !known || !strings.Contains(a.spec, ".") {
			continue
		}
		p.dropBareAt(start+a.from, start+a.to)
		p.addVersion(Version{Name: names[k], Dist: dist, Spec: trimV(a.spec), Kind: kindOf(dist, a.spec), Where: "form", Span: Span{start + a.from, start + a.to}})
	}
}

// exampleName is the package that a form's label has as its example, which the
// plain text has no more: "Other information (e.g., version of `x`): 1.2".
var exampleName = lazyre.New("(?i)\\bversion of [`*_]{0,2}([A-Za-z][\\w.-]*\\w)[`*_]{0,2}\\)\\s*:\\s*v?$")

// installedBy is a label that an installer's name answers first: "Lib version
// (and how you installed it): pip 1.2" has pip in place of a verb.
var installedBy = lazyre.New(`(?i)^\s*(?:[-*+]\s+)?([a-z][\w-]*) versions?\b[^:\n]*:\s*(?:(?:installed )?(?:via|with|from|using|by) )?(?:pip3?|conda|mamba|uv)\s*[:,]?\s+v?$`)

// exampleOf gives the number the package of a label of one of these forms.
func (p *parser) exampleOf(s sent, from int, f *found) bool {
	raw := p.text[s.start+from : s.start+f.start]
	line := s.start + f.start
	for line > s.start && p.plain[line-1] != '\n' {
		line--
	}
	if m := installedBy.FindStringSubmatchIndex(p.plain[line : s.start+f.start]); m != nil && isKnown(p.plain[line+m[2]:line+m[3]]) {
		f.dist, _ = distOf(p.plain[line+m[2] : line+m[3]])
		f.name = [2]int{line + m[2] - s.start, line + m[3] - s.start}
		return true
	}
	m := exampleName.FindStringSubmatchIndex(raw)
	if m == nil {
		return false
	}
	f.dist, _ = distOf(raw[m[2]:m[3]])
	f.name = [2]int{from + m[2], from + m[3]}
	return true
}

// severalLabels reads such lines. What was read as a version of the last name
// alone is taken back: it is the first one's.
func (p *parser) severalLabels() {
	for i, l := range p.lines {
		t := p.plain[l.start:l.end]
		if p.inBlock[i] >= 0 || len(t) > maxTitle || !strings.Contains(t, ":") {
			continue
		}
		m := severalLabel.FindStringSubmatchIndex(t)
		if m == nil || !numbersOnly.MatchString(t[m[4]:m[5]]) {
			continue
		}
		names, start, end := namesSplit.Split(t[m[2]:m[3]], -1), l.start+m[4], l.start+m[5]
		if slices.ContainsFunc(names, func(n string) bool { return !isKnown(n) }) || len(anyNumber.FindAllString(t[m[4]:m[5]], -1)) != len(names) {
			continue
		}
		p.r.Versions = slices.DeleteFunc(p.r.Versions, func(v Version) bool { return v.Span.End > start && v.Span.End <= end })
		p.pairVersions(names, t[m[4]:m[5]], start)
	}
}
