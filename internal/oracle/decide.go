package oracle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/audit"
	"github.com/repgen/repgen/internal/pydist"
)

// Decide computes the verdict from judged evidence, and from nothing else.
// Rules that need no execution (no model, no environment, missing facts) are
// the business of whoever could not execute.
func Decide(e Expectation, ev Evidence) Verdict {
	if Together(e.Oracle) {
		// Its findings are about groups; whoever judged one by one missed them.
		ev = withJudgements(ev, judgeGroups(e, &ev))
	}
	v := Verdict{Control: -1, OnNewest: onNewest(ev), Headline: Failed}
	var t tally
	var reported Group
	if r := slices.IndexFunc(ev.Groups, func(g Group) bool { return g.Side == SideReported }); r >= 0 {
		reported = ev.Groups[r]
		t = count(reported)
	}
	if ev.CertificateHit && t.conclusive() == 0 {
		// The environment cannot even be imported, as reported: its certificate
		// is the execution that shows it.
		t.hits = 1
	}
	v.Hits, v.Runs = t.hits, t.conclusive()
	v.Low, v.High = Wilson(v.Hits, v.Runs)
	v.show(reported)
	switch {
	case t.forged > 0:
		v.end(Hostile, "the script wrote to the observer's private channel")
	case t.hits == 0 && t.within > 0:
		v.end(NotABug, firstReason(reported, Within))
	case t.hits == 0:
		v.without(ev, reported, t)
	default:
		v.with(e, ev, reported, t)
	}
	v.tolerated(reported)
	switch {
	case e.Oracle == OracleNone:
		v.unjudged(reported, "nothing in the report says in a form that can be judged what is wrong: the script was run and recorded, not judged")
	case v.Hits == 0 && !compared(e, ev, t):
		v.unjudged(reported, "what is reported shows only beside something else, and nothing that could be compared ran: nothing was found wrong or right")
	case v.Headline == NotReproduced && partly(reported):
		v.unjudged(reported, partReason(reported))
	case v.Headline == NotReproduced && byChance(e, reported):
		v.unjudged(reported, "the script draws numbers and fixes no seed: the numbers that the report shows need not come again, so that nothing was found wrong or right")
	case v.Headline == DifferentFailure && onlyWanted(e) && !ofTheScript(v.Observed):
		v.unjudged(reported, "the report states what should come and not what came instead: what it fails with may be what is reported")
	case v.Headline == Failed && e.Oracle == OracleMemory && t.plain > 0:
		// Our measurement was too coarse for so short a run: no defect of ours,
		// and no answer either.
		v.Headline, v.Reasons = Lead, []string{firstReason(reported, Inconclusive)}
	case e.Oracle == OracleDifferential && v.Hits == 0:
		v.unjudged(reported, "the report states only that releases differ, and what was printed does not tell them apart: nothing was found wrong or right")
	}
	v.earn(ev, t)
	return v
}

// compared says whether a claim about a ratio or a spread had anything to be
// compared with. Without that, zero hits are no denial.
func compared(e Expectation, ev Evidence, t tally) bool {
	switch {
	case t.hits+t.clean+t.within > 0 || t.conclusive() == 0 || t.collided > t.absent:
		return true // somebody compared it, or nothing ran and that is said already
	case e.Oracle == OracleSlow && (e.Cost == nil || len(e.Cost.Labels) < 2):
		_, from := baseline(e, ev, startUp(e, ev))
		return from >= 0
	case e.Oracle == OracleSpread && e.Spread != nil && !e.Spread.Within:
		return t.conclusive() > 1
	}
	return true
}

// tolerated prints the float tolerance that was used with the verdict, unless a
// reason has it already.
func (v *Verdict) tolerated(g Group) {
	for _, j := range g.Judgements {
		if j.Tolerance == "" {
			continue
		}
		if !slices.ContainsFunc(v.Reasons, func(r string) bool { return strings.Contains(r, j.Tolerance) }) {
			v.say("tolerance of the floats: %s", j.Tolerance)
		}
		return
	}
}

// end sets the headline with what led to it.
func (v *Verdict) end(h Headline, reasons ...string) {
	v.Headline = h
	v.Reasons = append(v.Reasons, reasons...)
}

// say adds a reason; headlines are explained, never only stated.
func (v *Verdict) say(format string, args ...any) {
	v.Reasons = append(v.Reasons, fmt.Sprintf(format, args...))
}

// show copies the first hit, else the first execution that shows anything.
func (v *Verdict) show(g Group) {
	for _, want := range []Finding{Hit, Within, Collided, Clean, Absent, Inconclusive} {
		for _, j := range g.Judgements {
			if j.Finding == want {
				v.Match, v.Observed = j.Match, j.Observed
				return
			}
		}
	}
}

// firstReason: what the first execution with a finding showed: one stands for
// all, or a verdict would repeat itself five times.
func firstReason(g Group, f Finding) string {
	for _, j := range g.Judgements {
		if j.Finding == f && len(j.Reasons) > 0 {
			return j.Reasons[0]
		}
	}
	return string(f)
}

// without decides when no execution of the reported side shows the symptom.
func (v *Verdict) without(ev Evidence, g Group, t tally) {
	ran := t.clean + t.absent + t.within
	switch {
	case t.conclusive() == 0:
		v.nothing(ev, g, t)
	case t.collided > 0 && acceleratorMissing.MatchString(v.Observed.Message):
		v.end(NeedsHardware, "it fails for want of an accelerator: "+headline(v.Observed))
	case t.collided > ran:
		v.end(DifferentFailure, firstReason(g, Collided))
		v.say("%d of %d executions fail otherwise", t.collided, v.Runs)
	case ev.ReportedGood:
		v.end(NeedsInfo, "what ran is the release that the report calls good, and no other is named: which one shows the symptom?")
	case ev.Lowered:
		v.end(NeedsHardware, "the report is about an accelerator, and the CPU does not show it")
	case ev.OnDevice:
		v.end(NeedsHardware, "the reporter's script ran on an accelerator, and the CPU does not show it")
	case ev.StandIn:
		v.end(EnvUnavailable, noRelease+", and what stands in for it does not show the symptom")
	case ev.BudgetEnded && v.Runs < minClean:
		v.end(Exhausted, fmt.Sprintf("a budget ended after %d executions, none of which shows it", v.Runs))
	case !ev.Certified:
		v.end(Failed, "the environment was never certified, so that a clean run says nothing")
	default:
		v.end(NotReproduced, firstOf(g, Absent, Clean))
	}
	if v.Headline == NotReproduced || v.Headline == NeedsHardware {
		v.bound(ev, g, t)
		v.pinned(ev, t)
	}
}

// firstOf is firstReason of the first of several findings that occurs.
func firstOf(g Group, fs ...Finding) string {
	for _, f := range fs {
		for _, j := range g.Judgements {
			if j.Finding == f && len(j.Reasons) > 0 {
				return j.Reasons[0]
			}
		}
	}
	return "it never came"
}

// bound says what zero hits are worth, and where else the symptom was seen.
func (v *Verdict) bound(ev Evidence, g Group, t tally) {
	v.say("0 of %d executions show it: it comes in fewer than %.0f %% of them (95 %%)", v.Runs, 100*ZeroBound(v.Runs))
	if t.collided > 0 {
		v.say("%d executions failed otherwise: %s", t.collided, firstReason(g, Collided))
	}
	for _, o := range ev.Groups {
		if c := count(o); !o.Side.neverControl() && c.hits > 0 {
			v.say("%s shows it, %d of %d", o.name(), c.hits, c.conclusive())
		}
	}
}

// nothing: every execution was inconclusive, or there was none.
func (v *Verdict) nothing(ev Evidence, g Group, t tally) {
	why := "there is no execution of the reported side"
	if len(g.Judgements) > 0 {
		why = firstReason(g, Inconclusive)
	} else if g.Unavailable != "" {
		why = g.Unavailable
	}
	if t.limited > 0 || ev.BudgetEnded {
		v.end(Exhausted, why)
		return
	}
	if slices.ContainsFunc(g.Judgements, func(j Judgement) bool { return j.Fault == FaultIsolation }) {
		v.end(EnvUnavailable, why)
		return
	}
	v.end(Failed, why)
}

// with decides when at least one execution shows the symptom.
func (v *Verdict) with(e Expectation, ev Evidence, reported Group, t tally) {
	v.say("%d of %d executions show it (95 %% interval %.2f-%.2f)", v.Hits, v.Runs, v.Low, v.High)
	if why := firstReason(reported, Hit); len(reported.Judgements) > 0 {
		v.say("%s", why)
	}
	if t.inconclusive > 0 {
		v.say("%d further executions say nothing: %s", t.inconclusive, firstReason(reported, Inconclusive))
	}
	if ev.CertificateHit {
		v.say("the environment's certificate fails with the reported symptom")
	}
	if ev.Lowered {
		v.say("an accelerator was lowered to the CPU, which weakens the claim")
	}
	v.pinned(ev, t)
	g := grade(e, ev, v.Hits, v.Runs)
	v.Grade, v.FisherP, v.Control = g.grade, g.p, g.control
	v.Reasons = append(v.Reasons, g.reasons...)
	v.differs(e, ev)
	v.releases(ev, reported, g)
	v.headline(e, ev, reported, g)
}

// differs says where the audited executions part.
func (v *Verdict) differs(e Expectation, ev Evidence) {
	if ev.Audit == nil {
		return
	}
	f := ev.Audit.Finding
	if f.Divergence != nil {
		v.say("differs first at: %s", f.Divergence)
	}
	switch {
	case f.Consequence == audit.Silent && !e.ReporterScript:
		v.say("the audit says nothing, so that a release gives grade C at best: %s", f.Reason)
	case f.Consequence == audit.Silent:
		v.say("the audit says nothing: %s", f.Reason)
	case f.Consequence == audit.Refused && e.ReporterScript:
		v.say("of the reporter's script: %s", f.Reason) // nothing follows from it
	}
}

// pinned tells what all seeds pinned make of the symptom. It decides nothing:
// in two measured reports of nondeterminism pinning hid one.
func (v *Verdict) pinned(ev Evidence, reported tally) {
	for _, g := range ev.Groups {
		t := count(g)
		if g.Side != SidePinned || t.conclusive() == 0 || t.hits*reported.conclusive() == reported.hits*t.conclusive() {
			continue
		}
		what := "the rates differ"
		switch {
		case t.hits == 0:
			what = "pinning may hide it"
		case reported.hits == 0:
			what = "pinning brings it, the reporter's own seeding does not"
		}
		v.say("with all seeds pinned %d of %d show it, against %d of %d: %s", t.hits, t.conclusive(), reported.hits, reported.conclusive(), what)
	}
}

// releases names the releases between which the symptom came and went.
func (v *Verdict) releases(ev Evidence, reported Group, g grading) {
	for _, c := range g.controls {
		switch {
		case c.group.Side.edited() || c.group.Side == SideFix || c.group.Version == "":
		case c.group.Subject != reported.Subject: // the release of another package
		case c.group.Older:
			if v.GoodBefore == "" || older(v.GoodBefore, c.group.Version) {
				v.GoodBefore = c.group.Version
			}
		case v.FirstFixed == "" || older(c.group.Version, v.FirstFixed):
			v.FirstFixed = c.group.Version
		}
	}
	switch {
	case v.GoodBefore != "" && ev.Adjacent:
		v.say("came with %s %s: the release before it, %s, is without", reported.Subject, reported.Version, v.GoodBefore)
	case v.GoodBefore != "":
		v.say("came somewhere between %s %s and %s", reported.Subject, v.GoodBefore, reported.Version)
	}
	if v.FirstFixed != "" {
		v.say("gone somewhere between %s %s and %s", reported.Subject, reported.Version, v.FirstFixed)
	}
}

// older compares versions; what does not parse is older than what does.
func older(a, b string) bool {
	va, errA := pydist.ParseVersion(a)
	vb, errB := pydist.ParseVersion(b)
	if errA != nil || errB != nil {
		return errA != nil && errB == nil
	}
	return va.Compare(vb) < 0
}

// headline applies the order: regression, fixed, flaky, reproduced, lead. The
// rest of what is true stands in Also.
func (v *Verdict) headline(e Expectation, ev Evidence, reported Group, g grading) {
	flaky, tooRare := v.rarely(e, ev)
	if v.Grade == "D" || tooRare {
		v.Headline = Lead
		if flaky {
			v.Headline = Flaky
			return
		}
		if tooRare && v.Grade != "D" {
			v.Grade, v.FisherP, v.Control = "D", 0, -1
		}
		if why := whyLead(e, ev, g, tooRare); why != "" {
			v.say("%s", why)
		}
		return
	}
	var all []Headline
	if v.GoodBefore != "" {
		all = append(all, Regression)
	}
	if v.fixed(reported, g) {
		all = append(all, Fixed)
	}
	if flaky {
		all = append(all, Flaky)
	}
	if len(all) == 0 {
		all = []Headline{Reproduced}
	}
	v.Headline, v.Also = all[0], all[1:]
}

// rarely: under half of the executions. That is flaky with two hits and a
// control of as many executions without any, else too little to claim.
func (v *Verdict) rarely(e Expectation, ev Evidence) (flaky, tooRare bool) {
	if 2*v.Hits >= v.Runs {
		return false, false
	}
	if v.Hits < 2 || capped(e, ev) != "" {
		return false, true
	}
	for _, g := range ev.Groups {
		t := count(g)
		if !g.Side.neverControl() && unfit(e, ev, g) == "" && t.hits == 0 && goodIn(e, g, t) >= v.Runs {
			return true, false
		}
	}
	return false, true
}

// whyLead says what is missing for a grade, so that whoever reads a lead knows
// what to run next.
func whyLead(e Expectation, ev Evidence, g grading, tooRare bool) string {
	if tooRare {
		return "it came in fewer than half of the executions, and no control ran as often without it: run more"
	}
	others, hit := 0, 0
	for _, o := range ev.Groups {
		if t := count(o); !o.Side.neverControl() && !o.Side.edited() && t.conclusive() > 0 {
			others++
			if t.hits > 0 {
				hit++
			}
		}
	}
	if others > 0 && hit == others {
		return "every release that was tried shows it: the oracle was never seen to say no"
	}
	if hit < others && capped(e, ev) != "" {
		return "" // a release is without it, and why that does not count is said already
	}
	if len(g.controls) == 0 {
		return "no control was seen to be without it"
	}
	return "the evidence carries no grade"
}

// fixed: the newest release of the subject is a control in its own right.
func (v *Verdict) fixed(reported Group, g grading) bool {
	return slices.ContainsFunc(g.controls, func(c control) bool {
		return c.group.Side == SideNewest && c.group.Subject == reported.Subject
	})
}

// onNewest is the second axis.
func onNewest(ev Evidence) string {
	i := slices.IndexFunc(ev.Groups, func(g Group) bool { return g.Side == SideNewest })
	if i < 0 || len(ev.Groups[i].Judgements) == 0 && ev.Groups[i].Unavailable == "" {
		return "not_run"
	}
	t := count(ev.Groups[i])
	switch {
	case t.hits > 0:
		return "yes"
	case len(ev.Groups[i].Lacks) > 0:
		return "inconclusive"
	case t.good(SideNewest) >= minClean && t.good(SideNewest) == t.conclusive():
		return "no"
	}
	return "inconclusive"
}
