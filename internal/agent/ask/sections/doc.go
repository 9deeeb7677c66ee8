// Package sections words what the agent knows (report, environment, code, what
// must be shown) as sections of a prompt, the same way for every question.
package sections
