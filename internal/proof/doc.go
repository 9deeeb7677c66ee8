// Package proof runs a candidate in its environment, finds controls, and lets
// the oracles decide. It is the only maker of a Reproduction and the owner of
// the JSON result.
//
// A proof gathers groups of executions. Each group is one side: the reported
// release, another release of the subject, the same script with one change (a
// contrast that the reporter names, a blamed part taken out), or the reported
// side with its seeds pinned. Every execution is a cold process. Nothing here
// judges: what an execution shows is asked of the oracles, and what all of them
// are worth together is oracle.Decide's answer.
//
// Two things run beside each other: executions, and the making of environments
// for the controls that will or may be needed (the yard). Where times or memory
// are measured, executions run alone.
package proof
