package report

import (
	"strings"

	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// versionText is a version as people write it; a leading v is not part of it.
const versionText = `\d+(?:\.\d+)*(?:\.[xX*])?(?:[._-]?(?:alpha|beta|preview|pre|post|dev|rc|a|b|c)[._-]?\d*)*(?:\+[A-Za-z0-9]+(?:\.[A-Za-z0-9]+)*)?`

var (
	// wholeVersion: a version and nothing else.
	wholeVersion = lazyre.New(`^v?` + versionText + `$`)
	// dateLike: "2024-03-05", which is no version of most packages.
	dateLike = lazyre.New(`^(?:19|20)\d\d[-./](?:0?[1-9]|1[0-2])[-./](?:0?[1-9]|[12]\d|3[01])$`)
	// moving: a branch or a commit.
	moving = lazyre.New(`(?i)^(?:main|master|nightly|latest|newest|dev|HEAD|git|[0-9a-f]{7,40})$`)
	// pythonWord: the interpreter.
	pythonWord = lazyre.New(`(?i)^(?:c?python[23]?|py[23]?)$`)
)

// readVersions collects every version the report states: from lists in blocks,
// from install lines, from form fields, and from prose.
func (p *parser) readVersions() {
	for i := range p.blks {
		p.blockVersions(i)
	}
	p.proseVersions()
	p.wheelVersions()
	p.errorVersions()
	p.hintedVersions()
	p.interpreterVersion()
}

// addVersion records one, once for each place.
func (p *parser) addVersion(v Version) *Version {
	if len(p.r.Versions) >= maxVersions || v.Span.End <= v.Span.Start {
		return nil
	}
	for i := range p.r.Versions {
		if p.r.Versions[i].Span == v.Span {
			return &p.r.Versions[i]
		}
	}
	if v.Role == "" {
		v.Role = RoleStated
	}
	if v.Kind == "" {
		v.Kind = kindOf(v.Dist, v.Spec)
	}
	if v.Role == RoleStated && p.inReply(v.Span.Start) && !(p.ownReply(v.Span.Start) && !p.bodyStates(v.Dist)) {
		v.Role = RoleMention
	}
	p.r.Versions = append(p.r.Versions, v)
	return &p.r.Versions[len(p.r.Versions)-1]
}

// bodyStates says whether the report itself, before its replies, states a
// version of the distribution: then a later one in the thread is another try.
func (p *parser) bodyStates(dist string) bool {
	for _, v := range p.r.Versions {
		if v.Dist == dist && !p.inReply(v.Span.Start) && v.Role != RoleMention && v.Role != RoleGood {
			return true
		}
	}
	return false
}

// kindOf says how exact a written version is. Two numbers are a release family
// for most projects, and three an exact release; what was installed from a
// list is exact however short it is (the callers set that themselves).
func kindOf(dist, spec string) VersionKind {
	switch {
	case moving.MatchString(spec) && !wholeVersion.MatchString(spec):
		return VersionMoving
	case strings.ContainsAny(spec, "<>~!=,"):
		return VersionRange
	case strings.HasSuffix(spec, ".x") || strings.HasSuffix(spec, ".X") || strings.HasSuffix(spec, ".*"):
		return VersionPartial
	case strings.Count(strings.SplitN(spec, "+", 2)[0], ".") < 2 && !preRelease.MatchString(spec):
		return VersionPartial
	case strings.HasPrefix(dist, "opencv-") && threeNumbers.MatchString(spec):
		return VersionPartial // its wheels count builds behind OpenCV's own three numbers (4.5.2.54)
	}
	return VersionExact
}

var threeNumbers = lazyre.New(`^\d+\.\d+\.\d+$`)

var preRelease = lazyre.New(`(?i)(?:a|b|rc|dev|post)\d+`)

// distOf maps a written name to its distribution; known is false when the name
// is only the written one.
func distOf(name string) (dist string, known bool) {
	name = strings.Trim(name, " `*_:'\"")
	if pythonWord.MatchString(name) {
		return "python", true
	}
	if dist, ok := pydist.FromWord(name); ok {
		return dist, true
	}
	// "PyTorch Lightning", "Optuna version": try without the space, then as written.
	if strings.Contains(name, " ") {
		if dist, ok := pydist.FromWord(strings.ReplaceAll(name, " ", "-")); ok {
			return dist, true
		}
	}
	if dist, ok := pydist.FromImport(name); ok {
		return dist, true
	}
	return pydist.Normalize(strings.ReplaceAll(name, " ", "-")), false
}

// trimV drops the v of "v1.2".
func trimV(s string) string {
	if len(s) > 1 && (s[0] == 'v' || s[0] == 'V') && s[1] >= '0' && s[1] <= '9' {
		return s[1:]
	}
	return s
}
