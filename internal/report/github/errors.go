package github

import "errors"

// ErrNotFound means that there is no such issue, or that it is private.
var ErrNotFound = errors.New("no such issue, or it is private")
