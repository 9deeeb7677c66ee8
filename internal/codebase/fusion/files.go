package fusion

// FileScore is a file with its documents.
type FileScore struct {
	File int
	// Score is that of its best document (measured against sums of the best
	// two and three: see the package).
	Score float64
	Docs  []int // best first
}

// Files orders files by their best document. docs must be ordered best first;
// the order of the files is that in which they appear there.
func Files(docs []Fused, file func(doc int) int) []FileScore {
	at := map[int]int{}
	var out []FileScore
	for _, d := range docs {
		f := file(d.Doc)
		i, ok := at[f]
		if !ok {
			i = len(out)
			at[f] = i
			out = append(out, FileScore{File: f, Score: d.Score})
		}
		out[i].Docs = append(out[i].Docs, d.Doc)
	}
	return out
}
