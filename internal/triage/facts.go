package triage

import (
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/inert"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// Names of facts, in the order in which they are looked for.
const (
	factScript    = "script"
	factData      = "data"
	factActual    = "actual"
	factExpected  = "expected"
	factTraceback = "traceback"
	factVersion   = "version"
	factPython    = "python"
	factDevice    = "device"
)

// factWeights say how much of the vagueness each fact is; they sum to 1. They
// are guesses, set from what hand-made reproductions had to add most (the code
// and its input data, then what was seen, then versions). For the script and the
// data the labelled corpus agrees: reports that have them are attempted more
// often than those that lack them.
var factWeights = map[string]float64{
	factScript: 0.40, factData: 0.15, factActual: 0.15, factTraceback: 0.10, factExpected: 0.08,
	factVersion: 0.08, factPython: 0.02, factDevice: 0.02,
}

// partOfScript is how much a script counts as missing that only lacks parts.
const partOfScript = 0.5

// minAsk is the weight from which on a fact is worth a question to the
// reporter: the two small ones are asked by nobody who wants an answer.
const minAsk = 0.04

// factsOf are the facts that the report lacks, the most helpful first, and how
// vague that leaves it. A fact that the kind of symptom does not need (a
// traceback of a wrong value) is neither missing nor there.
func factsOf(rd *reading, d *Decision) (facts []Fact, vagueness float64) {
	missing := func(name, ask string, share float64) {
		facts = append(facts, Fact{Name: name, Weight: factWeights[name] * share, Ask: ask})
	}
	scriptFacts(rd, missing)
	claimFacts(rd, d, missing)
	versionFacts(rd, d, missing)
	sort.SliceStable(facts, func(i, j int) bool { return facts[i].Weight > facts[j].Weight })
	for i := range facts {
		facts[i].Weight = round3(facts[i].Weight)
		vagueness += facts[i].Weight
	}
	return facts, math.Min(1, round3(vagueness))
}

// round3 keeps what a reader can use of a guess.
func round3(x float64) float64 { return math.Round(x*1000) / 1000 }

// scriptFacts: the script, its private parts and its data.
func scriptFacts(rd *reading, missing func(name, ask string, share float64)) {
	s := rd.script
	if s.none() {
		missing(factScript, scriptAsk, 1)
		missing(factData, "the input data, or a few lines that make some like it", partOfScript)
		return
	}
	private := false
	for _, g := range s.gaps {
		switch {
		case g.kind == gapFile || g.kind == gapDownload:
			missing(factData, g.String(), 1)
			private = private || g.private()
		case g.private():
			missing(factScript, g.String(), 1)
			private = true
		}
	}
	if rest := completable(s.gaps); !private && len(rest) > 0 {
		missing(factScript, completion(rest), partOfScript)
	}
}

// completable are the gaps that are asked for in one request.
func completable(gaps []gap) []gap {
	var rest []gap
	for _, g := range gaps {
		if !g.private() && g.kind != gapDownload {
			rest = append(rest, g)
		}
	}
	return rest
}

// scriptAsk asks for its data as well, actualAsk for both sides at once.
const scriptAsk = "a short script that shows it and can be run as it is (imports, data and the failing call)"
const actualAsk = "what the script prints or raises, and what you expected instead"

// claimFacts: what came, and what should have come.
func claimFacts(rd *reading, d *Decision, missing func(name, ask string, share float64)) {
	e := d.Expectation
	if e == nil {
		share := 1.0
		if len(rd.talk) > 0 {
			share = partOfScript // said in words, but nothing that can be compared
		}
		if answersExpected(rd.r) {
			missing(factActual, "what the script prints or raises", share)
			return
		}
		missing(factActual, actualAsk, share)
		missing(factExpected, "what you expected instead", 1)
		return
	}
	if explicit(e.Symptom.Kind) && e.Oracle == oracle.OracleException && len(e.Symptom.Frames) == 0 {
		missing(factTraceback, "the whole traceback", 1)
	}
	if p := e.Printed; p != nil && e.Oracle == oracle.OraclePrinted && len(p.Expected) == 0 && p.Relation == "" {
		expectedFact(rd, missing)
	}
	if p := e.Printed; p != nil && e.Oracle == oracle.OraclePrinted && len(p.Actual) == 0 {
		missing(factActual, "what the script prints", 1)
	}
}

// expectedFact asks for the right output: all of it, or in numbers where it is
// said in words that no execution can be held against.
func expectedFact(rd *reading, missing func(name, ask string, share float64)) {
	if answersExpected(rd.r) {
		missing(factExpected, "the right result in numbers, or an assert that it should pass", partOfScript)
		return
	}
	missing(factExpected, "what you expected instead", 1)
}

// answersExpected: something stands under a heading that asks what should come.
func answersExpected(r *report.Report) bool {
	for _, s := range r.Sections {
		if s.Role == report.RoleExpected && s.Span.Within(r.Text) && filledIn(r.Text[s.Span.Start:s.Span.End]) {
			return true
		}
	}
	return false
}

// filledIn: below its heading a section holds words of somebody's own.
func filledIn(section string) bool {
	_, body, _ := strings.Cut(section, "\n")
	body = htmlComment.ReplaceAllString(body, "")
	return wordsIn(body) >= 3 && !report.NothingSaid(body) && !strings.Contains(body, "_No response_")
}

// explicit kinds end the script: what should have come is that it goes on.
func explicit(k symptom.Kind) bool {
	return k == symptom.Exception || k == symptom.ImportError || k == symptom.Signal
}

// versionFacts: of the subject, of the interpreter, and where it ran.
func versionFacts(rd *reading, d *Decision, missing func(name, ask string, share float64)) {
	switch {
	case len(d.Subjects) == 0:
		missing(factVersion, "the package and its version", 1)
	case !hasVersion(rd.r, d.Subjects[0]):
		missing(factVersion, "the version of "+inert.Markdown(shorten(d.Subjects[0], maxQuoted)), 1)
	}
	if !hasVersion(rd.r, "python") {
		missing(factPython, "the version of Python", 1)
	}
	if !saysDevice(rd) {
		missing(factDevice, "whether it ran on a CPU or on which accelerator", 1)
	}
}

var cpuNamed = lazyre.New(`(?i)\bcpu\b|\bno gpu\b`)

// saysDevice: the report names the machine at all.
func saysDevice(rd *reading) bool {
	for _, f := range rd.r.Platform {
		if f.Name == "device" || f.Name == "gpu" || f.Name == "driver" {
			return true
		}
	}
	text := rd.r.Text[:min(len(rd.r.Text), maxProse)]
	return cpuNamed.MatchString(text) || onDevice.MatchString(text) || usedDevice(rd.r) != ""
}

// missingFacts are the questions of the reply: the first of the facts, at most
// two, where asking leads anywhere.
func missingFacts(rd *reading, d *Decision) []string {
	if rd.opts.Script || d.Route == Hostile || d.Route == NotABug {
		return nil
	}
	var asks []string
	for _, f := range d.Facts {
		if len(asks) < maxMissing && f.Weight >= minAsk && !(f.Name == factExpected && asksFor(d.Facts, actualAsk)) && !(f.Name == factData && asksFor(d.Facts, scriptAsk)) {
			asks = append(asks, f.Ask)
		}
	}
	return asks
}

// asksFor: one of the facts is asked for in these words, which hold others too.
func asksFor(facts []Fact, ask string) bool {
	return slices.ContainsFunc(facts, func(f Fact) bool { return f.Ask == ask && f.Weight >= minAsk })
}
