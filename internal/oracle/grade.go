package oracle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/audit"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/symptom"
)

// Thresholds of a proof (the fourth of the five rules).
const (
	// alpha is the chance that is tolerated: 5 of 5 against 0 of 3 is 0.018.
	alpha = 0.05
	// minClean executions of a control; with fewer no usual count of hits is
	// beyond chance.
	minClean = 3
)

// control is a group that was shown to be without the symptom.
type control struct {
	index int
	group Group
	clean int
	p     float64
}

// grading is everything that the grade and the headline follow from.
type grading struct {
	grade    Grade
	p        float64
	control  int
	controls []control
	reasons  []string
}

// grade finds the best grade that the evidence carries for hits among runs.
func grade(e Expectation, ev Evidence, hits, runs int) grading {
	g := grading{grade: "D", control: -1}
	for i, group := range ev.Groups {
		if c, ok := asControl(e, ev, i, group, hits, runs, &g.reasons); ok {
			g.controls = append(g.controls, c)
		}
	}
	if why := capped(e, ev); why != "" {
		g.reasons = append(g.reasons, why)
		g.controls = nil
		return g
	}
	for _, c := range g.controls {
		if gr := max(sideGrade(c.group.Side), audited(e, ev)); gr < g.grade || gr == g.grade && c.p < g.p {
			g.grade, g.p, g.control = gr, c.p, c.index
		}
	}
	if g.grade > "C" {
		g.explicit(e, ev)
	}
	return g
}

// sideGrade is the best grade that a control of this kind can carry.
func sideGrade(s Side) Grade {
	switch s {
	case SideFix:
		return "A"
	case SideNamed, SideRelease, SideNewest:
		return "B"
	}
	return "C" // SideContrast, SideRemoval, SideAuthored; others never become a control
}

// audited is the best grade that the audit leaves to a script that is not the
// reporter's.
func audited(e Expectation, ev Evidence) Grade {
	if !e.ReporterScript && ev.Audit != nil && ev.Audit.Finding.Consequence == audit.Silent {
		return "C"
	}
	return "A"
}

// edited says that a side runs the reported release with another script or
// other variables, so that what it shows is about the trigger, not a release.
func (s Side) edited() bool { return s == SideContrast || s == SideRemoval || s == SideAuthored }

// neverControl: the reported side itself, what has no claim to be right, and
// other seeds, which can hide or create a symptom.
func (s Side) neverControl() bool {
	return s == SideReported || s == SideNeutral || s == SidePinned || s == SideReseeded
}

// asControl says whether a group is a control of the symptom: clean in at
// least three, the symptom in none, different from the reported side beyond
// chance, and nothing else named moved with it.
func asControl(e Expectation, ev Evidence, i int, g Group, hits, runs int, reasons *[]string) (control, bool) {
	if g.Side.neverControl() || len(g.Judgements) == 0 {
		return control{}, false
	}
	t := count(g)
	clean := goodIn(e, g, t)
	c := control{index: i, group: g, clean: clean, p: FisherOneSided(hits, runs, 0, clean)}
	why := ""
	switch {
	case t.hits > 0:
		why = fmt.Sprintf("shows it too, %d of %d", t.hits, t.conclusive())
	case clean == 0 || clean < t.conclusive():
		why = "proves nothing: " + unclean(g, t)
	case unfit(e, ev, g) != "":
		why = unfit(e, ev, g)
	case clean < minClean:
		why = fmt.Sprintf("ran clean %d times only, %d are asked for", clean, minClean)
	case c.p >= alpha:
		why = fmt.Sprintf("is clean, yet %d of %d against 0 of %d may be chance (p = %.2f)", hits, runs, clean, c.p)
	}
	if why != "" {
		*reasons = append(*reasons, g.name()+" "+why)
		return c, false
	}
	*reasons = append(*reasons, fmt.Sprintf("%s: 0 of %d, p = %.3f (Fisher, one-sided)", g.name(), clean, c.p))
	if g.Side.edited() {
		*reasons = append(*reasons, "gone "+g.change()+", which is often the diagnosis")
	}
	return c, true
}

// unfit says why a group that is clean proves nothing however often it ran; ""
// for one that may.
func unfit(e Expectation, ev Evidence, g Group) string {
	switch {
	case len(g.Lacks) > 0:
		return "has no " + strings.Join(g.Lacks, ", ") + ", whose absence the script swallows: the judged call was not reached"
	case g.Side.otherRelease() && rightReseeded(ev):
		return "is clean, and so is the reported release with another seed: it may draw what the script wants by chance"
	case g.StandIn:
		return "is a stand-in release, which decides nothing"
	case len(g.MovedNamed) > 0:
		return "moved " + strings.Join(g.MovedNamed, ", ") + " with it, which the report names"
	case e.Oracle == OracleDifferential && g.Side != SideNamed:
		return "only differs; nobody said that it is right"
	case g.Side == SideAuthored:
		return unfitAuthored(e, ev)
	case g.Side.edited() && e.Asks:
		return "is clean, and the report asks whether this is expected: a release pair is required"
	case g.Side.edited() && !e.ReporterScript:
		// Whoever wrote the script can build in what is then taken out.
		return "is clean, but the script is somebody else's: a release pair is required"
	}
	return ""
}

// otherRelease: a release, which may draw other random numbers from one seed.
func (s Side) otherRelease() bool {
	return s == SideNamed || s == SideRelease || s == SideNewest
}

// rightReseeded says that the reported release does what the reporter wants with another
// seed. Equal seeds then make five executions one draw, which Fisher's test
// takes for five, and of some releases one draws well.
func rightReseeded(ev Evidence) bool {
	return slices.ContainsFunc(ev.Groups, func(g Group) bool {
		t := count(g)
		return g.Side == SideReseeded && t.hits == 0 && t.clean+t.within > 0
	})
}

// unclean says what a control did instead of running clean.
func unclean(g Group, t tally) string {
	for _, j := range g.Judgements {
		if j.Finding != Clean && len(j.Reasons) > 0 {
			return j.Reasons[0]
		}
	}
	return fmt.Sprintf("%d of %d executions say nothing", t.inconclusive, len(g.Judgements))
}

// capped says why the evidence can never be more than a lead.
func capped(e Expectation, ev Evidence) string {
	switch {
	case len(ev.Refused) > 0:
		return "the script may not be believed: " + strings.Join(ev.Refused, "; ")
	case ev.StandIn:
		return "the reported side runs a stand-in release, which decides nothing"
	case e.Oracle == OracleObserved && len(ev.Unanchored) > 0:
		return "what is bad and what is good does not rest on the reporter's words: " + strings.Join(ev.Unanchored, "; ")
	case !e.ReporterScript && ev.Audit != nil && ev.Audit.Finding.Consequence == audit.Refused:
		return "the script may not be believed: " + ev.Audit.Finding.Reason
	case !e.ReporterScript && ev.Audit != nil && ev.Audit.Finding.Consequence == audit.Lead:
		return "it may be another difference than the reported one: " + ev.Audit.Finding.Reason
	case e.Oracle == OracleObserved:
		return ""
	case !e.ReporterScript && len(ev.Unanchored) > 0:
		return "it may be another failure than the reported one: " + strings.Join(ev.Unanchored, "; ")
	case !e.ReporterScript && !speaksForItself(e.Oracle):
		return "the script is not the reporter's: what it prints, asserts or computes about itself proves nothing"
	}
	return ""
}

// speaksForItself: a crash, an exception or a warning of the subject is seen
// whoever wrote the script. What a script prints, computes or costs is its
// author's doing as much as the subject's: only the reporter's own counts.
func speaksForItself(n Name) bool {
	switch n {
	case OracleException, OracleImportError, OracleMissingException, OracleSignal, OracleWarning, OracleNone:
		return true
	}
	return false
}

// explicit grants grade C to a crash whose class, message and library frame
// (or signal and fatal line) are those of the reporter's own log, when the
// certificate script of the environment ran clean.
func (g *grading) explicit(e Expectation, ev Evidence) {
	if e.Oracle != OracleException && e.Oracle != OracleImportError && e.Oracle != OracleSignal {
		return // no crash: a neutral control has nothing to say
	}
	i := slices.IndexFunc(ev.Groups, func(x Group) bool { return x.Side == SideNeutral && len(x.Judgements) > 0 })
	r := slices.IndexFunc(ev.Groups, func(x Group) bool { return x.Side == SideReported })
	if i < 0 || r < 0 {
		return
	}
	t := count(ev.Groups[i])
	if t.hits > 0 || t.clean == 0 || t.clean < t.conclusive() {
		g.reasons = append(g.reasons, "the certificate script did not run clean")
		return
	}
	for _, j := range ev.Groups[r].Judgements {
		if j.Finding != Hit {
			continue
		}
		if !fullMatch(e, j) {
			return
		}
		if why := notOfItself(j.Observed); why != "" {
			g.reasons = append(g.reasons, why)
			return
		}
	}
	if why := diedElsewhere(e, ev.Groups[r]); why != "" {
		g.reasons = append(g.reasons, why)
		return
	}
	if !e.ReporterScript {
		// A stranger's script can be fed what fails in the same words at the
		// same place for another reason.
		g.reasons = append(g.reasons, "class, message and place are those of the reporter's own log, but the script is somebody else's: a release without it is needed")
		return
	}
	g.grade, g.control = "C", i
	g.reasons = append(g.reasons, "class, message and place are those of the reporter's own log, and the certificate script ran clean")
}

// notOfItself says why a crash that looks like the reported one may not be the
// subject's, so that a certificate which ran clean is no control of it.
func notOfItself(s symptom.Symptom) string {
	if what, _ := isolationFault(s); what != "" {
		return "the isolation withholds " + what + ", which alone gives the same failure: a release without it would have to be found"
	}
	inner, ok := symptom.Innermost(s.Frames)
	if raisedOver(s.Frames) {
		return "a raise of the script's own stands where the library should have been called: a release without it would have to be found"
	}
	if ok && inner.Altered {
		return madeUp(inner) + ": a release without it would have to be found"
	}
	if ok && inner.InScript() && slices.ContainsFunc(s.Frames, symptom.Frame.InLibrary) {
		return "the script's own code raised it, called back from a library: a release without it would have to be found"
	}
	return ""
}

// diedElsewhere: anybody can send a signal and print the line that goes with it.
// The package is where the process was when it died, and no child was there
// that could have sent it.
func diedElsewhere(e Expectation, g Group) string {
	if e.Oracle != OracleSignal {
		return ""
	}
	for i, j := range g.Judgements {
		if j.Finding != Hit {
			continue
		}
		var rec probe.Record
		if i < len(g.Executions) {
			rec = g.Executions[i].Record
		}
		// A thread of native code alone has no line of Python to show.
		inner, ok := symptom.Innermost(j.Observed.Frames)
		if len(j.Observed.Frames) > 0 && !(ok && inner.InLibrary()) || len(j.Observed.Frames) == 0 && rec.Started && rec.Fatal == "" {
			return "the process was in no line of a library when it died: a release without it would have to be found"
		}
		if slices.ContainsFunc(rec.Attempts, func(a probe.Attempt) bool { return a.Kind == "subprocess" && a.Script }) {
			return "the script started another process, which may have sent the signal: a release without it would have to be found"
		}
	}
	return ""
}

// raisedOver: right below a raise statement of the script comes a library's
// frame, which that statement cannot have called.
func raisedOver(frames []symptom.Frame) bool {
	for i := 1; i < len(frames); i++ {
		if frames[i].InLibrary() && frames[i-1].InScript() && strings.HasPrefix(frames[i-1].Source, "raise") {
			return true
		}
	}
	return false
}

// madeUp says of a frame that its code only claims to be a package's.
func madeUp(f symptom.Frame) string {
	return fmt.Sprintf("the code that raised it says that it is %s of %s, which is not what that file holds", f.Function, f.File)
}

// fullMatch asks that everything was stated by the reporter and is equal, not
// merely not contradicted.
func fullMatch(e Expectation, j Judgement) bool {
	switch e.Oracle {
	case OracleException, OracleImportError:
		return stated(j.Match, "exception") && stated(j.Match, "message") && stated(j.Match, "frame") &&
			slices.ContainsFunc(e.Symptom.Frames, func(f symptom.Frame) bool { return f.InLibrary() || f.File == "" && f.Source != "" })
	case OracleSignal:
		return stated(j.Match, "signal") && stated(j.Match, "fatal_line")
	}
	return false
}

// stated says that a field was compared, is equal, and was really stated: an
// empty expectation is met by anything.
func stated(m symptom.Match, field string) bool {
	return slices.ContainsFunc(m.Fields, func(f symptom.FieldMatch) bool {
		return f.Field == field && f.Equal && strings.TrimSpace(f.Expected) != ""
	})
}
