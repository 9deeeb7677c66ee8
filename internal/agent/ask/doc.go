// Package ask puts questions to a language model for the agent's parts: it fits
// a prompt to a cap, keeps what others wrote between fences that it cannot
// close, reads answers as text or as JSON, and books what was asked.
//
// A prompt is a system message, one user message of what stays the same from
// attempt to attempt, and, where there is an earlier answer, that answer and a
// second user message of what is new. The first two do not depend on the rest
// in any way, not even in what is cut to fit, so that a provider's cache of
// prefixes hits.
package ask
