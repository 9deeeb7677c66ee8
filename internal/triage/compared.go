package triage

import (
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	// notAlike is a complaint in prose that two results should be one.
	notAlike = lazyre.New(`(?i)\b(?:not|isn't|aren't|no longer) (?:\w+ )?(?:consistent|equivalent|identical|equal|in agreement) (?:with|to)\s`)
	// printedTest is an argument of print that is True or False: one comparison
	// of whole values. Those that compare element by element print an array.
	printedTest  = lazyre.New(`^(?:bool\()?(?:(?:\w+\.)*(?:allclose|array_equal|array_equiv|equals)|torch\.equal)\(`)
	sentenceStop = lazyre.New(`[.!?](?:\s|$)|\n\s*\n`)
)

// fromPrintedTest: the report complains that two results are not alike, and all
// it shows is a script that prints whether they are. What is printed is then
// known without being pasted: False where the reporter is right, True where
// the package is.
func fromPrintedTest(rd *reading) *oracle.Expectation {
	if !rd.script.complete() || !complainsOfTwo(rd) {
		return nil
	}
	line, ok := printedTestLine(rd.script.file)
	if !ok {
		return nil
	}
	is, should := newLine(line+"False", false), newLine(line+"True", false)
	should.Replaces = 0
	return &oracle.Expectation{
		Oracle:  oracle.OraclePrinted,
		Symptom: symptom.Symptom{Kind: symptom.WrongValue},
		Printed: &oracle.Printed{Actual: []oracle.Line{is}, Expected: []oracle.Line{should}},
		Compare: comparisons(rd.script.file, false),
	}
}

// complainsOfTwo: title or prose says so in a sentence that is not about two
// releases or two runs, which other oracles compare.
func complainsOfTwo(rd *reading) bool {
	for _, text := range []string{rd.r.Title, rd.prose} {
		for _, s := range sentenceStop.Split(text, maxSentences) {
			s += " "
			if (twoDiffer.MatchString(s) || notAlike.MatchString(s)) && !twoVersions.MatchString(s) {
				return true
			}
		}
	}
	return false
}

// maxSentences bounds the reading of a long report; complaints stand at its
// beginning. A guess.
const maxSentences = 200

// printedTestLine is what stands before the truth value in the only printed
// comparison of two global names; more than one would not say which is meant.
func printedTestLine(f *pysyntax.File) (label string, ok bool) {
	tests := map[int]int{}
	for _, c := range comparisons(f, false) {
		tests[c.Line]++
	}
	found := 0
	for _, p := range f.Prints {
		text, isTest := testIn(p)
		if !isTest || tests[p.Line] != 1 || p.Scope != "" || len(p.Guards) > 0 {
			continue
		}
		found++
		label = text
	}
	return label, found == 1
}

// testIn reads print("same:", np.allclose(a, b)): labels, then the comparison.
func testIn(p pysyntax.Print) (label string, ok bool) {
	if len(p.Args) == 0 || !printedTest.MatchString(p.Args[len(p.Args)-1]) {
		return "", false
	}
	for _, arg := range p.Args[:len(p.Args)-1] {
		if !plainString.MatchString(arg) || strings.Contains(arg, `\`) {
			return "", false
		}
		label += strings.Trim(strings.TrimLeft(arg, "rbuRBU"), `"'`) + " "
	}
	return label, true
}
