// Package hosted is what the adapters of HTTP model servers share: where a key
// may travel and that it stands in no text, how long an answer may take and how
// long it may be, what a refusal means, and which words of a request a server
// turned out not to know.
package hosted
