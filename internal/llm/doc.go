// Package llm asks a language model: one request in, one response out. Meter,
// retry, cache, record and replay are the same interface around another model.
// The word "model" alone means the network under test elsewhere in repgen; here
// Model is the language model.
//
// Adapters: openai (any server that speaks that protocol), anthropic, exec (a
// command), replay (recorded traffic, here). llmtest holds the conformance
// suite that each of them passes, and scripted models that misbehave.
package llm
