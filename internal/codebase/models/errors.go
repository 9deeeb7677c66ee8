package models

import (
	"errors"
	"fmt"
	"strings"
)

// ErrMissing says that a model is not on this machine: what needs it is left
// out. errors.Is finds it in a *MissingError.
var ErrMissing = errors.New("the model is not here")

// ErrUnknown says that no entry has a name.
var ErrUnknown = errors.New("no such model")

// ErrHash says that bytes are not those of the manifest.
var ErrHash = errors.New("the SHA-256 is not the one of the list")

// MissingError is an entry that is not here, or not whole.
type MissingError struct {
	Name string
	// Why is "" when it was never pulled; else what is wrong with it.
	Why  string
	Next string
}

func (e *MissingError) Error() string {
	if e.Why == "" {
		return e.Name + " is not here"
	}
	return e.Name + " cannot be used: " + e.Why
}

// Is makes errors.Is(err, ErrMissing) true.
func (e *MissingError) Is(target error) bool { return target == ErrMissing }

// OfflineError says what a pull would have to fetch where nothing may be
// fetched.
type OfflineError struct {
	Name  string
	Files []string
}

func (e *OfflineError) Error() string {
	return fmt.Sprintf("offline: %s is not here (%s)", e.Name, strings.Join(e.Files, ", "))
}

// Next is what a user can do.
func (e *OfflineError) Next() string {
	return fmt.Sprintf("pull it where there is a network, bring its folder here, and: repgen models import DIR --name %s (or leave out --offline and REPGEN_OFFLINE)", e.Name)
}

// PullError says why no source gave a file.
type PullError struct {
	Name string
	File string
	// Tried says of each source what went wrong; Err joins the causes.
	Tried []string
	Err   error
}

func (e *PullError) Error() string {
	return fmt.Sprintf("no source gave %s of %s: %s", e.File, e.Name, strings.Join(e.Tried, "; "))
}

// Unwrap gives the causes.
func (e *PullError) Unwrap() error { return e.Err }

// Next is what a user can do.
func (e *PullError) Next() string {
	if errors.Is(e.Err, ErrHash) {
		return "another file is offered under this name: try again later, set " + hubVariable + " or the package index to one you trust, or import a folder of your own: repgen models import DIR --name " + e.Name
	}
	return "check the network, " + hubVariable + " and the package index (--index), then pull again (what came is kept and resumed), or import a folder of your own: repgen models import DIR --name " + e.Name
}
