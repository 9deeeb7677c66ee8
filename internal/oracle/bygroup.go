package oracle

import "github.com/repgen/repgen/internal/sandbox"

// groupJudge judges executions beside others. It works in place on judgements
// that Judge has made one by one, and touches only those of executions that ran
// through: what crashed or hit a limit stays what it is.
type groupJudge struct {
	judge func(Expectation, *Evidence)
	// finds: Judge alone finds no hit, only this does.
	finds bool
	// needsControl: one side alone shows nothing.
	needsControl bool
}

// together are the oracles that look at executions together: some find the
// symptom so, others only hold a clean control to what the reported side did.
var together = map[Name]groupJudge{
	OracleDifferential: {judgeDifferential, true, true},
	OracleSlow:         {judgeSlowness, true, true},
	OracleSpread:       {judgeSpreads, true, false},
	OracleDuplicates:   {judgeRepeats, false, false},
	OracleShape:        {judgeShapes, false, false},
	OracleNonFinite:    {sameWork, false, false},
	OracleLearning:     {sameWork, false, false},
	OracleSignal:       {judgeDeaths, false, false},
}

// ByGroup says that an oracle finds its symptom only in executions that are
// judged together: Judge alone finds no hit, JudgeSide and JudgeGroups do.
func ByGroup(n Name) bool { return together[n].finds }

// Together says that what Judge says of one execution is not the last word:
// JudgeGroups has it, with all groups at hand.
func Together(n Name) bool { return together[n].judge != nil }

// NeedsControl says that an oracle finds no hit on the reported side until a
// control ran as well (a difference, a ratio): run one even without a hit.
func NeedsControl(n Name) bool { return together[n].needsControl }

// JudgeSide judges the executions of one environment, together where the oracle
// asks for it. It is what one side shows by itself; an oracle that NeedsControl
// finds nothing.
func JudgeSide(e Expectation, exs []sandbox.Execution) []Judgement {
	ev := Evidence{Groups: []Group{{Side: SideReported, Executions: exs}}}
	JudgeGroups(e, &ev)
	return ev.Groups[0].Judgements
}

// JudgeGroups judges all groups by one reading, in place, group against group
// where the oracle asks for it. Groups without executions keep the judgements
// that they have (evidence read back).
func JudgeGroups(e Expectation, ev *Evidence) {
	for i := range ev.Groups {
		g := &ev.Groups[i]
		if len(g.Executions) == 0 {
			continue
		}
		g.Judgements = make([]Judgement, len(g.Executions))
		for k, ex := range g.Executions {
			g.Judgements[k] = Judge(e, ex)
		}
	}
	if t := together[e.Oracle]; t.judge != nil {
		t.judge(e, ev)
	}
}
