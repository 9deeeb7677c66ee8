package triage

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// blames are the forms in which a part is called the cause. Guesses count as
// well ("I think it is the `drop_last`"): a run decides, and only what was
// named may be tried. A call that is said to be at fault is often the judged
// call itself, without which nothing is judged; calls count only where they were
// added or left out (calls), arguments everywhere.
var blames = []struct {
	re    *lazyre.Regexp
	calls bool
}{
	{lazyre.New("(?i)\\b(?:caused|triggered|introduced|produced) by\\s+(?:the |a |using |setting |passing |calling )*" + anyPart), false},
	{lazyre.New("(?i)\\b(?:because of|due to)\\s+(?:the |a |using |setting |passing |calling )*" + anyPart), false},
	{lazyre.New("(?i)\\b(?:culprit|cause|reason|offender|root cause|problem|issue|bug)\\s+(?:here |seems to |appears to )?(?:is|be|lies in|comes from|is in|must be)\\s+(?:in |the |with |using )*" + anyPart), false},
	{lazyre.New("(?i)" + anyPart + "\\s+(?:causes|triggers|breaks)\\b"), false},
	{lazyre.New("(?i)\\bonly (?:\\w+ ){0,3}?(?:with|when|if|after|while|for)\\s+(?:i |you |we )?(?:using |use |used |pass |passing |set |setting |calling |the |a |an )*" + anyPart), true},
	{lazyre.New("(?i)\\bas soon as\\s+(?:i |you |we |the )?(?:add|use|set|switch on|switched|pass|call|enable|turn on|include|apply)\\s+(?:the |a |an )*" + anyPart), true},
	{lazyre.New("(?i)\\b(?:adding|enabling|applying|inserting|including)\\s+(?:the |a |an )*" + anyPart + "\\s+(?:breaks|causes|triggers|leads to|makes|results in|crashes|raises)"), true},
}

// titleWith is the argument that a title names beside the symptom.
var titleWith = lazyre.New("(?i)\\b(?:with|when using|when|if|using|after|under)\\s+(?:using |the |a |an )*" + anyPart)

// blamed takes the parts that a clause calls the cause. Imports, the script's
// own definitions and the judged call cannot be left out; the candidate room
// sees to that, since it knows what an edit would do.
func (ch *changes) blamed(c clause) {
	for _, b := range blames {
		for _, m := range b.re.FindAllStringSubmatchIndex(c.text, 3) {
			ch.blame(c, m, b.calls)
		}
	}
	if s := ch.rd.r.TitleSpan; within(c.at, c.at+len(strings.TrimRight(c.text, " \n")), s) && c.at+len(strings.TrimSpace(c.text)) <= s.End+2 {
		for _, m := range titleWith.FindAllStringSubmatchIndex(c.text, 3) {
			ch.blame(c, m, false)
		}
	}
}

func (ch *changes) blame(c clause, m []int, calls bool) {
	raw := c.text[m[2]:m[3]]
	word, value, isArg := strings.Cut(raw, "=")
	quoted := m[2] > 0 && c.text[m[2]-1] == '`'
	target := ch.names.stands(word, quoted || isArg)
	if target == "" || !calls && len(ch.names.keywords[target]) == 0 || isArg && !ch.names.has(target, value) {
		return
	}
	if values := ch.names.keywords[target]; len(values) == 1 {
		target += "=" + values[0]
	} else if len(values) > 1 {
		return // which of the calls is meant is not said
	}
	ch.trigger(target, c, m[2:4])
}
