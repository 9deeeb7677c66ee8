package bench

import (
	"bytes"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
)

func TestStrategiesByCases(t *testing.T) {
	of := func(strategy string, outcomes ...Outcome) Column {
		return Column{Strategy: strategy, Table: Summarise("repgen test, --strategy "+strategy, outcomes)}
	}
	found := Outcome{ID: "a", Expected: oracle.Reproduced, NeedsLLM: true, Headline: oracle.Fixed, Grade: "B", Model: &Spent{Attempts: 2, Calls: 5, TokensIn: 900, TokensOut: 100, USD: 0.25, Priced: true}}
	missed := Outcome{ID: "a", Expected: oracle.Reproduced, NeedsLLM: true, Headline: oracle.Exhausted, Model: &Spent{Attempts: 1, Calls: 1, TokensIn: 10}}
	liar := Outcome{ID: "b", Expected: oracle.NotABug, Headline: oracle.Reproduced, Grade: "C"}
	honest := Outcome{ID: "b", Expected: oracle.NotABug, Headline: oracle.NotABug}
	s := Compare([]Column{of("auto", found, honest), of("zero-shot", missed, liar)})
	if len(s.FalseClaims) != 1 || s.FalseClaims[0] != "zero-shot: b" {
		t.Errorf("false claims: %v", s.FalseClaims)
	}
	var b bytes.Buffer
	if err := StrategiesMarkdown(&b, s); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	for _, want := range []string{
		"**False claims: 1: zero-shot: b**",
		"| case | expected | auto | zero-shot |\n|---|---|---|---|\n",
		"| a | reproduced | fixed B (2 attempts, 1000 tokens, 0.2500 USD) | exhausted (1 attempts, 10 tokens) |",
		"| b | not_a_bug | not_a_bug | reproduced C, FALSE CLAIM |",
		"| **claimed** |  | 1 of 1 | 0 of 1 |",
		"| **US dollars** |  | 0.2500 | price unknown |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.Index(got, "False claims") > strings.Index(got, "| case") {
		t.Error("false claims do not stand first")
	}
}

// The table of one strategy has the model's columns only where one was asked.
func TestCostColumns(t *testing.T) {
	var with, without bytes.Buffer
	asked := []Outcome{
		{ID: "a", Expected: oracle.Fixed, Headline: oracle.Fixed, Grade: "B", Model: &Spent{Attempts: 3, Calls: 9, TokensIn: 5, TokensOut: 6, USD: 1, Priced: true}},
		{ID: "b", Expected: oracle.NotABug, Headline: oracle.NotABug},
	}
	if err := Markdown(&with, Summarise("x", asked)); err != nil {
		t.Fatal(err)
	}
	if err := Markdown(&without, Summarise("x", asked[1:])); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(with.String(), "| yes | 3 | 11 | 1.0000 |") || !strings.Contains(with.String(), "Language model: 3 attempts, 9 calls, 5 + 6 tokens, 1.0000") {
		t.Errorf("got\n%s", with.String())
	}
	if strings.Contains(without.String(), "US dollars") || strings.Contains(without.String(), "Language model:") {
		t.Errorf("got\n%s", without.String())
	}
}

func TestOutcomeHasTheModelsCost(t *testing.T) {
	r := proof.Failure(proof.ResultError{})
	if o := outcomeOf(r, nil); o.Model != nil {
		t.Errorf("got %+v", o.Model)
	}
	r.Model = &proof.ResultModel{Attempts: 2, Calls: 4, Priced: true}
	r.Cost.TokensIn, r.Cost.TokensOut, r.Cost.USD = 7, 8, 0.5
	if o := outcomeOf(r, nil); *o.Model != (Spent{Attempts: 2, Calls: 4, TokensIn: 7, TokensOut: 8, USD: 0.5, Priced: true}) {
		t.Errorf("got %+v", o.Model)
	}
}
