package rerank

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"

	"github.com/repgen/repgen/internal/codebase/httpjson"
)

// result is one score of an answer; some servers call it score.
type result struct {
	Index     *int     `json:"index"`
	Relevance *float64 `json:"relevance_score"`
	Score     *float64 `json:"score"`
}

// parseAnswer gives n scores in the order of the texts. The results may lie in
// "results", in "data" or be the whole answer. Each text must have exactly one.
func parseAnswer(data []byte, n int) ([]float64, error) {
	var list []result
	var err error
	// Numbers that float64 cannot hold are an error of the decoder.
	if t := bytes.TrimSpace(data); len(t) > 0 && t[0] == '[' {
		err = json.Unmarshal(t, &list)
	} else {
		var a struct{ Results, Data []result }
		err = json.Unmarshal(t, &a)
		list = append(a.Results, a.Data...)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, httpjson.Excerpt(data))
	}
	if len(list) != n {
		return nil, fmt.Errorf("%d scores for %d texts: %s", len(list), n, httpjson.Excerpt(data))
	}
	scores, seen := make([]float64, n), make([]bool, n)
	for _, r := range list {
		s := r.Relevance
		if s == nil {
			s = r.Score
		}
		switch {
		case r.Index == nil || s == nil:
			return nil, fmt.Errorf("a result without index or score: %s", httpjson.Excerpt(data))
		// With n results and none twice, every text has one.
		case *r.Index < 0 || *r.Index >= n || seen[*r.Index]:
			return nil, fmt.Errorf("index %d of %d texts is wrong or there twice", *r.Index, n)
		case math.IsNaN(*s) || math.IsInf(*s, 0):
			return nil, fmt.Errorf("the score of text %d is %v", *r.Index, *s)
		}
		scores[*r.Index], seen[*r.Index] = *s, true
	}
	return scores, nil
}
