package report

import (
	"strings"

	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// What the line above prints with which release, a comment each:
//
//	print(f(x))
//	# with widgets >= 2.0 the result is 0.5
//	# with widgets < 2.0 the result is 0.25
var (
	versionLed  = lazyre.New(`(?i)^\W*(?:(?:with|in|on|for|using|under|from|version)\s+){0,2}$`)
	resultOfIts = lazyre.New(`(?i)^\s*(?:[:,=]|-+>|=>)?\s*(?:the\s+)?(?:results?|outputs?|values?|it|this|prints?|printed|returns?|returned|gives?|gave|is|was)?(?:\s+(?:is|was|gives?|gave|returns?|returned|prints?|printed))?\s*(?:[:=]|-+>|=>)?\s*(\S.*?)\s*$`)
)

// versionResult is one such comment.
type versionResult struct {
	version int // index of the version
	value   Span
}

// versionSides are two such comments of one print: what the reporter's own
// release gives, and what another one does.
type versionSides struct {
	first        comment
	came, wanted versionResult
}

// resultsByVersion makes a claim of such comments below prints: what the
// reporter's own release gives came, what the others give is what should. It
// tells which comments were part of one. A print that gives the same with both
// is a part of either output, where another print differs.
func (p *parser) resultsByVersion(i int, all []comment) map[int]bool {
	taken, differ := map[int]bool{}, false
	var sides []versionSides
	for n := 0; n < len(all); n++ {
		run := p.versionRun(all[n:])
		if len(run) < 2 || !p.printsAbove(i, all[n]) {
			continue
		}
		if own := p.installedRelease(p.r.Versions[run[0].version].Dist); own != "" {
			if s, ok := p.sidesOf(all[n], run, own); ok {
				sides = append(sides, s)
				differ = differ || p.sidesDiffer(s)
			}
			for k := range run {
				taken[n+k] = true
			}
		}
		n += len(run) - 1
	}
	for _, s := range sides {
		if differ {
			p.stateSides(i, s)
		}
	}
	return taken
}

func (p *parser) sidesDiffer(s versionSides) bool {
	return !strings.EqualFold(p.resultText(s.came), p.resultText(s.wanted))
}

func (p *parser) resultText(r versionResult) string { return p.text[r.value.Start:r.value.End] }

// versionRun are the comments right below each other that speak of releases of
// one package, from the first one on.
func (p *parser) versionRun(all []comment) []versionResult {
	var run []versionResult
	for k, c := range all {
		if c.trailing || k > 0 && c.line != all[k-1].line+1 {
			break
		}
		r, ok := p.versionResultOf(c)
		if !ok || k > 0 && p.r.Versions[r.version].Dist != p.r.Versions[run[0].version].Dist {
			break
		}
		run = append(run, r)
	}
	return run
}

func (p *parser) versionResultOf(c comment) (versionResult, bool) {
	for k, v := range p.r.Versions {
		if v.Span.Start < c.start || v.Span.End > c.end || !versionLed.MatchString(p.text[c.start:v.Span.Start]) {
			continue
		}
		m := resultOfIts.FindStringSubmatchIndex(p.text[v.Span.End:c.end])
		if m == nil || !valueText.MatchString(p.text[v.Span.End+m[2]:v.Span.End+m[3]]) {
			return versionResult{}, false
		}
		return versionResult{k, Span{v.Span.End + m[2], v.Span.End + m[3]}}, true
	}
	return versionResult{}, false
}

// installedRelease is the exact version of it that the report states as installed.
func (p *parser) installedRelease(dist string) string {
	for _, v := range p.r.Versions {
		if v.Dist == dist && v.Role == RoleStated && v.Kind == VersionExact && v.Where != "comment" {
			return v.Spec
		}
	}
	return ""
}

// sidesOf sorts a run by the release that is installed, and takes its versions
// for what they are: mentioned, since the one that is installed is stated
// elsewhere.
func (p *parser) sidesOf(first comment, run []versionResult, own string) (versionSides, bool) {
	var came, wanted []versionResult
	for _, r := range run {
		v := &p.r.Versions[r.version]
		v.Role = RoleMention
		spec := v.Spec
		if v.Kind != VersionRange {
			spec = "==" + spec
		}
		if pydist.Match(spec, own) {
			came = append(came, r)
		} else {
			wanted = append(wanted, r)
		}
	}
	if len(came) != 1 || len(wanted) == 0 {
		return versionSides{}, false
	}
	return versionSides{first, came[0], wanted[0]}, true
}

func (p *parser) stateSides(i int, s versionSides) {
	at := 0
	if prints := p.printsBefore(i, s.first.line); len(prints) > 0 {
		at = prints[len(prints)-1] + 1
	}
	if p.sidesDiffer(s) {
		p.r.Versions[s.wanted.version].Role = RoleGood
	}
	p.addComment(i, s.first, Statement{Role: RoleActual, Kind: SaysValue, Text: p.resultText(s.came), Span: s.came.value, Line: at})
	p.addComment(i, s.first, Statement{Role: RoleExpected, Kind: SaysValue, Text: p.resultText(s.wanted), Span: s.wanted.value, Line: at})
}
