// Command repgen turns a bug report into a script, the environment it ran in,
// and a verdict that anyone can re-run.
package main

import (
	"os"

	"github.com/repgen/repgen/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
