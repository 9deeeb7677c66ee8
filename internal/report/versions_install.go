package report

import (
	"strings"

	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	// installCmd: "pip install", "conda add".
	installCmd = lazyre.New(`\b(?:pip[\d.]*|conda|mamba|micromamba|uv pip|uv|poetry|pipx|pdm) (?:install|add)\b`)
	// installToken: "a==1.2", "a[x]>=1,<2", conda's "a=1.2=build".
	installToken = lazyre.New(`^["']?([A-Za-z0-9][\w.-]*)(?:\[[\w,-]*\])?(={1,3}|~=|>=|<=|!=|>|<)([\w.*+!-]+(?:,(?:={2,3}|~=|>=|<=|!=|>|<)[\w.*+!-]+)*)["']?[.,;)]?$`)
	// gitToken: "git+https://x/a@v1.2".
	gitToken = lazyre.New(`^["']?(?:[\w.-]+@)?git\+\S+?/([\w.-]+?)(?:\.git)?(?:@([\w.+-]+))?(?:#\S*)?["']?$`)
	// quotedReq: "'a>=1'" in a script's own metadata.
	quotedReq = lazyre.New(`["']([A-Za-z0-9][\w.-]*)(?:\[[\w,-]*\])?\s*((?:={2,3}|~=|>=|<=|!=|>|<)\s*[\w.*+!-]+(?:\s*,\s*(?:={2,3}|~=|>=|<=|!=|>|<)\s*[\w.*+!-]+)*)["']`)
	// needsPython: "requires-python = '>=3.9'".
	needsPython = lazyre.New(`requires-python\s*=\s*["']([^"']+)["']`)
)

// installLine reads the pinned packages of an install command that stands
// anywhere in the text t, which begins at base.
func (p *parser) installLine(base int, t string) {
	for _, m := range installCmd.FindAllStringIndex(t, 8) {
		end := len(t)
		if k := strings.IndexAny(t[m[1]:], ";&|`\n"); k >= 0 {
			end = m[1] + k
		}
		for pos := m[1]; pos < end; {
			word := nextWord(t, pos, end)
			if word[0] == word[1] {
				break
			}
			p.installWord(base, t, word)
			pos = word[1]
		}
	}
}

// nextWord is the next run of visible characters in [pos, end).
func nextWord(t string, pos, end int) [2]int {
	for pos < end && (t[pos] == ' ' || t[pos] == '\t') {
		pos++
	}
	start := pos
	for pos < end && t[pos] != ' ' && t[pos] != '\t' {
		pos++
	}
	return [2]int{start, pos}
}

// installWord reads one argument of an installer: "a==1.2", "a>=1,<2",
// "git+https://x/a@1.2"; options and bare names state no version.
func (p *parser) installWord(base int, t string, w [2]int) {
	word := t[w[0]:w[1]]
	span := Span{base + w[0], base + w[1]}
	if m := installToken.FindStringSubmatchIndex(word); m != nil {
		s := Span{span.Start + m[2], span.Start + m[7]}
		op, version := word[m[4]:m[5]], strings.TrimRight(word[m[6]:m[7]], ".")
		s.End = span.Start + m[6] + len(version)
		if op == "=" { // conda
			op = "=="
			if k := strings.IndexByte(version, '='); k > 0 {
				version = version[:k]
			}
		}
		name := word[m[2]:m[3]]
		if dist, known := distOf(name); known && dist == "python" {
			p.addVersion(Version{Name: name, Dist: dist, Spec: version, Where: "install_line", Span: s})
			return
		}
		p.requirement(name, op+version, "install_line", s)
		return
	}
	if m := gitToken.FindStringSubmatch(word); m != nil {
		v := Version{Name: m[1], Dist: pydist.Normalize(m[1]), Spec: trimV(m[2]), Where: "install_line", Span: span, Kind: VersionMoving}
		if wholeVersion.MatchString(m[2]) && strings.Contains(m[2], ".") {
			v.Kind = VersionExact
		} else if m[2] == "" {
			v.Spec = "main"
		}
		p.addVersion(v)
	}
}

// inlineMetadata reads the requirements that a script carries in its own
// comments (PEP 723).
func (p *parser) inlineMetadata(b *blk) {
	if !strings.Contains(b.text, "# /// script") {
		return
	}
	for _, l := range b.lines {
		t := p.text[l.start:l.end]
		if !strings.HasPrefix(t, "#") {
			continue
		}
		for _, m := range quotedReq.FindAllStringSubmatchIndex(t, 64) {
			p.requirement(t[m[2]:m[3]], t[m[4]:m[5]], "requirements", Span{l.start + m[2], l.start + m[5]})
		}
		if m := needsPython.FindStringSubmatchIndex(t); m != nil {
			spec := strings.TrimSpace(t[m[2]:m[3]])
			v := Version{Name: "python", Dist: "python", Spec: strings.TrimPrefix(spec, "=="), Where: "requirements", Span: Span{l.start + m[2], l.start + m[3]}}
			p.addVersion(v)
		}
	}
}
