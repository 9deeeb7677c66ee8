// Command repgen turns a bug report into a script, the environment it ran in,
// and a verdict that anyone can re-run.
package main

func main() {}
