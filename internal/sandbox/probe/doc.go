// Package probe is the observer that runs inside the interpreter under test
// (an embedded, standard-library-only Python module for 3.6 to 3.14) and the
// parser of what it writes to its private channel.
package probe
