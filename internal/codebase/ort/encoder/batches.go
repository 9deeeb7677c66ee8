package encoder

import "slices"

// Batches groups texts of like length, longest first, so that no batch has
// more than limit tokens with its padding; one text may be longer by itself. It
// gives the positions of the texts. A model that takes no padding gets texts of
// one length only: a batch of few is no slower a token than one of many, from
// some hundred tokens on (measured).
func (e *Encoder) Batches(ids [][]int32, limit int) [][]int {
	return batches(ids, limit, e.plan.even)
}

func batches(ids [][]int32, limit int, even bool) [][]int {
	order := make([]int, len(ids))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(ids[b]) - len(ids[a]) })
	var out [][]int
	for len(order) > 0 {
		longest := len(ids[order[0]])
		n := min(max(1, limit/max(1, longest)), len(order))
		for even && len(ids[order[n-1]]) != longest {
			n--
		}
		out = append(out, order[:n:n])
		order = order[n:]
	}
	return out
}
