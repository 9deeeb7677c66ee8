package oracle

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
)

// Claimed values: what a silent oracle looks at in one execution. A name that
// the report uses is looked up in the observer's record first; where it was not
// recorded, the printed lines that have it as a label speak for it. Without a
// name every printed line does.

// recorded finds a name among the watched globals and the observations.
func recorded(name string, r probe.Record) (probe.Observation, bool) {
	for _, list := range [][]probe.Observation{r.Names, r.Observations, r.Arrays} {
		for _, o := range list {
			if o.Name == name {
				return o, true
			}
		}
	}
	return probe.Observation{}, false
}

// stdoutLines are the printed lines, those of stderr only where nothing came on
// stdout: logging writes there, and so do warnings that are no claim.
func stdoutLines(ex sandbox.Execution) *output {
	if strings.TrimSpace(ex.Stdout) == "" {
		return outputLines(sandbox.Execution{Stderr: ex.Stderr})
	}
	return outputLines(sandbox.Execution{Stdout: ex.Stdout})
}

// claimedLines are the token rows that carry a claim: the counterparts of the
// stated lines, else the lines labelled with the name, else all of them. ok is
// false when some of what is asked for is not there.
func claimedLines(e Expectation, target string, ex sandbox.Execution) (rows [][]token, ok bool) {
	if e.Printed != nil && len(e.Printed.Actual) > 0 {
		rows = corresponding(e.Printed.Actual, outputLines(ex))
		return rows, len(rows) == len(e.Printed.Actual)
	}
	out := stdoutLines(ex)
	label := tokens(target, true)
	for i := range out.lines {
		row := out.tokens(i, false)
		if len(label) > 0 && afterLabel(row, label) == nil {
			continue
		}
		rows = append(rows, row)
	}
	return rows, len(rows) > 0
}

// afterLabel is what follows the first occurrence of a label in a line, nil when
// it does not occur. The rest is empty, not nil, when nothing follows.
func afterLabel(row, label []token) []token {
	for i := 0; len(label) > 0 && i+len(label) <= len(row); i++ {
		if sameRun(row[i:i+len(label)], label) {
			return append([]token{}, row[i+len(label):]...)
		}
	}
	return nil
}

// sameRun compares labels without regard to case: reports write "Loss" of what
// prints "loss".
func sameRun(a, b []token) bool {
	return slices.EqualFunc(a, b, func(x, y token) bool { return y.same(x, false) || strings.EqualFold(x.text, y.text) })
}

// skeleton is a line with its numbers masked: what lines of one family share.
func skeleton(row []token) string {
	words := make([]string, len(row))
	for i, t := range row {
		switch {
		case t.mask:
			words[i] = "\x01" + t.text
		case t.number != nil:
			words[i] = "\x01n"
		default:
			words[i] = t.text
		}
	}
	return strings.Join(words, " ")
}

// family is the lines of an output that are alike but for their numbers.
type family struct {
	skeleton string
	rows     [][]token
}

// families groups the lines that hold a number, first seen first.
func families(out *output) []family {
	var all []family
	at := map[string]int{}
	for i := range out.lines {
		row := out.tokens(i, false)
		if len(numbers(row)) == 0 {
			continue
		}
		s := skeleton(row)
		k, known := at[s]
		if !known {
			k = len(all)
			at[s] = k
			all = append(all, family{skeleton: s})
		}
		all[k].rows = append(all[k].rows, row)
	}
	return all
}

// text is a row of tokens as words, for reasons.
func text(row []token) string {
	words := make([]string, len(row))
	for i, t := range row {
		words[i] = t.text
	}
	return clip(strings.Join(words, " "))
}
