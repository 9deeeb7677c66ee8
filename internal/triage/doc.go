// Package triage decides what can be done with a report before anything runs:
// attempt it or why not, the expected symptom, the oracle that can judge it,
// and the facts that are missing.
//
// # The way of a report
//
// Decide reads a report once (a reading) and asks, in this order:
//
//   - Which blocks are the script? Blocks that use names of earlier ones are
//     joined with them; of several scripts the one that is said to fail comes
//     first, the others are kept (chooseScript, joinParts, lean).
//   - Which distribution is under suspicion, and which of its versions are
//     called good or bad (subjectsOf, contrast)?
//   - Which changes does the reporter name under which the symptom goes away or
//     comes (changesOf)? They are the controls that need no other release, and
//     each must point at something that stands in the script.
//   - What should an execution show (expect)? What was pasted or asserted comes
//     before what is only said in words (spokenExpectations), and a claim that
//     any release would meet is none: without an expectation the best ending is
//     a lead.
//   - Where does it go (route)? The first ending that holds, in the order of the
//     headlines: hostile, human_first, needs_hardware, needs_info, not_a_bug,
//     needs_model; else attempt.
//   - What is missing (factsOf), how vague does that leave it, and which two
//     questions would help most?
//   - How often was such a route right (confidence)? That is a count over
//     labelled reports, not a belief.
//
// # Rules of the house
//
// Precision comes before recall: what is not said is not claimed, and where two
// readings are possible there is none. Every reason, contrast and trigger keeps
// the span of the reporter's words. Nothing here runs, reads a file or asks a
// network, and no report makes it fail. Patterns come from reading public
// trackers; where a number was chosen and not measured, its comment says that it
// is a guess.
//
// # The labelled corpus
//
// testdata/routes holds small reports with the route that a maintainer would
// choose. The rules were made with dev.txtar in view; measured.txt counts
// held.txtar, of which only totals may be looked at (TestMeasured with -update
// writes the file). The first count, before any rule was changed for it, was 61
// of 66 right.
package triage
