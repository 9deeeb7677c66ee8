package triage

import (
	"slices"
	"sort"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// claims are the report's statements sorted by what they say of the script.
type claims struct {
	actual     []report.Statement // printed output or values that came
	expected   []report.Statement // ... that should have come
	relations  []string           // "all_nan", "equal", ...
	exceptions []report.Statement // Role tells which side
	warnings   []report.Statement
	noWarning  bool
	noError    bool
}

// readClaims sorts the statements and adds the output blocks that no
// statement speaks of.
func readClaims(rd *reading) claims {
	var c claims
	mixed := outputsByVersion(rd)
	for _, st := range append(append([]report.Statement{}, rd.r.Statements...), unspokenBlocks(rd)...) {
		if otherSession(rd, st) || ofVersions(rd, st) {
			continue
		}
		if inside := mixed[st.Block]; st.Where == "block" && len(inside) > 0 {
			var sided bool
			if st, sided = ofVersion(st, inside); !sided {
				continue
			}
		}
		if pasted(st) && !printsLabels(rd.script) {
			st = unlabelled(st)
		}
		c.add(st)
	}
	bySpan := func(list []report.Statement) func(i, j int) bool {
		return func(i, j int) bool { return list[i].Span.Start < list[j].Span.Start }
	}
	sort.SliceStable(c.actual, bySpan(c.actual))
	sort.SliceStable(c.expected, bySpan(c.expected))
	return c
}

// otherSession: the line came in a session of the interpreter that is not the
// one taken for the script: "with [64, 2] it is right", shown first, says
// nothing of what the one with [64, 1] prints.
func otherSession(rd *reading, st report.Statement) bool {
	if st.Where != "repl" || slices.Contains(rd.script.blocks, st.Block) {
		return false
	}
	return slices.ContainsFunc(rd.script.blocks, func(i int) bool { return rd.r.Blocks[i].Kind == report.BlockREPL })
}

// ofVersions: the line was printed by a session that asked for versions only,
// beside the script that is judged.
func ofVersions(rd *reading, st report.Statement) bool {
	if st.Where != "repl" || st.Block < 0 || st.Block >= len(rd.r.Blocks) || slices.Contains(rd.script.blocks, st.Block) {
		return false
	}
	return onlyVersions(pysyntax.Parse(transcriptSource(rd.r.Blocks[st.Block])))
}

// Lines like "Expected: 3" and "Got: 4" in one pasted block.
var (
	saysExpected = lazyre.New(`(?i)^\s*(expected|should be|desired)( (output|result|value|behaviou?r))?\s*[:=]\s*(\S.*)$`)
	saysActual   = lazyre.New(`(?i)^\s*(actual|got|but got|actually)( (output|result|value|behaviou?r))?\s*[:=]\s*(\S.*)$`)
)

// unlabelled takes the side of a pasted line from its label.
func unlabelled(st report.Statement) report.Statement {
	if m := saysExpected.FindStringSubmatch(st.Text); m != nil {
		st.Role, st.Text, st.Kind, st.Where = report.RoleExpected, m[4], report.SaysValue, "inline"
	} else if m := saysActual.FindStringSubmatch(st.Text); m != nil {
		st.Role, st.Text, st.Where = report.RoleActual, m[4], "inline"
	}
	return st
}

// printsLabels: the script itself prints the words "expected" or "actual", so
// that such a line is its output as it is.
func printsLabels(s script) bool {
	for _, str := range s.file.Strings {
		if word := strings.ToLower(str.Value); strings.Contains(word, "expected") || strings.Contains(word, "actual") || strings.Contains(word, "got") {
			return true
		}
	}
	return false
}

// add sorts in one statement.
func (c *claims) add(st report.Statement) {
	expected := st.Role == report.RoleExpected
	if st.Version != nil && st.Version.Role == report.RoleGood {
		expected = true // what a good version does is what should come
	}
	switch st.Kind {
	case report.SaysException:
		c.exceptions = append(c.exceptions, st)
	case report.SaysWarning:
		c.warnings = append(c.warnings, st)
	case report.SaysRelation:
		c.addRelation(st, expected)
	default:
		if expected {
			c.expected = append(c.expected, st)
		} else {
			c.actual = append(c.actual, st)
		}
	}
}

// addRelation keeps what should hold; a relation that is said to hold is no
// claim that can be checked.
func (c *claims) addRelation(st report.Statement, expected bool) {
	switch rel := st.Relation; {
	case !expected:
	case rel == "no_warning":
		c.noWarning = true
	case rel == "no_error":
		c.noError = true
	case rel == "same":
		c.relations = append(c.relations, "equal")
	case rel != "":
		c.relations = append(c.relations, rel)
	}
}

// unspokenBlocks are output blocks that belong to the script (right behind it,
// or under an "actual" or "expected" heading) and that the parser made no
// statement of.
func unspokenBlocks(rd *reading) []report.Statement {
	spoken := map[int]bool{}
	for _, st := range rd.r.Statements {
		if st.Where == "block" {
			spoken[st.Block] = true
		}
	}
	var found []report.Statement
	for i, b := range rd.r.Blocks {
		if b.Kind != report.BlockOutput || spoken[i] || report.NothingSaid(b.Text) || sectionRole(rd.r, b) == report.RoleVersions {
			continue
		}
		role := b.Role
		if role != report.RoleActual && role != report.RoleExpected {
			if !follows(rd.script.blocks, i) || role == report.RoleVersions {
				continue
			}
			role = report.RoleActual
		}
		found = append(found, report.Statement{
			Role: role, Kind: report.SaysOutput, Text: b.Text, Span: b.Span, Where: "block",
			Block: i, Approximate: b.Approximate, Version: b.After,
		})
	}
	return found
}

func sectionRole(r *report.Report, b report.Block) report.Role {
	if b.Section < 0 || b.Section >= len(r.Sections) {
		return report.RoleDescription
	}
	return r.Sections[b.Section].Role
}

func follows(script []int, block int) bool {
	return len(script) > 0 && script[len(script)-1] == block-1
}
