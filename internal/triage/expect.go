package triage

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// expect names the expected symptom and the oracle for it, strongest first; a
// weaker reading of the same silent symptom stands in Also. Nil when the
// report says nothing that an oracle can judge.
func expect(rd *reading, d *Decision) *oracle.Expectation {
	c := readClaims(rd)
	found := firstExpectation(rd, c, d)
	if found == nil {
		return nil
	}
	found.Asks = rd.find(asksIfBug) != nil
	found.ReporterScript = true
	drawnNumbers(found, rd.script.source)
	if len(d.Subjects) > 0 {
		found.Subject = d.Subjects[0]
		found.Modules = modulesOf(rd, found.Subject)
	}
	for i := range found.Also {
		a := &found.Also[i]
		drawnNumbers(a, rd.script.source)
		a.Asks, a.ReporterScript, a.Subject, a.Modules = found.Asks, true, found.Subject, found.Modules
	}
	return found
}

// fraction is a number that is no count and no shape.
var fraction = lazyre.New(`\d\.\d`)

// drawnNumbers marks a claim on printed numbers that the script draws anew in
// each execution.
func drawnNumbers(e *oracle.Expectation, source string) {
	if e.Printed != nil && ownChance(source) {
		e.Printed.Chance = slices.ContainsFunc(e.Printed.Actual, func(l oracle.Line) bool { return fraction.MatchString(l.Text) })
	}
}

// firstExpectation goes down the oracles in their order of strength.
func firstExpectation(rd *reading, c claims, d *Decision) *oracle.Expectation {
	if warningIsTheClaim(rd, c) {
		if e := fromWarning(rd, c); e != nil {
			return e
		}
	}
	for _, f := range []func(*reading, claims) *oracle.Expectation{
		fromSignal, fromException, fromMissing, fromStatedException,
	} {
		if e := f(rd, c); e != nil {
			if e.Oracle == oracle.OracleException {
				e.Wanted = otherClass(c, e.Symptom.Exception)
			}
			return e
		}
	}
	if silent := silentExpectations(rd, c, d); len(silent) > 0 {
		first := silent[0]
		first.Also = silent[1:]
		return &first
	}
	return fromWarning(rd, c)
}

// silentExpectations are the readings of a script that ends normally: what the
// reporter computed or pasted on both sides first, then what the words claim,
// then a pasted side alone, which shows a symptom but no right value.
func silentExpectations(rd *reading, c claims, d *Decision) []oracle.Expectation {
	var found []oracle.Expectation
	printed := fromPrinted(rd, c)
	judged := printed != nil && (len(printed.Printed.Expected) > 0 || printed.Printed.Relation != "")
	said := spokenExpectations(rd, c, d)
	if judged && directed(printed.Printed.Relation) {
		// "Accuracy must not fall with k" is about an order, not about training.
		said = without(said, oracle.OracleLearning)
	}
	if judged && printed.Symptom.Kind == symptom.Nondeterminism && printed.Printed.Relation == "equal" && len(said) > 0 {
		judged = false // "the same every time": of executions, not of the numbers of one
	}
	if len(said) > 0 && costly[said[0].Symptom.Kind] {
		// The title says that it hangs or leaks: an assert of the script is then
		// beside the point.
		found, said = append(found, said[0]), said[1:]
	}
	if a := fromAssert(rd, printed); a != nil && len(found) == 0 {
		found = append(found, *a)
	}
	if judged {
		found = append(found, *printed)
	}
	found = append(found, said...)
	if printed != nil && !judged {
		found = append(found, *printed)
	}
	if len(found) == 0 {
		if e := fromPrintedTest(rd); e != nil {
			return append(found, *e)
		}
	}
	if (len(found) == 0 || !judged && found[0].Oracle != oracle.OracleAssert && printed == nil) && rd.script.prints() && !unjudged(rd) {
		if e := fromDifferential(rd, d); e != nil {
			found = append(found, *e)
		}
	}
	return found
}

// without leaves out the readings by one oracle.
func without(list []oracle.Expectation, name oracle.Name) []oracle.Expectation {
	var kept []oracle.Expectation
	for _, e := range list {
		if e.Oracle != name {
			kept = append(kept, e)
		}
	}
	return kept
}

var asksIfBug = lazyre.New(`(?i)(\b(is|was|are) (this|that|it|these|those)( \w+)? (an? )?(expected|intended|intentional|normal|correct|by design|desired|a bug|bug|known|deliberate|supposed)\b|\bam i (right|wrong|missing|doing|misunderstanding|misreading)|\bi (may|might|could) (be )?(mis\w+|wrong|missing)|\bby design\s*\?|\bor (is|am) (this|it|i) [^.?\n]*\?|\bexpected behaviou?r\s*\?|\bintended\s*\?)`)

// unjudged: the symptom is of a kind (time, memory, learning, spread) of which
// comparing what two releases print would say nothing.
func unjudged(rd *reading) bool {
	switch kindInWords(rd) {
	case symptom.Slow, symptom.Hang, symptom.Memory, symptom.NoLearning, symptom.Nondeterminism:
		return true
	}
	return false
}

// kindInWords is the kind that the title names, Unknown when it names none.
func kindInWords(rd *reading) symptom.Kind {
	for _, s := range rd.talk {
		if s.inTitle && s.Kind != symptom.Warning && s.Kind != symptom.Signal {
			return s.Kind
		}
	}
	return symptom.Unknown
}

// modulesOf are the import names of a distribution, those of the script first.
func modulesOf(rd *reading, dist string) []string {
	var names []string
	seen := map[string]bool{}
	add := func(n string) {
		if n != "" && !seen[n] {
			seen[n] = true
			names = append(names, n)
		}
	}
	same := setOf(append(pydist.Variants(dist), dist)...)
	for _, m := range rd.script.file.TopModules() {
		if d, _ := pydist.FromImport(m); same[pydist.Normalize(d)] {
			add(m)
		}
	}
	for _, m := range pydist.Imports(dist) {
		add(m)
	}
	return names
}

// fromDifferential: nothing is stated but that two versions differ.
func fromDifferential(rd *reading, d *Decision) *oracle.Expectation {
	if len(d.Good) == 0 || len(d.Bad) == 0 {
		return nil
	}
	kind := kindInWords(rd)
	if kind == symptom.Unknown {
		kind = symptom.WrongValue
	}
	return &oracle.Expectation{
		Oracle:  oracle.OracleDifferential,
		Symptom: symptom.Symptom{Kind: kind, Start: rd.r.TitleSpan.Start, End: rd.r.TitleSpan.End},
	}
}

// bareClass is an exception class without its module.
func bareClass(name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return name[i+1:]
	}
	return name
}

// titleHas says whether the title holds the word, as a word.
func titleHas(r *report.Report, word string) bool {
	if word == "" {
		return false
	}
	at := strings.Index(r.Title, word)
	for at >= 0 {
		end := at + len(word)
		if !(at > 0 && isWordByte(r.Title[at-1])) && !(end < len(r.Title) && isWordByte(r.Title[end])) {
			return true
		}
		next := strings.Index(r.Title[end:], word)
		if next < 0 {
			return false
		}
		at = end + next
	}
	return false
}

func isWordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}
