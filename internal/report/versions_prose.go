package report

import (
	"regexp"
	"strings"

	"github.com/repgen/repgen/internal/pydist"
)

var (
	anyVersion  = regexp.MustCompile(`(?:^|[\s("'/:=<>~@,\[v-])(` + versionText + `)`)
	nameBefore  = regexp.MustCompile(`(?i)([A-Za-z][\w.-]*(?: [A-Za-z][\w-]+)?)(?:\s+(?:versions?|releases?|ver\.?))?(?:\s*\([^()]{0,40}\))?\s*(?:==?=?|:|@|\bis\b|(>=|<=|~=|<|>))?\s*(?:versions?\s*)?\(?v?$`)
	bareBefore  = regexp.MustCompile(`(?i)(?:^|[\s(])(?:(?:with|in|on|from|to|since|under|using|until|before|after|than|at|of|was|is|by|and|or|both|till|(?:(?:the|my|an?)\s+)?(?:old(?:er)?|new(?:er)?|latest|previous|last)?\s*(?:versions?|releases?|ver\.?))\s+)?(v?)$`)
	unitAfter   = regexp.MustCompile(`(?i)^\s?(?:%|times\b|x\b|[kmgt]i?b\b|ms\b|s\b|sec\w*|min\w*|hours?\b|days?\b|epochs?\b|steps?\b|iterations?\b|percent|points?\b|gpus?\b|dims?\b|fps|hz|[kmg]hz|\*|e[-+]?\d|/\d)`)
	sectionRef  = regexp.MustCompile(`(?i)(?:section|sec\.?|chapter|figure|fig\.?|table|eq\.?|equation|step|line|issue|#|appendix|theorem|pr|part|page)\s*$`)
	pythonGlue  = regexp.MustCompile(`(?i)\b(python|cpython|py)-?(\d\.\d{1,2}(?:\.\d{1,2})?)\b`)
	moveVerb    = regexp.MustCompile(`(?i)\b(?:upgrad\w*|updat\w*|mov(?:e|ed|ing)|switch\w*|go(?:ing)?|went|bump\w*|migrat\w*|chang\w*|downgrad\w*|revert\w*|roll\w*|reinstall\w*)\b`)
	downVerb    = regexp.MustCompile(`(?i)\b(?:go(?:ing|ne)? back|went back|roll(?:ing|ed)? back|downgrad\w*|revert\w*|pinn(?:ing|ed)|back)\b(?:\s+[\w.-]+){0,3}?\s+to\s+(?:\S+\s+)?v?$`)
	movesTo     = regexp.MustCompile(`(?i)^\s*(?:to|->|=>|\x{2192})\s*(?:[A-Za-z][\w.-]*\s+)?v?$`)
	movingAfter = regexp.MustCompile(`(?i)\b([A-Za-z][\w-]+)\s+\(?(main|master|nightly|latest|HEAD|@[0-9a-f]{7,40})\b`)
	movingFirst = regexp.MustCompile(`(?i)\b(main|master|nightly|latest|newest|current|HEAD)(?:\s+(?:version|release|build|branch|master|main))?(?:\s+of)?\s+([A-Za-z][\w-]+)`)
	sinceVerb   = regexp.MustCompile(`(?i)\b(?:since|starting (?:with|from)|beginning with|as of)\s+(?:(?:the\s+)?(?:version|release)\s+)?(?:[A-Za-z][\w-]*\s+)?v?$`)
	pastTense   = regexp.MustCompile(`(?i)\b(?:was|were|used to|did)\b`)
)

// found is one version-like number in a sentence.
type found struct {
	start, end int // of the number, in the sentence
	name       [2]int
	dist       string
	op         string
	v          bool // written with a v
}

// proseVersions reads sentence by sentence: first the versions with a name
// beside them, then the bare ones, which belong to a version already named or
// to the report's main package.
func (p *parser) proseVersions() {
	type late struct {
		s  sent
		fs []found
	}
	var bare []late
	for _, s := range p.sentences() {
		text := p.plain[s.start:s.end]
		if strings.Contains(text, "install") {
			p.installLine(s.start, p.text[s.start:s.end])
		}
		if !strings.ContainsAny(text, "0123456789") {
			p.movingVersions(s, text)
			continue
		}
		fs := p.numbers(s, text)
		if len(fs) > 0 {
			p.named(s, text, fs)
			bare = append(bare, late{s, fs})
		}
		p.movingVersions(s, text)
	}
	if p.main.dist == "" {
		p.main = p.onlyNamed()
	}
	for _, b := range bare {
		p.bare(b.s, p.plain[b.s.start:b.s.end], b.fs)
	}
	p.formVersions()
	p.withoutContrast()
}

// onlyNamed is the one package that has a version, when there is just one.
func (p *parser) onlyNamed() subject {
	out := subject{}
	for _, v := range p.r.Versions {
		if v.Dist == "python" || v.Dist == out.dist {
			continue
		}
		if out.dist != "" {
			return subject{}
		}
		out = subject{v.Dist, v.Name, true}
	}
	return out
}

// withoutContrast: a named version is bad in so many words only where another
// one of the same package is good; else it is simply the reporter's.
func (p *parser) withoutContrast() {
	good := map[string]bool{}
	for _, v := range p.r.Versions {
		if v.Role == RoleGood {
			good[v.Dist] = true
		}
	}
	for i := range p.r.Versions {
		v := &p.r.Versions[i]
		if named := v.Span.End-v.Span.Start > len(v.Spec); v.Role == RoleBad && named && !good[v.Dist] {
			v.Role = RoleStated
		}
	}
}

// numbers finds what may be a version: no date, no percentage, no count with a
// unit, no reference to a section.
func (p *parser) numbers(s sent, text string) []found {
	var out []found
	for _, m := range pythonGlue.FindAllStringSubmatchIndex(text, 16) {
		out = append(out, found{start: m[4], end: m[5], name: [2]int{m[2], m[3]}, dist: "python"})
	}
	for _, m := range anyVersion.FindAllStringSubmatchIndex(text, 64) {
		f := found{start: m[2], end: m[3]}
		if f.end < len(text) && isWordByte(text[f.end]) {
			continue
		}
		number := text[f.start:f.end]
		before := text[max(0, f.start-64):f.start]
		if dateLike.MatchString(number) || strings.Count(number, ".") > 3 || isAddress(number) || sectionRef.MatchString(before) {
			continue
		}
		if overlaps(out, f) || datePart(text, f) {
			continue
		}
		f.v = strings.HasSuffix(before, "v") || strings.HasSuffix(before, "V")
		p.nameOf(s, text, before, &f)
		if f.dist == "" && (unitAfter.MatchString(text[f.end:]) || !strings.Contains(number, ".")) {
			continue
		}
		out = append(out, f)
	}
	return out
}

func overlaps(fs []found, f found) bool {
	for _, o := range fs {
		if f.start < o.end && f.end > o.start {
			return true
		}
	}
	return false
}

// datePart is true inside "2024-03-05" and "12:30:01".
func datePart(text string, f found) bool {
	return f.end < len(text)-1 && (text[f.end] == '-' || text[f.end] == ':') && text[f.end+1] >= '0' && text[f.end+1] <= '9' ||
		f.start > 1 && (text[f.start-1] == '-' || text[f.start-1] == ':') && text[f.start-2] >= '0' && text[f.start-2] <= '9'
}

func isAddress(number string) bool {
	parts := strings.Split(number, ".")
	if len(parts) != 4 {
		return false
	}
	for _, n := range parts {
		if len(n) == 0 || len(n) > 3 || strings.Trim(n, "0123456789") != "" {
			return false
		}
	}
	return true
}

func isWordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// nameOf looks for a package's name right before the number.
func (p *parser) nameOf(s sent, text, before string, f *found) {
	m := nameBefore.FindStringSubmatchIndex(before)
	if m == nil {
		return
	}
	base := f.start - len(before)
	name := before[m[2]:m[3]]
	if m[4] >= 0 {
		f.op = before[m[4]:m[5]]
	}
	number := text[f.start:f.end]
	if k := labelTail.FindStringIndex(name); k != nil && k[0] > 0 {
		m[3], name = m[2]+k[0], name[:k[0]]
	}
	// Two words first ("PyTorch Lightning"), then the last one alone.
	for _, from := range []int{m[2], m[2] + strings.LastIndexByte(name, ' ') + 1} {
		word := strings.Trim(before[from:m[3]], ".-")
		if !p.isName(word, number, text[f.end:], s) {
			continue
		}
		f.dist, _ = distOf(word)
		f.name = [2]int{base + from, base + from + len(word)}
		return
	}
}

// labelTail is what follows the name in "Optuna version: 4.3.0".
var labelTail = regexp.MustCompile(`(?i) (?:versions?|releases?|ver|nightly|main|master|dev|latest)$`)

var plainInteger = regexp.MustCompile(`^\d$`)
var stopAfter = regexp.MustCompile(`^\s*(?:[,.;)\n]|$)`)

// isName says whether the word in front of a number names a distribution. An
// unknown word must look like one, or be imported or named in the title.
func (p *parser) isName(word, number, after string, s sent) bool {
	lower := strings.ToLower(word)
	if notSoftware.MatchString(word) || platformWord.MatchString(word) || connective.MatchString(word) {
		return false
	}
	_, known := distOf(word)
	if !strings.Contains(number, ".") {
		return known && plainInteger.MatchString(number) && stopAfter.MatchString(after) && !pythonWord.MatchString(word)
	}
	if known {
		return true
	}
	if strings.Contains(word, " ") || len(word) < 2 {
		return false
	}
	_, imported := p.imports[lower]
	_, importedUnderscore := p.imports[strings.ReplaceAll(lower, "-", "_")]
	return imported || importedUnderscore || strings.Count(number, ".") >= 2 && (strings.ContainsAny(word, "-_") || s.item || p.lineStarts(s, word) || strings.Contains(strings.ToLower(p.r.Title), lower))
}

// lineStarts is true when the sentence begins with the word.
func (p *parser) lineStarts(s sent, word string) bool {
	return strings.HasPrefix(strings.TrimSpace(p.plain[s.start:s.end]), word)
}

var (
	connective   = regexp.MustCompile(`(?i)^(?:with|in|on|from|to|since|under|using|until|before|after|than|at|of|was|is|by|and|or|both|till|versions?|releases?|the|my|a|an|old|new|older|newer|latest|previous|last|for|between|only|also|about|around|got|get|gives?|value|returns?|prints?|be|not|it|that|this|says|am|are|has|have|i|we)$`)
	platformWord = regexp.MustCompile(`(?i)^(?:ubuntu|debian|fedora|centos|rhel|arch|mac ?os|osx|darwin|windows|win|wsl|linux|kernel|driver|cuda|cudnn|rocm|gcc|g\+\+|clang|glibc|rtx|gtx|node|java|cmake|ios|android|nvcc|bazel|docker|chrome|firefox|colab|alpine|rocky|mint|manjaro|suse|opensuse|compute|capability)$`)
)

// named records the versions of a sentence that have a name beside them.
func (p *parser) named(s sent, text string, fs []found) {
	all, spans := moods(text), ranges(fs)
	for _, f := range fs {
		if f.dist == "" {
			continue
		}
		v := p.version(s, text, f, f.dist, text[f.name[0]:f.name[1]])
		v.Span.Start = s.start + f.name[0]
		v.Role = p.roleInSentence(s, text, f, fs, all, spans)
		if f.dist == "python" || v.Role == RoleBad && f.dist != p.main.dist && p.main.dist != "" {
			v.Role = RoleStated
		}
		p.addVersion(v)
	}
}

func ranges(fs []found) [][2]int {
	out := make([][2]int, len(fs))
	for i, f := range fs {
		out[i] = [2]int{f.start, f.end}
	}
	return out
}

func (p *parser) version(s sent, text string, f found, dist, name string) Version {
	v := Version{Name: name, Dist: dist, Spec: text[f.start:f.end], Where: p.where(s), Span: Span{s.start + f.start, s.start + f.end}}
	if f.op != "" {
		v.Spec, v.Kind = f.op+v.Spec, VersionRange
	}
	return v
}

func (p *parser) where(s sent) string {
	if s.item {
		return "list"
	}
	if i := p.sectionAt(s.start); i >= 0 && !s.title {
		if sec := p.r.Sections[i]; sec.Role == RoleVersions && sec.Level > 0 && sec.Span.End-sec.Span.Start < 200 {
			return "form"
		}
	}
	return "prose"
}

// roleInSentence reads good and bad from the words around the number.
func (p *parser) roleInSentence(s sent, text string, f found, fs []found, all []mood, spans [][2]int) VersionRole {
	if role := moveRole(text, f, fs, all); role != "" {
		return role
	}
	good, ok := moodAt(text, all, spans, f.start, f.end)
	switch since := sinceVerb.MatchString(text[:f.start]); {
	case since && (!ok || !good):
		return RoleBad
	case p.roleAt(s.start) == RoleVersions, s.title && !(ok && good):
		return RoleStated
	case ok && good:
		return RoleGood
	case downVerb.MatchString(text[:f.start]) && (!ok || !strings.Contains(text, "not")):
		return RoleGood
	case ok:
		return RoleBad
	case pastTense.MatchString(text[:f.start]):
		return RoleMention
	}
	return RoleStated
}

// moveRole reads "from A to B": in a report of a bug A was good and B is bad,
// unless the sentence says that the move helped.
func moveRole(text string, f found, fs []found, all []mood) VersionRole {
	for i, a := range fs {
		for _, b := range fs[i+1 : min(len(fs), i+2)] {
			if f.start != a.start && f.start != b.start || !movesTo.MatchString(between(text, a, b)) {
				continue
			}
			if !moveVerb.MatchString(text[:a.start]) && !moveVerb.MatchString(text[b.end:min(len(text), b.end+20)]) {
				continue
			}
			first, second := RoleGood, RoleBad
			if helped(all) {
				first, second = RoleBad, RoleGood
			}
			if f.start == a.start {
				return first
			}
			return second
		}
	}
	return ""
}

// between is the text after the number a and before the number b, b's name out.
func between(text string, a, b found) string {
	end := b.start
	if b.name[1] > b.name[0] && b.name[0] >= a.end {
		end = b.name[0]
	}
	if end < a.end {
		return ""
	}
	return text[a.end:end]
}

// helped is true when all judging words of a sentence are good ones.
func helped(all []mood) bool {
	for _, m := range all {
		if !m.good {
			return false
		}
	}
	return len(all) > 0
}

// bare records the versions without a name: those that the sentence judges, or
// that are certainly versions. Their package is the one that already has this
// version, else the main one.
func (p *parser) bare(s sent, text string, fs []found) {
	all, spans := moods(text), ranges(fs)
	for _, f := range fs {
		if f.dist != "" {
			continue
		}
		number := text[f.start:f.end]
		m := bareBefore.FindStringSubmatch(text[max(0, f.start-40):f.start])
		if m == nil {
			continue
		}
		owner := p.ownerOf(number)
		if owner.matched && !weakBefore.MatchString(text[max(0, f.start-40):f.start]) {
			owner.matched = false
		}
		certain := f.v || strings.Count(number, ".") >= 2 || strings.Contains(strings.ToLower(text[max(0, f.start-12):f.start]), "version") || owner.matched
		role := p.roleInSentence(s, text, f, fs, all, spans)
		moved := moveRole(text, f, fs, all) != ""
		if owner.dist == "" || !certain && !moved || p.main.weak && role == RoleStated && !owner.matched {
			continue
		}
		if role == RoleStated && !s.title && !f.v && !inUse.MatchString(text[max(0, f.start-40):f.start]) {
			role = RoleMention
		}
		p.addVersion(func() Version {
			v := p.version(s, text, f, owner.dist, owner.name)
			v.Role = role
			return v
		}())
	}
}

// weakBefore is what must stand before two numbers ("4.48") that are only
// likely to be a version: measured values look the same.
var weakBefore = regexp.MustCompile(`(?i)\b(?:with|in|on|since|under|using|until|before|after|versions?|releases?|than)\s+$`)

// inUse are the words before a bare version that make it the reporter's own.
var inUse = regexp.MustCompile(`(?i)\b(?:using|i'?m on|i am on|running|i use|installed|(?:my|our|current) versions?(?: is)?|versions?:?|tested (?:with|on)|reproduced (?:with|on))\s*v?$`)

// owner is the package to which a bare version belongs.
type owner struct {
	dist, name string
	matched    bool // a version of it with the same numbers was named
}

// ownerOf prefers the main package, then whoever has exactly this version, then
// whoever has one of the same series.
func (p *parser) ownerOf(number string) owner {
	main := owner{dist: p.main.dist, name: p.main.name}
	best := 0
	out := main
	for _, v := range p.r.Versions {
		if v.Dist == "python" {
			continue
		}
		score := sameSeries(v.Spec, number) * 2
		if score > 0 && v.Dist == p.main.dist {
			score++
		} else if score < 4 {
			continue // only a shared first number
		}
		if score > best {
			best, out = score, owner{v.Dist, v.Name, true}
		}
	}
	// A near version of another package is no reason to leave the main one.
	if main.dist != "" && out.dist != main.dist && best < 6 {
		return main
	}
	return out
}

// sameSeries is 3 for equal versions, 2 when one begins with the other
// ("4.48" and "4.48.0"), 1 for the same first number and length or a shared
// first two numbers, else 0.
func sameSeries(a, b string) int {
	a, b = strings.TrimPrefix(a, "=="), strings.TrimPrefix(b, "==")
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	switch {
	case a == b:
		return 3
	case strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+"."):
		return 2
	case as[0] == bs[0] && len(as) > 1 && len(bs) > 1 && len(as[1]) <= 3 && len(bs[1]) <= 3:
		return 1
	}
	return 0
}

// movingVersions reads "jax main", "the latest keras": only known packages.
func (p *parser) movingVersions(s sent, text string) {
	for _, m := range movingAfter.FindAllStringSubmatchIndex(text, 8) {
		p.movingVersion(s, text, [2]int{m[2], m[3]}, [2]int{m[4], m[5]})
	}
	for _, m := range movingFirst.FindAllStringSubmatchIndex(text, 8) {
		p.movingVersion(s, text, [2]int{m[4], m[5]}, [2]int{m[2], m[3]})
	}
}

func (p *parser) movingVersion(s sent, text string, name, word [2]int) {
	written := text[name[0]:name[1]]
	dist, known := distOf(written)
	if !known || dist == "python" || connective.MatchString(written) {
		return
	}
	p.addVersion(Version{Name: written, Dist: dist, Spec: strings.ToLower(strings.TrimPrefix(text[word[0]:word[1]], "@")), Kind: VersionMoving, Where: p.where(s), Role: RoleStated, Span: Span{s.start + min(name[0], word[0]), s.start + max(name[1], word[1])}})
}

var (
	formNoise   = regexp.MustCompile(`(?i)\b(?:what|which|your|the|versions?|of|are|you|is|using|used|do|does|installed|info|seeing|problem|on|in|have|with|running|release|e\.g)\b|[?:()*]`)
	formVersion = regexp.MustCompile(`^\s*v?(` + versionText + `|main|master|nightly|latest)\b`)
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

// subject is the package that the report is about, as far as bare versions
// need one.
type subject struct {
	dist, name string
	// weak: it is only the one package that has a version.
	weak bool
}

var importModule = regexp.MustCompile(`(?m)^\s*(?:>>> |In \[\d*\]: )?(?:import|from) +([A-Za-z_]\w*)`)

// helperDists are imported by every second report and rarely its subject.
var helperDists = map[string]bool{"numpy": true, "scipy": true, "pandas": true, "matplotlib": true, "pytest": true, "requests": true, "pillow": true, "tqdm": true}

// findSubject scores the packages that title, repository and code name.
func (p *parser) findSubject() subject {
	scores := map[string]int{}
	names := map[string]string{}
	var order []string
	vote := func(dist, name string, n int) {
		if _, seen := scores[dist]; !seen {
			order = append(order, dist)
			names[dist] = name
		}
		scores[dist] += n
	}
	if _, repo, ok := strings.Cut(p.r.Repo, "/"); ok {
		if dist, known := distOf(repo); known {
			vote(dist, repo, 6)
		}
	}
	p.imports = map[string]bool{}
	for i, b := range p.r.Blocks {
		if b.Kind != BlockPython && b.Kind != BlockREPL {
			continue
		}
		for _, m := range importModule.FindAllStringSubmatch(p.blks[i].text, 64) {
			if pydist.StdlibModule(m[1]) || p.imports[strings.ToLower(m[1])] {
				continue
			}
			p.imports[strings.ToLower(m[1])] = true
			dist, _ := pydist.FromImport(m[1])
			if helperDists[dist] {
				vote(dist, m[1], 1)
			} else {
				vote(dist, m[1], 3)
			}
		}
	}
	for _, word := range titleWord.FindAllString(p.r.Title, 40) {
		dist, ok := pydist.FromWord(word)
		if !ok || dist == "python" {
			continue
		}
		// A package may bear a common word as its name ("sparse", "rich"): where
		// there is code, only what it imports is meant.
		if _, seen := scores[dist]; seen {
			vote(dist, word, 5)
		} else if len(order) == 0 {
			vote(dist, word, 1)
		}
	}
	for i, b := range p.r.Blocks {
		if b.Kind == BlockTraceback {
			for _, m := range packagePath.FindAllStringSubmatch(p.blks[i].text, 64) {
				dist, _ := pydist.FromImport(m[1])
				vote(dist, m[1], 1)
			}
		}
	}
	best := subject{}
	for _, dist := range order {
		if best.dist == "" || scores[dist] > scores[best.dist] {
			best = subject{dist: dist, name: names[dist]}
		}
	}
	return best
}

// packagePath is the package of a traceback's frame.
var packagePath = regexp.MustCompile(`(?:site-packages|dist-packages|\.\.\.)[/\\](\w+)[/\\]`)

var titleWord = regexp.MustCompile(`[A-Za-z][\w-]*`)
