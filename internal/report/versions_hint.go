package report

import (
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	// adviceVersion: "Downgrade the protobuf package to 3.20.x or lower".
	adviceVersion = lazyre.New(`(?i)\b(?:downgrade|upgrade|pin|update|install|use)\s+(?:the\s+|your\s+)?([A-Za-z][\w.-]*)(?:\s+(?:package|library|version))?\s+(?:to|at)\s+v?(` + versionText + `)(?:\s+or (?:lower|older|higher|newer|later|below|above))?`)
	// numberedItem: "1. Downgrade ...".
	numberedItem = lazyre.New(`^\s*(\d{1,2})[.)]\s`)
	// helpsNumber: "workaround 1 helps".
	helpsNumber = lazyre.New(`(?i)\b(?:workaround|option|solution|suggestion|fix|way|method|point|number|hint)\s*#?\(?(\d{1,2})\)?\s+(?:\w+\s+){0,2}?(?:helps|helped|works|worked|fixe[sd]|solve[sd]|does help|is fine)`)
	// helpsOrdinal: "the second one helps".
	helpsOrdinal = lazyre.New(`(?i)\b(first|second|third)\s+(?:workaround|option|solution|suggestion|fix|way|one)\s+(?:\w+\s+){0,2}?(?:helps|helped|works|worked|fixe[sd]|solve[sd])`)
	// helpsAny: "the workaround helps".
	helpsAny = lazyre.New(`(?i)\b(?:(?:the|this|that) (?:workaround|downgrade|hint|advice|suggestion)|downgrading(?: \w+)?|pinning(?: \w+)?) (?:\w+\s+){0,2}?(?:helps|helped|works|worked|fixe[sd]|solve[sd])`)
)

// hintedVersions reads advice inside a log ("1. Downgrade the protobuf package
// to 3.20.x"): a mention, and a good version when the reporter says that this
// very advice helps.
func (p *parser) hintedVersions() {
	helped := p.helpfulItems()
	for i := range p.blks {
		if k := p.r.Blocks[i].Kind; k != BlockTraceback && k != BlockOutput && k != BlockREPL {
			continue
		}
		for n, l := range p.blks[i].lines {
			t := p.text[l.start:l.end]
			if n > 4096 || len(t) > 1000 || !strings.Contains(t, " ") {
				continue
			}
			for _, m := range adviceVersion.FindAllStringSubmatchIndex(t, 4) {
				p.hint(l, t, m, helped)
			}
		}
	}
}

// hint records one piece of advice that a log gives.
func (p *parser) hint(l line, t string, m []int, helped map[int]bool) {
	name, spec := t[m[2]:m[3]], t[m[4]:m[5]]
	if connective[strings.ToLower(name)] || !strings.Contains(spec, ".") {
		return
	}
	role := RoleMention
	item := numberedItem.FindStringSubmatch(t)
	if helped[0] || item != nil && helped[atoi(item[1])] {
		role = RoleGood
	}
	p.addVersion(Version{Name: name, Dist: pydist.Normalize(name), Spec: spec, Where: "printed", Role: role, Span: Span{l.start + m[2], l.start + m[5]}})
}

// helpfulItems are the numbers of the advice that helped; 0 stands for all.
func (p *parser) helpfulItems() map[int]bool {
	out := map[int]bool{}
	ordinals := map[string]int{"first": 1, "second": 2, "third": 3}
	for _, s := range p.sentences() {
		t := p.plain[s.start:s.end]
		if !strings.Contains(t, "help") && !strings.Contains(t, "work") && !strings.Contains(t, "fix") && !strings.Contains(t, "solve") || negatedGood.MatchString(t) {
			continue
		}
		if m := helpsNumber.FindStringSubmatch(t); m != nil {
			out[atoi(m[1])] = true
		}
		if m := helpsOrdinal.FindStringSubmatch(t); m != nil {
			out[ordinals[strings.ToLower(m[1])]] = true
		}
		if helpsAny.MatchString(t) {
			out[0] = true
		}
	}
	return out
}

// atoi reads a short run of digits; -1 for anything else.
func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}
