// Package triage decides what can be done with a report before anything runs:
// attempt it or why not, the expected symptom, the oracle that can judge it,
// and the facts that are missing.
package triage
