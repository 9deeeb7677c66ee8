// Package oracle computes verdicts. Judge looks at one recorded execution,
// Decide at all the evidence. Both are pure: they start nothing and read no
// file, so old evidence can be judged again. One file and one testdata folder
// per oracle.
package oracle
