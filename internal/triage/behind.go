package triage

import (
	"strings"

	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// gaveBehind is all that stands between a script and the value it gave.
var gaveBehind = lazyre.New(`(?i)^[\s\x60~]*(?:(?:it|this|that|which|the (?:call|code|result|output))\s+)?(?:gives?|gave|returns?|returned|prints?|printed|outputs?|yields?|yielded|evaluates to)(?: me)?\s*:?\s*\x60?$`)

// saidBehind: the first words behind a script that ends in an expression say
// what it gave ("gives 3"). The reporter saw it at a prompt, and pasted only
// what was typed. A value further on may be one of anything.
func saidBehind(rd *reading, st report.Statement) bool {
	s := rd.script
	n := len(s.file.Statements)
	if s.none() || n == 0 || s.file.Statements[n-1].Kind != "expression" || strings.HasSuffix(strings.TrimSpace(s.source), ";") {
		return false
	}
	between := report.Span{Start: rd.r.Blocks[s.blocks[len(s.blocks)-1]].Span.End, End: st.Span.Start}
	return between.Within(rd.r.Text) && gaveBehind.MatchString(rd.r.Text[between.Start:between.End])
}
