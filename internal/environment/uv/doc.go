// Package uv drives the uv tool: it finds or installs it, asks it which index
// it uses, lets it resolve and install, and turns its error texts into typed
// failures.
package uv
