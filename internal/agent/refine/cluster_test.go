package refine

import (
	"testing"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/symptom"
)

func TestClusters(t *testing.T) {
	tried := []Tried{
		{Index: 0, Failure: "other"},
		{Index: 1, Failure: "other"},
		{Index: 2, Failure: "other"},
		{Index: 3, Failure: "near", Agree: 2},
		{Index: 4, Failure: "shown", Hit: true, Agree: 3},
		{Index: 5, Failure: "shown", Hit: true, Clean: true, Agree: 3},
		{Index: 6, Failure: "elsewhere", Hit: true, Agree: 3},
		{Index: 7, Failure: "alone"},
	}
	clusters := Clusters(tried)
	var got []string
	for _, c := range clusters {
		got = append(got, c.Failure)
	}
	want := []string{"shown", "elsewhere", "near", "other", "alone"}
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Fatalf("clusters %v, want %v", got, want)
		}
	}
	if clusters[0].Members[0].Index != 5 || len(clusters[0].Members) != 2 {
		t.Errorf("the one with a clean control is not first: %+v", clusters[0].Members)
	}
	if Clusters(nil) != nil {
		t.Error("clusters of nothing")
	}
}

// TestClusterSizeDecides: with equal agreement the failure that more scripts
// came to is the more promising one.
func TestClusterSizeDecides(t *testing.T) {
	got := Clusters([]Tried{{Index: 0, Failure: "a", Hit: true}, {Index: 1, Failure: "b", Hit: true}, {Index: 2, Failure: "b", Hit: true}})
	if got[0].Failure != "b" || got[1].Failure != "a" {
		t.Errorf("clusters %+v", got)
	}
}

func TestTriedOf(t *testing.T) {
	trial := &proof.Trial{Judgement: oracle.Judgement{
		Finding:  oracle.Collided,
		Observed: symptom.Symptom{Kind: symptom.Exception, Exception: "ValueError"},
		Match:    symptom.Match{Fields: []symptom.FieldMatch{{Field: "kind", Equal: true}, {Field: "message"}}},
	}}
	if got := TriedOf(3, trial, false, false); got.Agree != 1 || got.Index != 3 || got.Failure != "collision exception ValueError" {
		t.Errorf("TriedOf = %+v", got)
	}
	for _, none := range []*proof.Trial{nil, {Unavailable: &environment.Unavailable{Why: "gone"}}} {
		if got := TriedOf(0, none, false, false); got.Failure != "no run" {
			t.Errorf("TriedOf = %+v", got)
		}
	}
}

func TestFailure(t *testing.T) {
	frames := []symptom.Frame{
		{File: "reproduce.py", Where: "script", Function: "<module>"},
		{File: "np/core.py", Where: "library", Function: "dot"},
		{File: "json/decoder.py", Where: "stdlib", Function: "decode"},
	}
	a := symptom.Symptom{Kind: symptom.Exception, Exception: "ValueError", Message: "shapes (3,4) and (5,6) at 0x7f12\nmore", Frames: frames}
	b := a
	b.Message = "shapes (1,2) and (9,9) at 0xdead"
	if Failure(a) != Failure(b) || Failure(a) != "exception ValueError shapes (#,#) and (#,#) at # np/core.py:dot" {
		t.Errorf("Failure = %q and %q", Failure(a), Failure(b))
	}
	b.Exception = "TypeError"
	if Failure(a) == Failure(b) {
		t.Error("two classes are one failure")
	}
	if Failure(symptom.Symptom{}) != "" {
		t.Error("nothing failed, and it has a name")
	}
}
