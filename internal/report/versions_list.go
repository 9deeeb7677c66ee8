package report

import (
	"strings"

	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// The forms of lines in lists of installed packages. Group 1 is the name, 2
// the version.
var (
	// freezeLine: "numpy==1.2.3", "torch>=2,<3; python_version>'3'".
	freezeLine = lazyre.New(`^\s*([A-Za-z0-9][\w.-]*)(?:\[[\w, -]*\])?\s*((?:===?|~=|!=|>=|<=|>|<)\s*[\w.*+!-]+(?:\s*,\s*(?:===?|~=|!=|>=|<=|>|<)\s*[\w.*+!-]+)*)\s*(?:;.*|#.*|--hash.*|\\)?$`)
	// atLine: "torch @ file:///x".
	atLine = lazyre.New(`^\s*([A-Za-z0-9][\w.-]*)(?:\[[\w, -]*\])?\s+@\s+(\S+)`)
	// editLine: "-e git+https://x".
	editLine = lazyre.New(`^\s*-e\s+(\S+)`)
	// condaEnv: "- numpy=1.2.3=py39_0".
	condaEnv = lazyre.New(`^\s*-\s*([A-Za-z0-9_][\w.-]*)={1,2}([0-9][\w.+]*)(?:=\S+)?\s*$`)
	// columnsLine: "numpy   1.2.3   py39_0".
	columnsLine = lazyre.New(`^\s*([A-Za-z0-9_][\w.-]*)\s+v?(` + versionText + `)(?:\s+(\S.*))?$`)
	// colonLine: "numpy: 1.2.3", "- PyTorch version (GPU?): 2.1.0".
	colonLine = lazyre.New(`^\s*(?:[-*]\s+)?` + "`?" + `([A-Za-z][\w. -]*?)` + "`?" + `(?:\s+[vV]ersion)?(?:\s*\([^)]*\))?\s*[:=]\s*v?(` + versionText + `)\b(.*)$`)
	// furtherPair begins what follows the first of several pairs on one line:
	// "torch version: 2.2.2, torchvision version: 0.17.2".
	furtherPair = lazyre.New(`^\s*[,;|]\s*[A-Za-z]`)
	// pipTagLine: "[pip3] numpy==1.2.3".
	pipTagLine = lazyre.New(`^\s*\[(pip3?|conda)\]\s+([A-Za-z0-9_][\w.-]*)(?:==|\s+)(` + versionText + `)`)
	// condaHeader: the first lines of conda list.
	condaHeader = lazyre.New(`(?m)^#\s*(?:packages in environment|Name\s+Version)`)
	// pipHeader: ... of pip list.
	pipHeader = lazyre.New(`(?m)^\s*Package\s+Version`)
	// listTitle: ... of the tools that print an environment.
	listTitle = lazyre.New(`(?m)^(?:Collecting environment information|PyTorch version:|System:\s*$|Python dependencies:|INSTALLED VERSIONS|\s*sklearn: \d|device info: |jax:\s+\d|dependencies:\s*$)`)
	// notSoftware: names in such lists that are no package.
	notSoftware = lazyre.New(`(?i)^(?:machine|executable|processor|platform|os|os-release|byteorder|lc_all|lang|locale|gcc version|gcc|clang version|cmake version|libc version|libc|glibc|cuda|cudnn|cuda used to build pytorch|rocm used to build pytorch|hip runtime version|miopen runtime version|cuda runtime version|cudnn version|driver|nvidia driver version|model name|cpu.*|bogomips|stepping|family|core\(s\).*|thread\(s\).*|socket.*|numa.*|gpu.*|filename|prefix|user_api|internal_api|num_threads|version|threading_layer|architecture|device.*|devices|process_count|time|epoch|loss|acc(?:uracy)?(?:[ _@/].*)?|score|step|lr|seed|shape|size|is .*|using .*|kernel|release|using|memory|ram|windows|linux|ubuntu|macos|debian|node|commit)$`)
)

// isCondaList and isPipList ask their pattern only where its word stands: a
// pattern that looks at every line is dear.
func isCondaList(text string) bool {
	return (strings.Contains(text, "packages in environment") || strings.Contains(text, "Name")) && condaHeader.MatchString(text)
}

func isPipList(text string) bool {
	return strings.Contains(text, "Package") && pipHeader.MatchString(text)
}

// isVersionList says whether a block is a list of installed software.
func isVersionList(text string) bool {
	if isCondaList(text) || isPipList(text) || strings.Contains(text, "| NVIDIA-SMI") {
		return true
	}
	fits, all := 0, 0
	for _, l := range strings.Split(text, "\n") {
		if strings.TrimSpace(l) == "" || strings.HasPrefix(strings.TrimSpace(l), "#") {
			continue
		}
		all++
		if freezeLine.MatchString(l) || atLine.MatchString(l) || editLine.MatchString(l) || condaEnv.MatchString(l) || pipTagLine.MatchString(l) {
			fits++
		}
	}
	return fits > 0 && fits*10 >= all*6 || listTitle.MatchString(text) && looksLikeVersions(text)
}

// looksLikeVersions is the weaker question, asked when the lead or the heading
// speaks of versions: at least half of the lines name one.
func looksLikeVersions(text string) bool {
	fits, all := 0, 0
	for _, l := range strings.Split(text, "\n") {
		t := strings.TrimSpace(l)
		if t == "" {
			continue
		}
		all++
		if freezeLine.MatchString(l) || columnsLine.MatchString(l) || colonLine.MatchString(l) || strings.HasSuffix(t, ": None") || strings.HasSuffix(t, ":") || strings.Contains(t, ": ") || platformLine.MatchString(t) {
			fits++
		}
	}
	return all > 0 && fits*2 >= all
}

var platformLine = lazyre.New(`^(?:Linux|Windows|macOS|Darwin)-\S+$`)

// blockVersions reads the versions of one block.
func (p *parser) blockVersions(i int) {
	b, kind := &p.blks[i], p.r.Blocks[i].Kind
	switch kind {
	case BlockVersions:
		p.listVersions(i)
	case BlockOutput:
		if p.r.Blocks[i].Role == RoleVersions {
			p.listVersions(i)
			p.diagnosed(i)
			p.scriptVersions(i)
			return
		}
		p.installLines(b, transcriptLine)
		p.commandVersions(i)
		p.scriptVersions(i)
		p.printedVersions(i)
	case BlockREPL, BlockPython, BlockShell:
		p.installLines(b, nil)
		p.inlineMetadata(b)
		switch kind {
		case BlockREPL:
			p.transcriptVersions(i)
			p.printedVersions(i)
		case BlockShell:
			p.commandVersions(i)
		case BlockPython:
			p.codeVersions(i)
		}
	}
}

// installLines reads the install commands of a block, in lines of the given
// form only when one is given: a log repeats such words as well.
func (p *parser) installLines(b *blk, form *lazyre.Regexp) {
	for _, l := range b.lines {
		if t := p.text[l.start:l.end]; strings.Contains(t, "install") && (form == nil || form.MatchString(t)) {
			p.installLine(l.start, t)
		}
	}
}

// listVersions reads line by line: each form is told by the line itself, so
// that a collect_env with a freeze inside needs no mode. Only the columns of
// pip list and conda list need to be announced.
func (p *parser) listVersions(i int) {
	b := &p.blks[i]
	where := listWhere(b.text, b.lang, p.r.Blocks[i].Lead, len(b.lines), b.lines[0].start > p.lines[b.first].start && b.lines[0].start <= p.lines[b.first].end)
	conda := isCondaList(b.text)
	for k, l := range b.lines {
		if k > 4096 {
			p.note("a list of versions was read to its line 4096 only")
			return
		}
		p.listLine(l, where, conda)
	}
}

// listWhere tells which tool printed a list, for the record.
func listWhere(text, lang, lead string, lines int, indented bool) string {
	switch {
	case isCondaList(text), strings.Contains(text, "\ndependencies:"), strings.HasPrefix(text, "dependencies:"):
		return "conda"
	case strings.Contains(text, "Collecting environment information"), strings.Contains(text, "PyTorch version:"), strings.Contains(text, "[pip3]"):
		return "collect_env"
	case strings.Contains(text, "=="), isPipList(text):
		if strings.Contains(strings.ToLower(lead+lang), "requirement") || indented && lines <= 3 {
			return "requirements"
		}
		return "freeze"
	case colonLine.MatchString(strings.TrimRight(firstVersionLine(text), "\n")):
		return "show_versions"
	}
	return "printed"
}

// firstVersionLine is the first line of the form "name: 1.2", "" without one.
func firstVersionLine(text string) string {
	for _, l := range strings.Split(text, "\n") {
		if colonLine.MatchString(l) {
			return l
		}
	}
	return ""
}

// listLine reads one line in whichever form it has.
func (p *parser) listLine(l line, where string, conda bool) {
	t := p.text[l.start:l.end]
	if len(t) > 400 {
		return
	}
	span := func(m []int, from, to int) Span { return Span{l.start + m[2*from], l.start + m[2*to+1]} }
	switch {
	case strings.HasPrefix(strings.TrimSpace(t), "#"):
	case pipTagLine.MatchString(t):
		m := pipTagLine.FindStringSubmatchIndex(t)
		p.installed(t[m[4]:m[5]], t[m[6]:m[7]], "collect_env", span(m, 2, 3))
	case editLine.MatchString(t), atLine.MatchString(t):
		p.localLine(l, t, where)
	case freezeLine.MatchString(t):
		m := freezeLine.FindStringSubmatchIndex(t)
		p.requirement(t[m[2]:m[3]], t[m[4]:m[5]], where, span(m, 1, 2))
	case condaEnv.MatchString(t):
		m := condaEnv.FindStringSubmatchIndex(t)
		p.installed(t[m[2]:m[3]], t[m[4]:m[5]], "conda", span(m, 1, 2))
	case colonLine.MatchString(t):
		m := colonLine.FindStringSubmatchIndex(t)
		name := t[m[2]:m[3]]
		if strings.EqualFold(name, "installed") {
			name = p.underlinedAbove(l.start)
		}
		p.colonVersion(name, t[m[4]:m[5]], where, span(m, 1, 2))
		if rest := t[m[6]:m[7]]; furtherPair.MatchString(rest) {
			sep := strings.IndexAny(rest, ",;|") + 1
			p.listLine(line{l.start + m[6] + sep, l.end}, where, conda)
		}
	case versionTuple.MatchString(t):
		p.tupleLine(l, t)
	case columnsLine.MatchString(t) && !startsWithVersion.MatchString(t):
		m := columnsLine.FindStringSubmatchIndex(t)
		rest := ""
		if m[6] >= 0 {
			rest = t[m[6]:m[7]]
		}
		p.columns(t[m[2]:m[3]], t[m[4]:m[5]], rest, where, conda, span(m, 1, 2))
	}
}

// columns is a line of pip list (a third column is a private path) or conda list.
func (p *parser) columns(name, version, rest, where string, conda bool, s Span) {
	if notSoftware.MatchString(name) {
		return
	}
	if v := p.installed(name, version, where, s); v != nil && !conda && strings.ContainsAny(rest, `/\`) {
		v.Local = true
	}
}

// installed records one package of a list: exact, however few numbers it has.
func (p *parser) installed(name, version, where string, s Span) *Version {
	if strings.HasPrefix(name, "_") {
		return nil // conda's own helpers ("_libgcc_mutex"): no index has such a name
	}
	dist, known := distOf(name)
	if !known {
		dist = pydist.Normalize(name)
	}
	if _, isDist := pydist.FromImport(name); known && where != "printed" && where != "show_versions" && !isDist && dist != "python" && where != "collect_env" && where != "conda" {
		dist = pydist.Normalize(name) // a list of distributions names distributions
	}
	return p.addVersion(Version{Name: name, Dist: dist, Spec: trimV(version), Kind: exactOr(dist, version), Where: where, Span: s})
}

// exactOr is the kind of a version in a list of installed software: exact, but
// for a Python of two numbers and for "1.2.x".
func exactOr(dist, version string) VersionKind {
	if dist == "python" {
		return kindOf(dist, version)
	}
	if strings.HasSuffix(version, ".x") || strings.HasSuffix(version, "*") {
		return VersionPartial
	}
	return VersionExact
}

// requirement is a line of pip freeze or of a requirements file.
func (p *parser) requirement(name, spec, where string, s Span) {
	v := Version{Name: name, Dist: pydist.Normalize(name), Where: where, Span: s}
	bare := strings.TrimSpace(strings.TrimLeft(spec, "="))
	if strings.HasPrefix(spec, "==") && !strings.ContainsAny(bare, "<>=!~,") {
		v.Spec, v.Kind = bare, exactOr(v.Dist, bare)
	} else {
		v.Spec, v.Kind = strings.TrimSpace(spec), VersionRange
	}
	p.addVersion(v)
}

// colonVersion reads "name: 1.2"; names of hardware and settings are none, nor
// is an unknown name of two words.
func (p *parser) colonVersion(name, version, where string, s Span) {
	name = strings.TrimSpace(name)
	if name == "" || notSoftware.MatchString(name) || notSoftware.MatchString(name+" version") || dateLike.MatchString(version) && !isKnown(name) {
		return
	}
	if where == "freeze" || where == "requirements" || where == "printed" {
		where = "show_versions"
	}
	if strings.Contains(name, " ") {
		if _, known := distOf(name); !known {
			return
		}
	}
	p.installed(name, version, where, s)
}

var eggName = lazyre.New(`[#&]egg=([\w.-]+)`)
var gitName = lazyre.New(`/([\w.-]+?)(?:\.git)?(?:@([\w.+-]+))?(?:#.*)?$`)

// localLine is "name @ file:///...", "-e git+https://..." and the like: what no
// index has.
func (p *parser) localLine(l line, t, where string) {
	name, url, at := "", "", Span{}
	if m := atLine.FindStringSubmatchIndex(t); m != nil {
		name, url, at = t[m[2]:m[3]], t[m[4]:m[5]], Span{l.start + m[2], l.start + m[5]}
	} else {
		m := editLine.FindStringSubmatchIndex(t)
		url, at = t[m[2]:m[3]], Span{l.start + m[2], l.start + m[3]}
	}
	spec := ""
	if m := gitName.FindStringSubmatch(url); m != nil {
		if name == "" {
			name = m[1]
		}
		spec = m[2]
	}
	if m := eggName.FindStringSubmatch(url); m != nil {
		name = m[1]
	}
	if name == "" {
		return
	}
	if m := wheelVersion.FindStringSubmatch(strings.ReplaceAll(url, "%2B", "+")); m != nil {
		spec = m[1]
	}
	v := Version{Name: name, Dist: pydist.Normalize(name), Spec: trimV(spec), Where: where, Span: at, Local: true}
	if !wholeVersion.MatchString(spec) || !strings.Contains(spec, ".") {
		v.Kind = VersionMoving
	}
	p.addVersion(v)
}

var wheelVersion = lazyre.New(`/[\w.]+-(` + versionText + `)-(?:cp|py)\d`)
