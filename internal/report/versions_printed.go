package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	printedPair = lazyre.New(`^\s*([A-Za-z][\w-]*)(?:\.__version__)?(?: version)?\s*[:=]?\s+v?(` + versionText + `)(?:\s|$)`)
	// asksVersion is one question for a version inside an expression.
	asksVersion = lazyre.New(`\b([A-Za-z_]\w*)(?:\.[A-Za-z_]\w*)?\.(?:__version__|VERSION)\b`)
	// onlyAsks is a line that prints versions and nothing else.
	onlyAsks = lazyre.New(`^\s*(?:print\()?\s*(?:f?["'][^"']*["']\s*,\s*)?\(?\s*(?:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\.(?:__version__|VERSION|GIT_VERSION)\s*,?\s*)+\)?\s*\)?\s*;?\s*$`)
	// anyNumber is a version in what such a line prints, with or without quotes.
	anyNumber = lazyre.New(`(?:^|[\s('",])v?(` + versionText + `)(?:$|[\s)'",])`)
	aliasLine = lazyre.New(`\bimport\s+([A-Za-z_]\w*)\s+as\s+([A-Za-z_]\w*)`)
	// shellAsks is a command that prints versions.
	shellAsks = lazyre.New(`\bpython[\d.]*\s+-c\s+["'](.*)["']\s*$`)
)

// printedVersions reads lines of output that print a name and its version
// ("POT 0.9.5", "keras 3.6.0 argmin = 0"): only names that are known.
func (p *parser) printedVersions(i int) {
	b := &p.blks[i]
	for k, l := range b.lines {
		if k > 200 {
			return
		}
		t := p.text[l.start:l.end]
		m := printedPair.FindStringSubmatchIndex(t)
		if m == nil {
			continue
		}
		if isKnown(t[m[2]:m[3]]) && strings.Contains(t[m[4]:m[5]], ".") {
			p.printedVersion(t[m[2]:m[3]], t[m[4]:m[5]], "printed", Span{l.start + m[2], l.start + m[5]})
		}
	}
}

// printedVersion records a version that a script or a person printed.
func (p *parser) printedVersion(name, spec, where string, s Span) {
	dist, known := distOf(name)
	if !known && !p.imports[strings.ToLower(name)] {
		return
	}
	p.addVersion(Version{Name: name, Dist: dist, Spec: trimV(spec), Kind: kindOf(dist, spec), Where: where, Span: s})
}

// askedVersions pairs "a.__version__, b.__version__" with the line that was
// printed for it: the first n numbers of the output are their versions. An
// output with another count of them says nothing.
func (p *parser) askedVersions(code, output string, start int) {
	if !onlyAsks.MatchString(code) {
		return
	}
	names := p.askedNames(code)
	if output = blankedBefore(output, described); len(names) == 0 {
		return
	}
	var at [][]int
	for pos := 0; pos < len(output); {
		m := anyNumber.FindStringSubmatchIndex(output[pos:])
		if m == nil {
			break
		}
		at = append(at, []int{pos + m[2], pos + m[3]})
		pos += m[3]
	}
	if len(at) != len(names) {
		return
	}
	for k, m := range at {
		if spec := output[m[0]:m[1]]; strings.Contains(spec, ".") {
			p.printedVersion(names[k], spec, "printed", Span{start + m[0], start + m[1]})
		}
	}
}

// askedNames are the modules whose version a line of code asks for, in order.
func (p *parser) askedNames(code string) []string {
	var names []string
	for _, m := range asksVersion.FindAllStringSubmatch(code, 16) {
		names = append(names, p.aliased(m[1]))
	}
	return names
}

// aliased is the module that a script calls by a short name ("np").
func (p *parser) aliased(name string) string {
	if p.aliases == nil {
		p.aliases = map[string]string{}
		for i := range p.blks {
			if !strings.Contains(p.blks[i].text, " as ") {
				continue
			}
			for _, m := range aliasLine.FindAllStringSubmatch(p.blks[i].text, 64) {
				if _, seen := p.aliases[m[2]]; !seen {
					p.aliases[m[2]] = m[1]
				}
			}
		}
	}
	if module, ok := p.aliases[name]; ok {
		return module
	}
	return name
}

// transcriptVersions reads the questions of a transcript.
func (p *parser) transcriptVersions(i int) {
	for _, c := range p.r.Blocks[i].Cells {
		if c.Output == "" || len(c.Output) > maxTitle || !strings.Contains(strings.ToUpper(c.Code), "VERSION") {
			continue
		}
		lines := strings.Split(c.Code, "\n")
		first := strings.SplitN(c.Output, "\n", 2)[0]
		k := p.outputStart(c, first)
		if k < 0 {
			continue
		}
		if versionTuple.MatchString(first) {
			p.tupleVersions(p.askedNames(lines[len(lines)-1]), first, c.Span.Start+k)
			continue
		}
		p.askedVersions(lines[len(lines)-1], first, c.Span.Start+k)
	}
}

// scriptVersions reads the output below a script that prints versions on its
// first such line, when the output's first line is nothing but versions.
func (p *parser) scriptVersions(i int) {
	if i == 0 || p.r.Blocks[i].Kind != BlockOutput || p.r.Blocks[i-1].Kind != BlockPython {
		return
	}
	code := p.blks[i-1].text
	if !strings.Contains(code, "__version__") && !strings.Contains(code, "VERSION") || len(p.blks[i].lines) == 0 {
		return
	}
	if p.onlyVersions(code, p.blks[i].lines) {
		return
	}
	p.firstPrints(code, p.blks[i].lines)
}

// firstPrints pairs the prints with which a script begins, as far as they print
// versions, with the first lines of its output: what comes behind another print
// could stand anywhere.
func (p *parser) firstPrints(code string, printed []line) {
	k := 0
	for _, l := range strings.Split(code, "\n") {
		if !strings.Contains(l, "print") {
			continue
		}
		for k < len(printed) && strings.TrimSpace(p.text[printed[k].start:printed[k].end]) == "" {
			k++
		}
		if !onlyAsks.MatchString(l) || k == len(printed) || printed[k].end-printed[k].start > maxTitle {
			return
		}
		p.askedVersions(l, p.text[printed[k].start:printed[k].end], printed[k].start)
		k++
	}
}

// onlyVersions reads a block that does nothing but print versions, one line of
// output for each of its lines, and says whether it is one.
func (p *parser) onlyVersions(code string, printed []line) bool {
	var asks []string
	for _, l := range strings.Split(code, "\n") {
		switch t := strings.TrimSpace(l); {
		case t == "", t[0] == '#', importLine.MatchString(t):
		case onlyAsks.MatchString(l):
			asks = append(asks, l)
		default:
			return false
		}
	}
	var lines []line
	for _, l := range printed {
		if strings.TrimSpace(p.text[l.start:l.end]) != "" {
			lines = append(lines, l)
		}
	}
	for k, l := range lines {
		if len(asks) == len(lines) && l.end-l.start <= maxTitle {
			p.askedVersions(asks[k], p.text[l.start:l.end], l.start)
		}
	}
	return len(asks) > 0
}

// commandVersions reads the line below `python -c "print(x.__version__)"`.
func (p *parser) commandVersions(i int) {
	lines := p.blks[i].lines
	for k, l := range lines[:max(0, len(lines)-1)] {
		t := p.text[l.start:l.end]
		if k > 200 || len(t) > 400 || !strings.Contains(t, " -c ") {
			continue
		}
		m := shellAsks.FindStringSubmatch(t)
		if m == nil {
			continue
		}
		parts := strings.Split(m[1], ";")
		next := lines[k+1]
		p.askedVersions(parts[len(parts)-1], p.text[next.start:next.end], next.start)
	}
}

// diagnoseHeading and diagnoseLine are the parts of a report of mxnet's
// diagnosing script, which names each package in a ruled heading.
var (
	diagnoseHeading = lazyre.New(`^-{3,}\s*([A-Za-z][\w.+-]*)\s+Info\s*-{3,}\s*$`)
	diagnoseLine    = lazyre.New(`^Version\s*:\s*v?(` + versionText + `)\s*$`)
)

// diagnosed reads such a list.
func (p *parser) diagnosed(i int) {
	name := ""
	for k, l := range p.blks[i].lines {
		t := p.text[l.start:l.end]
		if k > 400 || len(t) > 400 {
			return
		}
		if m := diagnoseHeading.FindStringSubmatch(t); m != nil {
			name = m[1]
		} else if m := diagnoseLine.FindStringSubmatchIndex(t); m != nil && name != "" {
			p.printedVersion(name, t[m[2]:m[3]], "collect_env", Span{l.start + m[2], l.start + m[3]})
		}
	}
}
