package triage

import (
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/lazyre"
)

var titleWarns = lazyre.New(`(?i)\b(\w*warn(s|ing|ings|ed)?|warnings?)\b`)

// warningIsTheClaim: the report is about the warning, not about something that
// happened beside it.
func warningIsTheClaim(rd *reading, c claims) bool {
	return c.noWarning || titleWarns.MatchString(rd.r.Title) && !titleException.MatchString(rd.r.Title)
}

// fromWarning takes the warning of a log, else the one that is only named.
func fromWarning(rd *reading, c claims) *oracle.Expectation {
	for _, t := range rd.r.Tracebacks {
		if t.Symptom.Kind == symptom.Warning && usable(rd, t) {
			return &oracle.Expectation{Oracle: oracle.OracleWarning, Symptom: located(t)}
		}
	}
	for _, st := range c.warnings {
		if st.Role != report.RoleActual {
			continue
		}
		s := symptom.Symptom{Kind: symptom.Warning, Exception: bareClass(classWord.FindString(st.Text)), Start: st.Span.Start, End: st.Span.End}
		if s.Exception == "" || strings.Contains(st.Text, " ") {
			s.Message = strings.TrimSpace(strings.TrimPrefix(st.Text, s.Exception+":"))
		}
		return &oracle.Expectation{Oracle: oracle.OracleWarning, Symptom: s}
	}
	return nil
}
