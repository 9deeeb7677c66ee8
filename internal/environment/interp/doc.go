// Package interp finds the Python interpreters of this machine and what each
// of them can install: version, ABI, where its standard library lives.
package interp
