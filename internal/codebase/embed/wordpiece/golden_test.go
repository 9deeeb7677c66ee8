package wordpiece

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// row is one text with the numbers that the published tokenizer gave.
type row struct {
	Text  string  `json:"text"`
	Pair  *string `json:"pair"`
	Max   int     `json:"max"`
	IDs   []int32 `json:"ids"`
	Types []int32 `json:"types"`
}

func golden(t testing.TB) []row {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "golden.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	sc := bufio.NewScanner(z)
	sc.Buffer(nil, 1<<22)
	for sc.Scan() {
		var r row
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	if sc.Err() != nil || len(rows) < 300 {
		t.Fatalf("%d rows, %v", len(rows), sc.Err())
	}
	return rows
}

func uncased(t testing.TB) *Tokenizer {
	t.Helper()
	tk, err := Uncased()
	if err != nil {
		t.Fatal(err)
	}
	return tk
}

// TestGolden wants the published tokenizer's numbers for single texts, pairs
// and both kinds of cut.
func TestGolden(t *testing.T) {
	tk := uncased(t)
	for i, r := range golden(t) {
		if r.Pair != nil {
			ids, types := tk.EncodePair(r.Text, *r.Pair, r.Max)
			if !slices.Equal(ids, r.IDs) || !slices.Equal(types, r.Types) {
				t.Errorf("row %d: pair %q + %q, max %d:\n got %d %d\nwant %d %d", i, r.Text, *r.Pair, r.Max, ids, types, r.IDs, r.Types)
			}
			continue
		}
		limit := r.Max
		if limit == 0 {
			limit = 1 << 30
		}
		if got := tk.Encode(r.Text, limit); !slices.Equal(got, r.IDs) {
			t.Errorf("row %d: %q, max %d:\n got %d\nwant %d", i, r.Text, r.Max, got, r.IDs)
		}
		if got := tk.Count(r.Text, limit); got != len(r.IDs) {
			t.Errorf("row %d: Count %d, want %d", i, got, len(r.IDs))
		}
	}
}

// TestCutIsAPrefix wants a cut encoding to be the beginning of the whole one.
func TestCutIsAPrefix(t *testing.T) {
	tk := uncased(t)
	for _, r := range golden(t) {
		if r.Pair != nil {
			continue
		}
		whole := tk.Append(nil, r.Text, 1<<30)
		for _, limit := range []int{0, 1, 2, 3, 7, 20, len(whole), len(whole) + 1} {
			if got := tk.Append(nil, r.Text, limit); !slices.Equal(got, whole[:min(limit, len(whole))]) {
				t.Fatalf("%q cut at %d: %d, whole %d", r.Text, limit, got, whole)
			}
		}
	}
}
