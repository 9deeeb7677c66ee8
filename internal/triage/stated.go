package triage

import (
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// printedClaim builds the printed pair of the report, nil when nothing is
// stated that the script could show.
func printedClaim(rd *reading, c claims) *oracle.Printed {
	p := &oracle.Printed{}
	origin := addActual(rd, c, p)
	for _, rel := range c.relations {
		if p.Relation == "" && evaluable(rel, p.Actual) {
			p.Relation = rel
		}
	}
	addExpected(rd, c, p, origin)
	if len(p.Actual) == 0 && len(p.Expected) == 0 {
		return nil
	}
	if p.Relation == "" && len(p.Expected) == 0 {
		p.Relation = directionOf(rd, p)
	}
	return p
}

// evaluable says whether the stated lines hold the numbers that a relation is
// about: "equal" needs two lines with one, or two in one line.
func evaluable(relation string, actual []oracle.Line) bool {
	numbers, lines := 0, 0
	for _, l := range actual {
		n := len(tokenRes[classNumber].FindAllString(l.Text, 2))
		numbers += n
		lines += min(n, 1)
	}
	switch relation {
	case "equal":
		return lines > 1 || numbers > 1
	case notFalling, notRising:
		return breaks(relation, actual)
	}
	return numbers > 0
}

// pasted statements are whole outputs; the others are values picked out by the
// reporter.
func pasted(st report.Statement) bool { return st.Where == "block" || st.Where == "repl" }

// addActual fills Actual and says for each line which statement it came from.
// When an output was pasted, values in prose repeat it or speak of something
// else (another variant, an intermediate value), and are left out. An output of
// several lines in the comments of the code was pasted as well.
func addActual(rd *reading, c claims, p *oracle.Printed) (origin []report.Statement) {
	anyPasted, comments := false, 0
	for _, st := range c.actual {
		anyPasted = anyPasted || pasted(st) && len(printedLines(st.Text)) > 0
		if st.Where == "comment" {
			comments++
		}
	}
	for _, st := range c.actual {
		if !pasted(st) && (anyPasted || !rd.script.prints() && !rd.script.none() && !saidBehind(rd, st)) || comments > 1 && st.Where != "comment" && !pasted(st) {
			continue
		}
		for _, l := range statedLines(rd, st) {
			p.Actual = append(p.Actual, l)
			origin = append(origin, st)
		}
	}
	if len(p.Actual) == 0 {
		if st, ok := countInProse(rd); ok {
			p.Actual = append(p.Actual, oracle.Line{Text: st.Text, Fragment: true, Replaces: -1})
			origin = append(origin, st)
		}
	}
	return origin
}

// statedLines are the lines of one statement.
func statedLines(rd *reading, st report.Statement) []oracle.Line {
	if !pasted(st) {
		text, whole := wholeLine(rd.script, st)
		l := newLine(text, st.Approximate)
		l.Fragment = !whole
		return []oracle.Line{l}
	}
	var lines []oracle.Line
	for _, t := range printedLines(st.Text) {
		if !printsVersion(rd, strings.TrimSpace(t)) {
			lines = append(lines, newLine(t, st.Approximate))
		}
	}
	return lines
}

// aVersion is a version that can be no other number.
var aVersion = lazyre.New(`^v?\d+\.\d+\.\d+[\w.+-]*$`)

// printsVersion: the line is what the script prints of a __version__. It states
// the release (rule 9), and no other release can print it.
func printsVersion(rd *reading, line string) bool {
	if !aVersion.MatchString(line) {
		return false
	}
	for _, p := range rd.script.file.Prints {
		if len(p.Args) == 1 && strings.HasSuffix(p.Args[0], ".__version__") {
			return true
		}
	}
	return false
}

func newLine(text string, approximate bool) oracle.Line {
	l := oracle.Line{Text: strings.TrimSpace(text), Approximate: approximate, Replaces: -1}
	for _, dots := range []string{"...", "…"} {
		if rest, ok := strings.CutSuffix(l.Text, dots); ok && rest != "" {
			l.Text, l.Prefix = rest, true
		}
	}
	return l
}

// wholeLine says whether a statement is a whole printed line, and completes a
// value that was stated without its label (print("argmax:", x) with "returns
// 1"). It needs the only print that can have shown it: the one of the
// statement's line, or the only one of the script.
func wholeLine(s script, st report.Statement) (string, bool) {
	text := strings.TrimSpace(st.Text)
	pr, ok := printOf(s, st)
	if !ok || len(pr.Args) == 0 || strings.Contains(strings.Join(pr.Args, ""), `\`) {
		return text, false
	}
	var words []string
	values, said := 0, true
	for _, arg := range pr.Args {
		if !plainString.MatchString(arg) {
			values++
			words = append(words, text)
			continue
		}
		literal := strings.Trim(strings.TrimLeft(arg, "rbuRBU"), `"'`)
		words = append(words, literal)
		said = said && strings.Contains(text, strings.TrimSpace(literal))
	}
	switch {
	case said && (len(pr.Args) == 1 || values < len(pr.Args)):
		return text, true // the reporter wrote the labels as well
	case values == 1:
		return strings.Join(words, " "), true
	}
	return text, false
}

func printOf(s script, st report.Statement) (pysyntax.Print, bool) {
	if st.Where == "comment" && st.Line > 0 && len(s.blocks) == 1 && s.blocks[0] == st.Block {
		for _, p := range s.file.Prints {
			if p.Line == st.Line {
				return p, true
			}
		}
	}
	if len(s.file.Prints) == 1 && !s.echoes && st.Where != "comment" {
		return s.file.Prints[0], true
	}
	return pysyntax.Print{}, false
}

var countWord = lazyre.New(`\b(\d[\d.]*) ([A-Za-z]+)\b`)

// countInProse finds a number with the word that the script prints behind it
// ("5 trials", where the script prints n, "trials for"): short, but what the
// reporter says of the output in so many words.
func countInProse(rd *reading) (report.Statement, bool) {
	firstWords := map[string]bool{}
	for _, p := range rd.script.file.Prints {
		for i, arg := range p.Args {
			if i > 0 && plainString.MatchString(arg) && !plainString.MatchString(p.Args[i-1]) {
				words := strings.Fields(strings.Trim(arg, `"'`))
				if len(words) > 0 {
					firstWords[words[0]] = true
				}
			}
		}
	}
	for _, m := range countWord.FindAllStringSubmatchIndex(rd.prose, -1) {
		if firstWords[rd.prose[m[4]:m[5]]] {
			return report.Statement{
				Role: report.RoleActual, Kind: report.SaysOutput, Text: rd.prose[m[0]:m[1]],
				Span: report.Span{Start: m[0], End: m[1]}, Where: "prose", Block: -1,
			}, true
		}
	}
	return report.Statement{}, false
}
