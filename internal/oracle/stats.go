package oracle

import "math"

// z95 is the two-sided 95 % quantile of the normal distribution.
const z95 = 1.959963984540054

// Wilson is the 95 % score interval of a rate after hits in n executions
// (Wilson 1927; it stays inside 0 to 1 and is honest at 5 of 5, where the
// usual interval has width nothing). Without executions it is 0 to 1.
func Wilson(hits, n int) (low, high float64) { return wilson(hits, n, z95) }

// wilson is the score interval for a quantile z of the normal distribution.
func wilson(hits, n int, z float64) (low, high float64) {
	if n <= 0 {
		return 0, 1
	}
	hits = min(max(hits, 0), n)
	p, m := float64(hits)/float64(n), float64(n)
	z2 := z * z
	mid := p + z2/(2*m)
	half := z * math.Sqrt(p*(1-p)/m+z2/(4*m*m))
	low, high = (mid-half)/(1+z2/m), (mid+half)/(1+z2/m)
	if hits == 0 {
		low = 0 // exact; the difference above leaves rounding dust
	}
	if hits == n {
		high = 1
	}
	return max(low, 0), min(high, 1)
}

// FisherOneSided is Fisher's exact one-sided p-value for "A shows it more
// often than B": the chance of hitsA or more of all the hits falling on A's
// executions if the side did not matter. 1 when a side has no executions.
func FisherOneSided(hitsA, nA, hitsB, nB int) float64 {
	if nA <= 0 || nB <= 0 {
		return 1
	}
	hits, total := hitsA+hitsB, nA+nB
	p := 0.0
	for k := hitsA; k <= min(hits, nA); k++ {
		if hits-k > nB {
			continue
		}
		p += math.Exp(choose(nA, k) + choose(nB, hits-k) - choose(total, hits))
	}
	return min(p, 1)
}

// choose is the logarithm of the binomial coefficient.
func choose(n, k int) float64 {
	if k < 0 || k > n {
		return math.Inf(-1)
	}
	lg := func(x int) float64 { v, _ := math.Lgamma(float64(x + 1)); return v }
	return lg(n) - lg(k) - lg(n-k)
}

// ZeroBound is the 95 % upper bound on the rate after zero hits in n
// executions: 1 - 0.05^(1/n), 0.45 for five. 1 without executions.
func ZeroBound(n int) float64 {
	if n <= 0 {
		return 1
	}
	return 1 - math.Pow(0.05, 1/float64(n))
}
