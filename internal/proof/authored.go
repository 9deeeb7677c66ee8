package proof

import (
	"context"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// authored runs the control that the script's author wrote, in the reported
// environment. Alone it carries grade C at best, and only under what oracle and
// candidate ask of it; a script whose text already says that it cannot count is
// not run for it.
func (p *proof) authored(ctx context.Context) error {
	if !p.in.Candidate.HasControl || p.late() {
		return nil
	}
	groups := judgeGroups(p.exp, []oracle.Group{p.reported.group})
	if why := unfitControl(p.in.Report, p.in.Candidate, &p.exp, groups); len(why) > 0 {
		p.note("the script's own control is no control: %s", strings.Join(why, "; "))
		return nil
	}
	s := p.ownControl()
	defer func() { p.record(s) }()
	if err := p.repeat(ctx, s, p.firstRuns(s.group.Side)); err != nil {
		return err
	}
	if !p.absent(s) {
		return nil
	}
	return p.repeat(ctx, s, p.controlNeed(s.group.Side))
}

// ownControl is the side on which the observer's control is true.
func (p *proof) ownControl() *side {
	s := p.beside(oracle.SideAuthored)
	s.group.Change = "without " + triggerWords(p.in.Candidate.Trigger)
	return s
}

// maxTrigger bounds the author's words for what is left out, in characters.
const maxTrigger = 120

var (
	// plainTrigger has no markup, address or mention: the words stand in the
	// verdict's reasons, and from there in a page, a README and a reply.
	plainTrigger = lazyre.New(`^[\p{L}\p{N} .,:;=+\-*/%()\[\]{}'"<>_?&|^~#]+$`)
	// claimWord: who wrote the script says nothing of the verdict.
	claimWord = lazyre.New("(?i)verdict|grade|headline|\\b(?:reproduced?|fixed|regression|flaky|confirmed|verified|proved|proven|bug)\\b|repgen|://|www\\.|\\]\\(|<[a-z/!]")
)

// triggerWords makes them one line that continues "without".
func triggerWords(trigger string) string {
	text := strings.TrimPrefix(strings.Join(strings.Fields(trigger), " "), "without ")
	if !plainTrigger.MatchString(text) || claimWord.MatchString(text) {
		return "its trigger"
	}
	if r := []rune(text); len(r) > maxTrigger {
		text = string(r[:maxTrigger]) + " ..."
	}
	return text
}

// Ground fills in what of the evidence rests on the report and on the script's
// text: whoever judges recorded evidence again calls it, so that nothing of it
// is believed as recorded. Reasons that are there already stay.
func Ground(r *report.Report, c *candidate.Candidate, e *oracle.Expectation, ev *oracle.Evidence) {
	if e.Oracle == oracle.OracleObserved {
		ev.Unanchored = merged(ev.Unanchored, candidate.Unanchored(asText(r), c, e))
		if e.Observed == nil {
			ev.Unanchored = merged(ev.Unanchored, []string{"there is no claim"})
		}
	}
	if c.Origin == originAgent {
		frames := placesOf(*e, judgeGroups(*e, ev.Groups))
		ev.Refused = merged(ev.Refused, candidate.Steered(c, e, frames))
		ev.Unanchored = merged(ev.Unanchored, candidate.Unnamed(asText(r), c, e, frames))
	}
	if ev.Audit != nil {
		ev.Audit.Finding = audited(r, *e, ev)
	}
	if slices.ContainsFunc(ev.Groups, isAuthored) {
		ev.ControlUnfit = merged(ev.ControlUnfit, unfitControl(r, c, e, judgeGroups(*e, ev.Groups)))
	}
}

// regroundControl asks of new executions what needs no report.
func regroundControl(c *candidate.Candidate, e *oracle.Expectation, ev *oracle.Evidence) {
	if slices.ContainsFunc(ev.Groups, isAuthored) {
		ev.ControlUnfit = merged(ev.ControlUnfit, candidate.PassedControl(c, e, ranOf(judgeGroups(*e, ev.Groups))))
	}
}

// asText is the report as anybody can read it again from its text alone: a
// bundle holds no more, and must come to the same.
func asText(r *report.Report) *report.Report {
	if r == nil {
		return nil
	}
	return report.Parse([]byte(r.Text), report.Source{})
}

func isAuthored(g oracle.Group) bool { return g.Side == oracle.SideAuthored }

func merged(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// unfitControl says why an authored control cannot count; groups are judged.
func unfitControl(r *report.Report, c *candidate.Candidate, e *oracle.Expectation, groups []oracle.Group) []string {
	return candidate.UnfitControl(asText(r), c, e, ranOf(groups))
}

// ranOf reads from judged groups where the symptom came, and what the control
// observed in every execution.
func ranOf(groups []oracle.Group) (ran candidate.Ran) {
	for _, g := range groups {
		switch g.Side {
		case oracle.SideReported:
			for _, j := range g.Judgements {
				if j.Finding == oracle.Hit {
					ran.Frames = framesOf(ran.Frames, j)
				}
			}
		case oracle.SideAuthored:
			for i, ex := range g.Executions {
				names := []string{}
				for _, o := range ex.Record.Observations {
					names = append(names, o.Name)
				}
				if i > 0 {
					names = slices.DeleteFunc(names, func(n string) bool { return !slices.Contains(ran.Seen, n) })
				}
				ran.Seen = names
			}
		}
	}
	return ran
}

// placesOf are the script's lines on the way to what decides: the symptom, or,
// where that is an exception which does not come, the exception of another side.
func placesOf(e oracle.Expectation, groups []oracle.Group) (list []candidate.ScriptFrame) {
	if e.Oracle != oracle.OracleMissingException {
		return ranOf(groups).Frames
	}
	for _, g := range groups {
		for _, j := range g.Judgements {
			if j.Finding == oracle.Clean {
				list = framesOf(list, j)
			}
		}
	}
	return list
}

func framesOf(list []candidate.ScriptFrame, j oracle.Judgement) []candidate.ScriptFrame {
	for _, f := range j.Observed.Frames {
		frame := candidate.ScriptFrame{Line: f.Line, Function: f.Function}
		if inScript(f) && !slices.Contains(list, frame) {
			list = append(list, frame)
		}
	}
	return list
}
