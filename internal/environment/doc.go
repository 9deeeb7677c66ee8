// Package environment turns what a report says and a script imports into a
// Spec, solves it as of the report's day into a Lock by a ladder of repairs,
// builds the Environment once into a shared read-only store, and certifies it.
package environment
