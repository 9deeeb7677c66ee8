// Package pypi is a client of a simple package index (PEP 503 and 691): which
// releases a project has, when they were uploaded, and which of their files
// fit a Python. It downloads nothing but listings and, when asked, one file
// with its hash checked; it executes nothing.
package pypi
