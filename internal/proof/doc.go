// Package proof runs a candidate in its environment, finds controls, and lets
// the oracles decide. It is the only maker of a Reproduction and the owner of
// the JSON result.
package proof
