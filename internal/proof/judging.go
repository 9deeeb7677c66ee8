package proof

import (
	"slices"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/sandbox"
)

// measured says that an oracle reads times or memory: nothing of ours may run
// beside such an execution, or it would be measured too.
func measured(n oracle.Name) bool { return n == oracle.OracleSlow || n == oracle.OracleMemory }

// judgeGroups judges every execution of every group by one reading of the
// report. Stored judgements are ignored.
func judgeGroups(e oracle.Expectation, groups []oracle.Group) []oracle.Group {
	ev := oracle.Evidence{Groups: slices.Clone(groups)}
	for i := range ev.Groups {
		ev.Groups[i].Judgements = nil
	}
	oracle.JudgeGroups(e, &ev)
	return ev.Groups
}

// judged is what the executions of a side show. Where Judge alone has not the
// last word all evidence so far is looked at, as the verdict will.
func (p *proof) judged(s *side) []oracle.Judgement {
	if !oracle.Together(p.exp.Oracle) {
		return judgeAll(p.exp, s.group.Executions)
	}
	groups := []oracle.Group{s.group}
	if p.reported != nil && s.group.Side != oracle.SideReported {
		groups = append(groups, p.reported.group)
	}
	return judgeGroups(p.exp, append(groups, p.out.Evidence.Groups...))[0].Judgements
}

func count(js []oracle.Judgement, f oracle.Finding) int {
	n := 0
	for _, j := range js {
		if j.Finding == f {
			n++
		}
	}
	return n
}

// judgeAny judges by the expectation and its alternatives: the first hit
// counts, else the main reading.
func (p *proof) judgeAny(ex sandbox.Execution) oracle.Judgement {
	j := oracle.Judge(p.exp, ex)
	if j.Finding == oracle.Hit {
		return j
	}
	for _, e := range p.exp.Also {
		if other := oracle.Judge(e, ex); other.Finding == oracle.Hit {
			return other
		}
	}
	return j
}

func (p *proof) countHits(s *side) int { return count(p.judged(s), oracle.Hit) }

// anyWithin says that an execution differs only inside the derived float
// tolerance: that decides, whatever other releases print.
func (p *proof) anyWithin(s *side) bool { return count(p.judged(s), oracle.Within) > 0 }

// absent says that every execution of a control ran through and what the
// reporter wants holds there, exactly or inside the derived tolerance (or, for
// a side that a person vouches for, that the symptom does not come).
func (p *proof) absent(s *side) bool {
	for _, j := range p.judged(s) {
		switch {
		case j.Finding == oracle.Clean, j.Finding == oracle.Within:
		case j.Finding == oracle.Absent && s.group.Side.Vouched() && p.exp.Oracle != oracle.OracleObserved:
		default:
			return false
		}
	}
	return len(s.group.Executions) > 0 && len(s.group.Lacks) == 0
}

// chooseExpectation takes the first reading of the report that the runs show;
// the main one when none does. A reading that finds a float difference inside
// its tolerance ends the choice: weaker readings may not overrule it.
func (p *proof) chooseExpectation(exs []sandbox.Execution) {
	shows := func(e oracle.Expectation) bool {
		js := oracle.JudgeSide(e, exs)
		return count(js, oracle.Hit)+count(js, oracle.Within) > 0
	}
	if shows(p.exp) {
		return
	}
	for i, e := range p.exp.Also {
		if !shows(e) {
			continue
		}
		main := p.exp
		main.Also = nil
		rest := append([]oracle.Expectation{main}, p.exp.Also[:i]...)
		e.Also = append(rest, p.exp.Also[i+1:]...)
		p.exp = e
		return
	}
}

// scriptOf is what runs on a side: the candidate's text, or the side's own.
func (p *proof) scriptOf(s *side) string {
	if s.group.Script != "" {
		return s.group.Script
	}
	return p.in.Candidate.Script
}
