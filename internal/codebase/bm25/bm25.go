// Package bm25 ranks documents by words with the Okapi formula, exactly: every
// document that holds a word of the query is scored, and every score can be
// taken apart into its terms.
//
// A Builder counts the words of documents, Merge puts what builders counted
// and an older index together, and New makes the result searchable. The arrays
// of an index (Data) can lie in a mapped file.
package bm25

import "math"

// Params are the two constants of the formula.
type Params struct {
	// K1 says how soon a repeated word stops counting, B how much a long
	// document is held against it (0: not, 1: in full).
	K1 float64 `json:"k1"`
	B  float64 `json:"b"`
}

// DefaultParams are those of the published method.
var DefaultParams = Params{K1: 1.2, B: 0.75}

// Weighted is one token of a query. Tokens are as Tokens gives them; weights
// are above 0 (another one is left out), and equal tokens add up.
type Weighted struct {
	Token  string  `json:"token"`
	Weight float64 `json:"weight"`
}

// Hit is a document that was found. Its score is above 0.
type Hit struct {
	Doc   int     `json:"doc"`
	Score float64 `json:"score"`
}

// TermScore is what one token of a query gives a document:
//
//	Score = Weight * IDF * (K1+1) * TF / (TF + K1*(1 - B + B*Length/AvgLength))
//
// A token that the document lacks has TF 0 and Score 0.
type TermScore struct {
	Token  string  `json:"token"`
	Weight float64 `json:"weight"`
	TF     int     `json:"tf"` // in this document; at most 65535 is counted
	DF     int     `json:"df"` // documents that hold the token
	IDF    float64 `json:"idf"`
	// Lengths are in tokens, the pieces of an identifier counted as well.
	Length    int     `json:"length"`
	AvgLength float64 `json:"avg_length"`
	Score     float64 `json:"score"`
}

// Query gives every token of text the weight 1.
func Query(text string) []Weighted {
	tokens := Tokens(text)
	q := make([]Weighted, len(tokens))
	for i, t := range tokens {
		q[i] = Weighted{Token: t, Weight: 1}
	}
	return q
}

// idf is the weight of a token that df of n documents hold: the probabilistic
// one with 1 added inside the logarithm, as Lucene does it. The plain one is
// negative for a word that more than half of the documents hold, which takes
// score away from a document for holding a word that was asked for; others put
// a floor under it. Measured on 446 fixes of two projects the three differ by
// less than .01 in recall@5 and recall@20.
func idf(df, n int) float64 {
	return math.Log1p((float64(n) - float64(df) + 0.5) / (float64(df) + 0.5))
}
