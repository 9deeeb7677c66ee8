package bench

import (
	"math"
	"strings"
	"testing"
)

func madeRetrieval(t testing.TB) *Retrieval {
	t.Helper()
	got, err := MeasureRetrieval(t.Context(), madeSets(), madePairs(), methods(t, "bm25,hybrid,dense"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestSummariseRetrieval(t *testing.T) {
	table := SummariseRetrieval("made", madeRetrieval(t))
	rows := map[string]RetrievalRow{}
	for _, r := range table.Rows {
		rows[r.Set+" "+r.Method] = r
	}
	if len(rows) != 5 || len(table.Rows) != 5 || table.Pairs != 3 {
		t.Fatalf("%+v", table.Rows)
	}
	all := rows["all bm25"]
	if all.Pairs != 2 || all.R1 != 0.25 || all.R5 != 0.75 || all.MRR != 0.75 || all.R5Gain != nil {
		t.Errorf("%+v", all)
	}
	if h := rows["x hybrid"]; h.Pairs != 1 || h.R1 != 1 || h.R5Gain == nil || h.R5Gain.Mean != 0 {
		t.Errorf("%+v", h)
	}
	if i := all.R5Interval; i.Low != 0.5 || i.High != 1 || math.IsNaN(all.Milliseconds) {
		t.Errorf("%+v", all)
	}
}

func TestMarkdownRetrieval(t *testing.T) {
	var b strings.Builder
	if err := MarkdownRetrieval(&b, SummariseRetrieval("made up", madeRetrieval(t))); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# Retrieval: 3 pairs", "made up", "| x | bm25 | 1 | 0.000 | 1.000 [1.00, 1.00] |", "| all | hybrid | 1 | 1.000 |",
		"- not measured: dense: no dense here", "| pair | bm25 | hybrid |", "| y-1 | - 1 |  |", "| x-2 | left out: gone.py is not there |",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestRankedLine(t *testing.T) {
	r := madeRetrieval(t)
	if got := RankedLine(r.Ranked[1], r.Methods); got != "y-1: bm25 -,1" {
		t.Errorf("%q", got)
	}
	if got := RankedLine(r.Ranked[2], r.Methods); got != "x-2: left out: gone.py is not there" {
		t.Errorf("%q", got)
	}
}

func TestGolden(t *testing.T) {
	r := madeRetrieval(t)
	var b strings.Builder
	if err := WriteGolden(&b, r.Ranked); err != nil {
		t.Fatal(err)
	}
	golden := b.String()
	if !strings.Contains(golden, `{"id":"x-1","ranks":{"bm25":[2],"hybrid":[1]}}`+"\n") {
		t.Errorf("%s", golden)
	}
	if diff, err := CompareGolden(strings.NewReader(golden), r.Ranked); err != nil || len(diff) != 0 {
		t.Errorf("%v, %v", diff, err)
	}
	r.Ranked[0].Ranks["bm25"] = []int{1}
	r.Ranked[1].Ranks["static"] = []int{3, 0}
	r.Ranked[2].Skipped = ""
	extra := append(r.Ranked, Ranked{ID: "z"})
	diff, err := CompareGolden(strings.NewReader(golden+`{"id":"old"}`+"\n"), extra)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"x-1: bm25: ranks 1, in the golden 2", "y-1: static: ranks 3 -, in the golden none",
		`x-2: left out: "", in the golden "gone.py is not there"`, "old: in the golden, not measured", "z: measured, not in the golden",
	}
	if strings.Join(diff, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(diff, "\n"), strings.Join(want, "\n"))
	}
	if got := DescribeDiff(diff, 2); !strings.HasSuffix(got, "and 3 more") || strings.Count(got, "\n") != 2 {
		t.Errorf("%q", got)
	}
	if _, err := CompareGolden(strings.NewReader("{}\nbad\n"), nil); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("%v", err)
	}
}

// TestGoldenSlack: rankings by vectors may move a little, those by words not at
// all.
func TestGoldenSlack(t *testing.T) {
	for _, tt := range []struct {
		method     string
		want, have int
		same       bool
	}{
		{"bm25", 5, 6, false}, {"bm25", 5, 5, true}, {"static-hybrid", 5, 6, true}, {"static", 5, 7, false},
		{"hybrid", 5, 6, true}, {"hybrid", 5, 7, false}, {"dense", 40, 45, true}, {"dense", 40, 46, false},
		{"first", 1, 0, false}, {"bm25+rerank", 3, 2, true}, {"unknown", 1, 2, false},
	} {
		if got := sameRanks(tt.method, []int{tt.want}, []int{tt.have}); got != tt.same {
			t.Errorf("%s %d to %d: %v", tt.method, tt.want, tt.have, got)
		}
	}
	if sameRanks("hybrid", []int{1}, []int{1, 2}) {
		t.Error("rankings of different length are the same")
	}
}
