package triage

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

// measuredText holds, for each route and kind of main reason, how many reports
// of the held-out half of the labelled corpus got it and how many of them
// rightly. TestMeasured writes it (with -update) and checks it. The rules were
// made with the other half in view, so that these shares are of reports that
// no rule was fitted to.
//
//go:embed measured.txt
var measuredText string

// measured is one row: route, reason, right, of.
type measured struct{ right, of int }

// measuredShares are the rows by "route/reason", and by route alone for
// reasons that the corpus does not have.
var measuredShares = sync.OnceValue(func() map[string]measured {
	shares := map[string]measured{}
	for _, line := range strings.Split(measuredText, "\n") {
		fields := strings.Split(line, "\t")
		if len(fields) != 4 || strings.HasPrefix(line, "#") {
			continue
		}
		right, err1 := strconv.Atoi(fields[2])
		of, err2 := strconv.Atoi(fields[3])
		if err1 != nil || err2 != nil {
			continue
		}
		shares[fields[0]+"/"+fields[1]] = measured{right, of}
		all := shares[fields[0]]
		shares[fields[0]] = measured{all.right + right, all.of + of}
	}
	return shares
})

// minRow is from how many reports on a row speaks for itself; a smaller one is
// answered by its whole route.
const minRow = 4

// confidence is the measured share of right routes and of how many reports;
// 0 of 0 where the corpus has none.
func confidence(route Route, why string) (share float64, of int) {
	row := measuredShares()[string(route)+"/"+why]
	if row.of < minRow {
		row = measuredShares()[string(route)]
	}
	if row.of == 0 {
		return 0, 0
	}
	return round3(float64(row.right) / float64(row.of)), row.of
}
