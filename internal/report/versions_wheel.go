package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// wheelFile: "POT-0.9.3-cp38-cp38-win_amd64.whl". Its parts are those of the
// wheel format: name, version, a build number, and three tags.
var wheelFile = lazyre.New(`(?:^|[\s/\\"'(=@<` + "`" + `])([A-Za-z0-9][A-Za-z0-9_.]*)-(` + versionText + `)(?:-\d\w*)?-((?:cp|pp|py)\d[\w.]*)-([\w.]+)-[\w.]+\.whl\b`)

// maxWheels bounds what is read of an installer's log (a guess).
const maxWheels = 64

// wheelVersions reads the names of wheels: whoever pastes one says which
// release was installed, and often nothing else does. Lists of installed
// packages are read already and say it better.
func (p *parser) wheelVersions() {
	if !strings.Contains(p.text, ".whl") {
		return
	}
	for _, l := range p.lines {
		t := p.text[l.start:l.end]
		if len(t) > maxMarkLine || !strings.Contains(t, ".whl") {
			continue
		}
		for _, m := range wheelFile.FindAllStringSubmatchIndex(t, 8) {
			p.wheel(l.start, t, m)
		}
		if len(p.r.Versions) >= maxWheels {
			return
		}
	}
}

// wheel records one; the span goes on to the tags, which name an interpreter
// ("-cp38-") unless the wheel fits several.
func (p *parser) wheel(base int, t string, m []int) {
	name, abi := t[m[2]:m[3]], t[m[8]:m[9]]
	if strings.Contains(t[:m[3]], "#egg=") {
		return
	}
	end := m[5]
	if tag := t[m[6]:m[7]]; strings.HasPrefix(tag, "cp3") && abi != "abi3" && !strings.Contains(tag, ".") {
		end = m[9]
	}
	dist, _ := distOf(strings.ReplaceAll(name, "_", "-"))
	if p.statesVersion(dist) {
		return
	}
	p.addVersion(Version{
		Name: name, Dist: dist, Spec: t[m[4]:m[5]], Kind: VersionExact, Where: "wheel",
		Span: Span{base + m[2], base + end},
	})
}

// statesVersion says whether the report states a version of dist as its own.
func (p *parser) statesVersion(dist string) bool {
	for _, v := range p.r.Versions {
		if v.Dist == dist && v.Role == RoleStated {
			return true
		}
	}
	return false
}
