package triage

import (
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// Relations on the numbers of the stated lines, in the words of the oracle.
const (
	notFalling = "not_falling"
	notRising  = "not_rising"
)

func directed(relation string) bool { return relation == notFalling || relation == notRising }

// directions are the ways to say where a series may not go.
var directions = []struct {
	relation string
	re       *lazyre.Regexp
	forbids  bool // says what must not be, so that nothing is said of what is
}{
	{notFalling, lazyre.New(`(?i)\b(?:can(?:not|'t| not)|could(?:n't| not)|must not|mustn't|should(?:n't| not| never)|may not|never|impossible)\b[^.\n]{0,60}?\b(?:below|smaller|lower|less|decreas\w*|drops?|falls?|shrinks?|goes? down|worse)\b`), true},
	{notFalling, lazyre.New(`(?i)\b(?:should|must|has to|have to|ought to)\b[^.\n]{0,40}?\b(?:increas\w*|grows?|rises?|goes? up|non-?decreasing|at least as (?:large|high|big|good)|(?:larger|higher|greater) than or equal)\b`), false},
	{notRising, lazyre.New(`(?i)\b(?:can(?:not|'t| not)|could(?:n't| not)|must not|mustn't|should(?:n't| not| never)|may not|never|impossible)\b[^.\n]{0,60}?\b(?:above|larger|higher|greater|bigger|exceed\w*|increas\w*|rises?|grows?|goes? up)\b`), true},
	{notRising, lazyre.New(`(?i)\b(?:should|must|has to|have to|ought to)\b[^.\n]{0,40}?\b(?:decreas\w*|falls?|shrinks?|goes? down|non-?increasing)\b`), false},
}

// directionOf is the relation that the prose demands of the stated lines, ""
// when it demands none that they break: what the reporter pasted must show the
// complaint, else the words are about something else.
func directionOf(rd *reading, p *oracle.Printed) string {
	for _, d := range directions {
		if d.re.MatchString(rd.prose) && breaks(d.relation, p.Actual) {
			return d.relation
		}
	}
	return ""
}

// breaks says whether the last numbers of the lines go where they must not.
func breaks(relation string, lines []oracle.Line) bool {
	series := lastNumbers(lines)
	for i := 1; i < len(series); i++ {
		if relation == notFalling && series[i] < series[i-1] || relation == notRising && series[i] > series[i-1] {
			return true
		}
	}
	return false
}

// lastNumbers is the last number of each line, or all numbers of a single one;
// nil when a line has none.
func lastNumbers(lines []oracle.Line) []float64 {
	var series []float64
	for _, l := range lines {
		numbers := numbersIn(l.Text)
		switch {
		case len(lines) == 1:
			return numbers
		case len(numbers) == 0:
			return nil
		}
		series = append(series, numbers[len(numbers)-1])
	}
	return series
}

func numbersIn(text string) []float64 {
	var found []float64
	re := tokenRes[classNumber]
	for at := 0; at < len(text); {
		m := re.FindStringSubmatchIndex(text[at:])
		if m == nil {
			break
		}
		if v, err := strconv.ParseFloat(strings.ReplaceAll(text[at+m[2]:at+m[3]], "_", ""), 64); err == nil {
			found = append(found, v)
		}
		at += max(m[3], 1)
	}
	return found
}
