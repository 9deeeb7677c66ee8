// Package openai asks any server that speaks the chat completions protocol:
// the hosted service, vLLM, llama.cpp, Ollama and others. What of
// the protocol is used stands in wire.go; sending, streams, bounds and failures
// are hosted's.
package openai
