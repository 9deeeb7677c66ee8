// Package task holds what the agent's parts hand to each other.
package task
