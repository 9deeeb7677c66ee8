package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// sysVersion is what print(sys.version) writes, which templates ask for and which
// does not name itself: "3.7.3 | packaged by conda-forge | (default, Jul  1 2019,
// 21:52:21)". No other program's version is followed by a day and a time like that.
var sysVersion = lazyre.New(`^\s*["'(]?([23]\.\d+\.\d+)(?:(?:a|b|rc)\d+)?\+?\s+(?:\|[^|]*\|\s*)?\([^()]*\b[A-Z][a-z]{2} +\d{1,2} \d{4}, \d\d:\d\d:\d\d\)`)

// interpreterVersion reads the first such line of the report, unless the version
// of Python is stated in another way.
func (p *parser) interpreterVersion() {
	if p.bodyStates("python") {
		return
	}
	for _, l := range p.lines {
		t := p.text[l.start:l.end]
		if len(t) > 400 || !strings.Contains(t, "(") {
			continue
		}
		if m := sysVersion.FindStringSubmatchIndex(t); m != nil {
			// Outside of a fence the number was read as the subject's own.
			p.dropBareAt(l.start+m[2], l.start+m[3])
			p.addVersion(Version{Name: "python", Dist: "python", Spec: t[m[2]:m[3]], Where: "show_versions", Span: Span{l.start + m[2], l.start + m[3]}})
			return
		}
	}
}
