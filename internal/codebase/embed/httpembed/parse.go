package httpembed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/repgen/repgen/internal/codebase/embed"
	"github.com/repgen/repgen/internal/codebase/httpjson"
)

// numbers is one vector. Its own decoder refuses what the standard one takes
// for zero (null).
type numbers []float32

// UnmarshalJSON reads an array of numbers.
func (v *numbers) UnmarshalJSON(data []byte) error {
	inner, ok := bytes.CutPrefix(bytes.TrimSpace(data), []byte("["))
	inner, ok2 := bytes.CutSuffix(inner, []byte("]"))
	if !ok || !ok2 {
		return errors.New("a vector is not an array of numbers")
	}
	out := make(numbers, 0, bytes.Count(inner, []byte(","))+1)
	for len(bytes.TrimSpace(inner)) > 0 {
		one, rest, _ := bytes.Cut(inner, []byte(","))
		x, err := strconv.ParseFloat(string(bytes.TrimSpace(one)), 32)
		if err != nil {
			return fmt.Errorf("a vector holds %.20q, no number", bytes.TrimSpace(one))
		}
		out = append(out, float32(x))
		inner = rest
	}
	*v = out
	return nil
}

// parse reads an answer of n vectors and brings each to unit length, in the
// order of their index.
func parse(answer []byte, n, dims int) ([][]float32, error) {
	var a struct {
		Data []struct {
			Index     *int    `json:"index"`
			Embedding numbers `json:"embedding"`
		} `json:"data"`
	}
	// A proxy's login page, an error sent as 200, NaN (which Python writes and
	// JSON does not know): the excerpt shows which.
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, fmt.Errorf("the answer is not that of an embedding server (%w): %s", err, httpjson.Excerpt(answer))
	}
	if len(a.Data) != n {
		return nil, fmt.Errorf("the answer has %d vectors for %d texts: %s", len(a.Data), n, httpjson.Excerpt(answer))
	}
	out := make([][]float32, n)
	for i, d := range a.Data {
		at := i // some servers leave the index out: then it is the order
		if d.Index != nil {
			at = *d.Index
		}
		if at < 0 || at >= n || out[at] != nil {
			return nil, fmt.Errorf("the answer's index %d is out of range or there twice", at)
		}
		if dims == 0 {
			dims = len(d.Embedding)
		}
		if len(d.Embedding) != dims {
			return nil, fmt.Errorf("a vector has %d numbers, expected %d", len(d.Embedding), dims)
		}
		// The text's fault, as far as can be told: the caller leaves that text out
		// rather than all.
		if !embed.Normalize(d.Embedding) {
			return nil, fmt.Errorf("%w: its vector (%d of the answer) is zero or not finite", embed.ErrInput, at)
		}
		out[at] = d.Embedding
	}
	return out, nil
}
