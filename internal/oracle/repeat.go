package oracle

// Repetition is decided by two questions, and stops as soon as both have an
// answer. Is it more than chance: would Fisher's test tell the hits from as many
// clean executions of a control (at 5 %)? And which side of half is the rate on,
// which is the line between "reproduced" and "flaky": does the Wilson interval
// leave out one half? The second question is asked at 80 % only: a wrong answer
// costs a word of the headline and never makes a hit of none, while a right one
// at 95 % costs 20 executions at a rate of three in four (measured on a report of
// a race, six seconds each).
//
// Looking more often than once makes an error larger than one look's. The sizes
// of the looks double, so that a proof looks at most three or four times (5, 10,
// 20); five looks at 5 % make 14 % (Armitage, McPherson and Rowe 1969, table 2).

// z80 is the two-sided 80 % quantile of the normal distribution.
const z80 = 1.2815515655446004

// firstLook is how many executions are made before the first question: 5 of 5
// is the first unanimous count whose interval (0.57-1.00) lies clear of one half
// with room, and the default that the verdicts speak of.
const firstLook = 5

// NextRuns says how many more executions of the reported side are worth making
// after hits in runs, up to max in all; 0 means that the counts decide, or that
// nothing which may still come would change what can be said. It never returns
// more than max-runs.
func NextRuns(hits, runs, max int) int {
	left := max - runs
	switch {
	case left <= 0:
		return 0
	case runs < firstLook:
		return min(left, firstLook-runs)
	case decisive(hits, runs):
		return 0
	}
	// The fewest further executions that decide if the rate stays as it is; at
	// most as many as there were, then it is looked at again.
	for k := 1; k < min(left, runs); k++ {
		if decisive(hits+(2*hits*k+runs)/(2*runs), runs+k) {
			return k
		}
	}
	return min(left, runs)
}

// decisive: hits in runs can be called one thing and no other.
func decisive(hits, runs int) bool {
	if hits == 0 {
		return true // ZeroBound says what none at all is worth
	}
	low, high := wilson(hits, runs, z80)
	return FisherOneSided(hits, runs, 0, runs) < alpha && (low > 0.5 || high < 0.5)
}
