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
	for _, reading := range readings(e) {
		judged := judgeGroups(reading, ev)
		if r := worth(reading, withJudgements(*ev, judged)); r > rank {
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

func judgeGroups(e Expectation, ev *Evidence) [][]Judgement {
	copied := Evidence{Groups: append([]Group(nil), ev.Groups...)}
	for i := range copied.Groups {
		g := &copied.Groups[i]
		if len(g.Executions) == 0 {
			continue
		}
		g.Judgements = make([]Judgement, len(g.Executions))
		for k, ex := range g.Executions {
			g.Judgements[k] = Judge(e, ex)
		}
	}
	if e.Oracle == OracleDifferential {
		return compared(e, copied)
	}
	out := make([][]Judgement, len(copied.Groups))
	for i, g := range copied.Groups {
		out[i] = g.Judgements
	}
	return out
}

// compared are the judgements of a differential claim, group against group.
// Evidence without executions keeps those it has.
func compared(e Expectation, ev Evidence) [][]Judgement {
	copied := Evidence{Groups: append([]Group(nil), ev.Groups...)}
	for i := range copied.Groups {
		copied.Groups[i].Judgements = append([]Judgement(nil), ev.Groups[i].Judgements...)
	}
	judgeDifferential(e, &copied)
	out := make([][]Judgement, len(copied.Groups))
	for i, g := range copied.Groups {
		out[i] = g.Judgements
	}
	return out
}

func withJudgements(ev Evidence, judged [][]Judgement) Evidence {
	ev.Groups = append([]Group(nil), ev.Groups...)
	for i := range ev.Groups {
		ev.Groups[i].Judgements = judged[i]
	}
	return ev
}

// worth ranks what a reading shows: a difference inside the tolerance before
// everything (rule 2), then the better grade, then any hit.
func worth(e Expectation, ev Evidence) int {
	v := Decide(e, ev)
	if v.Headline == NotABug {
		return 10
	}
	if i := strings.IndexAny("DCBA", string(v.Grade)); v.Grade != "" && i >= 0 {
		return 2 + i
	}
	if v.Hits > 0 {
		return 1
	}
	return 0
}
