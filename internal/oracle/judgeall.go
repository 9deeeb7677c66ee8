package oracle

import "strings"

// JudgeAll judges every execution of every group in place and returns the
// reading that the judgements follow: e itself, or the one of e.Also that the
// evidence proves better. All groups are judged by the same reading, since a
// symptom seen by one oracle and missed by another compares nothing. Groups
// without executions keep the judgements they have (evidence read back).
func JudgeAll(e Expectation, ev *Evidence) Expectation {
	best := e
	var kept [][]Judgement
	rank := -1
	for i, reading := range readings(e) {
		judged := judgeGroups(reading, ev)
		r := worth(reading, withJudgements(*ev, judged))
		if i > 0 && reading.Oracle == OracleSpread && r == rankRounding {
			// That executions differ by rounding alone is true of many scripts: it
			// takes nothing from what the report says in the first place.
			r = rankSeen
		}
		if r > rank {
			best, kept, rank = reading, judged, r
		}
	}
	for i := range ev.Groups {
		ev.Groups[i].Judgements = kept[i]
	}
	return best
}

// readings are e and its alternatives, each complete in itself.
func readings(e Expectation) []Expectation {
	out := []Expectation{e}
	for _, a := range e.Also {
		if a.Subject == "" {
			a.Subject = e.Subject
		}
		if len(a.Modules) == 0 {
			a.Modules = e.Modules
		}
		if len(a.Compare) == 0 {
			a.Compare = e.Compare
		}
		a.ReporterScript = a.ReporterScript || e.ReporterScript
		a.Asks = a.Asks || e.Asks
		out = append(out, a)
	}
	return out
}

// judgeGroups are the judgements of a copy of the evidence by one reading.
func judgeGroups(e Expectation, ev *Evidence) [][]Judgement {
	copied := Evidence{Groups: append([]Group(nil), ev.Groups...)}
	for i := range copied.Groups {
		// Group judges write into the slices: those of the caller stay.
		copied.Groups[i].Judgements = append([]Judgement(nil), ev.Groups[i].Judgements...)
	}
	JudgeGroups(e, &copied)
	out := make([][]Judgement, len(copied.Groups))
	for i, g := range copied.Groups {
		out[i] = g.Judgements
	}
	return out
}

// withJudgements is the evidence with other judgements; the groups of the caller
// stay.
func withJudgements(ev Evidence, judged [][]Judgement) Evidence {
	ev.Groups = append([]Group(nil), ev.Groups...)
	for i := range ev.Groups {
		ev.Groups[i].Judgements = judged[i]
	}
	return ev
}

// Ranks of a reading.
const (
	rankSeen     = 1  // a hit, without a grade
	rankGraded   = 2  // grade D; the better ones follow
	rankRounding = 10 // a difference inside the tolerance, before everything
)

// worth ranks what a reading shows: a difference inside the tolerance before
// everything (rule 2), then the better grade, then any hit.
func worth(e Expectation, ev Evidence) int {
	v := Decide(e, ev)
	if v.Headline == NotABug {
		return rankRounding
	}
	if i := strings.IndexAny("DCBA", string(v.Grade)); v.Grade != "" && i >= 0 {
		return rankGraded + i
	}
	if v.Hits > 0 {
		return rankSeen
	}
	return 0
}
