package symptom

import "github.com/repgen/repgen/internal/sandbox"

// FromText finds every failure in a log.
func FromText(text string) []Symptom { return nil }

// FromExecution lists the failures and warnings of one execution.
func FromExecution(ex sandbox.Execution) []Symptom { return nil }

// Compare says whether observed is the expected symptom.
func Compare(expected, observed Symptom) Match { return Match{Relation: None} }
