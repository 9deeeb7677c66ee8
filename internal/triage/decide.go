package triage

import (
	"fmt"
	"strings"

	"github.com/repgen/repgen/internal/report"
)

// Decide reads a report and says what can be done with it: the script, the
// expected symptom with the oracle that can judge it, and the route. It is
// pure, and it never fails: the worst report ends as needs_info.
func Decide(r *report.Report, opts Options) *Decision {
	if r == nil {
		r = &report.Report{}
	}
	rd := newReading(r, opts)
	d := &Decision{Blocks: rd.script.blocks, Summary: summary(rd)}
	d.Subjects, d.SubjectSource = subjectsOf(rd)
	d.Good, d.Bad = contrast(rd, d.Subjects)
	d.Expectation = expect(rd, d)
	d.Steering = steeringIn(rd)
	route(rd, d)
	d.Missing = missingFacts(rd, d)
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
		endsHostile, endsHardware, endsInfo, endsNoBug, endsModel,
	} {
		if ending(rd, d, hw) {
			return
		}
	}
	d.Route = Attempt
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
		d.Reasons = append(d.Reasons, Reason{Text: "its code reaches for " + re.kind + ", " + re.text, Span: &span})
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
	return len(strings.Fields(string(rest))) < minWords
}

func endsHardware(rd *reading, d *Decision, hw hardware) bool {
	if hw.points < needed || rd.opts.Script {
		// A given script is tried: what a clean CPU run then means is judged
		// by whoever ran it.
		d.Lower = d.Lower || hw.points >= needed
		return false
	}
	d.Route = NeedsHardware
	d.Reasons = append(d.Reasons, hw.needs...)
	return true
}

// endsInfo: something is missing that no tool could write.
func endsInfo(rd *reading, d *Decision, _ hardware) bool {
	if rd.opts.Script {
		return false
	}
	for _, g := range rd.script.gaps {
		if g.private() {
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
	c := readClaims(rd)
	if notABug(rd, c) != nil {
		return nil
	}
	if s := rd.find(elsewhere); s != nil && len(rd.r.Tracebacks) == 0 {
		return []Reason{{Text: "the code is only in a picture, a link or an attachment: " + quote(rd.r.Text, s), Span: s}}
	}
	vague := d.Expectation == nil && !failing.MatchString(rd.prose) && !failing.MatchString(rd.r.Title)
	if len(d.Subjects) == 0 || vague && len(strings.Fields(rd.prose)) < minWords {
		return []Reason{{Text: "no script, and too little is said to write one"}}
	}
	return nil
}

func endsNoBug(rd *reading, d *Decision, _ hardware) bool {
	if rd.opts.Script {
		return false
	}
	why := notABug(rd, readClaims(rd))
	if why == nil {
		return false
	}
	d.Route = NotABug
	d.Reasons = append(d.Reasons, *why)
	return true
}

// endsModel: somebody has to write or finish the script.
func endsModel(rd *reading, d *Decision, _ hardware) bool {
	if rd.opts.Script || rd.opts.HasModel || rd.script.complete() {
		return false
	}
	d.Route = NeedsModel
	if rd.script.none() {
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
