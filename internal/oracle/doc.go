// Package oracle computes verdicts. Judge looks at one recorded execution,
// Decide at all the evidence. Both are pure: they start nothing and read no
// file, so old evidence can be judged again. One file and one testdata folder
// per oracle.
//
// The way through: judge.go leaves out what says nothing (a limit of ours, no
// record, a record that cannot be true), then one oracle reads the execution
// (exception.go, missing_exception.go, signal.go, warning.go, printed.go,
// assert.go; for silent symptoms nonfinite.go, shape.go, duplicates.go,
// learning.go; for costs hang.go, slow.go, memory.go). Whatever did not show the
// symptom and did not run through goes to fault.go: an environment fault is
// inconclusive, anything else a collision. Printed claims are compared by tokens
// (token.go, number.go, lines.go, relation.go), floats within a derived
// tolerance (tolerance.go, operands.go), releases with each other
// (differential.go). What one execution cannot show (spread.go, slow.go,
// differential.go) is judged by group, in bygroup.go, which also holds clean
// controls to what the reported side printed. judgeall.go picks the reading of a
// report that the evidence proves best; tally.go, grade.go and decide.go turn
// findings into grade and headline; repeat.go says when more executions are
// worth making.
//
// Findings are three-sided. Hit and Clean are evidence, Inconclusive never is;
// Absent (ran through, neither symptom nor what was wished for) is evidence on
// the reported side only, because a control must be right, not merely different.
package oracle
