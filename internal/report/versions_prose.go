package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	// anyVersion: a number that may be a version, in its surroundings.
	anyVersion = lazyre.New(`(?:^|[\s("'/:=<>~@,\[v\p{Han}\p{Hiragana}\p{Katakana}-])(` + versionText + `)`)
	// nameBefore: one or two words, an operator and "version" before it.
	nameBefore = lazyre.New(`(?i)([A-Za-z][\w.-]*(?: [A-Za-z][\w-]+)?)(?:\s+(?:versions?|releases?|ver\.?))?(?: or (?:commit(?: hash)?|branch|tag))?(?:\s*\([^()]{0,40}\))?\s*(?:==?=?|:|@|--|–|—|\bis\b|(>=|<=|~=|<|>))?\s*(?:versions?\s*)?\(?["']?v?$`)
	// movedName: "upgraded scikit-learn to 1.4.0", "moved numpy from 1.26 to 2.0".
	movedName = lazyre.New(`(?i)\b(?:upgrad|updat|bump|mov|switch|migrat|downgrad)\w*\s+(?:(?:the|my|our|from)\s+)?([A-Za-z][\w.-]*)\s+(?:from\s+\S+\s+)?to\s+(?:version\s+)?v?$`)
	// bareBefore: the words that may stand before one without a name.
	bareBefore = lazyre.New(`(?i)(?:^|[\s(\p{Han}])(?:(?:with|in|on|from|to|since|under|using|until|before|after|than|at|of|was|is|by|and|or|both|till|(?:(?:the|my|an?)\s+)?(?:old(?:er)?|new(?:er)?|latest|previous|last)?\s*(?:versions?|releases?|ver\.?))\s+)?(v?)$`)
	// unitAfter: what makes it a quantity ("1.5 GB", "2.0x").
	unitAfter = lazyre.New(`(?i)^\s?(?:%|times\b|x\b|[kmgt]i?b\b|ms\b|s\b|sec\w*|min\w*|hours?\b|days?\b|epochs?\b|steps?\b|iterations?\b|percent|points?\b|gpus?\b|dims?\b|fps|hz|[kmg]hz|\*|e[-+]?\d|/\d)`)
	// pythonGlue: "python3.9", "py3.10".
	pythonGlue = lazyre.New(`(?i)\b(python|cpython|py)-?(\d\.\d{1,2}(?:\.\d{1,2})?)\b`)
	// movingAfter: "jax main".
	movingAfter = lazyre.New(`(?i)\b([A-Za-z][\w-]+)\s+\(?(main|master|nightly|latest|HEAD|@[0-9a-f]{7,40})\b`)
	// movingFirst: "the latest keras".
	movingFirst = lazyre.New(`(?i)\b(main|master|nightly|latest|newest|current|HEAD)(?:\s+(?:version|release|build|branch|master|main))?(?:\s+of)?\s+([A-Za-z][\w-]+)`)
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
		s     sent
		fs    []found
		moods []mood
	}
	var bare []late
	for _, s := range p.sentences() {
		if len(p.r.Versions) >= maxVersions {
			break
		}
		text := p.plain[s.start:s.end]
		if strings.Contains(text, "install") {
			p.installLine(s.start, p.text[s.start:s.end])
		}
		if p.installedLine(s.start, text) {
			continue
		}
		if !strings.ContainsAny(text, "0123456789") {
			p.movingVersions(s, text)
			continue
		}
		fs := p.numbers(s, text)
		if len(fs) > 0 {
			all := moods(text)
			p.named(s, text, fs, all)
			bare = append(bare, late{s, fs, all})
		}
		p.movingVersions(s, text)
		p.commitVersions(s, text)
	}
	if p.main.dist == "" {
		p.main = p.onlyNamed()
	}
	for _, b := range bare {
		p.bare(b.s, p.plain[b.s.start:b.s.end], b.fs, b.moods)
	}
	p.formVersions()
	p.severalVersions()
	p.headingVersions()
	p.olderResults()
	p.withoutContrast()
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
		before := text[max(0, f.start-nameGap(text[:f.start])):f.start]
		if strings.Count(number, ".") > 3 || isReference(before) {
			continue
		}
		if overlaps(out, f) || datePart(text, f) || p.listed(s.start+f.start) {
			continue
		}
		if !strings.Contains(number, ".") && (len(number) > 1 || !stopAfter.MatchString(text[f.end:])) {
			continue // isName takes one digit, and only as in "pandas 2."
		}
		f.v = strings.HasSuffix(before, "v") || strings.HasSuffix(before, "V")
		if dottedName.MatchString(before) {
			continue // "torchvision.transforms.v2", "tf.compat.v1"
		}
		p.nameOf(s, text, before, &f)
		known := isKnown(text[f.name[0]:f.name[1]])
		if dateLike.MatchString(number) && !known {
			continue // "2023.3.1" is a day, unless it is dask's
		}
		if isAddress(number) && (!known || isHost(number)) {
			continue // "127.0.0.1", but not "catboost version: 0.9.1.1"
		}
		if f.dist == "" && (!strings.Contains(number, ".") || unitAfter.MatchString(text[f.end:])) {
			continue
		}
		out = append(out, f)
	}
	return out
}

// dottedName is a module path up to the number in the name of its last part.
var dottedName = lazyre.New(`[A-Za-z_]\w*\.v$`)

// nameGap is how far before a number its name may begin, in bytes: further
// where the label has a blank in it ("TensorFlow version (use command below):"
// before what git says of the build).
func nameGap(before string) int {
	if strings.Contains(before[max(0, len(before)-64):], "          ") {
		return 112
	}
	return 64
}

// referenceWords stand before the number of a part of a text or of an issue.
var referenceWords = wordSet("section|sec|sec.|chapter|figure|fig|fig.|table|eq|eq.|equation|step|line|issue|appendix|theorem|pr|part|page")

// isReference says whether the words before a number make it one of those.
func isReference(before string) bool {
	before = strings.TrimRight(before, " \n\t")
	if strings.HasSuffix(before, "#") {
		return true
	}
	start := len(before)
	for start > 0 && (isWordByte(before[start-1]) || before[start-1] == '.') && len(before)-start < 10 {
		start--
	}
	return referenceWords[lowered(before[start:])]
}

// isKnown says whether the word names a distribution.
func isKnown(word string) bool {
	_, known := distOf(word)
	return word != "" && known
}

// listed is true inside a version that an install line of the same sentence has
// given already.
func (p *parser) listed(pos int) bool {
	for i := len(p.r.Versions) - 1; i >= 0 && i >= len(p.r.Versions)-16; i-- {
		if v := p.r.Versions[i]; v.Where == "install_line" && pos >= v.Span.Start && pos < v.Span.End {
			return true
		}
	}
	return false
}

// overlaps says whether the number was read already, as in "python3.9".
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

// isAddress is true for four small numbers ("127.0.0.1"); OpenCV, CatBoost and
// others number releases so as well.
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

// isHost: an address also beside a package's name ("dask is 10.0.0.1"): of this
// machine, of a private network, or with a first number that no release has.
func isHost(number string) bool {
	first, _, _ := strings.Cut(number, ".")
	return len(first) > 2 || first == "10" || strings.HasPrefix(number, "0.0.0.")
}

// isWordByte is true for ASCII letters, digits and the underscore.
func isWordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// moved finds the package in "upgraded scikit-learn to " before a number.
func moved(before string) []int {
	if !strings.Contains(lowered(before), " to ") {
		return nil
	}
	return movedName.FindStringSubmatchIndex(before)
}

// nameOf looks for a package's name right before the number.
func (p *parser) nameOf(s sent, text, before string, f *found) {
	base := f.start - len(before)
	if m := moved(before); m != nil {
		word := before[m[2]:m[3]]
		if p.isName(word, text[f.start:f.end], text[f.end:], s) {
			f.dist, _ = distOf(word)
			f.name = [2]int{base + m[2], base + m[3]}
			return
		}
	}
	if p.exampleOf(s, base, f) {
		return
	}
	m := nameBefore.FindStringSubmatchIndex(before)
	if m == nil {
		return
	}
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
		if toolOf.MatchString(before[:from]) || !p.isName(word, number, text[f.end:], s) {
			continue
		}
		f.dist, _ = distOf(word)
		f.name = [2]int{base + from, base + from + len(word)}
		return
	}
}

// toolOf stands before the name of a package that something else was there to
// make: "CUDA used to build PyTorch: 12.1" is CUDA's version.
var toolOf = lazyre.New(`(?i)\bused (?:to|for) (?:build|compil)(?:e|ing)?\s+$`)

// labelTail is what follows the name in "Optuna version: 4.3.0".
var labelTail = lazyre.New(`(?i) (?:versions?|releases?|ver|nightly|main|master|dev|latest)$`)

var plainInteger = lazyre.New(`^\d$`)
var stopAfter = lazyre.New(`^\s*(?:[,.;)\n]|$)`)

// namedWord is what is known of a word in front of a number; asked often of the
// same few, so that the answers are kept.
type namedWord struct{ no, known bool }

// maxWords bounds them (a guess).
const maxWords = 4096

// wordOf is what is known of the word, asked once for each word of a report.
func (p *parser) wordOf(word string) namedWord {
	if w, ok := p.words[word]; ok {
		return w
	}
	lower := strings.ToLower(word)
	w := namedWord{no: connective[lower] || platformWord[lower] || notSoftware.MatchString(word)}
	if !w.no {
		_, w.known = distOf(word)
	}
	if p.words == nil {
		p.words = map[string]namedWord{}
	}
	if len(p.words) < maxWords {
		p.words[word] = w
	}
	return w
}

// isName says whether the word in front of a number names a distribution. An
// unknown word must look like one, or be imported or named in the title.
func (p *parser) isName(word, number, after string, s sent) bool {
	lower := strings.ToLower(word)
	w := p.wordOf(word)
	if w.no {
		return false
	}
	known := w.known
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

// connective are words that stand before a number without naming a package,
// platformWord those that name something that is no Python distribution.
var (
	connective   = wordSet("with|in|on|from|to|since|under|using|until|before|after|than|at|of|was|is|by|and|or|both|till|version|versions|release|releases|the|my|a|an|old|new|older|newer|latest|previous|last|for|between|only|also|about|around|checked|tested|tried|seen|using|used|running|installed|verified|reproduced|confirmed|information|info|details|context|upgraded|updated|downgraded|commit|got|get|give|gives|value|returns?|prints?|be|not|it|that|this|says|am|are|has|have|i|we")
	platformWord = wordSet("ubuntu|debian|fedora|centos|rhel|hat|redhat|arch|macos|mac os|osx|darwin|windows|win|wsl|linux|kernel|driver|cuda|cudnn|rocm|gcc|g++|clang|glibc|rtx|gtx|node|java|cmake|ios|android|nvcc|bazel|docker|chrome|firefox|colab|alpine|rocky|mint|manjaro|suse|opensuse|compute|capability")
)

// wordSet takes words divided by bars.
func wordSet(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Split(words, "|") {
		out[w] = true
	}
	return out
}

// named records the versions of a sentence that have a name beside them.
func (p *parser) named(s sent, text string, fs []found, all []mood) {
	spans := ranges(fs)
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
		below(&v, text, f)
		p.addVersion(v)
	}
}

// ranges are the places of the numbers in their sentence.
func ranges(fs []found) [][2]int {
	out := make([][2]int, len(fs))
	for i, f := range fs {
		out[i] = [2]int{f.start, f.end}
	}
	return out
}

// version is the number as a Version, its role still open.
func (p *parser) version(s sent, text string, f found, dist, name string) Version {
	v := Version{Name: name, Dist: dist, Spec: text[f.start:f.end], Where: p.where(s), Span: Span{s.start + f.start, s.start + f.end}}
	if f.op != "" {
		v.Spec, v.Kind = f.op+v.Spec, VersionRange
	}
	return v
}

// where says what kind of text the sentence stands in, for the record.
func (p *parser) where(s sent) string {
	if s.item {
		return "list"
	}
	if i := p.sectionAt(s.start); i >= 0 && !s.title {
		if sec := p.r.Sections[i]; sec.Role == RoleVersions && sec.Level > 0 {
			if sec.Span.End-sec.Span.Start < 200 {
				return "form"
			}
			return "list" // collect_env and the like, pasted without a fence
		}
	}
	return "prose"
}

// movingVersions reads "jax main", "the latest keras": only known packages.
func (p *parser) movingVersions(s sent, text string) {
	if !movingWord(text) {
		return
	}
	for _, m := range movingAfter.FindAllStringSubmatchIndex(text, 8) {
		p.movingVersion(s, text, [2]int{m[2], m[3]}, [2]int{m[4], m[5]})
	}
	for _, m := range movingFirst.FindAllStringSubmatchIndex(text, 8) {
		p.movingVersion(s, text, [2]int{m[4], m[5]}, [2]int{m[2], m[3]})
	}
}

// movingWord is a cheap question before two dear ones.
func movingWord(text string) bool {
	lower := strings.ToLower(text)
	for _, w := range []string{"main", "master", "nightly", "latest", "newest", "current", "head", "@"} {
		if strings.Contains(lower, w) {
			return true
		}
	}
	return false
}

// movingVersion records "jax main" and the like; the span covers both words.
func (p *parser) movingVersion(s sent, text string, name, word [2]int) {
	written := text[name[0]:name[1]]
	dist, known := distOf(written)
	if !known || dist == "python" || connective[strings.ToLower(written)] {
		return
	}
	p.addVersion(Version{Name: written, Dist: dist, Spec: strings.ToLower(strings.TrimPrefix(text[word[0]:word[1]], "@")), Kind: VersionMoving, Where: p.where(s), Role: RoleStated, Span: Span{s.start + min(name[0], word[0]), s.start + max(name[1], word[1])}})
}
