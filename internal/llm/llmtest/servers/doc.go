// Package servers has local model servers for tests: they speak the protocols of
// internal/llm/openai and internal/llm/anthropic, streaming and not, and
// misbehave as real servers, gateways and lines do. Only tests import it.
package servers
