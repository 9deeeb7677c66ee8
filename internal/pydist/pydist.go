// Package pydist is what is known of Python distributions without asking an
// index: name normalisation, which distribution an import name belongs to,
// which distributions are released together, and PEP 440 version order. The
// tables are data files with their sources.
package pydist
