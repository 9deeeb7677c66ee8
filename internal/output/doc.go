// Package output shows a run: stage lines and live progress on a terminal,
// plain lines elsewhere, the JSON object for machines. Everything a report or
// a script wrote is made inert before it reaches a terminal.
package output
