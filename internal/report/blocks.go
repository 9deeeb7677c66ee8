package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	// expectLead: "It should print", "Expected output:", "预期输出".
	expectLead = lazyre.New(`(?i)\b(?:expect\w*|should(?: have)?(?: be| print| give| return| show| look| output)?|ought to|desired|instead of|correct (?:output|result|answer)|wanted|(?:fixed|good) output)\b|期望|预期|期待|应该|应为|ожида|erwartet|attendu|esperad`)
	// actualLead: "but I get", "Output:", "which raises".
	actualLead = lazyre.New(`(?i)\b(?:outputs?|prints?|printed|gives?|gave|result(?:s|ing)?|get|got|gets|see|saw|shows?|returns?|actual(?:ly)?|yields?|produces?|instead|raises?|throws?|errors?|fails?|crash\w*|traceback|says|ends|but|following|ausgabe|sortie|salida|saída)\b|实际|输出|结果|打印|得到|返回|报错|出力|結果|вывод|результат`)
	// approxLead: the block is only an example ("something like").
	approxLead = lazyre.New(`(?i)\b(?:something like|similar to|e\.g\.|for example|approximately|roughly|about|var(?:y|ies)|more or less|sometimes|numbers differ|random)\b`)
	// varyAfter: said below a block ("the numbers vary").
	varyAfter = lazyre.New(`(?i)\b(?:numbers?|values?|results?|output)\b.{0,30}\b(?:var(?:y|ies)|differ|change|random|not always)|\bvar(?:y|ies)\b|(?i)\bnot always\b`)
	// sentenceEnd: a full stop with space behind it; abbreviations are told apart
	// by the caller.
	sentenceEnd = lazyre.New(`[.!?]["')]*\s+`)
	// versionLead: the block is a list of versions ("Output of pip freeze:").
	versionLead = lazyre.New(`(?i)\b(?:pip (?:freeze|list)|conda (?:list|env)|versions?|environment|show_versions|collect_env|print_environment_info|requirements|packages)\b`)
)

// readBlocks classifies each block, finds the words that lead to it, and from
// both its role.
func (p *parser) readBlocks() {
	for i := range p.blks {
		b := &p.blks[i]
		out := Block{Lang: b.lang, Span: b.span, Text: b.text, Section: max(0, p.sectionAt(b.span.Start)), Cut: b.cut}
		out.Kind = p.classify(b)
		out.Lead = p.leadOf(b)
		if out.Kind == BlockOutput && versionLead.MatchString(out.Lead) && looksLikeVersions(b.text) {
			out.Kind = BlockVersions
		}
		switch out.Kind {
		case BlockREPL:
			out.Cells = b.cells(p.text)
			out.Magics = magicsOf(cellsCode(out.Cells))
		case BlockPython:
			out.Magics = magicsOf(b.text)
		case BlockOutput:
			out.Magics = typedIn(b.text)
		}
		out.Role = p.roleOf(i, out)
		if out.Kind == BlockOutput || out.Kind == BlockREPL {
			out.Approximate = approxLead.MatchString(out.Lead) || p.variesAfter(b)
		}
		p.r.Blocks = append(p.r.Blocks, out)
	}
}

// leadOf is the last sentence of the prose line right before the block, with
// at most two blank lines between.
func (p *parser) leadOf(b *blk) string {
	for j, blanks := b.first-1, 0; j >= 0 && blanks <= 2; j-- {
		if p.inBlock[j] >= 0 || p.lines[j].end < p.bodyAt {
			return ""
		}
		t := strings.TrimSpace(p.proseLine(j))
		if t == "" {
			if strings.TrimSpace(p.lineText(j)) != "" && p.isHead(j) {
				return ""
			}
			blanks++
			continue
		}
		if strings.HasPrefix(t, "|") {
			return "" // a row of a table leads to nothing
		}
		return lastSentence(listMarker.ReplaceAllString(t, ""))
	}
	return ""
}

// isHead says whether a heading stands on the line j.
func (p *parser) isHead(j int) bool {
	lo, hi := 0, len(p.heads)
	for lo < hi {
		if mid := (lo + hi) / 2; p.heads[mid].lineStart < p.lines[j].start {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo < len(p.heads) && p.heads[lo].lineStart == p.lines[j].start
}

// lastSentence is the last one of a line of prose, which is what leads to a
// block: "I use 2.1. The output is:" leads with its second sentence.
func lastSentence(t string) string {
	if ends := sentenceEnd.FindAllStringIndex(t, -1); len(ends) > 0 {
		if rest := t[ends[len(ends)-1][1]:]; len(rest) >= 3 {
			t = rest
		}
	}
	if len(t) > maxTitle {
		t = strings.ToValidUTF8(t[len(t)-maxTitle:], "")
	}
	return t
}

// variesAfter looks at the line after the block: "(numbers vary, but ...)".
func (p *parser) variesAfter(b *blk) bool {
	for j := b.last + 1; j < min(len(p.lines), b.last+3); j++ {
		if t := strings.TrimSpace(p.proseLine(j)); t != "" {
			return varyAfter.MatchString(t[:min(len(t), 120)])
		}
	}
	return false
}

// roleOf: the lead beats the section's heading, which beats the position after
// a piece of code.
func (p *parser) roleOf(i int, b Block) Role {
	section := p.roleAt(b.Span.Start)
	switch b.Kind {
	case BlockPython, BlockREPL:
		wished := expectLead.MatchString(b.Lead) && (strings.HasSuffix(b.Lead, ":") || !importsFirst.MatchString(b.Text))
		if section == RoleExpected && (wished || !strongMark.MatchString(b.Text)) {
			return RoleExpected
		}
		return RoleCode
	case BlockShell, BlockDiff:
		return RoleCode
	case BlockVersions:
		return RoleVersions
	case BlockOther:
		return RoleOther
	}
	if role := leadRole(b.Lead); role != "" {
		if section == RoleVersions && role == RoleActual {
			return RoleVersions
		}
		return role
	}
	switch {
	case section == RoleExpected || section == RoleActual || section == RoleVersions || section == RoleLog || section == RoleOther:
		return section
	case b.Kind == BlockTraceback:
		return RoleLog
	case isTranscript(b.Text), b.Kind == BlockOutput && approxLead.MatchString(b.Lead):
		return RoleActual
	case i > 0 && p.follows(i) && (p.r.Blocks[i-1].Kind == BlockPython || p.r.Blocks[i-1].Kind == BlockShell || p.r.Blocks[i-1].Kind == BlockREPL):
		return RoleActual
	}
	return RoleDescription
}

// importsFirst is the beginning of a whole script: below a wish that does not
// announce it ("f should take both.") it is what was run.
var importsFirst = lazyre.New(`^\s*(?:#.*\n\s*)*(?:import [A-Za-z_]|from [\w.]+ import )`)

// leadRole reads the role from the lead's words. Where both sides are named
// ("should be 2 but I get") the last one leads to the block.
func leadRole(lead string) Role {
	switch {
	case aloneBefore.MatchString(lead):
		return RoleExpected
	case aloneAfter.MatchString(lead):
		return RoleActual
	}
	e, a := lastMatch(expectLead, lead), lastMatch(actualLead, lead)
	switch {
	case e < 0 && a < 0:
		return ""
	case strings.Contains(strings.ToLower(lead), "instead of") && e > a:
		return RoleExpected
	case e >= 0 && strings.Contains(strings.ToLower(lead[e:]), " but "):
		return RoleActual
	case e >= 0:
		return RoleExpected
	}
	return RoleActual
}

// lastMatch is where the last match begins, -1 without one.
func lastMatch(re *lazyre.Regexp, s string) int {
	all := re.FindAllStringIndex(s, -1)
	if len(all) == 0 {
		return -1
	}
	return all[len(all)-1][0]
}

// follows is true when nothing but blank lines stands between a block and the
// one before it.
func (p *parser) follows(i int) bool {
	for j := p.blks[i-1].last + 1; j < p.blks[i].first; j++ {
		if strings.TrimSpace(p.lineText(j)) != "" {
			return false
		}
	}
	return true
}

// maxMagics is how many such lines of a block are kept (a guess).
const maxMagics = 64

// magicsOf are the lines of a notebook cell that only IPython understands.
func magicsOf(code string) []string {
	var out []string
	for _, l := range strings.Split(code, "\n") {
		if magicLine.MatchString(l) && len(out) < maxMagics {
			out = append(out, strings.TrimSpace(l))
		}
	}
	return out
}
