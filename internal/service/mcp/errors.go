package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Problem says what failed, why, and what to do next.
type Problem struct {
	What string `json:"what"`
	Why  string `json:"why,omitempty"`
	Next string `json:"next,omitempty"`
}

// toolError is a Problem as the error of a tool: the agent sees it and can do
// better.
type toolError struct{ Problem }

func (e *toolError) Error() string {
	text := e.What
	if e.Why != "" {
		text += "\nwhy: " + e.Why
	}
	if e.Next != "" {
		text += "\nnext: " + e.Next
	}
	return text
}

// refuse is the error of a call that asks for what cannot be had.
func refuse(next, format string, args ...any) error {
	return &toolError{clean(Problem{What: fmt.Sprintf(format, args...), Next: next})}
}

// clean makes a problem's words inert and bounds them: they may quote a report.
func clean(p Problem) Problem {
	return Problem{What: line(p.What, maxWords), Why: line(p.Why, maxWords), Next: line(p.Next, maxWords)}
}

// problem turns any error into its words.
func (s *session) problem(err error) Problem {
	var known *toolError
	switch {
	case errors.As(err, &known):
		return known.Problem
	case errors.Is(err, context.Canceled):
		return Problem{What: "cancelled", Why: "the client or the server's end asked to stop"}
	case s.opts.Explain != nil:
		return clean(s.opts.Explain(err))
	}
	return clean(Problem{What: err.Error()})
}

// fail is an error as the agent is told it.
func (s *session) fail(err error) error { return &toolError{s.problem(err)} }

// oneOf says which of several inputs are set.
func oneOf(named map[string]string, order ...string) []string {
	var set []string
	for _, name := range order {
		if strings.TrimSpace(named[name]) != "" {
			set = append(set, name)
		}
	}
	return set
}
