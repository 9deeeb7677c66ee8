// Package mcp serves repgen's tools to a coding agent over the Model Context
// Protocol: the agent reads a report, gets the environment of the report, tries
// scripts in the sandbox, and has one judged. It authors; repgen judges.
//
// judge_script is the only tool with a verdict, and the verdict comes from the
// pipeline's own executions. No input of any tool names a grade, an oracle, an
// expectation or a good release: those words belong to whoever started the
// server. Text of a report or a program is handed over as data, with control
// characters removed, bounded in length, and called untrusted.
//
// Long calls are bounded: a call waits for a while, then answers with the run's
// id, and get_run asks for the rest. One run goes at a time unless the server
// was told otherwise. When the client goes, what runs ends.
package mcp
