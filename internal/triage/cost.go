package triage

import (
	"sort"
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// hangClaim: it does not end. The line is the one on which a comment says so,
// or the script's own line in the traceback of the interrupt that ended it.
func hangClaim(rd *reading) *oracle.Expectation {
	if !rd.script.complete() {
		return nil
	}
	return &oracle.Expectation{Oracle: oracle.OracleHang, Cost: &oracle.Cost{Line: hangLine(rd)}}
}

var hangsHere = lazyre.New(`(?i)\b(?:hangs?|stuck|freezes|blocks|deadlocks?|never (?:returns|ends|finishes)|infinite loop)\b`)

// hangLine is 0 when nothing says where; the stack sample of a run then has to.
func hangLine(rd *reading) int {
	for _, c := range rd.script.file.Comments {
		if hangsHere.MatchString(c.Text) {
			if c.Trailing {
				return c.Line
			}
			return c.Line + 1
		}
	}
	// A Ctrl-C leaves a traceback whose frame in the script shows the line as
	// written; its number is that of the reporter's file, not of this block.
	lines := strings.Split(rd.script.file.Source, "\n")
	for _, t := range rd.r.Tracebacks {
		for _, f := range t.Symptom.Frames {
			if !f.InScript() || strings.TrimSpace(f.Source) == "" {
				continue
			}
			for i, l := range lines {
				if strings.TrimSpace(l) == strings.TrimSpace(f.Source) {
					return i + 1
				}
			}
		}
	}
	return 0
}

var (
	// timesSlower is a stated ratio ("20x slower", "slower by a factor of 3");
	// twoTimes are two durations set against each other ("30 s instead of 2 s");
	// timeLine is a pasted line that ends in one duration ("eager: 0.35 s").
	timesSlower = lazyre.New(`(?i)\b(\d+(?:\.\d+)?)\s*(?:x|×|times|-?\s?fold)\s+(?:\w+ )?(?:slow\w*|longer|as long|more time|the time)|\bslow\w*[^.\n]{0,40}?\b(\d+(?:\.\d+)?)\s*(?:x|×|times\b|-?fold\b)|\bfactor (?:of )?(?:about |around |~)?(\d+(?:\.\d+)?)\b`)
	twoTimes    = lazyre.New(`(?i)\b(\d+(?:\.\d+)?|an?|one)\s*(ms|us|µs|s|secs?|seconds?|min(?:ute)?s?|h(?:ours?)?)\b[^\n]{0,60}?(?:\b(?:instead of|rather than|vs\.?|versus|compared (?:to|with)|to|while|but|up from|where)\b|,)[^\n]{0,60}?\b(\d+(?:\.\d+)?|an?|one)\s*(ms|us|µs|s|secs?|seconds?|min(?:ute)?s?|h(?:ours?)?)\b`)
	timeLine    = lazyre.New(`(?i)^\s*([A-Za-z][^\n:=]{0,40}?)\s*[:=]?\s*(\d+(?:\.\d+)?(?:e[-+]?\d+)?)\s*(ms|us|µs|s|secs?|seconds?)?\s*$`)
)

// seconds of a unit, as prose writes it.
func seconds(value, unit string) float64 {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil {
		v = 1 // "a second", "one minute"
	}
	switch unit = strings.ToLower(unit); {
	case unit == "us" || unit == "µs":
		return v * 1e-6
	case unit == "ms":
		return v * 1e-3
	case strings.HasPrefix(unit, "min"):
		return v * 60
	case strings.HasPrefix(unit, "h"):
		return v * 3600
	}
	return v
}

// minRatio is the smallest ratio that is a claim: less is inside what one
// machine varies by itself. A guess.
const minRatio = 1.3

// slowClaim needs something to compare with: a stated ratio, two printed times,
// or a release that is called good.
func slowClaim(rd *reading, c claims, d *Decision) *oracle.Expectation {
	if !rd.script.complete() {
		return nil
	}
	cost := &oracle.Cost{Ratio: statedRatio(rd), Labels: timeLabels(rd, c)}
	if cost.Ratio < minRatio {
		cost.Ratio = 0
	}
	if cost.Ratio == 0 && len(cost.Labels) < 2 && len(d.Good) == 0 && len(d.Contrasts) == 0 {
		return nil
	}
	return &oracle.Expectation{Oracle: oracle.OracleSlow, Cost: cost}
}

// statedRatio is how many times slower it is said to be, 0 when it is not said.
func statedRatio(rd *reading) float64 {
	if m := timesSlower.FindStringSubmatch(rd.prose); m != nil {
		r, err := strconv.ParseFloat(m[1]+m[2]+m[3], 64)
		if err == nil {
			return r
		}
	}
	// The units of the two may differ: "a minute, it took a second before".
	if m := twoTimes.FindStringSubmatch(rd.prose); m != nil {
		a, b := seconds(m[1], m[2]), seconds(m[3], m[4])
		if a > 0 && b > 0 {
			return max(a, b) / min(a, b)
		}
	}
	return 0
}

// timeLabels are the labels of two pasted times that the script prints, the
// larger first.
func timeLabels(rd *reading, c claims) []string {
	type timed struct {
		label string
		value float64
	}
	// Only what the script prints itself can be read again from a run: a time
	// taken with a stopwatch cannot.
	var all []timed
	for _, st := range c.actual {
		m := timeLine.FindStringSubmatch(st.Text)
		if m == nil || st.Role != report.RoleActual || !inPrints(rd.script.file, strings.TrimSpace(m[1])) {
			continue
		}
		all = append(all, timed{strings.TrimSpace(m[1]), seconds(m[2], m[3])})
	}
	if len(all) != 2 || all[0].label == all[1].label {
		return nil
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].value > all[j].value })
	return []string{all[0].label, all[1].label}
}

// memoryClaim: resident memory grows. It needs a loop that calls something,
// since one pass has no slope: on a busy machine its imports and its compiler
// alone would look like a leak.
func memoryClaim(rd *reading) *oracle.Expectation {
	if !rd.script.complete() || !repeats(rd.script.source) {
		return nil
	}
	return &oracle.Expectation{Oracle: oracle.OracleMemory, Cost: &oracle.Cost{}}
}

var (
	loopLine = lazyre.New(`^([ \t]*)(?:async[ \t]+)?(?:for|while)\b.*:[ \t]*([^:#]*)(?:#.*)?$`)
	loopsOf  = lazyre.New(`\bepochs=|\bfor\s+\w+\s+in\s+range\(`)
)

// repeats says whether a script has a loop with a call in its body, or hands
// its loop to a library. A loop over nothing but names does no work.
func repeats(src string) bool {
	depth := -1 // of the loop whose body is read, -1 for none
	for line := range strings.SplitSeq(src, "\n") {
		code := strings.TrimSpace(line)
		if code == "" || code[0] == '#' {
			continue
		}
		m := loopLine.FindStringSubmatch(line)
		switch indent := len(line) - len(strings.TrimLeft(line, " \t")); {
		case m != nil && strings.Contains(m[2], "("):
			return true
		case m != nil && (depth < 0 || indent <= depth):
			if depth = indent; strings.TrimSpace(m[2]) != "" {
				depth = -1 // its body stands on its line
			}
		case m != nil:
		case indent <= depth:
			depth = -1
		case depth >= 0 && strings.Contains(code, "("):
			return true
		case m == nil && !strings.HasSuffix(code, ":") && loopsOf.MatchString(line):
			return true
		}
	}
	return false
}
