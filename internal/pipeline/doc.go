// Package pipeline takes one report the whole way: triage, candidate,
// environment, proof, verdict, bundle. A Run is a folder; each stage leaves
// one JSON file there together with the hash of its input, executions are
// folders of their own, so that a killed run goes on where it stopped.
package pipeline
