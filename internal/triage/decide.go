package triage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// Decide reads a report and says what can be done with it: the script, the
// expected symptom with the oracle that can judge it, and the route. It is
// pure, and it never fails: the worst report ends as needs_info.
func Decide(r *report.Report, opts Options) *Decision {
	if r == nil {
		r = &report.Report{}
	}
	return decide(newReading(r, opts))
}

func decide(rd *reading) *Decision {
	d := &Decision{Blocks: rd.script.blocks, Alternatives: rd.script.others}
	// The order matters: the versions are read against the subject, the claim
	// against the versions and contrasts, the route against all of them.
	d.Subjects, d.SubjectSource = subjectsOf(rd)
	d.Good, d.Bad = contrast(rd, d.Subjects)
	d.Contrasts, d.Triggers = changesOf(rd)
	d.Expectation = expect(rd, d)
	rd.script.needData(d.Expectation)
	if len(d.Subjects) > 0 {
		rd.script.needCall(d.Expectation, modulesOf(rd, d.Subjects[0]))
	}
	d.Summary = summary(rd)
	onlyTelling(d, rd.script.file)
	d.Steering = steeringIn(rd)
	route(rd, d)
	d.Facts, d.Vagueness = factsOf(rd, d)
	d.Missing = missingFacts(rd, d)
	d.Confidence, d.ConfidenceOf = confidence(d.Route, rd.why)
	d.Reply = replyFor(d)
	return d
}

// route takes the first ending that holds, in the order of the headlines; a
// report that none of them holds is attempted.
func route(rd *reading, d *Decision) {
	hw := readHardware(rd)
	d.Lower = hw.lower
	d.OnDevice = usedDevice(rd.r)
	for _, ending := range []func(*reading, *Decision, hardware) bool{
		endsHostile, endsHuman, endsHardware, endsInfo, endsNoBug, endsModel,
	} {
		if ending(rd, d, hw) {
			return
		}
	}
	d.Route = Attempt
	rd.why = "nothing to judge"
	if d.Expectation != nil {
		rd.why = string(d.Expectation.Oracle)
	}
	d.Reasons = append(d.Reasons, attemptReasons(rd, d)...)
}

// endsHostile is rule 13: steering text together with a script that reaches for
// secrets or the network, or with no report beside it.
func endsHostile(rd *reading, d *Decision, _ hardware) bool {
	if len(d.Steering) == 0 {
		return false
	}
	reaches := reachesOf(rd.r)
	if len(reaches) == 0 && !onlySteering(rd, d) {
		return false
	}
	d.Route = Hostile
	rd.why = "reaches"
	if len(reaches) == 0 {
		rd.why = "only steering"
	}
	for _, s := range d.Steering {
		d.Reasons = append(d.Reasons, Reason{Text: "the report " + s.Text, Span: s.Span})
	}
	if len(reaches) == 0 {
		d.Reasons = append(d.Reasons, Reason{Text: "and holds no bug report beside that"})
	}
	for i, re := range reaches {
		if i == maxReasons {
			break
		}
		span := re.span
		d.Reasons = append(d.Reasons, Reason{Text: "its code reaches for " + string(re.kind) + ", " + re.text, Span: &span})
	}
	return true
}

// maxReasons bounds a list of like reasons; a reader wants to see the kind.
const maxReasons = 6

// minWords of prose beside the steering text make a report. A guess.
const minWords = 12

// onlySteering: no script, no failure, and hardly a word beside the text that
// speaks to the tool.
func onlySteering(rd *reading, d *Decision) bool {
	if !rd.script.none() || len(rd.r.Tracebacks) > 0 || len(rd.r.Versions) > 0 {
		return false
	}
	rest := []byte(rd.prose)
	for _, s := range d.Steering {
		blank(rest, s.Span.Start, s.Span.End)
	}
	return wordsIn(string(rest)) < minWords
}

// endsHardware: the symptom is the accelerator's. A script that only asks for
// one is lowered and tried instead (Lower), so that each reason here comes with
// why lowering would show nothing.
func endsHardware(rd *reading, d *Decision, hw hardware) bool {
	if hw.points < needed || rd.opts.Script {
		// A given script is tried: what a clean CPU run then means is judged
		// by whoever ran it.
		d.Lower = d.Lower || hw.points >= needed
		return false
	}
	d.Route = NeedsHardware
	d.Reasons = append(d.Reasons, hw.needs...)
	d.Reasons = append(d.Reasons, Reason{Text: "lowering it to the CPU was considered: " + hw.cannot})
	rd.why = "accelerator"
	return true
}

// endsInfo: something is missing that no tool could write.
func endsInfo(rd *reading, d *Decision, _ hardware) bool {
	if rd.opts.Script {
		return false
	}
	for _, g := range rd.script.gaps {
		if g.private() {
			rd.why = "private"
			d.Reasons = append(d.Reasons, Reason{Text: "the script needs " + g.String() + ", which is not in the report", Span: rd.scriptSpan()})
		}
	}
	if rd.script.none() && len(d.Reasons) == 0 {
		d.Reasons = append(d.Reasons, nothingToGoOn(rd, d)...)
	}
	if len(d.Reasons) == 0 {
		return false
	}
	d.Route = NeedsInfo
	return true
}

// nothingToGoOn: there is no code, and either it lies somewhere that is never
// fetched, or nothing is said from which any could be written.
func nothingToGoOn(rd *reading, d *Decision) []Reason {
	if noBug(rd) != nil {
		return nil
	}
	if s := codeElsewhere(rd, d); s != nil && len(rd.r.Tracebacks) == 0 {
		rd.why = "elsewhere"
		return []Reason{{Text: "the code is only in a picture, a link or an attachment: " + quote(rd.r.Text, s), Span: s}}
	}
	vague := d.Expectation == nil && len(rd.talk) == 0 && !failing.MatchString(rd.prose) && !failing.MatchString(rd.r.Title)
	if len(d.Subjects) == 0 || vague && wordsIn(rd.prose) < minWords {
		rd.why = "vague"
		lacks := "what failed and how"
		if len(d.Subjects) == 0 {
			lacks = "which package it is about"
		}
		return []Reason{{Text: "no script, and too little is said to write one: it lacks " + lacks}}
	}
	return nil
}

// maxElsewhere bounds the search; the links of a report are few.
const maxElsewhere = 64

// codeElsewhere is the first place outside the report where its code may lie. A
// link into the source of the very project says where the bug is, not what the
// reporter ran. A picture is no end where a model is there and the words beside
// it, of a package that is known, are enough to write from: most show the result.
func codeElsewhere(rd *reading, d *Decision) *report.Span {
	if s := linkedCode(rd.r); s != nil {
		return s
	}
	rest := []byte(rd.prose)
	places := elsewhere.FindAllStringIndex(rd.prose, maxElsewhere)
	for _, m := range places {
		blank(rest, m[0], m[1])
	}
	writable := rd.opts.HasModel && len(d.Subjects) > 0 && wordsIn(string(rest))-wordsIn(rd.r.Title) >= minWords
	for _, m := range places {
		place := strings.ToLower(rd.prose[m[0]:m[1]])
		picture := strings.HasPrefix(place, "![") || strings.HasPrefix(place, "<img")
		if !ownSource(rd, d, rd.prose[m[0]:m[1]]) && !(picture && writable) {
			return &report.Span{Start: m[0], End: m[1]}
		}
	}
	return nil
}

var sourceLink = lazyre.New(`(?i)github\.com/([\w.-]+/[\w.-]+)/blob/\S*?(#L\d+|$)`)

// ownSource: the link leads into the source of the project that the report is
// about. Where no tracker says which that is, it has to point at lines of a
// repository that bears the subject's name: a script of one's own lies in a fork
// as well, but is linked as a whole.
func ownSource(rd *reading, d *Decision, place string) bool {
	m := sourceLink.FindStringSubmatch(place)
	if m == nil {
		return false
	}
	if rd.r.Repo != "" {
		return strings.EqualFold(m[1], rd.r.Repo)
	}
	return m[2] != "" && slices.Contains(d.Subjects, repoDist(m[1]))
}

// noBug is notABug, or a difference that the stated numbers themselves show to
// be rounding. A complete script is run: its measured tolerance is the better one.
func noBug(rd *reading) *Reason {
	if why := notABug(rd, readClaims(rd)); why != nil || rd.script.complete() {
		return why
	}
	return withinRounding(rd)
}

// endsNoBug: a question, a feature, intended behaviour, or rounding.
func endsNoBug(rd *reading, d *Decision, _ hardware) bool {
	if rd.opts.Script {
		return false
	}
	why := noBug(rd)
	if why == nil {
		return false
	}
	d.Route = NotABug
	rd.why = "no failure"
	d.Reasons = append(d.Reasons, *why)
	return true
}

// endsModel: somebody has to write or finish the script.
func endsModel(rd *reading, d *Decision, _ hardware) bool {
	if rd.opts.Script || rd.opts.HasModel || rd.script.complete() {
		return false
	}
	d.Route = NeedsModel
	rd.why = "partial"
	if rd.script.none() {
		rd.why = "none"
		d.Reasons = append(d.Reasons, Reason{Text: "the report has no script"})
		return true
	}
	for i, g := range rd.script.gaps {
		if i < maxReasons {
			d.Reasons = append(d.Reasons, Reason{Text: "the script is not complete: " + g.short(), Span: rd.scriptSpan()})
		}
	}
	return true
}

// attemptReasons say what will be judged, and on which words that rests.
func attemptReasons(rd *reading, d *Decision) []Reason {
	var reasons []Reason
	if e := d.Expectation; e != nil {
		text := fmt.Sprintf("%s, judged by: %s", kindWords(e.Symptom.Kind), oracleWords(e.Oracle))
		for _, a := range e.Also {
			text += ", " + oracleWords(a.Oracle)
		}
		reasons = append(reasons, Reason{Text: text, Span: expectationSpan(rd, d)})
	} else {
		reasons = append(reasons, Reason{Text: "nothing in the report says what an execution should show: the best possible ending is a lead"})
	}
	if w := withinRounding(rd); w != nil {
		reasons = append(reasons, *w)
	}
	if d.Lower {
		reasons = append(reasons, Reason{Text: "asks for an accelerator; the CPU is tried instead", Span: rd.scriptSpan()})
	}
	for _, g := range d.Good {
		span := g.Span
		reasons = append(reasons, Reason{Text: g.Dist + " " + g.Spec + " is named as good", Span: &span})
	}
	if len(d.Steering) > 0 {
		reasons = append(reasons, Reason{Text: "text that speaks to automated tools was found, recorded and not followed", Span: d.Steering[0].Span})
	}
	return reasons
}

// expectationSpan is where the expected symptom is stated.
func expectationSpan(rd *reading, d *Decision) *report.Span {
	if s := d.Expectation.Symptom; s.End > s.Start {
		return &report.Span{Start: s.Start, End: s.End}
	}
	for _, st := range rd.r.Statements {
		s := st.Span
		return &s
	}
	return nil
}
