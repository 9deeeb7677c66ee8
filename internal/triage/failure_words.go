package triage

import (
	"strings"

	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// silentTitle: the title says that something passes which should not.
var silentTitle = lazyre.New(`(?i)\b(silently|accepts?|accepted|ignores?|ignored|unchecked|(without|no|missing|lacks?)( an?| any)? (\w+ )?(error|exception|validation|check)s?|(does not|doesn['\x{2019}]t|do not|don['\x{2019}]t|never|not) (raise[sd]?|throws?|fails?|rejects?|rejected|validates?|checks?))\b`)

// asModel: a sentence gives the exception as what another call raises, and the
// report asks for that class where nothing is raised today ("f raises
// `ValueError: no`, g should as well"). A release that has it right raises it,
// so that to look for it would be to look for the fix.
func asModel(rd *reading, c claims, t report.Traceback) bool {
	if t.Block >= 0 || len(t.Symptom.Frames) > 0 || !silentTitle.MatchString(rd.r.Title) {
		return false
	}
	for _, st := range c.exceptions {
		if st.Role == report.RoleExpected && exceptionClass(st.Text) == bareClass(t.Symptom.Exception) {
			return true
		}
	}
	return false
}

// nameless: the traceback was cut above its last line, and no sentence has its
// message. Any failure or none could be the one that is meant; words of the
// title or the prose say more.
func nameless(rd *reading, s symptom.Symptom) bool {
	return s.Exception == "" && s.Message == "" && messageInProse(rd) == ""
}

// saidMessage is a message in backticks right behind a word for a failure.
var saidMessage = lazyre.New("(?i)\\b(?:errors?|exceptions?|message|fails?|failed|failing|crash(?:es|ed)?|raises?|raised|throws?|threw|says|complains)\\b[^`\n.;]{0,30}`([A-Za-z][^`\n]{7,200})`")

// messageInProse is the message of a failure as a sentence quotes it: words, no
// name, call or assignment.
func messageInProse(rd *reading) string {
	for _, m := range saidMessage.FindAllStringSubmatch(rd.prose, maxReasons) {
		text := strings.TrimSpace(m[1])
		if strings.Contains(text, " ") && !strings.ContainsAny(text, "=") && !codeLike.MatchString(text) {
			return text
		}
	}
	return ""
}

// codeLike: a call or an import, not what Python says.
var codeLike = lazyre.New(`^(?:[\w.]+\(|import |from |pip |python |@)`)
