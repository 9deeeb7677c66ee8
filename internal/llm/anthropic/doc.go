// Package anthropic asks the Messages service and gateways that speak its
// protocol. What of the protocol is used stands in wire.go; sending, streams,
// bounds and failures are hosted's.
package anthropic
