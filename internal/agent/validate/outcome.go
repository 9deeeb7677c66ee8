package validate

import (
	"fmt"
	"strings"

	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// FromOutcome says why a full proof ended without a grade that counts: how often
// the symptom came, and what each control showed. Empty where it is proved.
func FromOutcome(o *proof.Outcome) []task.Feedback {
	if o == nil {
		return nil
	}
	if o.Unavailable != nil {
		return []task.Feedback{environmentFault("unavailable", "", "The environment cannot be had: "+o.Unavailable.Why)}
	}
	v := o.Verdict
	if proof.Positive(v.Headline) && v.Grade != "" && v.Grade != "D" {
		return nil
	}
	var b strings.Builder
	switch {
	case v.Runs == 0:
		b.WriteString("In full, no run said anything.\n")
	case v.Hits == 0 && o.Expectation != nil && o.Expectation.Oracle == oracle.OracleNone:
		fmt.Fprintf(&b, "In full, %d runs were made, and nothing said what one of them must show.\n", v.Runs)
	case v.Hits == 0:
		fmt.Fprintf(&b, "In full, none of %d runs showed the symptom.\n", v.Runs)
	default:
		fmt.Fprintf(&b, "In full, %d of %d runs showed the symptom, but nothing proves that it is the reported bug.\n", v.Hits, v.Runs)
	}
	about := fmt.Sprintf("hits %t", v.Hits > 0)
	releases := said{}
	for _, g := range o.Evidence.Groups {
		name, text := controlSide(g)
		if text == "" {
			continue
		}
		about += " " + string(g.Side) + " " + mostly(g)
		if otherRelease(g.Side) {
			releases.add(text, name)
		} else {
			b.WriteString(bullet(name + " " + text))
		}
	}
	b.WriteString(releases.lines())
	for _, r := range o.Evidence.Refused {
		b.WriteString(bullet("not believed: " + r))
		about += " " + r
	}
	for _, r := range v.Reasons {
		if !verdictWords.MatchString(r) && !releaseWords.MatchString(r) {
			b.WriteString(bullet(word(r)))
		}
	}
	return []task.Feedback{told(task.StageProof, task.SeverityError, 0, about, b.String())}
}

// verdictWords are the names of grades and headlines: a model is told what was
// shown and never what it would be called.
var verdictWords = lazyre.New(`(?i)\bgrade\b|\breproduced\b|\blead\b|\bflaky\b|\bverdict\b`)

// releaseWords are the tally's words on a single release, which is told already.
var releaseWords = lazyre.New(`\((?:another release|newest)\)`)

// otherRelease: the same script on another release, of which there may be many.
func otherRelease(side oracle.Side) bool {
	return side == oracle.SideRelease || side == oracle.SideNewest || side == oracle.SideNamed
}

// said gathers releases of which the same is to be told, in the order in which
// they were run.
type said struct {
	texts []string
	names map[string][]string
}

func (s *said) add(text, name string) {
	if s.names == nil {
		s.names = map[string][]string{}
	}
	if len(s.names[text]) == 0 {
		s.texts = append(s.texts, text)
	}
	s.names[text] = append(s.names[text], name)
}

// toldReleases is how many releases are named before the rest is counted: which
// ones it were teaches little.
const toldReleases = 4

func (s *said) lines() string {
	var b strings.Builder
	for _, text := range s.texts {
		names := s.names[text]
		who := strings.Join(names[:min(len(names), toldReleases)], ", ")
		if rest := len(names) - toldReleases; rest > 0 {
			who += fmt.Sprintf(" and %d more", rest)
		}
		if len(names) > 1 {
			who += ": each"
		}
		b.WriteString(bullet(who + " " + text))
	}
	return b.String()
}

// controlSide is one control and what is told of it, "" for a side that is none.
func controlSide(g oracle.Group) (name, text string) {
	switch g.Side {
	case oracle.SideAuthored:
		name = "your control"
	case oracle.SideRemoval, oracle.SideContrast:
		name = "the script " + word(g.Change)
	case oracle.SideRelease, oracle.SideNewest, oracle.SideNamed:
		name = "release " + word(g.Version)
	case oracle.SideFix:
		name = "the fix"
	default:
		return "", ""
	}
	if g.Unavailable != "" {
		return name, "was not run: " + word(g.Unavailable)
	}
	switch mostly(g) {
	case string(oracle.Hit):
		return name, "shows the symptom too"
	case string(oracle.Clean), string(oracle.Within):
		return name, "ran clean"
	case string(oracle.Absent):
		return name, "does not show it, and does not show what the report wants either"
	case string(oracle.Collided):
		return name, "died of something else: " + firstReason(g)
	case "":
		return "", ""
	}
	return name, "says nothing: " + firstReason(g)
}

// mostly is the finding of a group: a hit counts more than what is clean.
func mostly(g oracle.Group) string {
	found := ""
	for _, j := range g.Judgements {
		if j.Finding == oracle.Hit {
			return string(j.Finding)
		}
		if found == "" {
			found = string(j.Finding)
		}
	}
	return found
}

// firstReason stands for all executions of a group, which mostly say the same.
func firstReason(g oracle.Group) string {
	for _, j := range g.Judgements {
		if len(j.Reasons) > 0 {
			return word(j.Reasons[0])
		}
	}
	return "no reason is recorded"
}
