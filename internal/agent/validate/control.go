package validate

import (
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/system/inert"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// howControl says what a control is.
const howControl = "Where control is true, do the same calls with the trigger left out or at its default, observe the same names, and run to the end."

var lineWord = lazyre.New(`\bline (\d+)\b`)

// shifted turns the numbers of lines behind the shim into those that the
// script's author wrote.
func (v view) shifted(text string) string {
	return lineWord.ReplaceAllStringFunc(text, func(s string) string {
		n, err := strconv.Atoi(strings.TrimPrefix(s, "line "))
		if err != nil || n <= v.shift {
			return s
		}
		return "line " + strconv.Itoa(n-v.shift)
	})
}

// control says what is wrong with the control of a run that showed the symptom.
func (v view) control(t *proof.Trial, c *candidate.Candidate) []task.Feedback {
	one := func(severity task.Severity, about, text string) []task.Feedback {
		return []task.Feedback{told(task.StageControl, severity, 0, about, text)}
	}
	unfit := one(task.SeverityError, "unfit "+t.ControlUnfit,
		"The run showed the symptom, but the control cannot count: "+clip(inert.Text(v.shifted(t.ControlUnfit)), 2*maxWord)+". "+howControl)
	if t.Control == nil || t.ControlJudgement == nil {
		if t.ControlUnfit != "" {
			return unfit
		}
		// Another release may be the control, so this ends nothing.
		text := "The run showed the symptom, but no control ran. "
		if c != nil && !c.HasControl {
			text = "The run showed the symptom, but the script has no control: nothing in it depends on the name control. "
		}
		return one(task.SeverityWarning, "no control", text+howControl)
	}
	// What the control did explains more than why it cannot count.
	j := *t.ControlJudgement
	switch {
	case j.Finding == oracle.Hit:
		return one(task.SeverityError, "control shows it", "The run showed the symptom, and so did the control: what the control leaves out is not what causes it. "+
			"Leave out something else, which the report blames. "+howControl)
	case j.Finding != oracle.Clean && (j.Limit || died(*t.Control)):
		f := v.run(task.StageControl, "The run showed the symptom, but the control died elsewhere: it", *t.Control, j)
		f.Text = clip(f.Text+"\n"+howControl, task.MaxFeedback)
		return []task.Feedback{f}
	case t.ControlUnfit != "":
		return unfit
	case j.Finding == oracle.Clean || j.Finding == oracle.Within:
		return nil
	}
	var b strings.Builder
	b.WriteString("The run showed the symptom. The control ran to its end without it, but does not show what the report wants instead.\n")
	for _, r := range j.Reasons[:min(len(j.Reasons), 2)] {
		b.WriteString(bullet(r))
	}
	about := "control " + string(j.Finding) + " " + values(&b, t.Control.Record.Observations)
	b.WriteString(howControl)
	return one(task.SeverityError, about, b.String())
}
